"""A clock that runs fast."""

import asyncio
import time

from bot.telegram.clock import Clock


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
