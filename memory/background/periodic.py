"""Work that is done again and again."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import structlog

from memory.background.boundary import Boundary
from memory.background.rate_limited_log import RateLimitedLog
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)


class Periodic:
    """Does each of the `works` every so many seconds, by itself, so that none holds up another."""

    def __init__(self, works: Iterable[Callable[[], Awaitable[None]]], seconds: float) -> None:
        self._works, self._seconds = list(works), seconds
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin, with a first round at once."""
        self._tasks = [
            asyncio.create_task(self._repeat(work), name="periodic") for work in self._works
        ]

    async def aclose(self) -> None:
        """Stop, whatever is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        # An outage is one fact, however many rounds it lasts.
        outages = RateLimitedLog(_log, 2 * self._seconds)
        while True:
            # The background boundary: whatever breaks, the next round comes.
            with Boundary(_log, "periodic_work_crashed"):
                try:
                    await work()
                except StoreUnavailable as failure:
                    outages.warn_once("memory_degraded", part="background", error=str(failure))
            await asyncio.sleep(self._seconds)
