"""Bedrock's Converse and ConverseStream with scripted replies, the rules of a conversation, and a
prompt cache."""

import hashlib
import itertools
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from moto.bedrockruntime.responses import BedrockRuntimeResponse
from moto.core.responses import ActionResult

from tests.fakes.aws.bedrock_models import Catalogue, all_blocks, refusals
from tests.fakes.aws.errors import ValidationFailed
from tests.fakes.aws.eventstream import event, exception
from tests.fakes.aws.plane import StrictParameters


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model asks for. `raw` is sent instead of the arguments' JSON, for a call
    that was cut short."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = "tooluse_1"
    raw: str | None = None

    @property
    def input(self) -> str:
        """The arguments as the stream carries them."""
        return json.dumps(self.arguments) if self.raw is None else self.raw


@dataclass(frozen=True)
class Completion:
    """What the model says next, and how the stream of it goes wrong.

    `stop` is the stop reason: None is what fits the content, "" ends the stream properly but
    without any. After `breaks_after` events the stream fails with the in-band exception `error`,
    or, without one, the connection is cut. `pause` seconds pass before each event. `guardrail` is
    what a guardrail did to the answer."""

    text: str = ""
    tools: tuple[ToolCall, ...] = ()
    stop: str | None = None
    breaks_after: int | None = None
    error: str | None = None
    pause: float = 0.0
    guardrail: Literal["BLOCKED", "ANONYMIZED"] | None = None

    @property
    def stop_reason(self) -> str:
        """Why the model stopped."""
        if self.stop is None and self.guardrail:
            return "guardrail_intervened"
        if self.stop is None:
            return "tool_use" if self.tools else "end_turn"
        return self.stop


@dataclass(frozen=True)
class Stream:
    """Frames on the wire; `whole` is false when the connection is cut after them."""

    frames: tuple[bytes, ...]
    whole: bool
    pause: float


class Script:
    """What the model will say: queued replies first, then `otherwise` of the request."""

    def __init__(self) -> None:
        self._queue: deque[Completion] = deque()
        self._cached: set[str] = set()
        self.otherwise: Callable[[dict[str, Any]], Completion] = _echo

    def say(self, *replies: Completion | str) -> None:
        """Queue replies."""
        self._queue.extend(r if isinstance(r, Completion) else Completion(r) for r in replies)

    def next(self, request: dict[str, Any]) -> Completion:
        """The reply to a request."""
        return self._queue.popleft() if self._queue else self.otherwise(request)

    def usage(
        self, request: dict[str, Any], reply: Completion, minimum: int | None
    ) -> dict[str, Any]:
        """The tokens of a request and its reply; those up to a known cache point are read from the
        cache, those up to the last one are written to it, but nothing below the model's `minimum`.
        `inputTokens` leaves both out."""
        total, read, cacheable = 0, 0, 0
        written: list[tuple[str, int]] = []
        digest = hashlib.sha256(str(request.get("modelId")).encode())
        for block in all_blocks(request):
            if "cachePoint" in block:
                if minimum is not None and total >= minimum:
                    life = block["cachePoint"].get("ttl", "5m")
                    if digest.hexdigest() in self._cached:
                        read, written = total, []
                    elif total > cacheable:
                        written.append((life, total - max(cacheable, read)))
                    cacheable = total
                    self._cached.add(digest.hexdigest())
                continue
            raw = json.dumps(block, sort_keys=True, default=str)
            digest.update(raw.encode())
            total += _tokens(raw)
        said = _tokens(reply.text + "".join(call.input for call in reply.tools))
        return {
            "inputTokens": total - cacheable,
            "outputTokens": said,
            "totalTokens": total + said,
            "cacheReadInputTokens": read,
            "cacheWriteInputTokens": cacheable - read,
            "cacheDetails": [
                {"ttl": life, "inputTokens": sum(n for each, n in written if each == life)}
                for life in sorted({life for life, _ in written})
            ],
        }


class RuntimePlane(StrictParameters, BedrockRuntimeResponse):
    """moto's handler with the operations that it lacks."""

    def __init__(self, script: Script, models: Catalogue, region: str) -> None:
        super().__init__()
        self._script, self._models, self._region_of_plane = script, models, region
        #: What ConverseStream answers with, past moto's serialiser.
        self.stream: Stream | None = None

    def converse(self) -> ActionResult:
        """Converse."""
        reply, usage = self._reply(streams=False)
        content: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
        for call in reply.tools:
            use = {"toolUseId": call.id, "name": call.name, "input": call.arguments}
            content.append({"toolUse": use})
        return ActionResult(
            {
                "output": {"message": {"role": "assistant", "content": content}},
                "stopReason": reply.stop_reason,
                "usage": usage,
                "metrics": {"latencyMs": 1},
                **_trace(reply, self.params),
            }
        )

    def converse_stream(self) -> ActionResult:
        """ConverseStream: the frames are in `stream`."""
        reply, usage = self._reply(streams=True)
        frames = list(_frames(reply, {"usage": usage, **_trace(reply, self.params)}))
        whole = reply.breaks_after is None
        if not whole:
            frames = frames[: reply.breaks_after]
        if reply.error:
            frames.append(exception(reply.error, "told to fail"))
            whole = True
        self.stream = Stream(tuple(frames), whole, reply.pause)
        return ActionResult({})

    def _reply(self, *, streams: bool) -> tuple[Completion, dict[str, Any]]:
        model = self._models.model(self.params["modelId"], self._region_of_plane)
        broken = next(_broken_rules(self.params), None)
        if broken:
            raise ValidationFailed(broken)
        if refused := next(refusals(model, self.params, streams=streams), None):
            raise refused
        reply = self._script.next(self.params)
        return reply, self._script.usage(self.params, reply, model.cache_minimum)


def _trace(reply: Completion, request: dict[str, Any]) -> dict[str, Any]:
    """What a guardrail reports, if it did something and was asked to tell."""
    asked = (request.get("guardrailConfig") or {}).get("trace", "disabled")
    if reply.guardrail is None or asked == "disabled":
        return {}
    found = {"type": "ADDRESS", "match": "12 Elm Road", "action": reply.guardrail}
    assessment = {"sensitiveInformationPolicy": {"piiEntities": [found], "regexes": []}}
    return {"trace": {"guardrail": {"outputAssessments": {"guard1": [assessment]}}}}


def _frames(reply: Completion, metadata: dict[str, Any]) -> Iterator[bytes]:
    yield event("messageStart", {"role": "assistant"})
    index = 0
    if reply.text:
        for number, word in enumerate(reply.text.split(" ")):
            yield _delta(index, {"text": f" {word}" if number else word})
        yield event("contentBlockStop", {"contentBlockIndex": index})
        index += 1
    for call in reply.tools:
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        yield event("contentBlockStart", {"start": start, "contentBlockIndex": index})
        half = len(call.input) // 2
        for piece in (call.input[:half], call.input[half:]):
            yield _delta(index, {"toolUse": {"input": piece}})
        yield event("contentBlockStop", {"contentBlockIndex": index})
        index += 1
    if reply.stop_reason:
        yield event("messageStop", {"stopReason": reply.stop_reason})
        yield event("metadata", {**metadata, "metrics": {"latencyMs": 1}})


def _delta(index: int, delta: dict[str, Any]) -> bytes:
    return event("contentBlockDelta", {"delta": delta, "contentBlockIndex": index})


def _broken_rules(request: dict[str, Any]) -> Iterator[str]:
    """What the service refuses although the service model allows it."""
    messages = request["messages"]
    roles = [message["role"] for message in messages]
    if not roles or roles[0] != "user":
        yield "A conversation must start with a user message."
    if any(one == other for one, other in itertools.pairwise(roles)):
        yield "Roles must alternate between user and assistant."
    if roles[-1:] != ["user"]:
        yield "A conversation must end with a user message."
    blocks = [block for message in messages for block in message["content"]]
    if any("text" in block and not block["text"].strip() for block in blocks):
        yield "The text field in a content block is blank."
    if any("toolUse" in b or "toolResult" in b for b in blocks) and not request.get("toolConfig"):
        yield "The toolConfig field must be defined when using toolUse and toolResult."
    yield from _broken_pairs(messages)
    if sum("cachePoint" in block for block in all_blocks(request)) > 4:
        yield "At most 4 cache points are allowed."


def _broken_pairs(messages: list[dict[str, Any]]) -> Iterator[str]:
    asked: set[str] = set()
    for message in messages:
        uses = {b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b}
        results = {b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b}
        if results != asked:
            yield f"Expected toolResult blocks for the ids {sorted(asked)}, got {sorted(results)}."
        asked = uses


def _echo(request: dict[str, Any]) -> Completion:
    """Say that the last words were heard."""
    texts = [block["text"] for block in request["messages"][-1]["content"] if "text" in block]
    return Completion(f"I heard: {texts[-1] if texts else '(a tool)'}")


def _tokens(text: str) -> int:
    """A token is about four characters."""
    return len(text) // 4 + 1 if text else 0
