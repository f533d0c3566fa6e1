"""Shows a reply as it grows, as an edited message or as a draft, at a pace that Telegram allows."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

import structlog
from telegram import Bot, ReplyParameters
from telegram.error import BadRequest, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.assistant.inbound import Message
from bot.clock import Clock
from bot.people.personal import Streaming
from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.outcomes import is_not_modified, seconds_of, surely_not_sent
from bot.telegram.delivery.sender import end_soon, thread_of
from bot.telegram.delivery.shown import Shown
from bot.telegram.formatting.rendering import off_the_loop, preview
from bot.telegram.intake.inbox import Inbox
from bot.telegram.options import ChannelOptions
from memory.errors import StoreUnavailable
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: Telegram removes a draft after half a minute without updates.
_DRAFT_LASTS = 20.0


class Display(Protocol):
    """Shows a text in place of the previous one. Failures are ignored, because the final reply is
    sent separately."""

    #: A text vanishes unless it is shown again within this many seconds; None: it stays.
    lasts: float | None
    shown: Shown

    async def show(self, text: str) -> bool:
        """Show a text; False if showing more is useless."""
        ...


class EditedMessage:
    """A message that is sent with the first text and then edited."""

    lasts: float | None = None

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        place: Place,
        *,
        answering: int | None,
        begun: tuple[int, ...] = (),
        on_sent: Callable[[int], Awaitable[None]],
    ) -> None:
        """`begun` are messages that are there already; `on_sent` hears of a new one."""
        self._bot, self._holds, self._place = bot, holds, place
        self._answering, self._on_sent = answering, on_sent
        self.shown = Shown(begun)

    async def show(self, text: str) -> bool:
        """See Display. Skips the update while Telegram limits the chat."""
        chat_id = self._place.chat_id
        if self._holds.left(chat_id):
            return True
        try:
            if self.shown.messages:
                await self._bot.edit_message_text(
                    text, chat_id=chat_id, message_id=self.shown.messages[0]
                )
            else:
                await self._send(text)
        except RetryAfter as limit:
            self._holds.note(chat_id, seconds_of(limit))
        except TelegramError as failure:
            return self._goes_on_after(failure, text)
        return True

    async def _send(self, text: str) -> None:
        answering = self._answering
        sent = await self._bot.send_message(
            self._place.chat_id,
            text,
            message_thread_id=thread_of(self._place),
            reply_parameters=ReplyParameters(answering, allow_sending_without_reply=True)
            if answering is not None
            else None,
        )
        self.shown = Shown((sent.message_id,))
        await self._on_sent(sent.message_id)

    def _goes_on_after(self, failure: TelegramError, text: str) -> bool:
        if is_not_modified(failure):
            return True
        _log.debug("preview_failed", chat=self._place.chat_id, error=type(failure).__name__)
        if isinstance(failure, BadRequest) or not isinstance(failure, NetworkError):
            return False
        # An edit may be repeated, but a message that may have arrived must not be sent twice.
        if not self.shown.messages and not surely_not_sent(failure):
            self.shown = Shown(lost=text)
            return False
        return True


class DraftMessage:
    """A draft, which vanishes by itself when the reply is sent. For private chats only."""

    lasts: float | None = _DRAFT_LASTS

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        place: Place,
        draft_id: int,
        *,
        begun: tuple[int, ...] = (),
        on_unknown: Callable[[], None],
    ) -> None:
        """`begun` are messages that are there already; `on_unknown` hears of it if the Bot API
        server is too old to know drafts."""
        self._bot, self._holds, self._place, self._draft_id = bot, holds, place, draft_id
        self._on_unknown = on_unknown
        self.shown = Shown(begun)

    async def show(self, text: str) -> bool:
        """See Display."""
        place = self._place
        if self._holds.left(place.chat_id):
            return True
        try:
            await self._bot.send_message_draft(
                place.chat_id, self._draft_id, text, message_thread_id=thread_of(place)
            )
        except RetryAfter as limit:
            self._holds.note(place.chat_id, seconds_of(limit))
        except InvalidToken:
            # The library's name for a 404: the method does not exist.
            self._on_unknown()
            return False
        except BadRequest as refusal:
            _log.debug("draft_refused", chat=place.chat_id, reason=refusal.message)
            return False
        except NetworkError as failure:
            _log.debug("preview_failed", chat=place.chat_id, error=type(failure).__name__)
        except TelegramError:
            return False
        return True


class NoDisplay:
    """Shows nothing before the final reply."""

    lasts: float | None = None

    def __init__(self, begun: tuple[int, ...] = ()) -> None:
        """`begun` are messages that are there already."""
        self.shown = Shown(begun)

    async def show(self, text: str) -> bool:
        """See Display."""
        return False


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two updates of a preview, by kind of chat: Telegram allows one message per
    second in a private chat and twenty per minute in a group. `first` is the delay before anything
    is shown: a short reply is finished by then, and comes at once."""

    first: float = 0.8
    private: float = 1.0
    group: float = 3.0


class Preview:
    """The preview of one reply. Use as `async with`: after the block no update is on its way and
    the message may be edited again, so that the final reply stays."""

    def __init__(
        self, display: Display, clock: Clock, first: float, interval: float, mark: str = ""
    ) -> None:
        """`first` and `interval` are in seconds. The reply begins with the mark."""
        self._display, self._clock, self._mark = display, clock, mark
        self._first, self._interval = first, interval
        self._preamble = self._reply = self._shown = ""
        self._edited_at: float | None = None
        self._news = asyncio.Event()
        self._showing: asyncio.Task[bool] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._run(), name="preview")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running:
            self._running.cancel()
            [ended] = await asyncio.gather(self._running, return_exceptions=True)
            if isinstance(ended, Exception):
                _log.error("preview_crashed", exc_info=ended)
        if self._showing and kind is asyncio.CancelledError:
            # The bot is stopping: don't wait long for Telegram.
            await end_soon(self._showing, self._clock)
        elif self._showing:
            await asyncio.wait((self._showing,))
        if kind is None and self.shown.messages and self._edited_at is not None:
            # The reply is one more edit, and must keep its distance too.
            left = self._edited_at + self._interval - self._clock.now()
            await self._clock.sleep(max(left, 0.0))

    def write(self, text: str) -> None:
        """Append to the reply."""
        self._reply += text
        self._news.set()

    def start_over(self) -> None:
        """Replace the text so far as soon as more comes, because it was not the answer."""
        self._preamble, self._reply = self._reply or self._preamble, ""

    def discard(self) -> None:
        """Forget the text so far, because the question has changed. It stays visible until there is
        something new."""
        self._preamble = self._reply = ""

    @property
    def written(self) -> str:
        """The reply so far."""
        return self._reply or self._preamble

    @property
    def shown(self) -> Shown:
        """What of it is on the screen, unless as a draft."""
        return self._display.shown

    async def _run(self) -> None:
        await self._news.wait()
        await self._clock.sleep(self._first)
        while await self._show_news():
            await self._clock.sleep(self._interval)
            await self._something_to_show()

    async def _show_news(self) -> bool:
        """Show the reply so far; False if showing more is useless."""
        self._news.clear()
        text = await off_the_loop(preview, self._reply, self._mark)
        if not text or (text == self._shown and not self._display.lasts):
            return True
        # If this were cancelled, we would not know what the person sees.
        self._showing = asyncio.create_task(self._show(text), name="show preview")
        goes_on = await asyncio.shield(self._showing)
        if goes_on:
            self._shown = text
        return goes_on

    async def _show(self, text: str) -> bool:
        try:
            return await self._display.show(text)
        finally:
            self._edited_at = self._clock.now()

    async def _something_to_show(self) -> None:
        """Return when there is new text, or when the display would vanish."""
        waiting: list[asyncio.Future[Any]] = [asyncio.create_task(self._news.wait())]
        if self._display.lasts:
            rest = self._display.lasts - self._interval
            waiting.append(asyncio.create_task(self._clock.sleep(rest)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)


class Previews:
    """Opens a preview for each reply."""

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        inbox: Inbox,
        options: ChannelOptions,
        pace: Pace | None = None,
    ) -> None:
        self._bot, self._holds, self._inbox = bot, holds, inbox
        self._streaming, self._clock = options.streaming, options.clock
        self._pace = pace or Pace()
        # Becomes False if the Bot API server turns out to be too old.
        self._drafts = True

    def ways(self, actor: Actor) -> tuple[Streaming, ...]:
        """The modes an actor can choose from; none if the operator disabled previews."""
        if self._streaming is Streaming.OFF:
            return ()
        drafts = self._drafts and not actor.is_group
        return tuple(way for way in Streaming if drafts or way is not Streaming.DRAFT)

    def open(
        self,
        said: Message,
        *,
        wanted: Streaming | None = None,
        begun: tuple[int, ...] = (),
        mark: str = "",
    ) -> Preview:
        """Open the preview of the reply to a message; it begins with the mark. `wanted` is the mode
        that the person chose. The preview continues in the bot's messages `begun`, if any."""
        pace, place, is_group = self._pace, said.origin.place, said.origin.actor.is_group
        offered = self.ways(said.origin.actor)
        way = wanted if wanted in offered else self._streaming

        async def note(message_id: int) -> None:
            # For a process that has to continue after a kill.
            try:
                await self._inbox.note_preview(said.receipts[0], [message_id])
            except StoreUnavailable as failure:
                _log.warning("inbox_unavailable", error=str(failure))

        display: Display
        if way is Streaming.OFF:
            display = NoDisplay(begun)
        elif way is Streaming.DRAFT and way in offered:
            display = DraftMessage(
                self._bot,
                self._holds,
                place,
                said.message_id,
                begun=begun,
                on_unknown=self._do_without_drafts,
            )
        else:
            display = EditedMessage(
                self._bot,
                self._holds,
                place,
                answering=said.message_id if is_group else None,
                begun=begun,
                on_sent=note,
            )
        interval = pace.group if is_group else pace.private
        return Preview(display, self._clock, pace.first, interval, mark)

    def _do_without_drafts(self) -> None:
        if self._drafts:
            _log.warning("drafts_unsupported", remedy='set streaming = "edit"')
            self._drafts = False
