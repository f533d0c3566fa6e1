"""Warnings that are logged only once in a while: an outage is one fact, not thousands."""

import time
from collections.abc import Callable
from typing import Any

from memory.background.throttle import Throttle


class RateLimitedLog:
    """Warns through `log`, at most once in `seconds` for each event, or each `subject` of it."""

    def __init__(
        self, log: Any, seconds: float = 60.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._throttle = Throttle(seconds, clock=clock, most=1_000)

    def warning(self, event: str, *, subject: object = None, **details: Any) -> None:
        """Warn, unless there was the same warning a short while ago."""
        if self._throttle.allow((event, subject)):
            self._log.warning(event, **details)

    def warn_once(self, event: str, *, subject: object = None, **details: Any) -> None:
        """Warn, unless there was the same warning and it has gone on since."""
        self.warning(event, subject=subject, **details)
        self._throttle.extend((event, subject))
