"""The right to work on an actor, where several workers share a database."""

from contextvars import ContextVar
from dataclasses import dataclass

from memory.records import Actor


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's right to work on an actor. The token grows with every claim, so that a worker
    which lost its lease and does not know it yet can be told from the present one."""

    actor: Actor
    token: int


#: The lease under which the task at hand works, if it works under one. Whatever it writes is
#: written only while the lease is the actor's newest.
current_lease: ContextVar[Lease | None] = ContextVar("current_lease", default=None)
