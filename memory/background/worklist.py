"""What is due in the background, worked off: looked for at once when there may be something new,
and again after a pause, whatever becomes of a single round."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from memory.background.boundary import Boundary, log_outage

#: How many seconds a worklist rests before it looks again by itself; so no job that failed is worth
#: a shorter pause.
PAUSE = 30.0


class Worklist:
    """Has `take_up` begin a task for whatever is due. Each task is known by a key, calls
    `end` last of all, and must not raise."""

    def __init__(self, name: str, take_up: Callable[[], Awaitable[None]], log: Any) -> None:
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._name, self._take_up, self._log = name, take_up, log
        self._wake = asyncio.Event()
        self._looking = False
        self._quiet = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self.look_again()
        self._loop = asyncio.create_task(self._work(), name=self._name)

    async def aclose(self) -> None:
        """Break everything off."""
        tasks = [task for task in (self._loop, *self.tasks.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def look_again(self) -> None:
        """Take note that there may be something new."""
        self._quiet.clear()
        self._wake.set()

    async def settle(self) -> None:
        """Return when everything that is due has had its try."""
        await self._quiet.wait()

    def begin(self, key: str, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Do this in a task of its own."""
        task = self.tasks[key] = asyncio.create_task(work, name=f"{self._name} {key}")
        return task

    def end(self, key: str, *, look: bool) -> None:
        """The task of this key is at its end; `look` for more at once."""
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
