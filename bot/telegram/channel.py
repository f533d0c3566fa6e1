"""The channel: python-telegram-bot's Application with the bot's handlers, from start to stop."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any, Self

import structlog
from telegram import Update
from telegram.ext import ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot.assistant.events import Conversing
from bot.assistant.greeting import Greetings
from bot.commands.introduction import About
from bot.people.access import Access
from bot.people.usage import Accounts
from bot.telegram.delivery.media import Senses
from bot.telegram.delivery.menu import publish_menu
from bot.telegram.handlers import App
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.polling import JournalingRequest, Polling, readable
from bot.telegram.intake.receiving import Complaints, Intake, persistently
from bot.telegram.intake.webhook import Webhook
from bot.telegram.lanes import Errand
from bot.telegram.options import ChannelOptions
from bot.telegram.parts import Services, assemble
from bot.texts import Texts
from memory.memory import Memory
from memory.records import Session

_log = structlog.get_logger(__name__)


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
        greetings: Greetings,
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
        self._memory, self._access, self._inbox = memory, access, inbox
        asking = JournalingRequest(get_updates_request or _http(connections=2), inbox)
        self._application = _application(token, base_url, request, asking)
        self._parts = assemble(
            self._application.bot,
            Services(
                conversation, memory, access, inbox, about, accounts, greetings, senses or Senses()
            ),
            channel,
            self._options,
        )
        self._parts.handlers.register(self._application)
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
                await _first(stop.wait(), self._intake.run(), self._parts.doorkeeper.welcome())
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
        await self._parts.lanes.settle()

    async def _saved(self, session: Session) -> None:
        """Tell a place that its conversation was saved, or that a private one is over. Does not
        wait: the lane may be waiting for the very extraction that calls this."""
        if session.place.channel == self.channel:
            say = partial(self._tell_saved, session)
            self._parts.lanes.put(session.place, Errand("saved", say))
            if session.private:
                self._parts.lanes.put(session.place, Errand("scrub", self._inbox.scrub))

    async def _tell_saved(self, session: Session) -> None:
        texts = await self._parts.personal.texts(session.actor)
        if session.private:
            await self._parts.sender.send(session.place, texts.private_over)
            return
        why = self._why_ended(session, texts)
        await self._parts.sender.send(session.place, "\n".join(filter(None, (texts.saved, why))))

    def _why_ended(self, session: Session, texts: Texts) -> str:
        """Why a conversation that was saved is over, if nobody ended it."""
        limits = self._memory.options.limits
        if session.message_count >= limits.max_messages:
            return texts.saved_full.format(session.message_count)
        silent = self._memory.choices.local_time(session.actor) - session.last_at
        return texts.saved_idle if silent >= limits.idle else ""

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
        # With what was left open and what has waited at Telegram, a chat's backlog is one turn.
        await self._application.update_queue.join()
        self._parts.lanes.open()

    async def _feed_waiting(self) -> None:
        """Handle first what an earlier process left open."""
        waiting = await self._inbox.waiting()
        for item in waiting:
            update = Update.de_json(readable(item.update), self._application.bot)
            if item.reply is not None:
                self._parts.handlers.kept_replies[update.update_id] = item.reply
            if item.preview is not None:
                self._parts.previews.left_behind[update.update_id] = item.preview
            await self._application.update_queue.put(update)
        await self._application.update_queue.join()
        if waiting:
            _log.info("resuming", updates=len(waiting))

    # -- end --------------------------------------------------------------------------------------

    async def _close(self) -> None:
        """End in the order that loses nothing: no more updates, handlers, lanes, connections."""
        application = self._application
        await self._intake.stop()
        if application.running:
            await application.stop()
        self._parts.lanes.open()
        if not await self._parts.lanes.drain(self._options.stop_seconds):
            _log.warning("stopped_before_done", open=self._inbox.open_count)
        if self._menu:
            self._menu.cancel()
            await asyncio.gather(self._menu, return_exceptions=True)
        await application.shutdown()
        await application.bot.shutdown()


def _application(
    token: str, base_url: str | None, request: BaseRequest | None, asking: BaseRequest
) -> App:
    """The library's Application: it dispatches updates, which come from an intake of our own."""
    builder = ApplicationBuilder().token(token).updater(None).job_queue(None)
    builder = builder.request(request or _http(connections=64)).get_updates_request(asking)
    if base_url:
        root = base_url.rstrip("/")
        builder = builder.base_url(f"{root}/bot").base_file_url(f"{root}/file/bot")
    return builder.build()


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
