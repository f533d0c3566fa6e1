"""Erases everything about an actor."""

from memory.errors import ErasureUnfinished, StoreUnavailable
from memory.journal import Journal
from memory.ports import Store
from memory.records import Actor
from memory.traces import Remainder


async def erase_all(actor: Actor, journal: Journal, store: Store) -> Remainder:
    """Erase the actor from both; if one fails, the other is erased all the same. Returns what the
    store has yet to delete and no longer shows. Raises StoreUnavailable if anything else is
    left."""
    failures: list[StoreUnavailable] = []
    left = Remainder()
    # The journal first, which would tell the store again after a kill in between. The store also
    # has what was stored before the memory was switched off.
    for erase in (journal.erase, store.erase):
        try:
            await erase(actor)
        except ErasureUnfinished:
            left = store.erasing.remainder(actor) if store.erasing else left
        except StoreUnavailable as failure:
            failures.append(failure)
    if failures:
        raise failures[0]
    return left
