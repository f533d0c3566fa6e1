"""The channel: python-telegram-bot's Application with the bot's handlers, from start to stop."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Self

import structlog
from telegram import Update
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.ext import ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot.greeting import Greetings
from bot.replies import Conversing
from bot.telegram.access import Access
from bot.telegram.commands import About, Commands
from bot.telegram.handlers import App, Handlers, Limits
from bot.telegram.inbox import Inbox
from bot.telegram.lanes import Errand
from bot.telegram.polling import JournalingRequest, readable
from bot.telegram.replying import Replying
from bot.telegram.sender import Sender
from bot.telegram.texts import languages, texts_in
from bot.usage import Accounts
from memory.records import Place, Session
from memory.service import Memory

_log = structlog.get_logger(__name__)

_UPDATES = (Update.MESSAGE, Update.CALLBACK_QUERY)
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
#: A failure that lasts is logged once in so many seconds.
_REPEAT_LOG_SECONDS = 600.0


class RejectedToken(Exception):
    """Telegram does not accept the bot token; the operator has to set another one."""

    def __init__(self) -> None:
        super().__init__(
            "TELEGRAM_BOT_TOKEN was rejected by Telegram: check it against what @BotFather shows, "
            "or have @BotFather make a new one"
        )


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the channel behaves. Times in seconds unless they say otherwise.

    `longest_text` is the longest message that is answered, in characters. `parallel_replies` bounds
    the replies that are written at once, over all chats. `stop_seconds` is what replies under way
    get to finish when the bot is stopped."""

    longest_text: int = 16_000
    typing_seconds: float = 4.0
    parallel_replies: int = 16
    stale: timedelta = timedelta(minutes=60)
    stop_seconds: float = 25.0
    poll_seconds: float = 25.0


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
        options: ChannelOptions | None = None,
    ) -> None:
        """`base_url` is the root of another Bot API server, without `/bot`. The requests are what
        carries methods and getUpdates; HTTP by default."""
        self.channel = channel
        self._options = options or ChannelOptions()
        self._access, self._inbox = access, inbox
        self._polling = JournalingRequest(get_updates_request or _http(connections=2), inbox)
        builder = ApplicationBuilder().token(token).job_queue(None)
        builder = builder.request(request or _http(connections=64))
        builder = builder.get_updates_request(self._polling)
        if base_url:
            root = base_url.rstrip("/")
            builder = builder.base_url(f"{root}/bot").base_file_url(f"{root}/file/bot")
        self._application: App = builder.build()
        self._sender = Sender(self._application.bot, typing_seconds=self._options.typing_seconds)
        replying = Replying(
            conversation, self._sender, inbox, parallel=self._options.parallel_replies
        )
        commands = Commands(memory, self._sender, inbox, about, accounts, greetings)
        limits = Limits(self._options.longest_text, self._options.stale)
        self._handlers = Handlers(channel, limits, access, inbox, self._sender, replying, commands)
        self._handlers.register(self._application)
        self._menu: asyncio.Task[None] | None = None
        self._logged: dict[str, float] = {}
        memory.on_saved(self._saved)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def run_until(self, stop: asyncio.Event) -> None:
        """Connect, answer what is waiting and what comes in, until `stop` is set; then finish what
        is under way and close. An unreachable Telegram is waited for. Raises RejectedToken."""
        self._access.announce()
        try:
            if await _unless(stop, self._begin()):
                _log.info("listening", channel=self.channel, bot=self._application.bot.username)
                await _first(stop.wait(), self._polling.rejected.wait())
        finally:
            await self._close()
        if self._polling.rejected.is_set():
            raise RejectedToken

    @property
    def silent_seconds(self) -> float:
        """Seconds since the Bot API last answered a getUpdates."""
        return time.monotonic() - self._polling.last_round_trip

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
        """Tell a place that its conversation was saved. Does not wait: the lane may be waiting for
        the very extraction that calls this."""
        if session.place.channel == self.channel:
            say = partial(self._sender.send, session.place, texts_in(None).saved)
            self._handlers.lanes.put(session.place, Errand("saved", say))

    # -- begin ------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        await self._connect()
        await self._application.start()
        await self._feed_waiting()
        self._menu = asyncio.create_task(self._publish_menu(), name="command menu")
        updater = self._application.updater
        if updater is not None:
            await updater.start_polling(
                timeout=timedelta(seconds=self._options.poll_seconds),
                bootstrap_retries=-1,
                allowed_updates=_UPDATES,
                drop_pending_updates=False,
                error_callback=self._polling_failed,
            )

    async def _connect(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                await self._application.initialize()
            except InvalidToken:
                # The library's message has the token in it: neither it nor its traceback may show.
                raise RejectedToken from None
            except (NetworkError, RetryAfter) as failure:
                self._complain("telegram_unreachable", error=type(failure).__name__)
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)
            else:
                return

    async def _feed_waiting(self) -> None:
        """Handle first what an earlier process left open."""
        waiting = await self._inbox.waiting()
        for item in waiting:
            update = Update.de_json(readable(item.update), self._application.bot)
            if item.reply is not None:
                self._handlers.kept_replies[update.update_id] = item.reply
            await self._application.update_queue.put(update)
        await self._application.update_queue.join()
        self._handlers.lanes.open()
        if waiting:
            _log.info("resuming", updates=len(waiting))

    async def _publish_menu(self) -> None:
        """Show the commands in Telegram's menu. The bot works without."""
        for language, texts in languages().items():
            code = None if language == "en" else language
            try:
                await self._application.bot.set_my_commands(
                    list(texts.commands.items()), language_code=code
                )
            except TelegramError as failure:
                _log.warning("menu_not_set", language=language, error=type(failure).__name__)

    # -- while it runs ----------------------------------------------------------------------------

    def _polling_failed(self, error: TelegramError) -> None:
        if isinstance(error, Conflict):
            self._complain(
                "another_copy_is_running",
                hint="two programs use this bot token: stop the other one; trying on slowly",
            )
        elif not isinstance(error, InvalidToken):
            self._complain("polling_failed", error=type(error.__cause__ or error).__name__)

    def _complain(self, event: str, **details: str) -> None:
        """Log what keeps failing, once in a while: an outage is one fact, not thousands."""
        now = time.monotonic()
        last = self._logged.get(event)
        if last is None or now - last >= _REPEAT_LOG_SECONDS:
            self._logged[event] = now
            _log.warning(event, **details)

    # -- end --------------------------------------------------------------------------------------

    async def _close(self) -> None:
        """End in the order that loses nothing: no more updates, handlers, lanes, connections."""
        application, updater = self._application, self._application.updater
        if updater and updater.running:
            await self._stop_polling()
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

    async def _stop_polling(self) -> None:
        updater = self._application.updater
        if updater is None:
            return
        try:
            await updater.stop()
        except InvalidToken:
            _log.debug("polling_ended_by_rejected_token")


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
