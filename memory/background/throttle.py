"""What may happen only so often."""

import time
from collections import deque
from collections.abc import Callable, Hashable

from memory.background.bounded_dict import BoundedDict


class Throttle:
    """Lets something through `times` in `seconds`, for each subject by itself. At most `most`
    subjects are remembered; the one forgotten for that may go through again."""

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
        """Whether it may happen now; if so, it counts, for `seconds` if given."""
        if self.wait(subject):
            return False
        self._ends.setdefault(subject, deque()).append(self._end(seconds))
        return True

    def wait(self, subject: Hashable = None) -> float:
        """Seconds until it may happen again; 0 if it may now."""
        ends, now = self._ends.get(subject, deque()), self._clock()
        while ends and ends[0] <= now:
            ends.popleft()
        return ends[0] - now if len(ends) >= self._times else 0.0

    def extend(self, subject: Hashable = None) -> None:
        """Count the last time from now on."""
        if ends := self._ends.get(subject):
            ends[-1] = self._end(None)

    def forget(self, subject: Hashable = None) -> None:
        """Let this subject through again at once."""
        self._ends.pop(subject, None)

    def clear(self) -> None:
        """Let everything through again at once."""
        self._ends.clear()

    def _end(self, seconds: float | None) -> float:
        return self._clock() + (self._seconds if seconds is None else seconds)
