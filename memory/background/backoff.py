"""Pauses between attempts at something that keeps failing."""

import random


class Backoff:
    """Pauses in seconds: `first`, then `factor` times as long after each failure in a row, up to
    `longest`. `spread` is the share of a pause, 0 to 1, that is left to chance, so that many do not
    come back at once after an outage."""

    def __init__(
        self, first: float, longest: float, *, factor: float = 2.0, spread: float = 0.0
    ) -> None:
        self._first, self._longest, self._factor = first, longest, factor
        self._spread = spread
        self._failures = 0

    def pause(self, failures: int) -> float:
        """The pause after an attempt that failed, given the failures in a row before it."""
        # Bounded: a float has no room for the power of a failure that lasts for weeks.
        pause = min(self._longest, self._first * self._factor ** min(failures, 64))
        return pause * (1 - self._spread * random.random())  # noqa: S311  # a delay is no secret

    def fail(self) -> float:
        """Count a failure; the pause after it."""
        self._failures += 1
        return self.pause(self._failures - 1)

    def reset(self) -> None:
        """Begin with the first pause again: it went well."""
        self._failures = 0
