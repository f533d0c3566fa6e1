"""Replies: what was said goes to the conversation, what comes of it to the person."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.replies import Conversing, Failed, Finished, TextDelta, ToolCalled
from bot.telegram.attachments import Enclosed
from bot.telegram.cooldown import Cooldown
from bot.telegram.inbox import Inbox
from bot.telegram.lanes import Said
from bot.telegram.media import Declined, Media
from bot.telegram.personal import PersonalSettings
from bot.telegram.preview import Preview, Previews
from bot.telegram.privacy import PRIVATE_MARK
from bot.telegram.rendering import render
from bot.telegram.sender import Sender
from bot.telegram.text import is_blank
from bot.telegram.texts import Texts
from memory.errors import StoreUnavailable
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: What there is to tell somebody in the end.
Outcome = Finished | Failed | Declined


@dataclass(slots=True)
class _UnderWay:
    """What is being answered in a place; while it is `writing`, it can be stopped, or begun again
    as it was `amended`."""

    said: Said
    writing: asyncio.Task[Outcome] | None = None
    amended: bool = False


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
        is_private: Callable[[Actor, Place], Awaitable[bool]],
        recorded: Callable[[Actor, str], Awaitable[str | None]],
        cooldown: Cooldown,
    ) -> None:
        """At most `parallel` replies are written at once; the others wait, typing. Those of private
        conversations bear a mark. `recorded` tells what was answered to an inbound with this id, if
        that turn was recorded; `cooldown` how often a chat hears of failures that are nobody's
        there."""
        self._is_private, self._recorded, self._personal = is_private, recorded, personal
        self._conversation, self._sender, self._inbox = conversation, sender, inbox
        self._previews, self._media = previews, media
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
        begun = await self._begun_before(said)
        under_way = self._under_way[place] = _UnderWay(said)
        try:
            async with self._sender.typing(place), await self._open(said, begun) as preview:
                outcome = await self._outcome(under_way, preview)
        finally:
            del self._under_way[place]
        said, shown_in = under_way.said, preview.message_id or begun
        if outcome is None:
            await self._leave(said, preview, shown_in)
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
            if outcome.error_id and not self._cooldown.over(said.inbound.place):
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

    async def _leave(self, said: Said, preview: Preview, shown_in: int | None) -> None:
        """Let stand what the person has seen of a reply that was stopped."""
        if preview.was_shown and not is_blank(preview.written):
            await self._deliver(said, preview.written, shown_in)
        else:
            await self._take_back(said.inbound.place, shown_in)

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
        """End the reply that is being written there; whether there was one."""
        under_way = self._under_way.get(place)
        if under_way is None or under_way.writing is None:
            return False
        under_way.amended = False
        return under_way.writing.cancel()

    def amend(
        self, place: Place, message_id: int, text: str, files: tuple[Enclosed, ...] = ()
    ) -> bool:
        """Begin the reply that is being written there again, to this message as it reads now;
        whether there was one."""
        under_way = self._under_way.get(place)
        amended = under_way.said.amended(message_id, text, files) if under_way else None
        if under_way is None or amended is None:
            return False
        writing = under_way.writing
        if writing and not writing.cancel():
            return False
        under_way.said, under_way.amended = amended, writing is not None
        return True

    async def _outcome(
        self, under_way: _UnderWay, preview: Preview
    ) -> Outcome | BaseException | None:
        """What the conversation ended with, or what it raised, or None if it was stopped."""
        while True:
            said = under_way.said
            under_way.amended = False
            writing = asyncio.create_task(
                self._write(said, preview), name=f"reply {said.inbound.id}"
            )
            under_way.writing = writing
            try:
                await asyncio.wait((writing,))
            finally:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
            if not writing.cancelled():
                return writing.exception() or writing.result()
            if not under_way.amended:
                return None
            # What is on record can't be changed any more: then that is what is answered.
            if recorded := await self._recorded_answer(said):
                return recorded
            preview.begin_anew()

    async def _write(self, said: Said, preview: Preview) -> Outcome:
        outcome: Finished | Failed | None = None
        async with self._slots:
            inbound = await self._media.received(said)
            if isinstance(inbound, Declined):
                _log.info("declined", actor=said.inbound.actor.id, files=len(said.files))
                return inbound
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
