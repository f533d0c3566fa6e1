"""Circuit breakers, so that nobody waits for a service that does not answer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)


class CircuitOpen(StoreUnavailable):
    """Nothing was sent: the circuit is open."""


class Circuits:
    """One circuit for each operation of a service: searching may hang while writing works."""

    def __init__(
        self,
        service: str,
        failures: int = 5,
        pause: float = 10.0,
        silence: float = 3.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._failures, self._pause = service, failures, pause
        self._silence, self._clock = silence, clock
        self._circuits: dict[str, Circuit] = {}

    def of(self, operation: str) -> "Circuit":
        if operation not in self._circuits:
            self._circuits[operation] = Circuit(
                f"{self._service}, {operation}",
                self._failures,
                self._pause,
                self._silence,
                self._clock,
            )
        return self._circuits[operation]


class Circuit:
    """Stops calls that are not answered: opens after `failures` failures in a row and then lets one
    call through every `pause` seconds, until one succeeds. A call that has not been answered for
    `silence` seconds counts as a failure while it is under way. Logs once when it opens and once
    when it closes. Thread-safe: results are reported from where the calls run, possibly long after
    the caller has stopped waiting."""

    def __init__(
        self,
        name: str,
        failures: int = 5,
        pause: float = 10.0,
        silence: float = 3.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._limit, self._pause, self._clock = name, failures, pause, clock
        self._silence = silence
        self._failures = 0
        self._open_until: float | None = None
        #: When each call that is under way began.
        self._begun: dict[object, float] = {}
        self._lock = threading.Lock()

    def check(self) -> bool:
        """Raise CircuitOpen while no call may be made. Returns True for the call that finds out
        whether the service is back."""
        with self._lock:
            now = self._clock()
            opens = self._open_until is None and self._count(now) >= self._limit
            if opens:
                self._open_until = now + self._pause
            failed, until = self._count(now), self._open_until
            tries = until is not None and now >= until
            if tries:
                # Should this call never report, the next one is due in a pause.
                self._open_until = now + self._pause
        if opens:
            self._log_pause("no answer")
        if until is not None and not tries:
            raise CircuitOpen(
                f"{self._name} failed {failed} times in a row; "
                f"the next try is in {until - now:.0f} s"
            )
        return tries

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count the silence of one call, from here to the end of the block."""
        call = object()
        with self._lock:
            self._begun[call] = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._begun.pop(call, None)

    def note_success(self) -> None:
        """Note that the service answered, whatever it said. Calls that are silent by now no longer
        count."""
        with self._lock:
            for silent in self._silent(self._clock()):
                del self._begun[silent]
            was_open, self._open_until, self._failures = self._open_until, None, 0
        if was_open is not None:
            _log.info("service_resumed", service=self._name)

    def note_failure(self, why: str) -> None:
        """Note that the service did not answer or failed."""
        with self._lock:
            self._failures += 1
            now = self._clock()
            reached = self._count(now) >= self._limit
            opens = reached and self._open_until is None
            if reached:
                self._open_until = now + self._pause
        if opens:
            self._log_pause(why)

    def _count(self, now: float) -> int:
        return self._failures + len(self._silent(now))

    def _silent(self, now: float) -> list[object]:
        return [call for call, begun in self._begun.items() if now - begun >= self._silence]

    def _log_pause(self, why: str) -> None:
        _log.warning("service_paused", service=self._name, seconds=self._pause, why=why)
