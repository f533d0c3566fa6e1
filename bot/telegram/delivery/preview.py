"""Shows a reply as it grows, at a pace that Telegram allows."""

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Self

import regex
import structlog
from telegram import Bot

from bot.assistant.inbound import Message
from bot.clock import Clock
from bot.people.personal import Streaming
from bot.telegram.delivery.display import (
    Display,
    DraftMessage,
    GrowingMessages,
    NoDisplay,
    Screen,
)
from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.delivery.stopping import end_soon
from bot.telegram.formatting.marked import Marked
from bot.telegram.formatting.rendering import off_the_loop, preview
from bot.telegram.intake.inbox import Inbox
from bot.telegram.leftovers import Leftovers
from bot.telegram.options import ChannelOptions
from bot.texts import Texts
from memory.background.caches import BoundedDict
from memory.background.work import log_outage
from memory.errors import LeaseLost
from memory.records import Actor

_log = structlog.get_logger(__name__)

#: A line, a sentence, or enough of one to be read.
_READABLE = regex.compile(r"\S.*(\n|\p{Sentence_Terminal}\s|[。！？])|\S.{40}", regex.DOTALL)
#: More chats than are written to within a few seconds.
_MOST_CHATS = 10_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of previews, in seconds. Telegram allows about one message or edit a second in a
    private chat and twenty a minute in a group, and tolerates a few more at once: `private` and
    `group` are what one of them costs.

    The first words are shown as soon as they make a line, but not before `settle`, because a short
    reply is finished by then and comes whole; and not later than `patience`, line or not."""

    private: float = 1.0
    group: float = 3.0
    settle: float = 0.2
    patience: float = 0.5


class Budget:
    """What one chat may still be sent. A preview waits until everything before it is paid. A whole
    reply never waits: the next previews pay for it."""

    def __init__(
        self, paid_at: MutableMapping[int, float], chat_id: int, cost: float, clock: Clock
    ) -> None:
        """`paid_at` tells of all chats when everything sent there will be paid; `cost` is that of
        one message, in seconds."""
        self._paid_at, self._chat_id = paid_at, chat_id
        self._cost, self._clock = cost, clock

    def spend(self) -> None:
        """Count one message or edit."""
        now = self._clock.now()
        self._paid_at[self._chat_id] = max(self._paid_at.get(self._chat_id, now), now) + self._cost

    async def wait(self) -> None:
        """Return when everything is paid."""
        while (left := self._paid_at.get(self._chat_id, 0.0) - self._clock.now()) > 0:
            await self._clock.sleep(left)


class Preview:
    """The preview of one reply. Use as `async with`: after the block no update is on its way, so
    that the reply itself stays."""

    def __init__(
        self,
        display: Display,
        budget: Budget,
        options: ChannelOptions,
        pace: Pace,
        texts: Texts,
        mark: str = "",
    ) -> None:
        """The reply begins with the mark; `texts` are in the person's language."""
        self._display, self._budget, self._pace = display, budget, pace
        self._clock, self._texts, self._mark = options.clock, texts, mark
        #: The reply so far, what is told below it, and whether the next piece is a new paragraph.
        self._reply, self._below, self._pauses = "", "", False
        self._parts: Sequence[Marked] = ()
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
        if kind is asyncio.CancelledError:
            # The bot is stopping: don't wait long for Telegram.
            await end_soon(asyncio.ensure_future(self._leave()), self._clock)
        elif self._showing:
            await asyncio.wait((self._showing,))
        # The reply itself.
        self._budget.spend()

    def write(self, text: str) -> None:
        """Append to the reply."""
        if self._pauses and self._reply:
            self._reply = f"{self._reply.rstrip()}\n\n"
        self._reply += text
        self._below, self._pauses = "", False
        self._news.set()

    def call(self, tool: str) -> None:
        """Tell that the model calls a tool: what it writes next is a new paragraph."""
        self._pauses = True
        if tool == "search_memory":
            self._below = self._texts.searching
            self._news.set()

    def discard(self) -> None:
        """Forget the text so far, because the question has changed. It stays visible until there is
        something new to read."""
        self._reply, self._below, self._parts = "", "", ()

    @property
    def written(self) -> str:
        """The reply so far."""
        return self._reply

    @property
    def shown(self) -> Shown:
        """What the person sees of it, drafts aside."""
        return self._display.shown

    async def _run(self) -> None:
        goes_on = True
        while goes_on:
            await self._something_to_show()
            if not self._parts:
                await self._something_to_read()
            await self._budget.wait()
            goes_on = await self._show_news()

    async def _something_to_show(self) -> None:
        """Return when there is new text, or when the display would vanish."""
        waiting: list[asyncio.Future[Any]] = [asyncio.create_task(self._news.wait())]
        if self._display.lasts and self._parts:
            waiting.append(asyncio.create_task(self._clock.sleep(self._display.lasts)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _something_to_read(self) -> None:
        """Return when the first words make a line, or as many of them as there are soon."""
        await self._clock.sleep(self._pace.settle)
        until = self._clock.now() + self._pace.patience - self._pace.settle
        while not _READABLE.search(self._reply) and self._clock.now() < until:
            await self._clock.sleep(0.1)

    async def _show_news(self) -> bool:
        """Show the reply so far; False if showing more is useless."""
        self._news.clear()
        parts = await off_the_loop(partial(preview, below=self._below), self._reply, self._mark)
        if not parts or (parts == self._parts and not self._display.lasts):
            return True
        # If this were cancelled, we would not know what the person sees.
        self._showing = asyncio.create_task(self._show(parts), name="show preview")
        try:
            goes_on = await asyncio.shield(self._showing)
        finally:
            self._budget.spend()
        if goes_on:
            self._parts = parts
        return goes_on

    async def _show(self, parts: Sequence[Marked]) -> bool:
        try:
            return await self._display.show(parts)
        except LeaseLost:
            return False

    async def _leave(self) -> None:
        if self._showing:
            await asyncio.wait((self._showing,))
        await self._display.keep()


class Previews:
    """Opens a preview for each reply."""

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        inbox: Inbox,
        options: ChannelOptions,
        leftovers: Leftovers,
    ) -> None:
        self._bot, self._holds, self._inbox, self._options = bot, holds, inbox, options
        self._streaming, self._pace, self._leftovers = options.streaming, Pace(), leftovers
        self._paid_at = BoundedDict[int, float](_MOST_CHATS)
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
        texts: Texts,
        on_unreachable: Callable[[], object],
        *,
        wanted: Streaming | None = None,
        begun: Shown = NOTHING_SHOWN,
        mark: str = "",
    ) -> Preview:
        """Open the preview of the reply to a message; it begins with the mark. `wanted` is the mode
        that the person chose. The preview continues in what has `begun`. `on_unreachable` hears
        of it if the person can't be reached."""
        place, is_group = said.origin.place, said.origin.actor.is_group
        offered = self.ways(said.origin.actor)
        way = wanted if wanted in offered else self._streaming

        async def note(shown: Shown) -> None:
            # For a process that has to continue after a kill.
            with log_outage(_log, "inbox_unavailable"):
                await self._inbox.note_preview(said.receipts[0], shown)

        stop, question = texts.stop_button, said.shown_question
        screen = Screen(self._bot, self._holds, place, stop, on_unreachable, question)
        messages = GrowingMessages(screen, self._leftovers, begun, note)
        display: Display = messages
        if way is Streaming.OFF:
            display = NoDisplay(begun)
        elif way is Streaming.DRAFT and way in offered and not begun.messages:
            display = DraftMessage(
                screen, said.message_id, messages, on_unknown=self._do_without_drafts
            )
        cost = self._pace.group if is_group else self._pace.private
        budget = Budget(self._paid_at, place.chat_id, cost, self._options.clock)
        return Preview(display, budget, self._options, self._pace, texts, mark)

    def _do_without_drafts(self) -> None:
        if self._drafts:
            _log.warning("drafts_unsupported", remedy='set streaming = "edit"')
            self._drafts = False
