"""Passes updates and notices on to the arrivals, and notices if nothing comes of them: a bot that
receives and does not answer must not look well."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass

import structlog
from telegram import Bot, Update

from bot.people.people import People
from bot.telegram.arrivals import Arrivals
from bot.telegram.delivery.holds import Holds
from bot.telegram.intake.feed import Feed, pass_on
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.raw import actor_in
from bot.telegram.intake.receiving import REPEAT_LOG_SECONDS, Sink, Stalled
from bot.telegram.intake.updates import CHANNEL
from bot.telegram.lanes import Item, ItemHandler, Lanes
from bot.telegram.options import ChannelOptions
from bot.telegram.sharing import SharedInbox
from memory.background.pacing import RateLimitedLog
from memory.background.work import Boundary, log_outage
from memory.leases import Lease, current_lease
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: How often to look, in seconds.
_LOOK_SECONDS = 5.0
#: How often to try to work on an actor that another worker has, in seconds, and after how many
#: tries to take it by force.
_CLAIM_SECONDS, _PATIENCE = 1.0, 15
#: From this share of a limit on, the bot is not ready; at the limit, it restarts.
_WORRYING = 0.5


@dataclass(slots=True, eq=False)
class _Work:
    """What a lane works on since when (monotonic), and under which lease."""

    place: Place
    began: float
    lease: Lease | None
    task: "asyncio.Task[object] | None"
    is_lost: bool = False


class Dispatcher:
    """Takes updates from its queue, one after another."""

    def __init__(
        self,
        inbox: Inbox,
        holds: Holds,
        options: ChannelOptions,
        silent_seconds: Callable[[], float],
        lanes: Lanes,
    ) -> None:
        """`silent_seconds` tells how long ago the Bot API last answered."""
        self.updates: asyncio.Queue[Update] = asyncio.Queue()
        #: Where the intake puts an update that it has stored.
        self.sink: Sink = self.updates
        self._feed: Feed | None = None
        self._complaints = RateLimitedLog(_log, REPEAT_LOG_SECONDS)
        if isinstance(inbox, SharedInbox):
            self.sink = self._feed = Feed(
                inbox, self.updates, lanes, holds, options.parallel_replies, self._complaints
            )
        self._inbox, self._holds, self._options = inbox, holds, options
        self._leases = inbox.leases
        self._leases.subscribe(self._drop)
        self._silent_seconds, self._silent_at = silent_seconds, 0.0
        self._under_way: set[_Work] = set()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, arrivals: Arrivals, people: People) -> None:
        """Take updates and notices until closed."""
        self._tasks = [
            asyncio.create_task(self._take_updates(arrivals), name="arrivals"),
            asyncio.create_task(self._announce(arrivals, people), name="notices"),
        ]
        if held := self._holds.shared:
            self._tasks.append(asyncio.create_task(self._holds.keep_up(held), name="flood holds"))

    async def resume(self, bot: Bot) -> None:
        """Queue the updates that an earlier process left open, and pass them on."""
        if self._feed is None:
            left = await self._inbox.find_open()
            await pass_on(left, self.updates, bot, self._complaints)
            if left:
                _log.info("resuming", updates=len(left))
        await self.catch_up(bot)

    async def catch_up(self, bot: Bot) -> None:
        """Return when what has been stored is passed on."""
        if self._feed:
            await self._feed.catch_up(bot)
        await self.updates.join()

    def go_live(self, bot: Bot) -> None:
        """From now on take what is stored, by whomever."""
        if self._feed:
            self._feed.start(bot)

    async def settle(self) -> None:
        """Return when the queued updates are passed on, or that takes too long. Other workers can
        have what is not under way."""
        if self._feed:
            await self._feed.aclose()
        await self._leases.give_back()
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
            about = update.effective_chat or update.effective_user
            with Boundary(_log, "arrival_failed"):
                async with self._lease(actor_in(about.id if about else 0)) as is_ours:
                    if is_ours:
                        await arrivals.take(update)
            self.updates.task_done()

    async def _announce(self, arrivals: Arrivals, people: People) -> None:
        while True:
            with Boundary(_log, "notice_failed"):
                async for notice in people.take_notices(CHANNEL, self._options.clock.sleep):
                    arrivals.announce(notice)

    # -- the watch --------------------------------------------------------------------------------

    def watch(self, work: ItemHandler) -> ItemHandler:
        """The same work under the lease on its actor, as long as its updates are this worker's;
        notes when each item begins and ends."""

        async def observe(place: Place, item: Item) -> None:
            actor = actor_in(place.chat_id)
            if not (item.receipts or (actor and self._leases.held(actor))):
                # A notice writes nothing.
                current_lease.set(None)
                actor = None
            tries = 0
            while self._inbox.holds(item.receipts):
                tries += 1
                with log_outage(self._complaints, "lease_unavailable"):
                    async with self._lease(actor, by_force=tries > _PATIENCE) as is_ours:
                        if is_ours:
                            await self._observe(work, place, item)
                            return
                # A group moves, and another worker has its old chat, which may know of it as well.
                await self._options.clock.sleep(_CLAIM_SECONDS)

        return observe

    def _lease(
        self, actor: Actor | None, *, by_force: bool = False
    ) -> AbstractAsyncContextManager[bool]:
        return self._leases.work_on(actor, by_force=by_force) if actor else nullcontext(True)

    async def _observe(self, work: ItemHandler, place: Place, item: Item) -> None:
        task = asyncio.current_task()
        under_way = _Work(place, time.monotonic(), current_lease.get(), task)
        self._under_way.add(under_way)
        try:
            await work(place, item)
        except asyncio.CancelledError:
            if not (under_way.is_lost and task and task.uncancel() == 0):
                raise
        finally:
            self._under_way.discard(under_way)

    def _drop(self, actor: Actor) -> None:
        """Cancel what is under way under a lease that is lost. Its lane goes on."""
        for under_way in [each for each in self._under_way if each.lease and each.lease.is_lost]:
            if under_way.task and not under_way.is_lost:
                under_way.is_lost = True
                under_way.task.cancel()

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
        for each in self._under_way:
            busy = now - max(each.began, self._silent_at)
            # Telegram may ask for hours of patience.
            held = self._holds.left(each.place.chat_id)
            if busy > share * self._options.stuck_seconds and not held:
                return "a lane is stuck"
        return None
