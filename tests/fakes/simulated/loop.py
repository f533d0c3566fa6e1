"""An event loop whose time jumps to whatever is due next.

Nothing happens at the same time: work for threads is done by the loop itself, so a run is the same
each time. Work on a `Delayed` executor starts and ends as much later, and is done though
nobody awaits it any more, as a request is that has been sent."""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import Any

#: When simulated time begins.
START = datetime(2026, 3, 15, 12, tzinfo=UTC).timestamp()


class Delayed(Executor):
    """An executor whose work takes simulated time."""

    def before(self) -> float:
        """Seconds until the next work is done."""
        return 0.0

    def after(self) -> float:
        """Seconds from then until its result is known."""
        return 0.0


class SimulatedLoop(asyncio.SelectorEventLoop):
    """See above. The loops of a process run one after the other; time never goes back."""

    #: How many seconds passed in earlier loops, and in this one. As one sum they would grow until
    #: a nanosecond more, which asyncio adds before it compares, is no more in a float: after 194
    #: days no loop would go on.
    before, passed = 0.0, 0.0

    def __init__(self) -> None:
        super().__init__(_Jumping())
        SimulatedLoop.before += SimulatedLoop.passed
        SimulatedLoop.passed = 0.0

    def time(self) -> float:
        """Seconds since the loop began."""
        return SimulatedLoop.passed

    def run_in_executor(  # type: ignore[override]  # as asyncio's own stub has it, but simpler
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        """Do it on the loop."""
        answer = self.create_future()
        delays = executor if isinstance(executor, Delayed) else Delayed()

        def work() -> None:
            try:
                result, error = func(*args), None
            except Exception as failure:  # noqa: BLE001 - whoever awaits the answer gets it
                result, error = None, failure
            self._call_in(delays.after(), reply, result, error)

        def reply(result: Any, error: Exception | None) -> None:
            if answer.done():
                return
            if error:
                answer.set_exception(error)
            else:
                answer.set_result(result)

        self._call_in(delays.before(), work)
        return answer

    def _call_in(self, seconds: float, what: Callable[..., object], *args: Any) -> None:
        """Like `call_later`, but what is due at once keeps its order."""
        if seconds:
            self.call_later(seconds, what, *args)
        else:
            self.call_soon(what, *args)


class _Jumping(selectors.SelectSelector):
    """Waits for nothing."""

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found and timeout is None:
            raise RuntimeError("nobody will ever go on: everything waits for something else")
        if not found and timeout and timeout > 0:
            SimulatedLoop.passed += timeout
        return found


def now() -> datetime:
    """The simulated moment."""
    return datetime.fromtimestamp(epoch(), UTC)


def epoch() -> float:
    """The simulated moment in seconds of the epoch."""
    return START + SimulatedLoop.before + SimulatedLoop.passed
