"""What a model is asked, piece by piece, and what of it a prompt cache could serve. Also what
simpler bots would have asked in its place, to compare with.

A cache takes a request from its beginning, tools first, and serves what is the same, byte for byte,
as in an earlier request, up to one of the points that were marked there."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic_ai import CachePoint, ModelMessage, ToolDefinition
from pydantic_ai.messages import (
    ModelRequest,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from memory.conversation.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Piece:
    """What a cache takes whole or not at all. `point` says that it may end there."""

    role: str
    text: str
    point: bool = False

    @property
    def tokens(self) -> int:
        """What it costs, estimated."""
        return _tokens(self.text)


Request = tuple[Piece, ...]


def request_of(
    messages: Sequence[ModelMessage], instructions: str, tools: Iterable[ToolDefinition]
) -> Request:
    """A request as the model gets it: tools, system prompt, messages. The first two end in a point,
    as the program sends them to Bedrock."""
    declared = [
        {"name": t.name, "description": t.description, "parameters": t.parameters_json_schema}
        for t in tools
    ]
    pieces = [
        Piece("tools", json.dumps(declared, ensure_ascii=False), point=True),
        Piece("system", instructions, point=True),
    ]
    for message in messages:
        role = "user" if isinstance(message, ModelRequest) else "assistant"
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                for item in content:
                    if isinstance(item, CachePoint):
                        pieces[-1] = replace(pieces[-1], point=True)
                    else:
                        pieces.append(Piece(role, str(item)))
            elif isinstance(part, TextPart):
                pieces.append(Piece(role, part.content))
            elif isinstance(part, ToolCallPart):
                pieces.append(Piece(role, f"{part.tool_name} {part.args_as_json_str()}"))
            elif isinstance(part, ToolReturnPart):
                pieces.append(Piece(role, part.model_response_str()))
    return tuple(pieces)


def tokens_in(request: Request) -> int:
    """What a request costs, estimated."""
    return sum(piece.tokens for piece in request)


def cacheable(request: Request, before: Request) -> int:
    """How many of a request's tokens a cache could serve that has seen the one before."""
    served = read = 0
    for piece, earlier in zip(request, before, strict=False):
        if (piece.role, piece.text) != (earlier.role, earlier.text):
            break
        read += piece.tokens
        if earlier.point:
            served = read
    return served


def last_point(request: Request) -> int:
    """How many tokens of a request stand before its last point."""
    points = [index for index, piece in enumerate(request) if piece.point]
    return tokens_in(request[: points[-1] + 1]) if points else 0


@dataclass(frozen=True, slots=True)
class Naive:
    """The requests that simpler bots would make instead of one of ours. Their every piece ends in a
    point: they get the best cache that there could be.

    `fixed` are tools and system prompt; `said` is the talk so far, message by message; `asked` is
    the user's message, with what tools have answered in this turn; `memories` is what the memory
    has found for it; `last` is the number of messages in a window."""

    fixed: Request
    said: Request
    asked: Request
    memories: str
    last: int

    def full_history(self) -> Request:
        """Everything that was ever said, as messages."""
        return _pointed((*self.fixed, *self.said, *self.asked))

    def pasted(self) -> Request:
        """The last messages and what is remembered in the system prompt, which is another one every
        turn, and the last messages again as messages."""
        tools, system = self.fixed
        told = "\n".join(f"{piece.role.title()}: {piece.text}" for piece in self._recent)
        prompt = "\n\n".join(part for part in (system.text, self.memories, told) if part)
        return _pointed((tools, Piece("system", prompt), *self._recent, *self.asked))

    def sliding(self) -> Request:
        """The last messages alone: with every turn one comes and one goes."""
        return _pointed((*self.fixed, *self._recent, *self.asked))

    @property
    def _recent(self) -> Request:
        return self.said[-self.last :]


def _pointed(request: Request) -> Request:
    return tuple(replace(piece, point=True) for piece in request)


@lru_cache(maxsize=10_000)
def _tokens(text: str) -> int:
    # The same messages come again with every request.
    return estimate_tokens(text)
