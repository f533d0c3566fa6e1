"""The offline engine: a model without a language model.

It is deterministic, needs no key and no network, and goes through the very same agent loop and
tools as a real model: it reads the request's messages, calls a tool or answers. What it understands
of a sentence comes from the grammar; what it knows of the person comes from the tools."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from html import unescape
from typing import Any, cast

from pydantic_ai import ModelSettings, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
    FunctionStreamedResponse,
)
from pydantic_ai.usage import RequestUsage

from bot.assistant.prompt import PRIVATE
from bot.models.sight import BLIND
from bot.offline.answers import Heard, Note
from bot.offline.grammar.asking import only_asks
from bot.offline.grammar.naming import asks_agent_name, naming
from bot.offline.grammar.questions import MemoryQuestion, asks_to_remember, memory_question
from bot.offline.grammar.statements import noteworthy
from bot.offline.replies import reply
from bot.offline.summaries import own_quotes
from memory.background.threads import compute
from memory.conversation.tiers import EARLIER_TAG
from memory.records import Kind, own_words

#: Its name in settings, logs and replies' metadata.
MODEL_NAME = "offline"

_MEMORY_TYPES: dict[tuple[Kind, ...], str] = {
    (Kind.FACT,): "facts",
    (Kind.PREFERENCE,): "preferences",
}
_NOTE = re.compile(
    r"^- \[(?P<kind>\w+)(?: (?P<id>[^\],]+), (?P<date>[\d-]+))?\] (?P<text>.+)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool the engine wants to use."""

    tool: str
    arguments: dict[str, str]

    @property
    def json(self) -> str:
        """The arguments as a model sends them."""
        return json.dumps(self.arguments, ensure_ascii=False)


def offline_model() -> Model:
    """The engine as a pydantic-ai model, streamed or not."""
    return OfflineModel(_respond, stream_function=_stream, model_name=MODEL_NAME, profile=BLIND)


class OfflineModel(FunctionModel):
    """Reports no tokens and no cost; the library would estimate tokens."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One request and its whole answer."""
        response = await super().request(messages, model_settings, model_request_parameters)
        response.usage = _no_usage()
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """One request and its answer as it comes."""
        async with super().request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            pieces = cast(FunctionStreamedResponse, stream)._iter
            yield FreeStream(model_request_parameters, MODEL_NAME, pieces)


class FreeStream(FunctionStreamedResponse):
    """The engine's answer as it comes."""

    @property
    def usage(self) -> RequestUsage:
        """Nothing."""
        return _no_usage()


def _no_usage() -> RequestUsage:
    return RequestUsage(cost=Decimal(0))


async def _respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    # In a thread, because a long message would block everyone else.
    step = await compute(_next_step, messages, info)
    if isinstance(step, ToolRequest):
        call_id = _call_id(messages)
        return ModelResponse([ToolCallPart(step.tool, step.json, tool_call_id=call_id)])
    return ModelResponse([TextPart(step)])


async def _stream(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    # In a thread, because a long message would block everyone else.
    step = await compute(_next_step, messages, info)
    if isinstance(step, ToolRequest):
        yield {0: DeltaToolCall(step.tool, step.json, tool_call_id=_call_id(messages))}
        return
    for piece in re.findall(r"\S+\s*|\s+", step):
        yield piece


def _next_step(messages: Sequence[ModelMessage], info: AgentInfo) -> ToolRequest | str:
    """The next tool request that has not been answered yet; else the reply."""
    speaker = _speaker(messages)
    said = _user_texts(messages, speaker)
    text = said[-1] if said else ""
    answers = _tool_answers(messages)
    offered = {tool.name for tool in info.function_tools}
    for call in _calls(text):
        if call.tool in offered and call.tool not in answers:
            return call
    # The last request of a turn comes without tools; a turn without any has no memory to use.
    before = [*_summarized_texts(messages, speaker), *said[:-1]]
    heard = _reply_input(text, before, answers, speaker, keeps=bool(offered or answers))
    return reply(replace(heard, private=_is_private(messages)))


def _calls(text: str) -> list[ToolRequest]:
    """The tool requests of a message, in order."""
    calls = []
    if name := naming(text):
        calls.append(ToolRequest("set_agent_name", {"name": name}))
    if (what := asks_to_remember(text)) and not only_asks(what):
        kinds = {finding.kind for finding in noteworthy(text)}
        kind = Kind.PREFERENCE if kinds == {Kind.PREFERENCE} else Kind.FACT
        arguments = {"statement": what, "quote": what, "kind": kind.value}
        calls.append(ToolRequest("remember", arguments))
    if question := memory_question(text):
        calls.append(_search(question, text))
    elif asks_agent_name(text):
        calls.append(ToolRequest("search_memory", {"query": text, "memory_type": "all"}))
    return calls


def _search(question: MemoryQuestion, text: str) -> ToolRequest:
    memory_type = _MEMORY_TYPES.get(question.kinds, "all")
    return ToolRequest(
        "search_memory", {"query": question.topic or text, "memory_type": memory_type}
    )


def _reply_input(
    text: str, before: Sequence[str], answers: dict[str, str], speaker: str, *, keeps: bool
) -> Heard:
    found = answers.get("search_memory")
    return Heard(
        text=text,
        before=tuple(before),
        named=answers.get("set_agent_name"),
        remembered=answers.get("remember"),
        notes=None if found is None else _notes(found, speaker),
        keeps=keeps,
        search_failed=found is not None and not _is_search_result(found),
    )


def _notes(found: str, speaker: str) -> tuple[Note, ...]:
    """The lines of a search's answer, with their escapes undone: this text is shown, not read by
    a model."""
    notes = []
    for match in _NOTE.finditer(found):
        text = unescape(match["text"])
        own = _without_speaker(text, speaker)
        theirs = bool(speaker) and own == text
        notes.append(Note(match["kind"], own, match["date"] or "", theirs=theirs))
    return tuple(notes)


def _is_search_result(found: str) -> bool:
    return found.startswith("Nothing") or _NOTE.search(found) is not None


def _speaker(messages: Sequence[ModelMessage]) -> str:
    """The speaker in a group, whom the prompt names before their words; else empty."""
    prompts = [part for m in messages for part in m.parts if isinstance(part, UserPromptPart)]
    content = prompts[-1].content if prompts else ""
    before = "" if isinstance(content, str) else _last_text(content[:-1])
    return before[:-1] if before.endswith(":") and "\n" not in before else ""


def _without_speaker(text: str, speaker: str) -> str:
    """The text without the speaker's name before it."""
    return text.removeprefix(f"{speaker}: ") if speaker else text


def _user_texts(messages: Sequence[ModelMessage], speaker: str) -> list[str]:
    """The user's own words, turn by turn. What stands before them in a prompt is recalled data."""
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    texts = (text if isinstance(text, str) else _last_text(text) for text in prompts)
    return [_without_speaker(own_words(text).strip(), speaker) for text in texts]


def _summarized_texts(messages: Sequence[ModelMessage], speaker: str) -> tuple[str, ...]:
    """What the user said before the messages in the prompt, as quoted by the running summaries."""
    prompts = (part for m in messages for part in m.parts if isinstance(part, UserPromptPart))
    first = next(prompts, None)
    notes = first.content if first and not isinstance(first.content, str) else ()
    return tuple(
        _without_speaker(quote, speaker)
        for note in notes
        if isinstance(note, str) and note.startswith(f"<{EARLIER_TAG}>")
        for quote in own_quotes(unescape(note))
    )


def _is_private(messages: Sequence[ModelMessage]) -> bool:
    """True if this turn's prompt marks it as private."""
    prompts = [part for m in messages for part in m.parts if isinstance(part, UserPromptPart)]
    content = prompts[-1].content if prompts else ""
    # The words themselves come last, and say nothing of the kind.
    return not isinstance(content, str) and PRIVATE in content[:-1]


def _last_text(content: Sequence[object]) -> str:
    return next((item for item in reversed(content) if isinstance(item, str)), "")


def _tool_answers(messages: Sequence[ModelMessage]) -> dict[str, str]:
    """What each tool answered since the user's last words; a refused call's reason counts too."""
    answers: dict[str, str] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                answers.clear()
            elif isinstance(part, ToolReturnPart):
                # As the tool put it: the framework's own wording is for language models.
                answers[part.tool_name] = str(part.content)
            elif isinstance(part, RetryPromptPart) and part.tool_name:
                answers[part.tool_name] = str(part.content)
    return answers


def _call_id(messages: Sequence[ModelMessage]) -> str:
    """An id that is unique in this conversation and the same on every run."""
    return f"offline-{len(messages)}"
