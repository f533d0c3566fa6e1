"""Clocks that run fast, or stand still."""

import asyncio
import heapq
from itertools import count

from bot.clock import Clock

#: How often the clock moves on, in seconds as they are.
_STEP = 0.005


class FastClock(Clock):
    """`speed` seconds pass in one, at most: time moves in steps, and only while somebody sleeps. A
    busy machine takes longer for a step, but no time is skipped meanwhile: what a test does within
    some seconds of this clock it does on any machine."""

    def __init__(self, speed: float = 100.0) -> None:
        self._step = speed * _STEP
        self._now = 1_000_000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._ticking: asyncio.Task[None] | None = None

    def now(self) -> float:
        """See Clock."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        awake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._numbers), awake))
        if self._ticking is None or self._ticking.done():
            self._ticking = asyncio.create_task(self._tick(), name="clock")
        await awake

    async def _tick(self) -> None:
        while self._sleepers:
            await asyncio.sleep(_STEP)
            self._now += self._step
            while self._sleepers and (self._sleepers[0][0] <= self._now or self._gone()):
                _, _, awake = heapq.heappop(self._sleepers)
                if not awake.done():
                    awake.set_result(None)

    def _gone(self) -> bool:
        """True if the next to wake up was cancelled meanwhile."""
        return self._sleepers[0][2].done()


class HeldClock(FastClock):
    """Stands still until it is released, then runs fast."""

    def __init__(self, speed: float = 100.0) -> None:
        super().__init__(speed)
        self.released = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        await self.released.wait()
        await super().sleep(seconds)
