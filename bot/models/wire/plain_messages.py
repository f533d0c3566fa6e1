"""Messages in the form that the simplest chat templates accept. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pydantic_ai import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.messages import ModelRequestPart, ToolReturnPart, UserContent, UserPromptPart

#: Follows tool results that were put into words.
NO_MORE_TOOLS = "There are no more tools to call. Answer me now, in plain words."


def merge_neighbours(messages: Iterable[ModelMessage]) -> Iterator[ModelMessage]:
    """The messages without empty answers, and with consecutive requests merged."""
    waiting: ModelRequest | None = None
    for message in messages:
        if isinstance(message, ModelRequest):
            parts = (*waiting.parts, *message.parts) if waiting else message.parts
            waiting = replace(message, parts=_merge_prompts(parts))
        elif _says_something(message):
            if waiting:
                yield waiting
            waiting = None
            yield message
    if waiting:
        yield waiting


def without_tool_calls(messages: Sequence[ModelMessage]) -> Iterator[ModelMessage]:
    """The messages without tool calls; their results become user prompts."""
    for message in messages:
        if isinstance(message, ModelRequest):
            told = any(isinstance(part, ToolReturnPart) for part in message.parts)
            parts = [_as_user_prompt(part) for part in message.parts]
            if told and message is messages[-1]:
                parts.append(UserPromptPart(NO_MORE_TOOLS))
            yield replace(message, parts=parts)
        elif not message.tool_calls:
            yield message
        else:
            # The text before a call was its preamble.
            others = [p for p in message.parts if not isinstance(p, ToolCallPart | TextPart)]
            yield replace(message, parts=others)


def _as_user_prompt(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, ToolReturnPart):
        return part
    return UserPromptPart(f"Result of {part.tool_name}: {part.model_response_str()}")


def _says_something(message: ModelResponse) -> bool:
    return any(not isinstance(p, TextPart) or p.content.strip() for p in message.parts)


def _merge_prompts(parts: Iterable[ModelRequestPart]) -> list[ModelRequestPart]:
    """The parts of a request with neighbouring user prompts merged, in their plainest form."""
    merged: list[ModelRequestPart] = []
    for part in parts:
        if not isinstance(part, UserPromptPart):
            merged.append(part)
            continue
        items = _items(part)
        if merged and isinstance(last := merged[-1], UserPromptPart):
            merged.pop()
            items = [*_items(last), *items]
        merged.append(replace(part, content=_plainest(items)))
    return merged


def _items(part: UserPromptPart) -> list[UserContent]:
    items = [part.content] if isinstance(part.content, str) else part.content
    return [item for item in items if not isinstance(item, CachePoint)]


def _plainest(items: list[UserContent]) -> str | list[UserContent]:
    """A single text as a string: the simplest servers don't accept lists of content."""
    only = items[0] if len(items) == 1 else None
    return only if isinstance(only, str) else items
