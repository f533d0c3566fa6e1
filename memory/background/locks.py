"""The write lock of each actor in this process, and the lease on it among several workers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from memory.leases import ALONE, Leases
from memory.records import Actor


class Lock(asyncio.Lock):
    """An actor's lock; `changes` counts the changes made under it."""

    changes = 0


class Locks:
    """One lock an actor, which lives while it is held or awaited. All writes of an actor's records
    or turns hold it, so that forgetting and extraction never overlap."""

    def __init__(
        self, on_change: Callable[[Actor], None] = lambda actor: None, leases: Leases = ALONE
    ) -> None:
        """`on_change` is called with an actor whose records may have changed."""
        self.changed, self.leases = on_change, leases
        self._locks: WeakValueDictionary[Actor, Lock] = WeakValueDictionary()

    def __getitem__(self, actor: Actor) -> Lock:
        return self._locks.setdefault(actor, Lock())

    @asynccontextmanager
    async def changing(self, actor: Actor) -> AsyncIterator[None]:
        """Hold the lock to change the actor's records. Even a change that failed or was cancelled
        drops what was cached before."""
        async with (lock := self[actor]):
            try:
                yield
            finally:
                lock.changes += 1
                self.changed(actor)
