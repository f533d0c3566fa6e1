"""A circuit breaker, so that nobody waits for a service that does not answer."""

import threading
import time
from collections.abc import Callable

import structlog

from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)


class CircuitOpen(StoreUnavailable):
    """Nothing was sent: the circuit is open."""


class Circuit:
    """Stops calls to a service that does not answer: opens after `failures` failures in a row and
    then lets one call through every `pause` seconds, until one succeeds. Logs once when it opens
    and once when it closes. Thread-safe: results are reported from where the calls run, possibly
    long after the caller has stopped waiting."""

    def __init__(
        self,
        service: str,
        failures: int = 5,
        pause: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._limit, self._pause, self._clock = service, failures, pause, clock
        self._failures = 0
        self._open_until: float | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise CircuitOpen while the service must not be called."""
        with self._lock:
            now = self._clock()
            if self._open_until is None:
                return
            if now < self._open_until:
                raise CircuitOpen(
                    f"{self._service} failed {self._failures} times in a row; "
                    f"the next try is in {self._open_until - now:.0f} s"
                )
            # This caller is the probe. Should it never report, the next one is due in a pause.
            self._open_until = now + self._pause

    def note_success(self) -> None:
        """Note that the service answered, whatever it said."""
        with self._lock:
            was_open, self._open_until, self._failures = self._open_until, None, 0
        if was_open is not None:
            _log.info("service_resumed", service=self._service)

    def note_failure(self, why: str) -> None:
        """Note that the service did not answer or was overloaded."""
        with self._lock:
            self._failures += 1
            opens = self._open_until is None and self._failures >= self._limit
            if self._failures >= self._limit:
                self._open_until = self._clock() + self._pause
        if opens:
            _log.warning("service_paused", service=self._service, seconds=self._pause, why=why)
