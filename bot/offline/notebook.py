"""The notebook: a model without a language model.

It needs no key and no network, and goes through the same agent loop and tools as a real model. The
memory keeps what people say; the notebook answers by quoting it, and states nothing of its own."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from pydantic_ai import ModelSettings, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import (
    CompletedStreamedResponse,
    Model,
    ModelRequestParameters,
    StreamedResponse,
)
from pydantic_ai.usage import RequestUsage

from bot.models.sight import BLIND
from bot.offline.language import Language, guess_language
from bot.offline.lines import LineReader, fresh_lines
from bot.offline.overview import cut_quote, telling_lines
from bot.offline.quotes import Quotes, choose
from bot.offline.scores import Line
from bot.offline.wishes import Wishes, wishes_of
from memory.background.threads import compute
from memory.errors import StoreUnavailable
from memory.knowledge.moments import ago
from memory.options import MemoryOptions, utc_now
from memory.records import own_words
from memory.safety.secrets import mask_secrets
from tools.context import ToolContext

T = TypeVar("T")

#: Its name in settings, logs and replies' metadata.
MODEL_NAME = "offline"

#: Maximum lines of an overview; how many conversations "last time" goes back.
_OVERVIEW, _TALKS = 12, 3
_QUOTE_CHARS = 400
#: Texts of more characters are masked in a thread.
_LONG = 1000
#: What is answered even if the message also wanted something done.
_ANSWERED = ("question", "overview", "agent_name", "source", "talks")
#: What is said to what a message is, if it wants nothing else.
_SENTENCES = {
    "hello": "hello", "thanks": "welcome", "bye": "bye", "nothing": "nudge", "okay": "nudge",
    "off_record": "off_record", "help": "notebook",
}  # fmt: skip
#: From this age in days on, a date says more than "5 weeks ago".
_RECENT = 7


class Notebook(Model):
    """Reports no tokens and no cost."""

    def __init__(self) -> None:
        super().__init__(profile=BLIND)
        self._lines = LineReader()

    @property
    def model_name(self) -> str:
        return MODEL_NAME

    @property
    def system(self) -> str:
        return MODEL_NAME

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """An answer outside a conversation, where there is no memory to look into."""
        return await self._respond(messages, model_request_parameters, None)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """The answer in a conversation, all at once."""
        deps = run_context.deps if run_context else None
        context = deps if isinstance(deps, ToolContext) else None
        response = await self._respond(messages, model_request_parameters, context)
        yield CompletedStreamedResponse(
            response, model_request_parameters=model_request_parameters, replay_events=True
        )

    async def _respond(
        self,
        messages: Sequence[ModelMessage],
        parameters: ModelRequestParameters,
        context: ToolContext | None,
    ) -> ModelResponse:
        said = _user_texts(messages, context)
        text = said[-1] if said else ""
        language = guess_language([text, *said[-2::-1]], _chosen_language(context))
        wishes = await compute(wishes_of, text, language)
        answers = _tool_answers(messages)
        offered = {tool.name for tool in parameters.function_tools}
        calls = [
            ToolCallPart(name, json.dumps(arguments, ensure_ascii=False), f"offline-{name}")
            for name, arguments in _calls(wishes).items()
            if name in offered and name not in answers
        ]
        reply = _Reply(language, text, said[:-1], wishes, answers, context)
        parts: Sequence[ModelResponsePart] = calls
        if not calls:
            parts = [TextPart(await reply.write(self._lines))]
        nothing = RequestUsage(cost=Decimal(0))
        return ModelResponse(parts, usage=nothing, model_name=MODEL_NAME, finish_reason="stop")


def offline_model() -> Model:
    """The notebook as a pydantic-ai model."""
    return Notebook()


def _calls(wishes: Wishes) -> dict[str, dict[str, str]]:
    """The tools that a message asks for, with their arguments."""
    calls = {}
    if wishes.name:
        calls["set_agent_name"] = {"name": wishes.name}
    if wishes.remember:
        calls["remember"] = {"statement": wishes.remember, "quote": wishes.remember}
    if wishes.forget:
        calls["forget_memory"] = {"query": wishes.forget}
    return calls


class _Reply:
    """One reply, from what was said and what the tools answered."""

    def __init__(
        self,
        language: Language,
        text: str,
        before: Sequence[str],
        wishes: Wishes,
        answers: dict[str, str],
        context: ToolContext | None,
    ) -> None:
        self._language, self._says = language, language.says
        self._text, self._before, self._wishes = wishes.asked or text, before, wishes
        self._answers, self._context = answers, context
        self._keeps = context is not None and context.memory.options.memory_enabled
        self._private = context is not None and context.private
        self._recent = _RECENT
        self._speaker = context.turns[-1].speaker if context else None

    async def write(self, lines: LineReader) -> str:
        """The reply."""
        parts = list(self._on_tools())
        try:
            if self._wishes.told:
                parts.append(await self._note("\n".join(self._wishes.told)))
            if self._wishes.asked or not parts or self._wishes.kind in _ANSWERED:
                parts.append(await self._on_message(lines))
            if await self._is_first():
                parts.append(self._says["notebook"])
        except StoreUnavailable:
            parts = parts or [self._says["unreachable"]]
        return "\n\n".join(dict.fromkeys(filter(None, parts)))

    def _on_tools(self) -> Iterator[str]:
        refused = self._says["private"] if self._private else None
        if self._wishes.name:
            named = self._answers.get("set_agent_name", "")
            done = named.startswith("I've stored")
            form = self._says["named"] if done else refused or self._says["not_named"]
            yield form.format(name=self._wishes.name)
        if self._wishes.remember:
            kept = "I've remembered it" in self._answers.get("remember", "")
            form = self._says["remembered"] if kept else refused or self._says["not_remembered"]
            yield form.format(text=self._wishes.remember, reason=self._says["refused"])
        if self._wishes.forget:
            yield self._on_forgetting(self._answers.get("forget_memory", ""))

    def _on_forgetting(self, answer: str) -> str:
        """What the person can do: press a button under this reply, or use a command."""
        if answer.startswith("Nothing is deleted yet"):
            return self._says["choose"]
        if not answer.startswith("Nothing in memory"):
            return self._says["forgetting"]
        # "Forget everything" finds nothing, although there may be much to forget.
        return f"{self._says['nothing']} {self._says['forgetting']}"

    async def _on_message(self, lines: LineReader) -> str:
        if sentence := _SENTENCES.get(self._wishes.kind):
            return self._says[sentence]
        match self._wishes.kind:
            case "agent_name":
                return await self._own_name()
            case "overview":
                return await self._overview(lines)
            case "talks":
                return await self._talks() or await self._overview(lines)
            case "source":
                return await self._source(lines)
            case "question":
                return await self._answer(lines)
            case "topic":
                return await self._answer(lines, otherwise=await self._note(self._text))
        return await self._note(self._text)

    async def _note(self, text: str) -> str:
        """That a statement is kept, or why not."""
        if self._private:
            return self._says["private"]
        if not self._keeps:
            return self._says["unkept"]
        masked = await compute(mask_secrets, text) if len(text) > _LONG else mask_secrets(text)
        return self._says["kept" if masked == text else "masked"]

    async def _answer(self, lines: LineReader, otherwise: str = "") -> str:
        known = await self._read_lines(lines)
        now = self._now()
        found: Quotes = await compute(choose, self._text, known, self._language, now)
        if not found.lines or (otherwise and not found.exact):
            return otherwise or self._says["nothing"]
        quotes = [self._quote(line) for line in found.lines]
        quotes += [f"… +{found.more}"] if found.more else []
        return "\n".join(quotes if found.exact else [self._says["closest"], *quotes])

    async def _source(self, lines: LineReader) -> str:
        """The answer to the question before this one, with the day on which each line was said."""
        if self._before:
            self._text, self._recent = self._before[-1], 0
        return await self._answer(lines)

    async def _read_lines(self, lines: LineReader) -> list[Line]:
        archived = self._keeps and not self._private
        before = () if archived else self._before
        fresh = fresh_lines([*before, *self._wishes.told], self._now())
        if self._context is None or not self._keeps:
            return fresh
        known = await self._in_time(lines.about(self._context, self._text, self._language))
        if self._language.has("asks.me", self._text) and self._speaker:
            known = [line for line in known if line.speaker == self._speaker] or known
        # Neither what this very message tells is in the archive, nor what is said in private.
        return known + [_number_after(line, known) for line in fresh]

    async def _overview(self, lines: LineReader) -> str:
        if self._context is None or not self._keeps:
            own = fresh_lines(self._before, self._now())
        else:
            own = await self._in_time(lines.own(self._context, self._language))
        told = await compute(telling_lines, own, self._language, _OVERVIEW)
        rows = [f"• {self._quote(line)}" for line in told]
        if name := await self._agent_name():
            rows.insert(0, self._says["calls_me"].format(name=name))
        return "\n".join([self._says["overview"], *rows]) if rows else self._says["empty"]

    async def _talks(self) -> str:
        if self._context is None or not self._keeps:
            return ""
        past = await self._in_time(self._context.memory.known.past_talks(self._context.actor))
        talks = past[-_TALKS:]
        rows = [f"• {self._when(talk.created_at)}: {talk.text}" for talk in reversed(talks)]
        return "\n".join([self._says["talks"], *rows]) if rows else ""

    async def _own_name(self) -> str:
        name = await self._agent_name()
        return self._says["calls_me"].format(name=name) if name else self._says["unnamed"]

    async def _agent_name(self) -> str | None:
        if self._context is None:
            return None
        reading = self._context.memory.choices.read(self._context.actor)
        return (await self._in_time(reading)).agent_name

    async def _in_time(self, reading: Awaitable[T]) -> T:
        """What is read from the memory. Raises StoreUnavailable, also if it takes too long."""
        options = self._context.memory.options if self._context else MemoryOptions()
        try:
            async with asyncio.timeout(options.memory_recall_timeout_seconds):
                return await reading
        except TimeoutError as late:
            raise StoreUnavailable("the memory took too long") from late

    async def _is_first(self) -> bool:
        """True for the first reply that a person gets: they should know who they write to."""
        if self._context is None or self._before:
            return False
        profile = await self._in_time(self._context.memory.talk.profile(self._context.actor))
        return not (profile.facts or profile.preferences or profile.summaries)

    def _quote(self, line: Line) -> str:
        author, words = line.source
        # What is said in private is masked nowhere else.
        text = cut_quote(mask_secrets(words), _QUOTE_CHARS).replace("“", '"').replace("”", '"')
        if not author and line.speaker and line.speaker != self._speaker:
            author = line.speaker.name
        who = f"{author}: " if author else ""
        ended = f" · {self._says['ended']}" if line.ended else ""
        return f"{who}“{text}” · {self._when(line.at)}{ended}"

    def _when(self, at: datetime) -> str:
        """When something was said, as one says it in the reader's language."""
        now = self._now()
        local = at.astimezone(now.tzinfo).date()
        if (now.date() - local).days < self._recent:
            return ago(at, now, self._language.code)
        month = self._says["months"].split()[local.month - 1]
        return self._says["date"].format(day=local.day, month=month, year=local.year)

    def _now(self) -> datetime:
        if self._context is None:
            return utc_now()
        return self._context.memory.choices.local_time(self._context.actor)


def _number_after(line: Line, known: Sequence[Line]) -> Line:
    return replace(line, number=line.number + len(known))


def _chosen_language(context: ToolContext | None) -> str | None:
    choices = context.memory.choices.of(context.actor) if context else None
    return choices.language if choices else None


def _user_texts(messages: Sequence[ModelMessage], context: ToolContext | None) -> list[str]:
    """The user's own words, turn by turn. What stands before them in a prompt is recalled data."""
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    texts = (text if isinstance(text, str) else _last_text(text) for text in prompts)
    own = [own_words(text).strip() for text in texts]
    before = [own_words(turn.said).strip() for turn in context.turns[:-1]] if context else own[:-1]
    return [*before, own[-1]] if own else before


def _last_text(content: Sequence[object]) -> str:
    return next((item for item in reversed(content) if isinstance(item, str)), "")


def _tool_answers(messages: Sequence[ModelMessage]) -> dict[str, str]:
    """What each tool answered since the user's last words; a refused call's reason counts too."""
    answers: dict[str, str] = {}
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, UserPromptPart):
            answers.clear()
        elif isinstance(part, ToolReturnPart | RetryPromptPart) and part.tool_name:
            answers[part.tool_name] = str(part.content)
    return answers
