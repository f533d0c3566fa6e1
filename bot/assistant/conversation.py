"""One turn of conversation, top to bottom: recall, prompt, model and tools, record."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime

import structlog
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from bot.assistant import files, prompt
from bot.assistant.agent import Answer, TurnAgent, TurnLimits
from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.failures import MODEL_ERRORS, failure_reply
from bot.assistant.inbound import Message
from bot.assistant.instructions import GO_ON
from bot.assistant.toolbox import toolbox
from bot.markdown import Continuation
from bot.metrics import TURNS
from bot.people.accounts import Accounts
from bot.people.usage import Usage, estimated_usage
from bot.texts import ENGLISH
from memory.background.tasks import finish_uncancelled
from memory.conversation.talk import ConversationHistory, HistoryMetadata, turn_id
from memory.errors import LeaseLost, StoreUnavailable
from memory.memory import Memory
from memory.records import Role, Turn, Utterance, own_words
from tools.context import ToolContext
from tools.forgetting import forget_memory

_log = structlog.get_logger(__name__)

NOTHING_SAID = ENGLISH.empty


class Conversation:
    """Answers messages with one model and one memory, for any number of actors and turns at once.

    This object keeps no state of a turn. A failed turn leaves the window and the journal unchanged.
    What its tools stored stays stored, because the tools told the model so."""

    def __init__(
        self,
        model: Model,
        memory: Memory,
        persona: str,
        limits: TurnLimits | None = None,
        clock: Callable[[], datetime] | None = None,
        accounts: Accounts | None = None,
    ) -> None:
        """`persona` is the static system prompt, made by `system_prompt`. The caller opens
        and closes the model. Without `accounts`, usage is not counted."""
        self._model, self._model_name, self._persona = model, model.model_name, persona
        self._memory, self._clock, self._accounts = memory, clock or memory.clock, accounts
        # All tools need the memory.
        tools = toolbox() if memory.options.memory_enabled else []
        self._limits = limits or TurnLimits()
        self._agent = TurnAgent(model, tools, persona, self._limits)

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        if not message.text.strip():
            yield Reply(NOTHING_SAID, failure="empty")
            return
        started = time.monotonic()
        origin, history = message.origin, await self._recall(message)
        session = history.metadata.session_id
        log = _log.bind(actor=origin.actor.id, session=session, model=self._model_name)
        request = self._request(message, history)
        context = ToolContext(
            origin.actor,
            self._memory,
            (*history.turns, _turn_in_progress(message, session)),
            private=history.metadata.private,
            unsure=not session,
        )
        usage, finished, failed, model = RunUsage(), False, False, self._model_name
        written: list[str] = []
        rest = Continuation(message.fence)
        try:
            async with aclosing(self._agent.answer(request, context, usage)) as events:
                async for event in events:
                    if isinstance(event, Answer):
                        event = replace(event, text=rest.whole(event.text))
                        finished, model = True, event.model or model
                        record = self._record(message, event, log, private=context.private)
                        # Too late to stop now: a turn in the journal must be in the window too.
                        await finish_uncancelled(record)
                        _log_turn(event, log, started)
                        yield Reply(
                            event.text,
                            markdown=True,
                            interrupted=event.interrupted,
                            effects=context.effects,
                        )
                    else:
                        if isinstance(event, TextDelta):
                            written.append(event.text)
                            event = TextDelta(rest.piece(event.text))
                        yield event
        except MODEL_ERRORS as error:
            failed = True
            reply = failure_reply(error, log, started, with_files=request.has_files)
            # What the tools have done by then stays done.
            yield replace(reply, effects=context.effects)
        finally:
            if finished and usage.requests == 1 and not request.has_files:
                # Later requests contain tool results, which the prompt does not.
                self._memory.tokens.observe(model, request.texts, usage.input_tokens)
            if not (finished or usage.output_tokens) and (written or not failed):
                usage = self._estimate_usage(request, "".join(written)) or usage
            if self._accounts and usage.requests:
                count = Usage.of(usage, finished=finished)
                self._accounts.note_turn(origin.actor, session, count, origin.user_id)

    def _request(self, message: Message, history: ConversationHistory) -> prompt.Prompt:
        today = (history.metadata.local_time or self._clock()).date()
        attached = files.contents(
            message.attachments, self._limits.document_tokens, self._memory.tokens.count
        )
        speaker = message.origin.speaker
        if message.continues:
            return prompt.build(history, GO_ON, None, today, attached)
        name = speaker.name if speaker else None
        return prompt.build(history, message.text, name, today, attached)

    def _estimate_usage(self, request: prompt.Prompt, written: str) -> RunUsage | None:
        """The estimated usage of an interrupted request: otherwise a reply that is stopped just
        before its end would be free."""
        count = self._memory.tokens.count
        read = sum(map(count, (self._persona, *request.texts)))
        return estimated_usage(self._model, read, count(written))

    async def _recall(self, message: Message) -> ConversationHistory:
        """Recall the conversation; an empty one if even the journal fails, so that the bot still
        answers."""
        origin = message.origin
        try:
            return await self._memory.talk.recall(
                origin.actor, origin.place, message.text, origin.language, message.replaces
            )
        except StoreUnavailable as failure:
            _log.exception("recall_failed", actor=message.origin.actor.id, error=str(failure))
            return ConversationHistory(HistoryMetadata(session_id="", message_count=0))

    async def _record(
        self,
        message: Message,
        answer: Answer,
        log: structlog.stdlib.BoundLogger,
        *,
        private: bool,
    ) -> None:
        """Record the turn.

        If the journal fails, the person still gets the answer: it promises nothing that depends on
        the journal (tools use the store), and silence would not bring the turn back. The operator
        gets an error."""
        messages = *message.utterances, Utterance(Role.ASSISTANT, answer.text, self._clock())
        # A turn that forgot something names it, and must not be learned from; neither must one that
        # the person asked not to remember.
        forgot = any(use.name == forget_memory.__name__ for use in answer.tools)
        kept = not forgot and not self._memory.rules.is_off_record(own_words(message.text))
        try:
            await self._memory.talk.record(
                message.origin.actor,
                message.origin.place,
                messages,
                answer.tools,
                name=message.id,
                kept=kept,
                private=private,
                interrupted=answer.interrupted,
                replaces=message.replaces,
            )
        except LeaseLost:
            log.info("turn_left", effect="the worker that has the actor now answers it")
        except StoreUnavailable as failure:
            remedy = "check the data directory or database_url"
            log.exception("turn_not_recorded", error=str(failure), remedy=remedy)


def _turn_in_progress(message: Message, session: str) -> Turn:
    """The turn as it will be recorded, without its answer."""
    id_, place = turn_id(message.origin.actor, message.id), message.origin.place
    return Turn(id_, session, (message.utterance,), place=place)


def _log_turn(answer: Answer, log: structlog.stdlib.BoundLogger, started: float) -> None:
    TURNS.add("answered")
    usage = answer.usage
    if answer.model:
        log = log.bind(model=answer.model)
    log.info(
        "turn",
        duration_ms=round((time.monotonic() - started) * 1000),
        requests=usage.requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cost_usd=None if usage.cost is None else float(usage.cost),
        tools=[use.name for use in answer.tools],
    )
