"""Saying the same thing at most once in a while."""

import time
from collections.abc import Callable


class Seldom:
    """Whether something may be said now, at most once in `seconds` for each subject."""

    def __init__(self, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._said: dict[str, float] = {}

    def __call__(self, subject: str) -> bool:
        """True the first time, and again when the time is over."""
        now = self._clock()
        last = self._said.get(subject)
        if last is not None and now - last < self._seconds:
            return False
        self._said[subject] = now
        return True
