"""Background work: rounds and tasks, and the boundary that keeps a failure from ending them."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

import structlog

from memory.background.pacing import RateLimitedLog
from memory.errors import StoreUnavailable


@contextmanager
def log_outage(log: Any, event: str, **details: Any) -> Iterator[None]:
    """Log StoreUnavailable as a warning and leave the block."""
    try:
        yield
    except StoreUnavailable as failure:
        log.warning(event, error=str(failure), **details)


class Boundary:
    """Logs every exception of its block and lets out only those that end the task or the program:
    `with Boundary(log, "extraction_crashed") as ended: …`; `ended.failure` is the one it caught."""

    def __init__(self, log: Any, event: str) -> None:
        self._log, self._event = log, event
        self.failure: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.failure = error
        self._log.error(self._event, exc_info=error)
        return True


_log = structlog.get_logger(__name__)


class Periodic:
    """Does the `works` every `seconds`, each in its own task, so that none delays another."""

    def __init__(self, works: Iterable[Callable[[], Awaitable[None]]], seconds: float) -> None:
        self._works, self._seconds = list(works), seconds
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, after: float = 0.0) -> None:
        """Start, with a first round `after` so many seconds."""
        self._tasks = [
            asyncio.create_task(self._repeat(work, after), name="periodic") for work in self._works
        ]

    async def aclose(self) -> None:
        """Cancel all rounds."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _repeat(self, work: Callable[[], Awaitable[None]], after: float) -> None:
        await asyncio.sleep(after)
        # An outage is one fact, however many rounds it lasts.
        outages = RateLimitedLog(_log, 2 * self._seconds)
        while True:
            # The background boundary: whatever breaks, the next round comes.
            with Boundary(_log, "periodic_work_crashed"):
                try:
                    await work()
                except StoreUnavailable as failure:
                    outages.warn_once("memory_degraded", part="background", error=str(failure))
            await asyncio.sleep(self._seconds)


#: How many seconds a worklist rests before it looks again by itself; so no job that failed is worth
#: a shorter pause.
PAUSE = 30.0


class Worklist:
    """Calls `take_up`, which begins a task for each job that is due: at once after `look_again`,
    else `PAUSE` seconds after the last round, even if that failed. A task has a key, must not
    raise, and calls `end` last."""

    def __init__(self, name: str, take_up: Callable[[], Awaitable[None]], log: Any) -> None:
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._name, self._take_up, self._log = name, take_up, log
        self._wake = asyncio.Event()
        self._looking = False
        self._quiet = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.look_again()
        self._loop = asyncio.create_task(self._work(), name=self._name)

    async def aclose(self) -> None:
        """Cancel all tasks."""
        tasks = [task for task in (self._loop, *self.tasks.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def look_again(self) -> None:
        """Look for due work at once."""
        self._quiet.clear()
        self._wake.set()

    def look_again_in(self, seconds: float) -> None:
        """Look for due work after so many seconds."""
        # A moment later: what is due then has to be by then.
        asyncio.get_running_loop().call_later(seconds + 0.05, self.look_again)

    async def settle(self) -> None:
        """Return when all due work has been tried."""
        await self._quiet.wait()

    def begin(self, key: str, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start a task for this work."""
        task = self.tasks[key] = asyncio.create_task(work, name=f"{self._name} {key}")
        return task

    def end(self, key: str, *, look: bool) -> None:
        """Forget the finished task of this key; `look` for more work at once."""
        self.tasks.pop(key, None)
        if look:
            self.look_again()
        self._note_quiet()

    async def _work(self) -> None:
        while True:
            self._looking = True
            self._wake.clear()
            # Whatever becomes of the journal, this goes on looking.
            with (
                Boundary(self._log, f"{self._name}_not_found"),
                log_outage(self._log, "journal_unavailable"),
            ):
                await self._take_up()
            self._looking = False
            self._note_quiet()
            # Not wait_for: Python 3.11's loses a cancellation that comes together with the wake.
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE):
                    await self._wake.wait()

    def _note_quiet(self) -> None:
        if not (self._wake.is_set() or self._looking or self.tasks):
            self._quiet.set()
