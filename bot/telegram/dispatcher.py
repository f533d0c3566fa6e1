"""Passes updates and notices on to the arrivals, and notices if nothing comes of them: a bot that
receives and does not answer must not look well."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import structlog
from telegram import Bot, Update

from bot.people.people import People
from bot.telegram.arrivals import Arrivals
from bot.telegram.delivery.holds import Holds
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.raw import readable
from bot.telegram.intake.receiving import Stalled
from bot.telegram.intake.updates import CHANNEL
from bot.telegram.lanes import Item, Worker
from bot.telegram.options import ChannelOptions
from memory.background.pacing import RateLimitedLog
from memory.background.work import Boundary
from memory.records import Place

_log = structlog.get_logger(__name__)

#: How often to look, in seconds.
_LOOK_SECONDS = 5.0
#: From this share of a limit on, the bot is not ready; at the limit, it restarts.
_WORRYING = 0.5


class Dispatcher:
    """Takes updates from its queue, one after another."""

    def __init__(
        self,
        inbox: Inbox,
        holds: Holds,
        options: ChannelOptions,
        silent_seconds: Callable[[], float],
    ) -> None:
        """`silent_seconds` tells how long ago the Bot API last answered."""
        self.updates: asyncio.Queue[Update] = asyncio.Queue()
        self._inbox, self._holds, self._options = inbox, holds, options
        self._silent_seconds, self._silent_at = silent_seconds, 0.0
        #: The items that lanes work on: their places, and when they began (monotonic).
        self._under_way: dict[object, tuple[Place, float]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, arrivals: Arrivals, people: People) -> None:
        """Take updates and notices until closed."""
        self._tasks = [
            asyncio.create_task(self._take_updates(arrivals), name="arrivals"),
            asyncio.create_task(self._announce(arrivals, people), name="notices"),
        ]
        if held := self._holds.shared:
            self._tasks.append(asyncio.create_task(self._holds.keep_up(held), name="flood holds"))

    async def resume(self, bot: Bot, complaints: RateLimitedLog) -> None:
        """Queue the updates that an earlier process left open, and pass them on."""
        left = await self._inbox.find_open()
        for item in left:
            bare = {"update_id": item.update["update_id"]}
            update = readable(item.update, complaints) or bare
            await self.updates.put(Update.de_json(update, bot))
        await self.updates.join()
        if left:
            _log.info("resuming", updates=len(left))

    async def settle(self) -> None:
        """Return when the queued updates are passed on, or that takes too long."""
        if self._tasks:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._options.stop_seconds):
                    await self.updates.join()

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take_updates(self, arrivals: Arrivals) -> None:
        while True:
            update = await self.updates.get()
            with Boundary(_log, "arrival_failed"):
                await arrivals.take(update)
            self.updates.task_done()

    async def _announce(self, arrivals: Arrivals, people: People) -> None:
        while True:
            with Boundary(_log, "notice_failed"):
                async for notice in people.take_notices(CHANNEL, self._options.clock.sleep):
                    arrivals.announce(notice)

    # -- the watch --------------------------------------------------------------------------------

    def watch(self, work: Worker) -> Worker:
        """The same work; notes when each item begins and ends."""

        async def observe(place: Place, item: Item) -> None:
            key = object()
            self._under_way[key] = place, time.monotonic()
            try:
                await work(place, item)
            finally:
                del self._under_way[key]

        return observe

    @property
    def handling(self) -> bool:
        """True while updates are passed on and answered."""
        return self._trouble(_WORRYING) is None

    async def keep_watch(self) -> None:
        """Raises Stalled once updates are no longer handled."""
        while True:
            if self._silent_seconds() > self._options.stalled_seconds:
                # Replies wait for Telegram, and a restart would not help.
                self._silent_at = time.monotonic()
            if trouble := self._trouble():
                _log.critical("handling_stalled", reason=trouble, open=self._inbox.open_count)
                raise Stalled
            await asyncio.sleep(min(_LOOK_SECONDS, self._options.stalled_seconds / 4))

    def _trouble(self, share: float = 1.0) -> str | None:
        """What is wrong; None if nothing is, or not yet for this share of the limits."""
        if ended := [task.get_name() for task in self._tasks if task.done()]:
            return f"a task has ended: {ended[0]}"
        if self._inbox.unclaimed_seconds > share * self._options.stalled_seconds:
            return "updates are received, but not taken"
        now = time.monotonic()
        for place, began in self._under_way.values():
            busy = now - max(began, self._silent_at)
            # Telegram may ask for hours of patience.
            if busy > share * self._options.stuck_seconds and not self._holds.left(place.chat_id):
                return "a lane is stuck"
        return None
