"""An inbox that several workers share."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import structlog

from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.raw import owner_of
from bot.telegram.waiting import Waiting, waiting_of
from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import Lease, Leases
from memory.records import Actor
from memory.stores.database import Database

_log = structlog.get_logger(__name__)

_WAITING = """SELECT actor FROM inbound WHERE source = ?1 AND body IS NOT NULL
        AND actor IS NOT NULL AND update_id NOT IN (SELECT value FROM json_each(?2))
        AND NOT EXISTS (SELECT 1 FROM held_lane
            WHERE held_lane.actor = inbound.actor AND holder <> ?3)
    GROUP BY actor ORDER BY min(update_id) LIMIT ?4"""
# The lease again, because it may have been taken by force.
_TAKE = """SELECT inbound.actor, update_id, body, reply, shown, progress FROM inbound
    JOIN held_lane ON held_lane.actor = inbound.actor AND holder = ?1
    WHERE source = ?2 AND body IS NOT NULL
        AND inbound.actor IN (SELECT value FROM json_each(?3))
        AND update_id NOT IN (SELECT value FROM json_each(?4))
    ORDER BY update_id"""


class SharedInbox(Inbox):
    """The inbox of one bot, of which each worker answers what is for the actors on whom it holds
    the lease. What a worker has stored is open for all, until one takes it."""

    def __init__(self, database: Database, channel: str, token: str, leases: Leases) -> None:
        super().__init__(database, channel, token)
        self.leases = leases
        #: The actors of the updates that this worker has taken.
        self._actors: dict[int, str] = {}
        #: What was done while the feed was reading, and what is done but could not be closed.
        self._done_meanwhile: set[int] = set()
        self._unclosed: set[int] = set()
        #: Called when updates are done.
        self.on_done: Callable[[], None] = lambda: None
        leases.subscribe(self._drop)

    @property
    def actors(self) -> set[Actor]:
        """The actors whose updates this worker has to answer."""
        return {Actor(self._actors[number]) for number in self._open}

    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None:
        """See Inbox. What can't be read and has nobody's lane is closed at once."""
        await super().store(updates)
        if nobodys := [update["update_id"] for update in updates if owner_of(update)[1] is None]:
            await super().done(nobodys)

    async def find_waiting(self, limit: int) -> list[Actor]:
        """The actors with updates that nobody has taken yet, and on whom no other worker has the
        lease; those that wait longest first. Raises StoreUnavailable."""
        taken = json.dumps([*self._open, *self._unclosed])
        rows = await self._db.rows(_WAITING, self._source, taken, self.leases.name, limit)
        return [Actor(actor) for (actor,) in rows]

    async def take(self, leases: Iterable[Lease]) -> list[Waiting]:
        """The updates of these actors that this worker has not taken yet, oldest first; now they
        can be claimed. Under an inherited lease, they count as left by an earlier process. Raises
        StoreUnavailable."""
        await self._close_again()
        held = {lease.subject: lease for lease in leases}
        self._done_meanwhile.clear()
        actors, taken = json.dumps([*held]), json.dumps([*self._open, *self._unclosed])
        values = self.leases.name, self._source, actors, taken
        rows = await self._db.read(lambda row: (row[0], *waiting_of(row[1:])), _TAKE, *values)
        found = {}
        for actor, number, waiting in rows:
            if not held[actor].is_lost and number not in self._done_meanwhile:
                found[number] = waiting
                self._actors[number] = actor
                if held[actor].inherited:
                    self._left[number] = waiting
        self._note_open(found)
        return list(found.values())

    async def done(self, update_ids: Iterable[int]) -> None:
        """See Inbox. What another worker has the lease on now is not ours to close."""
        ids, is_lost = list(update_ids), False
        try:
            await self._close(ids)
        except LeaseLost:
            is_lost = True
        except StoreUnavailable:
            self._unclosed.update(number for number in ids if number in self._actors)
            raise
        finally:
            if not is_lost:
                self._note_done(ids)

    def holds(self, update_ids: Iterable[int]) -> bool:
        return all(number in self._open for number in update_ids)

    # -- inside -----------------------------------------------------------------------------------

    def _note_stored(self, update_ids: Iterable[int]) -> None:
        """See Inbox: it is open for all."""

    def _note_done(self, update_ids: Iterable[int]) -> None:
        ids = set(update_ids)
        super()._note_done(ids)
        self._done_meanwhile |= ids
        for number in ids - self._unclosed:
            self._actors.pop(number, None)
        self.on_done()

    async def _close_again(self) -> None:
        """Close what is done, so that nobody does it again."""
        if self._unclosed:
            ids = list(self._unclosed)
            await self._close(ids)
            self._unclosed.difference_update(ids)
            for number in ids:
                self._actors.pop(number, None)

    def _drop(self, actor: Actor) -> None:
        """Forget what was taken of an actor, unless it is this worker's again."""
        numbers = {number for number, whose in self._actors.items() if whose == actor.id}
        if not numbers or self.leases.held(actor):
            return
        self._unclosed -= numbers
        self._unclaimed -= numbers
        for number in numbers:
            del self._actors[number]
        super()._note_done(numbers)
        _log.info("updates_left_to_another_worker", actor=actor.id, updates=len(numbers))
