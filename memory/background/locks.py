"""The write locks of the actors."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from memory.records import Actor


class Lock(asyncio.Lock):
    """An actor's lock; `changes` counts the changes made under it, for whoever holds on to it."""

    changes = 0


class Locks:
    """One lock an actor, for as long as somebody holds it or waits for it. Whoever writes an
    actor's records or turns holds it, so that forgetting and extracting never overlap."""

    def __init__(self, on_change: Callable[[Actor], None] = lambda actor: None) -> None:
        """`on_change` hears whose records may have changed."""
        self.changed = on_change
        self._locks: WeakValueDictionary[Actor, Lock] = WeakValueDictionary()

    def __getitem__(self, actor: Actor) -> Lock:
        return self._locks.setdefault(actor, Lock())

    @asynccontextmanager
    async def changing(self, actor: Actor) -> AsyncIterator[None]:
        """Alone with the actor's records. Whatever becomes of the change, broken off or cancelled,
        nobody goes on with what was known before."""
        async with (lock := self[actor]):
            try:
                yield
            finally:
                lock.changes += 1
                self.changed(actor)
