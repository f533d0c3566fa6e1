"""Passes the items of a lane to the assistant, and delivers the replies.

An update is closed when its reply is delivered. When a reply arrives here, its turn is already
recorded."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from bot.assistant.assistant import Assistant
from bot.assistant.events import Reply, TextDelta, ToolCalled
from bot.assistant.failures import log_error
from bot.assistant.inbound import Command, Message
from bot.metrics import REPLY_SECONDS
from bot.people.personal import PRIVATE_MARK
from bot.telegram.delivery.preview import Preview, Previews
from bot.telegram.delivery.replies import Replies
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.delivery.stopping import see_through
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.media import Declined, Media
from bot.telegram.lanes import Item, LaneTask
from bot.telegram.options import ChannelOptions
from bot.telegram.reply_task import ReplyTask
from memory.background.pacing import Throttle
from memory.errors import LeaseLost
from memory.records import Place
from memory.safety.escaping import is_blank

_log = structlog.get_logger(__name__)

#: Sends what a lane's item has come to.
Deliver = Callable[[], Awaitable[object]]

#: The reaction to a message that an error kept from being answered.
_REGRET = "😢"


async def _deliver_nothing() -> None: ...


class Responder:
    """Carries out the items of the lanes, with a limited number of replies at once. Errors end
    here."""

    def __init__(
        self,
        assistant: Assistant,
        replies: Replies,
        previews: Previews,
        inbox: Inbox,
        media: Media,
        options: ChannelOptions,
    ) -> None:
        self._assistant, self._replies, self._previews = assistant, replies, previews
        self._inbox, self._media, self._longest = inbox, media, options.longest_text
        self._clock = options.clock
        self._slots = asyncio.Semaphore(options.parallel_replies)
        # During an outage of the model, a chat is told once, not after every message.
        self._error_throttle = Throttle(options.error_pause)
        self._under_way: dict[Place, ReplyTask] = {}

    async def run(self, place: Place, item: Item) -> None:
        """Carry out an item, then close its updates. Never raises: an error becomes a log line and
        one sentence, both with the same id. If cancelled while a reply is written, leaves the
        updates open for the next start; a reply that is being delivered arrives first, if it can
        in a moment."""
        try:
            deliver = await self._prepare(item)
        except Exception as error:  # noqa: BLE001 - the boundary: one update, not the bot
            deliver = partial(self.report, place, error, _message_id(item))
        await see_through(self._conclude(place, deliver, item.receipts), self._clock)

    async def _prepare(self, item: Item) -> Deliver:
        """Everything up to the delivery, which can be done again by the next process."""
        match item:
            case Message():
                return await self._answer(item)
            case LaneTask():
                return item.run
            case _:
                deliver: Deliver = _deliver_nothing
                async for event in self._assistant.answer(item):
                    if isinstance(event, Reply):
                        deliver = partial(self._replies.deliver, item, event)
                return deliver

    async def _conclude(self, place: Place, deliver: Deliver, receipts: tuple[int, ...]) -> None:
        """Deliver, and close the updates: in between, the reply would be sent twice."""
        try:
            await deliver()
        except Exception as error:  # noqa: BLE001 - the boundary: one update, not the bot
            await self.report(place, error)
        await self.close(receipts)

    # -- one message ------------------------------------------------------------------------------

    async def _answer(self, said: Message) -> Deliver:
        """Show the reply as it grows. Returns its delivery; if it was stopped, that of its written
        part."""
        # Only the first part of a burst can be left from an earlier process.
        left = self._inbox.left(said.receipts[0])
        rest = await self._rest_to_answer(said) if left else said
        if rest is None:
            return _deliver_nothing
        started, place = time.monotonic(), rest.origin.place
        turn = self._under_way[place] = ReplyTask(rest, self._longest)
        try:
            begun = await self._replies.find_preview(rest) if left else NOTHING_SHOWN
            wanted = await self._assistant.people.personal.streaming(rest.origin.actor)
            mark = PRIVATE_MARK if await self._assistant.is_private(rest.origin) else ""
            texts = await self._assistant.people.texts(rest.origin)
            preview = self._previews.open(
                rest, texts, turn.abandon, wanted=wanted, begun=begun, mark=mark
            )
            try:
                async with self._replies.sender.typing(place, turn.abandon), preview:
                    write = partial(self._write, preview)
                    reply = await turn.reply(
                        write, self._assistant.resuming.recorded_reply, preview
                    )
            except Exception as error:  # noqa: BLE001 - the boundary: one update, not the bot
                return partial(self.report, place, error, rest.message_id, preview.shown)
        finally:
            del self._under_way[place]
        if turn.is_abandoned:
            return _deliver_nothing
        if reply is None:
            return partial(self._keep_part, turn, preview.written, preview.shown)
        return partial(self._finish, turn.said, reply, preview.shown, started)

    async def _write(self, preview: Preview, turn: ReplyTask) -> Reply:
        reply = None
        async with self._slots:
            try:
                turn.loaded, left_out = await self._media.load(turn.said)
            except Declined as declined:
                _log.info("declined", actor=turn.said.origin.actor.id, files=len(turn.said.files))
                return await self._replies.sentence(turn.said, declined.sentence)
            async for event in self._assistant.answer(turn.loaded):
                match event:
                    case TextDelta(text):
                        preview.write(text)
                    case ToolCalled(name):
                        preview.call(name)
                    case Reply():
                        reply = event
        if reply is None:
            raise RuntimeError("the assistant ended without a reply")
        if left_out:
            below = await self._replies.sentence(turn.said, left_out)
            reply = reply.with_footer(below.text)
        return reply

    async def _finish(self, said: Message, reply: Reply, shown: Shown, started: float) -> None:
        """Deliver the reply, or react to the message if the reply only tells again of an error."""
        again = reply.failure and reply.error_id and not shown.messages
        delivered = bool(
            again and await self._react_to_error(said.origin.place, said.message_id)
        ) or await self._replies.deliver(said, reply, shown)
        seconds = time.monotonic() - started
        REPLY_SECONDS.observe(seconds)
        _log.info(
            "replied",
            actor=said.origin.actor.id,
            updates=len(said.receipts),
            failed=bool(reply.failure or reply.interrupted),
            delivered=delivered,
            duration_ms=round(seconds * 1000),
        )

    async def _keep_part(self, turn: ReplyTask, written: str, shown: Shown) -> None:
        """Record and deliver the part of a stopped reply that was written."""
        reply = await self._assistant.resuming.stopped_reply(turn.loaded or turn.said, written)
        if is_blank(written):
            await self._replies.take_back(turn.said.origin.place, shown)
        else:
            await self._replies.deliver(turn.said, reply, shown)

    def under_way(self, place: Place) -> ReplyTask | None:
        """The message being answered there."""
        return self._under_way.get(place)

    # -- what an earlier process left -------------------------------------------------------------

    async def _rest_to_answer(self, said: Message) -> Message | None:
        """What is left to answer of a burst. An earlier process may have recorded the turn of the
        burst's first messages, and been killed before it kept the reply. Answering these messages
        again would record them twice, so their reply is delivered here."""
        for head, rest in reversed(said.beginnings()):
            if reply := await self._assistant.resuming.recorded_reply(head):
                shown = await self._replies.find_preview(head)
                deliver = partial(self._replies.deliver, head, reply, shown)
                conclude = self._conclude(head.origin.place, deliver, head.receipts)
                await see_through(conclude, self._clock)
                return rest
        return said

    # -- ends -------------------------------------------------------------------------------------

    async def close(self, receipts: tuple[int, ...]) -> None:
        """Mark updates as answered. Never raises."""
        try:
            await self._inbox.done(receipts)
        except Exception as failure:  # noqa: BLE001 - a lane goes on
            _log.exception("inbox_unavailable", error=str(failure))

    async def report(
        self,
        place: Place | None,
        error: Exception,
        message_id: int | None = None,
        shown: Shown = NOTHING_SHOWN,
    ) -> None:
        """Log an error and apologize for it, below the message that it kept from being answered.
        Never raises, and reads nothing. If the lease is lost, another worker answers."""
        if isinstance(error, LeaseLost):
            return
        if place is None:
            log_error(error, place)
            return
        apology = self._assistant.apologize(place, error)
        try:
            if shown.messages or not await self._react_to_error(place, message_id):
                answered = message_id if place.chat_id < 0 else None
                await self._replies.send(place, apology, answered, shown)
        except Exception as failure:  # noqa: BLE001 - nothing else can be said
            _log.warning(
                "error_reply_failed", error_id=apology.error_id, error=type(failure).__name__
            )

    async def _react_to_error(self, place: Place, message_id: int | None) -> bool:
        """True if a group that heard of an error just now need not hear of the next one: it sees a
        reaction to the message. In a private chat, each question gets its sentence."""
        # A group is one chat, however many topics it has.
        if place.chat_id > 0 or self._error_throttle.allow((place.channel, place.chat_id)):
            return False
        return message_id is None or await self._replies.sender.react(place, message_id, _REGRET)


def _message_id(item: Item) -> int | None:
    """The person's message that the item answers."""
    return item.message_id if isinstance(item, Message | Command) else None
