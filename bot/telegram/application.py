"""The channel: python-telegram-bot's Application with the bot's handlers, from start to stop."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Self

import structlog
from telegram import Update
from telegram.ext import ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot.greeting import Greetings
from bot.health import STALLED_SECONDS
from bot.replies import Conversing
from bot.telegram.access import Access
from bot.telegram.clock import Clock
from bot.telegram.commands import About, Commands
from bot.telegram.groups import Groups
from bot.telegram.handlers import App, Handlers, Limits
from bot.telegram.inbox import Inbox
from bot.telegram.intake import Complaints, Intake, persistently
from bot.telegram.lanes import Errand
from bot.telegram.media import Media, Senses
from bot.telegram.menu import publish_menu
from bot.telegram.migration import Migrations
from bot.telegram.owner_commands import OwnerCommands
from bot.telegram.personal import PersonalSettings
from bot.telegram.polling import JournalingRequest, Polling, readable
from bot.telegram.preview import Previews, Streaming
from bot.telegram.privacy import Privacy
from bot.telegram.quotas import QuotaLimits, Quotas
from bot.telegram.replying import Replying
from bot.telegram.sender import Sender
from bot.telegram.webhook import Webhook, WebhookOptions
from bot.usage import Accounts
from memory.records import Place, Session
from memory.service import Memory

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the channel behaves. Times in seconds unless they say otherwise.

    `streaming` is how replies are shown to who has chosen nothing, OFF to everybody; `drafts` says
    whether the channel has such. `longest_text` is the longest message that is answered, in
    characters. `parallel_replies` bounds the replies that are written at once, over all chats.
    `stop_seconds` is what replies under way get to finish when the bot is stopped. Updates come by
    `webhook` if there is one, else by polling, which has stalled when nothing was heard for
    `stalled_seconds`."""

    longest_text: int = 16_000
    typing_seconds: float = 4.0
    streaming: Streaming = Streaming.EDIT
    drafts: bool = True
    leaves_strangers: bool = True
    parallel_replies: int = 16
    stale: timedelta = timedelta(minutes=60)
    stop_seconds: float = 25.0
    poll_seconds: float = 25.0
    stalled_seconds: float = STALLED_SECONDS
    webhook: WebhookOptions | None = None
    quotas: QuotaLimits = field(default_factory=QuotaLimits)
    clock: Clock = field(default_factory=Clock)


class TelegramChannel:
    """The bot on one channel. Use as `async with`, and `run_until` a stop event within."""

    def __init__(
        self,
        token: str,
        conversation: Conversing,
        memory: Memory,
        access: Access,
        inbox: Inbox,
        about: About,
        accounts: Accounts,
        greetings: Greetings | None = None,
        *,
        channel: str = "telegram",
        base_url: str | None = None,
        request: BaseRequest | None = None,
        get_updates_request: BaseRequest | None = None,
        senses: Senses | None = None,
        options: ChannelOptions | None = None,
    ) -> None:
        """`base_url` is the root of another Bot API server, without `/bot`. The requests are what
        carries methods and getUpdates; HTTP by default. `senses` are for files; none by default."""
        self.channel = channel
        self._options = options or ChannelOptions()
        self._access, self._inbox = access, inbox
        asking = JournalingRequest(get_updates_request or _http(connections=2), inbox)
        builder = ApplicationBuilder().token(token).updater(None).job_queue(None)
        builder = builder.request(request or _http(connections=64))
        builder = builder.get_updates_request(asking)
        if base_url:
            root = base_url.rstrip("/")
            builder = builder.base_url(f"{root}/bot").base_file_url(f"{root}/file/bot")
        self._application: App = builder.build()
        bot, clock = self._application.bot, self._options.clock
        self._sender = Sender(bot, typing_seconds=self._options.typing_seconds, clock=clock)
        self._previews = Previews(
            bot,
            self._sender.holds,
            inbox,
            self._options.streaming,
            clock=clock,
            drafts=self._options.drafts,
        )
        self._personal = PersonalSettings(memory)
        replying = Replying(
            conversation,
            self._sender,
            self._previews,
            inbox,
            Media(bot, senses or Senses(), clock),
            self._personal,
            parallel=self._options.parallel_replies,
            is_private=Privacy(memory, inbox).marks,
        )
        groups = Groups(bot)
        commands = Commands(
            memory,
            self._sender,
            inbox,
            about,
            accounts,
            self._personal,
            self._previews,
            greetings,
            is_owner=access.owns,
            groups=groups,
        )
        limits = Limits(
            self._options.longest_text, self._options.stale, self._options.leaves_strangers
        )
        quotas = Quotas(accounts, self._options.quotas)
        self._handlers = Handlers(
            channel,
            limits,
            access,
            inbox,
            self._sender,
            replying,
            commands,
            quotas,
            groups,
            self._personal,
            clock,
        )
        self._handlers.owner_commands = OwnerCommands(
            access,
            memory,
            accounts,
            self._personal,
            self._sender.send,
            lambda: self._handlers.errors,
        )
        migrations = Migrations(memory, accounts, self._handlers.lanes, channel, clock)
        self._handlers.migrations = migrations
        self._sender.on_migrated = migrations.follow
        self._handlers.register(self._application)
        self._menu: asyncio.Task[None] | None = None
        self._complaints = Complaints()
        self._intake = self._intake_of(asking)
        #: Whether updates come in and are answered.
        self.listening = False
        memory.on_saved(self._saved)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def run_until(self, stop: asyncio.Event) -> None:
        """Connect, answer what is waiting and what comes in, until `stop` is set; then finish what
        is under way and close. An unreachable Telegram is waited for. Raises RejectedToken,
        Stalled, OperatorError."""
        self._access.announce()
        try:
            if await _unless(stop, self._begin()):
                _log.info("listening", channel=self.channel, bot=self._application.bot.username)
                self.listening = True
                await _first(stop.wait(), self._intake.run())
        finally:
            self.listening = False
            await self._close()

    @property
    def silent_seconds(self) -> float:
        """Seconds since the Bot API was last heard of."""
        return self._intake.silent_seconds

    async def settle(self) -> None:
        """Return when every update that was received is answered and nothing is left to say."""
        await self._inbox.settle()
        await self._handlers.lanes.settle()

    @property
    def lane_count(self) -> int:
        """How many chats are being answered at the moment."""
        return len(self._handlers.lanes)

    async def notify(self, place: Place, text: str) -> None:
        """Say something of the bot's own accord, after what is under way there."""
        said: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def say() -> None:
            try:
                await self._sender.send(place, text)
            finally:
                said.set_result(None)

        self._handlers.lanes.put(place, Errand("notice", say))
        await said

    async def _saved(self, session: Session) -> None:
        """Tell a place that its conversation was saved, or that a private one is over. Does not
        wait: the lane may be waiting for the very extraction that calls this."""
        if session.place.channel == self.channel:
            say = partial(self._tell_saved, session)
            self._handlers.lanes.put(session.place, Errand("saved", say))
            if session.private:
                self._handlers.lanes.put(session.place, Errand("scrub", self._inbox.scrub))

    async def _tell_saved(self, session: Session) -> None:
        texts = await self._personal.texts(session.actor)
        text = texts.private_over if session.private else texts.saved
        await self._sender.send(session.place, text)

    # -- begin ------------------------------------------------------------------------------------

    def _intake_of(self, asking: JournalingRequest) -> Intake:
        application, options = self._application, self._options
        to = application.bot, application.update_queue
        if options.webhook:
            return Webhook(*to, self._inbox, self._complaints, options.webhook)
        return Polling(
            *to,
            asking,
            self._complaints,
            poll_seconds=options.poll_seconds,
            stalled_seconds=options.stalled_seconds,
            clock=options.clock,
        )

    async def _begin(self) -> None:
        await persistently(self._application.initialize, self._complaints)
        await self._application.start()
        await self._feed_waiting()
        self._menu = asyncio.create_task(
            publish_menu(self._application.bot, self._access.owners), name="command menu"
        )
        await self._intake.start()

    async def _feed_waiting(self) -> None:
        """Handle first what an earlier process left open."""
        waiting = await self._inbox.waiting()
        for item in waiting:
            update = Update.de_json(readable(item.update), self._application.bot)
            if item.reply is not None:
                self._handlers.kept_replies[update.update_id] = item.reply
            if item.preview is not None:
                self._previews.left_behind[update.update_id] = item.preview
            await self._application.update_queue.put(update)
        await self._application.update_queue.join()
        self._handlers.lanes.open()
        if waiting:
            _log.info("resuming", updates=len(waiting))

    # -- end --------------------------------------------------------------------------------------

    async def _close(self) -> None:
        """End in the order that loses nothing: no more updates, handlers, lanes, connections."""
        application = self._application
        await self._intake.stop()
        if application.running:
            await application.stop()
        self._handlers.lanes.open()
        if not await self._handlers.lanes.drain(self._options.stop_seconds):
            _log.warning("stopped_before_done", open=self._inbox.open_count)
        if self._menu:
            self._menu.cancel()
            await asyncio.gather(self._menu, return_exceptions=True)
        await application.shutdown()
        await application.bot.shutdown()


def _http(connections: int) -> HTTPXRequest:
    """Patient timeouts, in seconds: a phone network's, not a data centre's."""
    return HTTPXRequest(
        connection_pool_size=connections,
        connect_timeout=10,
        read_timeout=20,
        write_timeout=20,
        pool_timeout=20,
    )


async def _first(*works: Coroutine[Any, Any, Any]) -> None:
    """Return when one of these is done; the others are cancelled. Raises what it raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Do the work, unless `stop` comes first; whether it was done. Raises what it raised."""
    finished = False

    async def noted() -> None:
        nonlocal finished
        await work
        finished = True

    await _first(noted(), stop.wait())
    return finished
