"""Finds what this worker is to answer, where several share an inbox."""

import asyncio
import time
from collections.abc import Collection, Sequence
from contextlib import suppress

import structlog
from telegram import Bot, Update

from bot.telegram.delivery.holds import Holds
from bot.telegram.intake.raw import actor_in, chat_id_of, readable
from bot.telegram.lanes import Lanes
from bot.telegram.sharing import SharedInbox
from bot.telegram.waiting import Waiting
from memory.background.pacing import Backoff, RateLimitedLog
from memory.background.work import Boundary
from memory.errors import StoreUnavailable
from memory.records import Actor

_log = structlog.get_logger(__name__)

#: How often to look without being woken, in seconds.
_LOOK_SECONDS = 1.0
#: At most so many actors are found by one look.
_MOST_FOUND = 1_000
#: How long a worker leaves a free actor to others, in seconds for each that it works on: whoever
#: has least to do is first.
_COURTESY = 0.002


class Feed:
    """Takes the updates of this worker's actors, and claims actors of whom nobody takes them, as
    long as it can answer them at once. It is woken when something is stored, here or by another
    worker, and looks for itself once a second."""

    def __init__(
        self,
        inbox: SharedInbox,
        queue: "asyncio.Queue[Update]",
        lanes: Lanes,
        holds: Holds,
        parallel: int,
        complaints: RateLimitedLog,
    ) -> None:
        """It works on at most `parallel` actors at once, beside those under a flood limit."""
        self._inbox, self._queue, self._lanes = inbox, queue, lanes
        self._holds, self._parallel = holds, parallel
        self._leases, self._complaints = inbox.leases, complaints
        self._wake = asyncio.Event()
        #: Actors who were stored for: our own, and others, which may be free from some time on.
        self._ours: set[Actor] = set()
        self._free: dict[Actor, None] = {}
        self._claim_at = self._look_at = 0.0
        #: True if somebody waits for this worker to have less to do.
        self._is_full = False
        #: True while the database tells what is stored.
        self._hears = False
        self._tasks: list[asyncio.Task[None]] = []
        inbox.on_done = self._look_if_full

    async def put(self, update: Update) -> None:
        """Hear of an update that this worker has stored, unless the database tells of it."""
        about = update.effective_chat or update.effective_user
        actor = actor_in(about.id if about else 0)
        if actor and not self._hears:
            self._note(actor)

    async def catch_up(self, bot: Bot) -> None:
        """Take what waits, before the start."""
        self._look_at = 0.0
        await self._take_turn(bot)
        while self._free:
            await asyncio.sleep(max(self._claim_at - time.monotonic(), 0.0))
            await self._take_turn(bot)

    def start(self, bot: Bot) -> None:
        """Go on taking what waits until closed."""
        self._tasks = [
            asyncio.create_task(self._run(bot), name="feed"),
            asyncio.create_task(self._listen(), name="wake-ups"),
        ]

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def _busy(self) -> int:
        """On how many actors this worker works."""
        return sum(not self._holds.left(chat_id_of(actor)) for actor in self._inbox.actors)

    def _note(self, actor: Actor) -> None:
        if self._leases.held(actor):
            self._ours.add(actor)
        else:
            if not self._free:
                self._claim_at = time.monotonic() + self._busy * _COURTESY
            self._free[actor] = None
        self._wake.set()

    def _look_if_full(self) -> None:
        if self._is_full:
            self._look()

    def _look(self) -> None:
        self._look_at = 0.0
        self._wake.set()

    async def _listen(self) -> None:
        pauses = Backoff(1.0, 60.0)
        while True:
            async for actor in self._leases.wake_ups():
                if actor:
                    self._note(actor)
                else:
                    self._hears = True
                    pauses.reset()
                    self._look()
            self._hears = False
            await asyncio.sleep(pauses.fail())

    async def _run(self, bot: Bot) -> None:
        while True:
            # Whatever becomes of the database, this goes on looking.
            with Boundary(_log, "feed_failed") as ended:
                await self._take_turn(bot)
            if ended.failure:
                self._free.clear()
            due = self._claim_at if self._free else self._look_at
            with suppress(TimeoutError):
                async with asyncio.timeout(max(due - time.monotonic(), 0.0)):
                    await self._wake.wait()
            self._wake.clear()

    async def _take_turn(self, bot: Bot) -> None:
        """Take what waits for our actors, then claim some of the free ones."""
        try:
            if time.monotonic() >= self._look_at:
                self._look_at, self._is_full = time.monotonic() + _LOOK_SECONDS, False
                for actor in await self._inbox.find_waiting(_MOST_FOUND):
                    self._note(actor)
            ours, self._ours = self._ours, set()
            await self._take(ours, bot)
            if self._free and time.monotonic() >= self._claim_at:
                await self._take(await self._claim(), bot)
        except StoreUnavailable as failure:
            # The next look finds them.
            self._free.clear()
            self._complaints.warning("inbox_unavailable", error=str(failure))

    async def _claim(self) -> list[Actor]:
        """Claim a few of the free actors, so that others get theirs. With too much to do, leave
        them all."""
        room = self._parallel - self._busy
        if room <= 0:
            self._free.clear()
            self._is_full = True
            return []
        wanted = list(self._free)[: max(1, room // 4)]
        for actor in wanted:
            del self._free[actor]
        claimed = await self._leases.claim(wanted)
        self._claim_at = time.monotonic() + (self._busy + len(claimed)) * _COURTESY
        return list(claimed)

    async def _take(self, actors: Collection[Actor], bot: Bot) -> None:
        leases = [lease for actor in actors if (lease := self._leases.held(actor))]
        if not leases:
            return
        # Those in use are kept for longer.
        await self._leases.claim([Actor(lease.subject) for lease in leases])
        left = await self._inbox.take(leases)
        if any(lease.inherited for lease in leases):
            await self._pass_on_together(left, bot)
        else:
            await pass_on(left, self._queue, bot, self._complaints)
        for lease in leases:
            lease.inherited = False

    async def _pass_on_together(self, left: Sequence[Waiting], bot: Bot) -> None:
        """What another worker left of a chat becomes one turn, as after a restart."""
        opened, was_open = self._lanes.opened, self._lanes.opened.is_set()
        opened.clear()
        try:
            await pass_on(left, self._queue, bot, self._complaints)
            await self._queue.join()
        finally:
            if was_open:
                opened.set()
        if left:
            _log.info("resuming", updates=len(left))


async def pass_on(
    left: Sequence[Waiting],
    queue: "asyncio.Queue[Update]",
    bot: Bot,
    complaints: RateLimitedLog,
) -> None:
    """Queue stored updates."""
    for item in left:
        bare = {"update_id": item.update["update_id"]}
        update = readable(item.update, complaints) or bare
        await queue.put(Update.de_json(update, bot))
