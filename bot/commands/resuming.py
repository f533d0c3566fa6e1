"""Answers that end early, and what goes on from there: Continue, Answer again, /retry."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import structlog

from bot.assistant.context import Context
from bot.assistant.events import (
    SILENCE,
    Button,
    ButtonRows,
    Conversing,
    Event,
    Reply,
    TextDelta,
    ToolCalled,
)
from bot.assistant.failures import BLOCKED, PERMANENT, log_error
from bot.assistant.files import EnclosedFile, FileKind
from bot.assistant.inbound import Click, Command, Inbound, Message, Origin
from bot.markdown import open_fence
from bot.texts import Texts
from memory.background.caches import BoundedDict
from memory.background.work import log_outage
from memory.conversation.talk import turn_id
from memory.errors import LeaseLost, StoreUnavailable
from memory.records import Actor, Place, Role, Speaker, Turn, Utterance, own_words
from memory.safety.escaping import is_blank
from tools.forgetting import forget_memory

_log = structlog.get_logger(__name__)

#: Prefix of the data of the buttons; the id of a turn ends it. The id is only compared: everything
#: else comes from the session.
_FAMILY = "t"
_CONTINUE, _AGAIN = f"{_FAMILY}:go:", f"{_FAMILY}:again:"
#: The kind of interruption that the person wanted.
STOPPED = "stopped"
#: That of an unexpected error.
BROKEN = "broken"
#: How many questions are known with their files.
_MOST_ASKED = 1_000
#: Of how many actors answers are known by their questions, and how many of one.
_MOST_ACTORS, _MOST_ANSWERS = 1_000, 30


@dataclass(frozen=True, slots=True)
class _Answer:
    """The bot's message that answers a question, its buttons, its turn, and a hash of the
    question."""

    message_id: int
    buttons: ButtonRows
    turn: str
    asked: int


@dataclass(slots=True)
class _SoFar:
    """What a turn has brought by now."""

    pieces: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)

    def note(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self.pieces.append(text)
            case ToolCalled(name):
                self.pieces.append("\n\n")
                self.tools.append(name)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()


class Resuming:
    """Records answers that end early. Turns a press of Continue or Answer again, or /retry, into
    the message that is to be answered."""

    def __init__(self, conversation: Conversing, context: Context) -> None:
        self._conversation, self._context = conversation, context
        self._talk, self._personal = context.memory.talk, context.people.personal
        self._answers = BoundedDict[Actor, BoundedDict[tuple[Place, int], _Answer]](_MOST_ACTORS)
        # The message and the files of each question, by turn: the journal does not keep them.
        self._asked = BoundedDict[str, tuple[int, tuple[EnclosedFile, ...]]](_MOST_ASKED)

    def drop(self, actor: Actor) -> None:
        """Forget where the actor's answers are: another worker may change them. Files of questions
        stay the same."""
        self._answers.pop(actor, None)

    # -- answers that end early -------------------------------------------------------------------

    async def converse(self, said: Message, texts: Texts) -> AsyncGenerator[Event, None]:
        """The conversation's events. Whatever ends the answer early, what was written stays; an
        error before the first word is raised, if the conversation has no words for it."""
        so_far = _SoFar()
        if not said.continues:
            # The words of a recording are in the text.
            files = tuple(file for file in said.files if file.kind is not FileKind.SPEECH)
            self._asked[turn_id(said.origin.actor, said.id)] = self._question_of(said), files
        try:
            if not await self._is_last(said.continues, said.origin):
                yield Reply(texts.moved_on)
                return
            async with aclosing(self._conversation.reply(said)) as events:
                async for event in events:
                    so_far.note(event)
                    if isinstance(event, Reply):
                        event = await self._finish(said, event, so_far, texts)
                    yield event
        except LeaseLost:
            raise  # Another worker answers.
        except Exception as error:  # the boundary: an answer that broke off, not the turn
            if is_blank(so_far.text):
                # For /retry.
                await self.record(said, "", BROKEN, kept=True)
                raise
            broken = Reply("", failure=BROKEN, error_id=log_error(error, said.origin.place))
            yield await self._finish(said, broken, so_far, texts)

    def _question_of(self, said: Message) -> int:
        """The message that asked what is answered."""
        if said.alone and said.answers is not None:
            return said.answers
        before = self._asked.get(said.replaces[0]) if said.replaces else None
        return before[0] if before else said.message_id

    async def _finish(self, said: Message, reply: Reply, so_far: "_SoFar", texts: Texts) -> Reply:
        if reply.failure:
            self._context.health.errors += 1
            reply = await self._fail(said, reply, so_far, texts)
        elif is_blank(reply.text):
            reply = replace(reply, text=texts.no_answer)
        return self._mark(reply, said, texts)

    async def _fail(self, said: Message, failed: Reply, so_far: "_SoFar", texts: Texts) -> Reply:
        """What to show of a turn that failed: what was written by then, or why there is nothing."""
        # A turn that forgot something names it.
        kept = forget_memory.__name__ not in so_far.tools
        part = await self.record(said, so_far.text, failed.failure, kept=kept)
        # What a guardrail blocks must not stay; the text in its place is in nobody's language.
        if not is_blank(so_far.text) and failed.failure != BLOCKED.kind:
            return replace(part, effects=failed.effects, error_id=failed.error_id)
        sentence = texts.failures.get(failed.failure, failed.text)
        number = f" {texts.error_number.format(id=failed.error_id)}" if failed.error_id else ""
        turn = said.replaces[0] if said.replaces else turn_id(said.origin.actor, said.id)
        if said.continues:
            button = Button(texts.button_continue, f"{_CONTINUE}{said.continues}")
        else:
            button = Button(texts.button_again, f"{_AGAIN}{turn}")
        buttons = () if failed.failure in PERMANENT else ((button,),)
        return replace(failed, text=sentence + number, buttons=buttons)

    async def record(self, said: Message, written: str, kind: str, *, kept: bool = False) -> Reply:
        """Record an answer of which this much was written, or a question without one, and return
        the reply that shows it. Nothing is learned from the answer, and from the question only if
        it may be `kept`."""
        origin, fails_again = said.origin, kind in PERMANENT
        # An answer that the vendor objects to would make it object to what follows.
        wanted = not (fails_again or is_blank(written))
        answer = [Utterance(Role.ASSISTANT, written, datetime.now(UTC))] if wanted else []
        messages = (*said.utterances, *answer)
        # A question that is asked again keeps its answer until there is a better one.
        if messages and (answer or not said.replaces):
            private = await self._personal.seems_private(origin.actor, origin.place)
            off_record = self._context.memory.rules.is_off_record(own_words(said.text))
            with log_outage(_log, "journal_unavailable"):
                await self._talk.record(
                    origin.actor,
                    origin.place,
                    messages,
                    name=said.id,
                    kept=kept and not (fails_again or off_record),
                    private=private,
                    interrupted=kind,
                    replaces=said.replaces,
                )
        return Reply(written, markdown=True, interrupted=kind)

    async def stopped_reply(self, said: Message, written: str) -> Reply:
        """Record a reply that was stopped after this much of it, so that the conversation goes on
        from there, and return it. Nothing is extracted from its turn, because what its tools did is
        unknown."""
        return await self._prepare(said, await self.record(said, written, STOPPED))

    async def recorded_reply(self, said: Message) -> Reply | None:
        """The recorded reply to a message, if any: a killed process may have recorded it without
        sending it."""
        turn = None
        with log_outage(_log, "journal_unavailable"):
            turn = await self._talk.turn(said.origin.actor, said.id)
        if turn is None or turn.answer is None:
            return None
        reply = Reply(turn.answer, markdown=True, interrupted=turn.interrupted)
        return await self._prepare(said, reply)

    async def _prepare(self, said: Message, reply: Reply) -> Reply:
        """A reply whose turn is recorded, ready to deliver."""
        origin = said.origin
        texts = await self._personal.texts(origin.actor, origin.language)
        private = await self._personal.seems_private(origin.actor, origin.place)
        return replace(self._mark(reply, said, texts), private=private)

    def _mark(self, reply: Reply, said: Message, texts: Texts) -> Reply:
        """The reply with the question it answers, if that is an older one, the reason why its
        answer ends early, and a button to go on."""
        reply = replace(reply, points=said.alone and said.answers is not None)
        kind = reply.interrupted
        if not kind or is_blank(reply.text):
            return reply
        reason = texts.interrupted.get(kind, texts.interrupted["other"])
        number = texts.error_number.format(id=reply.error_id) if reply.error_id else ""
        footer = "" if kind == STOPPED else f"{reason} {number}".rstrip()
        turn = turn_id(said.origin.actor, said.id)
        button = Button(texts.button_continue, f"{_CONTINUE}{turn}")
        return reply.with_footer(footer, () if kind in PERMANENT else ((button,),))

    # -- going on ---------------------------------------------------------------------------------

    def is_for(self, said: Inbound) -> bool:
        """True for what asks to go on or to answer again."""
        if isinstance(said, Click):
            return said.data.startswith(f"{_FAMILY}:")
        return isinstance(said, Command) and said.name == "retry"

    async def resume(self, said: Command | Click) -> Message | Reply:
        """The message to answer, or why there is none. The same press or command always gives a
        message of the same id."""
        texts = await self._personal.texts(said.origin.actor, said.origin.language)
        try:
            return await self._message_for(said, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="retry", error=str(failure))
            return Reply(texts.memory_unavailable, note=isinstance(said, Click))

    async def _message_for(self, said: Command | Click, texts: Texts) -> Message | Reply:
        turns = await self._talk.recent(said.origin.actor, said.origin.place)
        bare = Message(
            f"{said.origin.place.channel}:{said.origin.place.chat_id}:{said.message_id}"
            f":{said.receipt}",
            said.origin,
            datetime.now(UTC),
            texts.button_continue,
            said.message_id,
            said.receipt,
            alone=True,
        )
        if turns and turns[-1].id == turn_id(said.origin.actor, bare.id):
            # An earlier process has recorded the answer.
            return replace(bare, text=turns[-1].question.text if turns[-1].question else bare.text)
        pressed = said.data if isinstance(said, Click) else _AGAIN
        wanted = pressed.removeprefix(_AGAIN)
        goes_on = pressed.startswith(_CONTINUE)
        first = _find_question(turns, "" if goes_on else wanted)
        if goes_on:
            last = turns[-1] if turns else None
            if first is None or last is None or f"{_CONTINUE}{last.id}" != pressed:
                return _moved_on(said, texts)
            meant = replace(bare, continues=last.id, fence=open_fence(last.answer or ""))
        elif first is not None and (wanted or isinstance(said, Command)):
            ids = tuple(turn.id for turn in turns[first:])
            # The last question is answered in place of its turn, an older one once more.
            is_last = not any(turn.question for turn in turns[first + 1 :])
            shown = said.question if isinstance(said, Click) else None
            asked = shown.message_id if shown else self._asked.get(ids[0], (said.message_id,))[0]
            older = replace(bare, answers=asked)
            meant = replace(bare, replaces=ids) if is_last else older
        elif isinstance(said, Click):
            return await self._answer_shown(said, bare, texts)
        else:
            return Reply(texts.nothing_to_retry)
        question = turns[first].question
        if question is None or not await self._may_resume(said.origin, question.speaker):
            return Reply(texts.not_your_question, note=isinstance(said, Click))
        origin = replace(said.origin, speaker=question.speaker)
        _, files = self._asked.get(turns[first].id, (0, ()))
        return replace(meant, origin=origin, text=question.text, at=question.at, files=files)

    async def _answer_shown(self, click: Click, bare: Message, texts: Texts) -> Message | Reply:
        """The question that the pressed message replies to, where the session has it no more."""
        question = click.question
        if question is None:
            return _moved_on(click, texts)
        speaker = question.origin.speaker
        if not await self._may_resume(click.origin, speaker):
            return Reply(texts.not_your_question, note=True)
        origin = replace(click.origin, speaker=speaker)
        again = replace(bare, origin=origin, text=question.text, files=question.files)
        return replace(again, answers=question.message_id)

    async def _is_last(self, turn: str, origin: Origin) -> bool:
        """True unless the conversation has moved on from the turn that is to be continued, if one
        is. Raises StoreUnavailable."""
        if not turn:
            return True
        turns = await self._talk.recent(origin.actor, origin.place)
        return bool(turns) and turns[-1].id == turn

    async def _may_resume(self, origin: Origin, asker: Speaker | None) -> bool:
        """True for whoever asked the question, and in a group for its admins."""
        asked = asker is not None and asker.id == origin.user_id
        return asked or await self._context.may_manage(origin)

    # -- edited questions -------------------------------------------------------------------------

    def _answers_to(self, actor: Actor) -> BoundedDict[tuple[Place, int], _Answer]:
        return self._answers.setdefault(actor, BoundedDict(_MOST_ANSWERS))

    def note_answer(self, said: Message, reply: Reply, message_id: int) -> None:
        """Note that the answer to a message was delivered under this id."""
        turn, known = turn_id(said.origin.actor, said.id), self._answers_to(said.origin.actor)
        for key, answer in list(known.items()) if said.replaces else ():
            if answer.turn in said.replaces:
                known[key] = replace(
                    answer, message_id=message_id, buttons=reply.buttons, turn=turn
                )
        # Only what a person wrote can be edited.
        for single in () if said.alone else said.singles:
            known[said.origin.place, single.message_id] = _Answer(
                message_id, reply.buttons, turn if single is said else "", hash(single.text)
            )

    async def offer(self, changed: Message) -> Reply:
        """The reply to an edit of a message that was answered: a button to answer it again, under
        the answer if that is known. Silent if its text has not changed."""
        origin, key = changed.origin, (changed.origin.place, changed.message_id)
        texts = await self._personal.texts(origin.actor, origin.language)
        answer = self._answers_to(origin.actor).get(key)
        turn = answer.turn if answer else turn_id(origin.actor, changed.id)
        try:
            reworded = await self._talk.reword(origin.actor, origin.place, turn, changed.text)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="edit", error=str(failure))
            return Reply(texts.memory_unavailable, private=False)
        if reworded is False or (answer and answer.asked == hash(changed.text)):
            return SILENCE
        button = ((Button(texts.button_again, f"{_AGAIN}{turn if reworded else ''}"),),)
        if answer:
            self._answers_to(origin.actor)[key] = replace(answer, asked=hash(changed.text))
        if answer and reworded:
            buttons = (*answer.buttons, *button)
            return Reply("", buttons, replaces=answer.message_id, private=False)
        return Reply(texts.edited, button, points=True, private=False)


def _find_question(turns: tuple[Turn, ...], wanted: str) -> int | None:
    """Where the turn of this id asks something; the last one that does, without an id."""
    numbers = reversed(range(len(turns)))
    return next((n for n in numbers if turns[n].question and wanted in ("", turns[n].id)), None)


def _moved_on(said: Command | Click, texts: Texts) -> Reply:
    return Reply(texts.moved_on, note=True, releases=said.message_id)
