"""Calls on a database, from asyncio to one thread at a time."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, Generic, TypeVar

from memory.leases import Lease, current_lease

T = TypeVar("T")
C = TypeVar("C")


@dataclass(eq=False, slots=True)
class QueuedCall(Generic[C]):
    """Work on a connection, for somebody who awaits `answer`. If it is `in_transaction`, it runs in
    one; if it `joins`, its neighbours may share it. If it only `reads`, it is not done once nobody
    awaits the answer. What it writes under a `lease` is written only while that is valid."""

    work: Callable[[C], Any]
    answer: "asyncio.Future[Any]"
    in_transaction: bool = False
    joins: bool = False
    reads: bool = False
    lease: Lease | None = field(default_factory=current_lease.get)
    result: Any = None
    error: Exception | None = None

    def attempt(self, run: Callable[["QueuedCall[C]"], Any]) -> None:
        """Run the call; whoever awaits the answer gets what it raises."""
        self.error = None
        try:
            self.result = run(self)
        except Exception as error:  # noqa: BLE001 - see above
            self.error = error

    def reply(self) -> None:
        if self.answer.done():
            return
        if self.error:
            self.answer.set_exception(self.error)
        else:
            self.answer.set_result(self.result)


class CallQueue(Generic[C]):
    """Calls that arrive while others run wait, and then share one hop to a thread. A call that was
    asked for is done even if the caller is cancelled, unless it only reads."""

    def __init__(self, pool: Executor, run: Callable[[Sequence[QueuedCall[C]]], None]) -> None:
        """`run` gets the calls in a thread, in order."""
        self._pool, self._run = pool, run
        self._waiting: list[QueuedCall[C]] = []
        self._running = False

    async def put(
        self,
        work: Callable[[C], T],
        *,
        in_transaction: bool = False,
        joins: bool = False,
        reads: bool = False,
    ) -> T:
        """Have the work done, and return its result."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(QueuedCall(work, answer, in_transaction, joins, reads))
        self._begin()
        return await answer

    def _begin(self) -> None:
        """Hand what waits to a thread, unless one is at work."""
        if self._running or not self._waiting:
            return
        calls, self._waiting = self._waiting, []
        try:
            hop = asyncio.get_running_loop().run_in_executor(self._pool, self._run, calls)
        except RuntimeError as closed:  # the pool
            for call in calls:
                call.error = closed
                call.reply()
            return
        self._running = True
        hop.add_done_callback(partial(self._end, calls))

    def _end(self, calls: Sequence[QueuedCall[C]], hop: "asyncio.Future[None]") -> None:
        self._running = False
        self._begin()
        for call in calls:
            call.reply()


def run_calls(
    calls: Sequence[QueuedCall[C]],
    together: Callable[[Sequence[QueuedCall[C]]], bool],
    alone: Callable[[QueuedCall[C]], None],
) -> None:
    """Run calls in order. Neighbours that join run `together`, in one transaction and so with one
    wait for the disk; if that returns False, nothing is written, and each runs `alone`."""
    wanted = [call for call in calls if not (call.reads and call.answer.cancelled())]
    for joins, group in groupby(wanted, key=lambda call: call.joins):
        neighbours = list(group)
        if not (joins and len(neighbours) > 1 and together(neighbours)):
            for call in neighbours:
                alone(call)
