"""Time, as channels wait for it. Tests have a faster one."""

import asyncio
import time


class Clock:
    """Monotonic time in seconds."""

    def now(self) -> float:
        """Seconds since some moment in the past."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after this long."""
        await asyncio.sleep(seconds)
