"""The right to work on an actor, where several workers share a database."""

import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from memory.errors import LeaseLost
from memory.records import Actor


@dataclass(slots=True, unsafe_hash=True)
class Lease:
    """A worker's right to work on an actor, or in a role that one worker has for all. The token
    grows with every claim, so that a worker which lost its lease and does not know it yet can be
    told from the present one. It is valid until a monotonic time, which renewing moves on. It is
    `inherited` if the worker before lost it, and so may have left something half done."""

    subject: str
    token: int
    until: float = field(default=inf, compare=False)
    inherited: bool = field(default=False, compare=False)

    @property
    def is_lost(self) -> bool:
        return time.monotonic() >= self.until

    def lose(self) -> None:
        self.until = -inf


#: The lease under which the task at hand works, if it works under one. Whatever it writes is
#: written only while the lease is the subject's newest.
current_lease: ContextVar[Lease | None] = ContextVar("current_lease", default=None)


def check_lease() -> None:
    """Raises LeaseLost if the task at hand works under a lease that is lost. Costs nothing: asks
    nobody."""
    lease = current_lease.get()
    if lease and lease.is_lost:
        raise LeaseLost(f"the lease on {lease.subject} is lost")


class Leases(Protocol):
    """The leases of this worker. While it holds one on an actor, no other worker does, and what it
    has of the actor in RAM is what is in the database."""

    #: What `held_lane` of the database calls this worker; changes when all leases were lost.
    name: str

    def work_on(self, actor: Actor, *, by_force: bool = False) -> AbstractAsyncContextManager[bool]:
        """Hold the actor's lease in the block, as `current_lease`. Yields False if another worker
        holds it, unless it is to be taken `by_force`. Blocks of one worker share it. Raises
        StoreUnavailable."""
        ...

    def work_alone(self, role: str) -> AbstractAsyncContextManager[bool]:
        """The same for a role: what one worker does for all."""
        ...

    async def claim(self, actors: Sequence[Actor]) -> Sequence[Actor]:
        """Take those of the actors that no other worker holds, and keep them for a while. Returns
        those that are this worker's now. Raises StoreUnavailable."""
        ...

    def held(self, actor: Actor) -> Lease | None:
        """This worker's valid lease on the actor."""
        ...

    async def elsewhere(self, actors: Collection[Actor]) -> set[Actor]:
        """Those of the actors that another worker holds. Raises StoreUnavailable."""
        ...

    def subscribe(self, drop: Callable[[Actor], None]) -> None:
        """Call `drop` whenever what is in RAM of an actor may be out of date: after each claim,
        before a lease is given back, and when it is lost."""
        ...

    async def give_back(self) -> None:
        """Give back what no block uses, and from now on each with its last block: the worker is
        about to end."""
        ...

    def wake_ups(self) -> AsyncIterator[Actor | None]:
        """None as soon as this worker hears what is stored, then the actors for whom any worker
        stores something and whom no other worker holds. Ends when it no longer hears. What was
        stored before the None has to be looked for."""
        ...


class Alone:
    """Leases where there is one worker: it holds every one for good."""

    name = ""
    _ours = nullcontext(True)

    def work_on(self, actor: Actor, *, by_force: bool = False) -> AbstractAsyncContextManager[bool]:
        return self._ours

    def work_alone(self, role: str) -> AbstractAsyncContextManager[bool]:
        return self._ours

    async def claim(self, actors: Sequence[Actor]) -> Sequence[Actor]:
        return actors

    def held(self, actor: Actor) -> Lease | None:
        """See Leases. One that nobody can take."""
        return Lease(actor.id, 0)

    async def elsewhere(self, actors: Collection[Actor]) -> set[Actor]:
        return set()

    def subscribe(self, drop: Callable[[Actor], None]) -> None:
        """See Leases: what is in RAM always counts."""

    async def give_back(self) -> None:
        """See Leases: nobody waits for them."""

    async def wake_ups(self) -> AsyncIterator[Actor | None]:
        """See Leases: nobody else stores anything."""
        nobody: tuple[Actor, ...] = ()
        for actor in nobody:
            yield actor


ALONE = Alone()
