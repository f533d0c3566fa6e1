"""Replies: what was said goes to the conversation, what comes of it to the person."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from bot.assistant.events import (
    Conversing,
    Failed,
    Finished,
    Inbound,
    TextDelta,
    ToolCalled,
)
from bot.people.personal import PersonalSettings
from bot.people.privacy import PRIVATE_MARK
from bot.telegram.delivery.cooldown import Cooldown
from bot.telegram.delivery.media import Declined, Media
from bot.telegram.delivery.preview import Preview, Previews
from bot.telegram.delivery.sender import Sender
from bot.telegram.formatting.rendering import render
from bot.telegram.formatting.text import is_blank
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.reading import Heard
from bot.telegram.intake.said import Said
from bot.texts import Texts
from memory.errors import StoreUnavailable
from memory.records import Actor, Place, Role, Utterance

_log = structlog.get_logger(__name__)

#: What there is to tell somebody in the end.
Outcome = Finished | Failed | Declined


@dataclass(slots=True)
class _UnderWay:
    """What is being answered in a place. Until it is written it can be stopped, or begun again as
    it reads by then."""

    said: Said
    heard: Inbound | None = None  # what was said, with its recordings written down
    writing: asyncio.Task[Outcome] | None = None
    stopped: bool = False

    def interrupt(self) -> bool:
        """End what is being written now, if anything is; whether it is not too late for that."""
        return self.writing is None or self.writing.cancel()


class Replying:
    """Answers one thing said at a time in each place, and a limited number in all."""

    def __init__(
        self,
        conversation: Conversing,
        sender: Sender,
        previews: Previews,
        inbox: Inbox,
        media: Media,
        personal: PersonalSettings,
        *,
        parallel: int,
        longest_burst: int = 16_000,
        is_private: Callable[[Actor, Place], Awaitable[bool]],
        recorded: Callable[[Actor, str], Awaitable[str | None]],
        record: Callable[..., Awaitable[object]],
        cooldown: Cooldown,
    ) -> None:
        """At most `parallel` replies are written at once; the others wait, typing. What is answered
        may grow to `longest_burst` characters meanwhile. Replies of private conversations bear a
        mark. `recorded` tells what was answered to an inbound with this id, if that turn was
        recorded; `record` writes one down, as `Memory.record` does; `cooldown` is how often a chat
        hears of failures that are nobody's there."""
        self._is_private, self._personal = is_private, personal
        self._recorded, self._record = recorded, record
        self._conversation, self._sender, self._inbox = conversation, sender, inbox
        self._previews, self._media = previews, media
        self._longest = longest_burst
        self._slots, self._cooldown = asyncio.Semaphore(parallel), cooldown
        self._under_way: dict[Place, _UnderWay] = {}
        #: How many times there was no reply since the start.
        self.failed = 0

    async def answer(self, said: Said) -> None:
        """Have the conversation answer, show the answer as it grows, and deliver it. Of one that
        was stopped stays what the person has seen of it. Raises what the conversation raised."""
        rest = await self._unanswered(said) if self._inbox.was_left(said.update_ids[0]) else said
        if rest:
            await self._answer(rest)

    async def _unanswered(self, said: Said) -> Said | None:
        """What is left to answer of something that an earlier process may have begun with: killed
        after it had recorded a turn and before it kept the answer. Asked again, alone or with what
        was said since, the same words would be recorded twice; so that answer is delivered here."""
        for head, rest in reversed(said.beginnings()):
            if answer := await self._recorded_answer(head):
                text = await self._text(head, answer)
                await self._keep(head, text)
                await self.deliver(head, text)
                await self._close(head)
                return rest
        return said

    async def _recorded_answer(self, said: Said) -> Finished | None:
        try:
            text = await self._recorded(said.inbound.actor, said.inbound.id)
        except StoreUnavailable as failure:
            _log.warning("journal_unavailable", error=str(failure))
            return None
        return None if text is None else Finished(text)

    async def _answer(self, said: Said) -> None:
        started, place = time.monotonic(), said.inbound.place
        under_way = self._under_way[place] = _UnderWay(said)
        try:
            begun = await self._begun_before(said)
            async with self._sender.typing(place), await self._open(said, begun) as preview:
                outcome = await self._outcome(under_way, preview)
        finally:
            del self._under_way[place]
        said, shown_in = under_way.said, preview.message_id or begun
        if outcome is None:
            await self._leave(under_way, preview, shown_in)
            return
        if isinstance(outcome, BaseException):
            await self._take_back(place, shown_in)
            raise outcome
        delivered = await self._tell(said, outcome, shown_in)
        _log.info(
            "replied",
            actor=said.inbound.actor.id,
            updates=len(said.update_ids),
            failed=isinstance(outcome, Failed),
            delivered=delivered,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    async def _tell(self, said: Said, outcome: Outcome, shown_in: int | None) -> bool:
        """Have the person hear what came of it; whether they did."""
        text = await self._text(said, outcome)
        if isinstance(outcome, Failed):
            self.failed += 1
            if outcome.error_id and not self._cooldown.claim(said.inbound.place):
                await self._take_back(said.inbound.place, shown_in)
                return False
        if isinstance(outcome, Finished):
            await self._keep(said, text)
        return await self._deliver(said, text, shown_in)

    async def deliver(self, said: Said, text: str) -> bool:
        """Send a reply that was made before; in a group, as an answer to the message it belongs
        to. Where it had begun to show it is completed."""
        return await self._deliver(said, text, await self._begun_before(said))

    async def tidy(self, place: Place, update_id: int) -> None:
        """Take away what an earlier process had begun to answer this update with."""
        await self._take_back(place, self._previews.left_behind.pop(update_id, None))

    async def _take_back(self, place: Place, message_id: int | None) -> None:
        if message_id is not None:
            await self._sender.delete(place, message_id)

    async def _deliver(self, said: Said, text: str, instead_of: int | None) -> bool:
        return await self._sender.send_answer(
            said.inbound.place,
            render(text, await self._mark(said)),
            answering=_answering(said),
            instead_of=instead_of,
        )

    async def _leave(self, under_way: _UnderWay, preview: Preview, shown_in: int | None) -> None:
        """Keep what was written of a reply that was stopped, whether it was shown or not."""
        said, written = under_way.said, preview.written
        if is_blank(written):
            await self._take_back(said.inbound.place, shown_in)
            return
        await self._record_part(
            under_way.heard or said.inbound, written, private=bool(preview.mark)
        )
        await self._deliver(said, written, shown_in)

    async def _record_part(self, inbound: Inbound, written: str, *, private: bool) -> None:
        """Let the conversation go on from what there is of an answer. It goes no further than the
        session: what a tool did on the way, whether it forgot something, nobody knows here."""
        messages = (
            Utterance(Role.USER, inbound.text, inbound.at, inbound.speaker),
            Utterance(Role.ASSISTANT, written, datetime.now(UTC)),
        )
        to = inbound.actor, inbound.place
        try:
            await self._record(*to, messages, name=inbound.id, kept=False, private=private)
        except StoreUnavailable as failure:
            _log.warning("journal_unavailable", error=str(failure))

    async def _begun_before(self, said: Said) -> int | None:
        """The message in which an earlier process had begun to show this reply, if it can go on
        there: above what was said since, nobody would look for it."""
        left = [self._previews.left_behind.pop(id_, None) for id_ in said.update_ids]
        begun = [message_id for message_id in left if message_id is not None]
        for message_id in begun:
            if message_id < said.message_ids[-1]:
                await self._take_back(said.inbound.place, message_id)
        return next((id_ for id_ in begun if id_ > said.message_ids[-1]), None)

    async def _open(self, said: Said, begun: int | None) -> Preview:
        wanted = await self._personal.streaming(said.inbound.actor)
        preview = self._previews.open(
            said, answering=_answering(said), message_id=begun, wanted=wanted
        )
        preview.mark = await self._mark(said)
        return preview

    async def _mark(self, said: Said) -> str:
        """What replies there begin with."""
        private = await self._is_private(said.inbound.actor, said.inbound.place)
        return PRIVATE_MARK if private else ""

    def stop(self, place: Place) -> bool:
        """End the reply that is under way there; whether there was one."""
        under_way = self._under_way.get(place)
        if under_way is None or not under_way.interrupt():
            return False
        under_way.stopped = True
        return True

    def amend(self, changed: Heard) -> bool:
        """Begin the reply that is under way there again, to this message as it reads now; whether
        there was one."""
        place, amended = changed.origin.place, self._amended(changed)
        if amended is None or not self._under_way[place].interrupt():
            return False
        self._under_way[place].said = amended
        return True

    def would_amend(self, changed: Heard) -> bool:
        """Whether `amend` has a reply to begin again."""
        return self._amended(changed) is not None

    def _amended(self, changed: Heard) -> Said | None:
        """What is being answered there with this message as it reads now; None if it has no such
        message, or would be too much. Telegram tells of changes, too, that nobody sees: they are
        no reason to begin again."""
        under_way = self._under_way.get(changed.origin.place)
        if under_way is None or under_way.stopped:
            return None
        amended = under_way.said.amended(changed, self._longest)
        return None if amended == under_way.said else amended

    async def _outcome(
        self, under_way: _UnderWay, preview: Preview
    ) -> Outcome | BaseException | None:
        """What the conversation ended with, or what it raised, or None if it was stopped."""
        while not under_way.stopped:
            said = under_way.said
            writing = asyncio.create_task(
                self._write(under_way, preview), name=f"reply {said.inbound.id}"
            )
            under_way.writing = writing
            try:
                await asyncio.wait((writing,))
            finally:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
            if not writing.cancelled():
                return writing.exception() or writing.result()
            if under_way.said is said:
                return None
            under_way.writing = None
            # What is on record can't be changed any more: then that is what is answered.
            if recorded := await self._recorded_answer(said):
                return recorded
            preview.discard()
        return None

    async def _write(self, under_way: _UnderWay, preview: Preview) -> Outcome:
        said, outcome = under_way.said, None
        under_way.heard = None
        async with self._slots:
            inbound = await self._media.received(said)
            if isinstance(inbound, Declined):
                _log.info("declined", actor=said.inbound.actor.id, files=len(said.files))
                return inbound
            under_way.heard = inbound
            async for event in self._conversation.reply(inbound):
                match event:
                    case TextDelta(text):
                        preview.write(text)
                    case ToolCalled():
                        preview.begin_anew()
                    case _:
                        outcome = event
        if outcome is None:
            raise RuntimeError("the conversation ended without an outcome")
        return outcome

    async def _text(self, said: Said, outcome: Outcome) -> str:
        """What the person hears of it, in their language."""
        inbound = said.inbound
        return _told(outcome, await self._personal.texts(inbound.actor, inbound.language))

    async def _keep(self, said: Said, text: str) -> None:
        """The turn is recorded: from here on the answer must not be asked for again."""
        try:
            await self._inbox.keep_reply(said.update_ids, text)
        except StoreUnavailable as failure:
            _log.warning("inbox_unavailable", error=str(failure))

    async def _close(self, said: Said) -> None:
        """This is answered, and what else came with it is not."""
        try:
            await self._inbox.done(said.update_ids)
        except StoreUnavailable as failure:
            _log.warning("inbox_unavailable", error=str(failure))


def _told(outcome: Outcome, texts: Texts) -> str:
    """What the person hears: the model's answer, or why there is none."""
    match outcome:
        case Declined(sentence):
            return sentence(texts)
        case Failed(text, kind, error_id):
            number = f" {texts.error_number.format(id=error_id)}" if error_id else ""
            return texts.failures.get(kind, text) + number
        case Finished(text):
            return texts.no_answer if is_blank(text) else text


def _answering(said: Said) -> int | None:
    """The message that a reply answers: in a group it has to be told."""
    return said.message_ids[-1] if said.inbound.actor.is_group else None
