"""The bot on Telegram, from start to stop."""

import asyncio

import structlog
from telegram.request import BaseRequest

from bot.assistant.assistant import Assistant
from bot.people.personal import Streaming
from bot.telegram.arrivals import Arrivals
from bot.telegram.connection import bot_at, http_request
from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.menu import publish_menus
from bot.telegram.delivery.preview import Previews
from bot.telegram.delivery.replies import Replies
from bot.telegram.delivery.sender import Sender
from bot.telegram.dispatcher import Dispatcher
from bot.telegram.formatting.rendering import render_plain
from bot.telegram.intake.groups import Groups, Migrations
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.media import Media, Senses
from bot.telegram.intake.polling import JournalingRequest, Polling, PollingByTurns
from bot.telegram.intake.receiving import REPEAT_LOG_SECONDS, Intake, persistently
from bot.telegram.intake.updates import CHANNEL
from bot.telegram.intake.webhook import Webhook
from bot.telegram.lanes import Lanes
from bot.telegram.leftovers import Leftovers
from bot.telegram.options import ChannelOptions
from bot.telegram.responder import Responder
from memory.background.pacing import RateLimitedLog
from memory.background.tasks import first_of
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: Bot API, sendDocument: "files of any type of up to 50 MB in size".
_LARGEST_DOCUMENT = 50_000_000


class TelegramChannel:
    """Implements `bot.assistant.context.Channel`."""

    name = CHANNEL
    largest_document = _LARGEST_DOCUMENT

    def __init__(
        self,
        token: str,
        inbox: Inbox,
        options: ChannelOptions | None = None,
        senses: Senses | None = None,
        *,
        base_url: str | None = None,
        request: BaseRequest | None = None,
    ) -> None:
        """`senses` read files; none by default. `base_url` is the root of another Bot API server,
        without `/bot`. `request` carries all methods except getUpdates."""
        self._options = options = options or ChannelOptions()
        self._inbox, self._senses = inbox, senses or Senses()
        hear = options.wall.hear
        polling = JournalingRequest(http_request(connections=2, hear=hear), inbox)
        connections = max(64, 2 * options.parallel_replies)
        others = request or http_request(connections, hear=hear)
        self._bot = bot_at(token, base_url, others, polling)
        self._groups, self._holds = Groups(self._bot), Holds(options.clock, options.held)
        self._leftovers = Leftovers(self._bot, self._holds)
        self._previews = Previews(self._bot, self._holds, inbox, options, self._leftovers)
        self._lanes = Lanes(options.longest_text, options.clock)
        self._dispatcher = Dispatcher(
            inbox, self._holds, options, lambda: self.silent_seconds, self._lanes
        )
        self._sender = Sender(
            self._bot,
            self._holds,
            # A lambda, because the assistant is set later.
            Migrations(
                lambda *move: self._assistant.move(*move), self._lanes, options.clock, inbox.leases
            ).follow,
            options.clock,
            typing_seconds=options.typing_seconds,
            is_awaited=lambda place: bool(self._lanes.ahead(place)[1]),
        )
        self._complaints = RateLimitedLog(_log, REPEAT_LOG_SECONDS)
        self._intake: Intake
        sink = self._dispatcher.sink
        if options.webhook:
            self._intake = Webhook(self._bot, sink, inbox, self._complaints, options.webhook)
        else:
            alone = Polling(self._bot, sink, polling, self._complaints, options)
            self._intake = PollingByTurns(alone, inbox.leases, options.clock)
        # Set in `run_until`: an assistant needs a channel to be made.
        self._assistant: Assistant
        self._menu: asyncio.Task[None] | None = None
        #: True while updates come in and are answered.
        self.listening = False

    async def run_until(self, assistant: Assistant, stop: asyncio.Event) -> None:
        """Connect and answer updates until `stop` is set; then finish the replies under way and
        close. Waits for an unreachable Telegram. Raises RejectedToken, Stalled, OperatorError."""
        self._assistant, options = assistant, self._options
        media = Media(self._bot, self._senses, assistant, options.clock)
        replies = Replies(assistant, self._sender, self._inbox, self._leftovers)
        responder = Responder(assistant, replies, self._previews, self._inbox, media, options)
        arrivals = Arrivals(assistant, self._inbox, self._lanes, responder, replies, options)
        assistant.people.access.announce()
        try:
            await first_of(stop.wait(), self._listen(arrivals, responder))
        finally:
            self.listening = False
            await self._end(responder)

    async def settle(self) -> None:
        """Return when all updates are answered and all notices are said."""
        await self._inbox.settle()
        await self._assistant.people.notices.join()
        await self._lanes.settle()

    # -- for the assistant and health checks ------------------------------------------------------

    @property
    def silent_seconds(self) -> float:
        """Seconds since the Bot API last answered or called."""
        return self._intake.silent_seconds

    @property
    def handling(self) -> bool:
        """True while what is received is handled."""
        return self._dispatcher.handling

    @property
    def streaming(self) -> Streaming:
        return self._options.streaming

    @property
    def reads_everything(self) -> bool:
        return bool(self._bot.bot.can_read_all_group_messages)

    def streaming_offered(self, actor: Actor) -> tuple[Streaming, ...]:
        return self._previews.ways(actor)

    async def is_admin(self, place: Place, user_id: int) -> bool:
        return await self._groups.is_admin(place, user_id)

    async def erase(self, place: Place, before: int) -> None:
        await self._inbox.erase(place.chat_id, before)

    async def scrub(self) -> None:
        await self._inbox.scrub()

    async def say(self, place: Place, text: str) -> bool:
        return await self._sender.send(place, render_plain(text).messages) is not None

    # -- begin ------------------------------------------------------------------------------------

    async def _listen(self, arrivals: Arrivals, responder: Responder) -> None:
        await persistently(self._bot.initialize, self._complaints)
        menus = publish_menus(self._bot, self._inbox.notes)
        self._menu = asyncio.create_task(menus, name="command menus")
        self._dispatcher.start(arrivals, self._assistant.people)
        await first_of(self._receive(arrivals, responder), self._dispatcher.keep_watch())

    async def _receive(self, arrivals: Arrivals, responder: Responder) -> None:
        await self._dispatcher.resume(self._bot)
        await self._intake.start()
        # A chat's backlog, left open here or waiting at Telegram, becomes one turn.
        await self._dispatcher.catch_up(self._bot)
        # A webhook does not tell when Telegram has delivered its backlog.
        arrivals.live = not self._options.webhook
        self._lanes.open(self._dispatcher.watch(responder.run))
        self._dispatcher.go_live(self._bot)
        _log.info("listening", channel=CHANNEL, bot=self._bot.username)
        self.listening = True
        await self._intake.run()

    # -- end --------------------------------------------------------------------------------------

    async def _end(self, responder: Responder) -> None:
        """Stop in an order that loses nothing: first the intake, then the queued updates, then the
        lanes."""
        await self._intake.stop()
        self._sender.pauses.stop()
        await self._dispatcher.settle()
        self._lanes.open(self._dispatcher.watch(responder.run))
        if not await self._lanes.drain(self._options.stop_seconds):
            _log.warning("stop_timed_out", open=self._inbox.open_count)
        await self._dispatcher.aclose()
        if self._menu:
            self._menu.cancel()
            await asyncio.gather(self._menu, return_exceptions=True)
        await self._bot.shutdown()
