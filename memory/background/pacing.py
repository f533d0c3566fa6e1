"""How often something may happen, be retried, or be logged."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from memory.background.caches import BoundedDict


class Backoff:
    """Pauses in seconds: `first`, then `factor` times as long after each failure in a row, up to
    `longest`. `spread` is the random share of a pause, 0 to 1: it keeps many clients from returning
    at once after an outage."""

    def __init__(
        self, first: float, longest: float, *, factor: float = 2.0, spread: float = 0.0
    ) -> None:
        self._first, self._longest, self._factor = first, longest, factor
        self._spread = spread
        #: In a row.
        self.failures = 0

    def pause(self, failures: int) -> float:
        """The pause after a failed attempt that followed `failures` failures in a row."""
        # Bounded: a float has no room for the power of a failure that lasts for weeks.
        pause = min(self._longest, self._first * self._factor ** min(failures, 64))
        return pause * (1 - self._spread * random.random())  # noqa: S311  # a delay is no secret

    def fail(self) -> float:
        """Count a failure. Returns the pause after it."""
        self.failures += 1
        return self.pause(self.failures - 1)

    def reset(self) -> None:
        """Start again with the first pause, after a success."""
        self.failures = 0


class Throttle:
    """Allows something `times` in `seconds` for each subject. Remembers at most `most` subjects; a
    forgotten one is allowed again."""

    def __init__(
        self,
        seconds: float = 60.0,
        times: int = 1,
        *,
        clock: Callable[[], float] = time.monotonic,
        most: int = 10_000,
    ) -> None:
        self._seconds, self._times, self._clock = seconds, times, clock
        #: For each subject, when each time it went through stops counting, in that order.
        self._ends = BoundedDict[Hashable, deque[float]](most)

    def allow(self, subject: Hashable = None, *, seconds: float | None = None) -> bool:
        """True, and counted for `seconds`, if it may happen now."""
        if self.wait(subject):
            return False
        lasts = self._seconds if seconds is None else seconds
        self._ends.setdefault(subject, deque()).append(self._clock() + lasts)
        return True

    def wait(self, subject: Hashable = None) -> float:
        """Seconds until it may happen again; 0 if it may now."""
        ends, now = self._ends.get(subject, deque()), self._clock()
        while ends and ends[0] <= now:
            ends.popleft()
        return ends[0] - now if len(ends) >= self._times else 0.0

    def extend(self, subject: Hashable = None) -> None:
        """Restart the period of the last time."""
        if ends := self._ends.get(subject):
            ends[-1] = self._clock() + self._seconds

    def forget(self, subject: Hashable = None) -> None:
        """Allow this subject again at once."""
        self._ends.pop(subject, None)

    def clear(self) -> None:
        """Allow every subject again at once."""
        self._ends.clear()


class RateLimitedLog:
    """Logs warnings through `log`, at most one in `seconds` for each event or `subject`: an outage
    is one fact, not thousands."""

    def __init__(
        self, log: Any, seconds: float = 60.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._throttle = Throttle(seconds, clock=clock, most=1_000)

    def warning(self, event: str, *, subject: object = None, **details: Any) -> None:
        """Warn unless the same warning was logged recently."""
        if self._throttle.allow((event, subject)):
            self._log.warning(event, **details)

    def warn_once(self, event: str, *, subject: object = None, **details: Any) -> None:
        """Warn unless the same warning has been repeated without a break since it was logged."""
        self.warning(event, subject=subject, **details)
        self._throttle.extend((event, subject))


class CountedWarning:
    """Logs an event that may happen thousands of times: one line in `seconds`, with the number. The
    first line waits `gathering` seconds, so that it counts a whole burst."""

    def __init__(self, log: Any, event: str, seconds: float = 60.0, gathering: float = 5.0) -> None:
        self._log, self._event = log, event
        self._seconds, self._gathering = seconds, gathering
        self._count, self._details = 0, dict[str, Any]()
        self._not_before = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, **details: Any) -> None:
        """Count one more; the last details are logged."""
        self._count, self._details = self._count + 1, details
        if self._timer is None:
            loop = asyncio.get_running_loop()
            pause = max(self._gathering, self._not_before - loop.time())
            self._timer = loop.call_later(pause, self.flush)

    def flush(self) -> None:
        """Log what has not been logged yet."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._log.warning(self._event, count=self._count, **self._details)
        self._count, self._timer = 0, None
        self._not_before = asyncio.get_running_loop().time() + self._seconds
