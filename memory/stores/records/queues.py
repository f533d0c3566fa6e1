"""Calls on actors' tables, from asyncio to threads: of each actor one at a time, in order."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from memory.errors import StoreUnavailable
from memory.records import Actor

T = TypeVar("T")


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class ActorQueues:
    """One queue an actor. A call that was handed to a thread is done even if the caller is
    cancelled."""

    def __init__(self, pool: Executor, after: Callable[[], None] = lambda: None) -> None:
        """`after` is called when a call has ended. The pool stays the caller's."""
        self._pool, self._after = pool, after
        self._queues: dict[Actor, _Queue] = {}
        #: What threads of the pool are doing.
        self._running: set[asyncio.Future[Any]] = set()
        self._closed = False

    def is_busy(self, actor: Actor) -> bool:
        """True if calls on the actor run or wait."""
        return actor in self._queues

    async def run(self, work: Callable[[], T], *actors: Actor) -> T:
        """Run in a thread of the pool, after everything that was asked of these actors before."""
        if self._closed:
            raise StoreUnavailable("the memory is closed")
        # Always in one order, so that two moves never wait for each other.
        actors = tuple(sorted(actors))
        queues = [self._queues.setdefault(actor, _Queue()) for actor in actors]
        for queue in queues:
            queue.users += 1
        held: list[_Queue] = []
        try:
            for queue in queues:
                await queue.lock.acquire()
                held.append(queue)
            hop = asyncio.get_running_loop().run_in_executor(self._pool, work)
        except BaseException:
            self._leave(actors, held)
            raise
        # Not when the caller gives up (a deadline of recall): the next one must not come in while
        # the thread still works.
        hop.add_done_callback(lambda _: self._leave(actors, held))
        self.track(hop)
        return await asyncio.shield(hop)

    def track(self, hop: "asyncio.Future[Any]") -> None:
        """Wait for this one too before all is closed."""
        self._running.add(hop)
        hop.add_done_callback(self._end)

    async def aclose(self) -> None:
        """Finish what runs. Later calls are errors."""
        self._closed = True
        while self._running:
            await asyncio.wait(self._running)

    def _end(self, hop: "asyncio.Future[Any]") -> None:
        self._running.discard(hop)
        if not hop.cancelled():
            # Whoever asked may have given up; asyncio would log an error that nobody reads.
            hop.exception()

    def _leave(self, actors: Sequence[Actor], held: Sequence[_Queue]) -> None:
        for queue in held:
            queue.lock.release()
        for actor in actors:
            self._queues[actor].users -= 1
            if not self._queues[actor].users:
                del self._queues[actor]
        self._after()
