"""Replies: what was said goes to the conversation, what comes of it to the person."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog

from bot.replies import Conversing, Failed, Finished, TextDelta, ToolCalled
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
    ) -> None:
        """At most `parallel` replies are written at once; the others wait, typing. Those of private
        conversations bear a mark."""
        self._is_private, self._personal = is_private, personal
        self._conversation, self._sender, self._inbox = conversation, sender, inbox
        self._previews, self._media = previews, media
        self._slots = asyncio.Semaphore(parallel)
        self._under_way: dict[Place, asyncio.Task[Outcome]] = {}
        #: How many times there was no reply since the start.
        self.failed = 0

    async def answer(self, said: Said) -> None:
        """Have the conversation answer, show the answer as it grows, and deliver it. Of one that
        was stopped stays what the person has seen of it. Raises what the conversation raised."""
        started = time.monotonic()
        begun = await self._begun_before(said)
        typing = self._sender.typing(said.inbound.place)
        async with typing, await self._open(said, begun) as preview:
            outcome = await self._outcome(said, preview)
        shown_in = preview.message_id or begun
        if outcome is None:
            await self._leave(said, preview, shown_in)
            return
        if isinstance(outcome, BaseException):
            await self._take_back(said.inbound.place, shown_in)
            raise outcome
        inbound = said.inbound
        text = _told(outcome, await self._personal.texts(inbound.actor, inbound.language))
        if isinstance(outcome, Failed):
            self.failed += 1
        if isinstance(outcome, Finished):
            await self._keep(said, text)
        delivered = await self._deliver(said, text, shown_in)
        _log.info(
            "replied",
            actor=said.inbound.actor.id,
            updates=len(said.update_ids),
            failed=isinstance(outcome, Failed),
            delivered=delivered,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

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
        writing = self._under_way.get(place)
        return writing is not None and writing.cancel()

    async def _outcome(self, said: Said, preview: Preview) -> Outcome | BaseException | None:
        """What the conversation ended with, or what it raised, or None if it was stopped."""
        inbound = said.inbound
        writing = asyncio.create_task(self._write(said, preview), name=f"reply {inbound.id}")
        self._under_way[inbound.place] = writing
        try:
            await asyncio.wait((writing,))
        finally:
            del self._under_way[inbound.place]
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
        return None if writing.cancelled() else writing.exception() or writing.result()

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

    async def _keep(self, said: Said, text: str) -> None:
        """The turn is recorded: from here on the answer must not be asked for again."""
        try:
            await self._inbox.keep_reply(said.update_ids, text)
        except StoreUnavailable as failure:
            _log.warning("inbox_unavailable", error=str(failure))


def _told(outcome: Outcome, texts: Texts) -> str:
    """What the person hears: the model's answer, or why there is none."""
    match outcome:
        case Declined(sentence):
            return sentence(texts)
        case Failed(text, kind):
            return texts.failures.get(kind, text)
        case Finished(text):
            return texts.no_answer if is_blank(text) else text


def _answering(said: Said) -> int | None:
    """The message that a reply answers: in a group it has to be told."""
    return said.message_ids[-1] if said.inbound.actor.is_group else None
