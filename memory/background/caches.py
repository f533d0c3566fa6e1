"""Values kept in RAM: a bounded number of them, or one an actor until it changes."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from typing import Generic, TypeVar

from memory.records import Actor

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(MutableMapping[K, V]):
    """Keeps at most `most` entries and drops the least recently read or written one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __getitem__(self, key: K) -> V:
        value = self._entries[key]
        self._entries.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def __delitem__(self, key: K) -> None:
        del self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        # A copy: reading an entry meanwhile moves it.
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def peek(self) -> list[tuple[K, V]]:
        """All entries, none of which counts as read by this."""
        return list(self._entries.items())


T = TypeVar("T")


class ActorCache(Generic[T]):
    """One value an actor, read when first asked for."""

    def __init__(self, what: str, read: Callable[[Actor], Awaitable[T]]) -> None:
        """`what` names the reading tasks."""
        self._what, self._read = what, read
        self._known: dict[Actor, T] = {}
        self._readings: dict[Actor, asyncio.Task[T]] = {}
        self._tasks: set[asyncio.Task[T]] = set()

    async def get(self, actor: Actor) -> T:
        """The actor's value. When a caller runs out of time, reading goes on and the next caller
        finds the value: a slow store is late only once."""
        if actor in self._known:
            return self._known[actor]
        reading = self._readings.get(actor)
        if reading is None:
            reading = asyncio.create_task(self._fill(actor), name=f"{self._what} of {actor.id}")
            # Nobody may be waiting any more when it fails.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._readings[actor] = reading
            # One that is out of date when it is done runs on, too.
            self._tasks.add(reading)
            reading.add_done_callback(self._tasks.discard)
        return await asyncio.shield(reading)

    def peek(self, actor: Actor) -> T | None:
        """The actor's value if it is known without reading."""
        return self._known.get(actor)

    def put(self, actor: Actor, value: T) -> None:
        """Set the actor's value. Discards a read that is under way."""
        self._readings.pop(actor, None)
        self._known[actor] = value

    def drop(self, actor: Actor) -> None:
        """Forget the actor's value and discard a read that is under way: the next `get` reads it
        again."""
        self._readings.pop(actor, None)
        self._known.pop(actor, None)

    def keep(self, wanted: Collection[Actor]) -> None:
        """Forget the values of all other actors."""
        self._known = {actor: known for actor, known in self._known.items() if actor in wanted}

    async def aclose(self) -> None:
        """Cancel all reads."""
        readings = list(self._tasks)
        for reading in readings:
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)

    async def _fill(self, actor: Actor) -> T:
        try:
            value = await self._read(actor)
            if self._readings.get(actor) is asyncio.current_task():
                self._known[actor] = value
            return value
        finally:
            if self._readings.get(actor) is asyncio.current_task():
                del self._readings[actor]
