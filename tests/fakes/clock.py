"""Clocks that run fast, or stand still."""

import asyncio
import time

from bot.telegram.delivery.clock import Clock


class FastClock(Clock):
    """`speed` seconds pass in one."""

    def __init__(self, speed: float = 100.0) -> None:
        self._speed = speed

    def now(self) -> float:
        """See Clock."""
        return time.monotonic() * self._speed

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        await asyncio.sleep(seconds / self._speed)


class HeldClock(FastClock):
    """Stands still until it is released, then runs fast."""

    def __init__(self, speed: float = 100.0) -> None:
        super().__init__(speed)
        self.released = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        await self.released.wait()
        await super().sleep(seconds)
