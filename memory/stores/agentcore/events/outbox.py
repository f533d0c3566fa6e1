"""Events and erasures that AWS has not acknowledged yet, in a database.

It is written on the reply's path, so its threads are not those of the calls to AWS: calls that hang
must not delay it.
Acknowledged rows stay without their contents for as long as AWS may keep the events: a turn that is
added again is not sent again, and a turn that is forgotten names its events."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.records import Actor
from memory.stores.agentcore.erased import Erasure
from memory.stores.agentcore.events.layout import read_erasure
from memory.stores.database import Connection, Database
from memory.stores.values import stamp, time_or_none

#: AWS lets events live for a year at most.
_REMEMBERED = timedelta(days=365)
_ERASED = (
    *("row", "actor", "asked_at", "trace", "looks", "next_look", "pending"),
    *("failing_since", "why"),
)


@dataclass(frozen=True, slots=True, order=True)
class Lane:
    """One actor's session. Its events are sent in order."""

    actor_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One waiting event. `part` counts the events of its turn from 0. Sending it has failed ever
    since `failing_since`, if it has."""

    row: int
    lane: Lane
    turn_id: str
    part: int
    body: dict[str, Any]
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event of a turn as AWS knows it."""

    turn_id: str
    session_id: str
    event_id: str


class Outbox:
    """In a database with `OUTBOX_LAYOUT`, which it closes. Open it with `await Outbox.open(db)`.
    Every method raises StoreUnavailable if the database fails."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @classmethod
    async def open(cls, db: Database) -> "Outbox":
        """Delete what nobody will ask for again. Raises StoreUnavailable."""
        forgotten = stamp(datetime.now(UTC) - _REMEMBERED)
        # The newest stay even if the clock has leapt: they are the likeliest to come again.
        await db.write(
            "DELETE FROM event WHERE state = 'sent' AND changed_at < ? AND row < "
            "(SELECT max(row) - 1000 FROM event)",
            forgotten,
        )
        await db.write("DELETE FROM job WHERE next_at < ?", forgotten)
        return cls(db)

    async def aclose(self) -> None:
        """Close the database. Waiting events stay in it."""
        await self._db.aclose()

    async def put(
        self, lane: Lane, turn_id: str, bodies: Sequence[dict[str, Any]], *, ours: bool = False
    ) -> None:
        """Store a turn's events, all or none. Once this returns, a kill or a power cut can't lose
        them. A turn that was added before changes nothing. Events that are `ours` AWS only keeps:
        learning from them is left to us."""
        rows = [
            (lane.actor_id, lane.session_id, turn_id, part, json.dumps(body), _now(), ours)
            for part, body in enumerate(bodies)
        ]

        sql = (
            "INSERT INTO event (actor, session, turn, part, body, changed_at, ours) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (actor, session, turn, part) DO NOTHING"
        )
        await self._db.change(lambda db: db.executemany(sql, rows))

    async def ours(self, actor: Actor, turn_ids: Sequence[str]) -> set[str]:
        """Those of these turns whose learning is left to us."""
        rows = await self._db.rows(
            "SELECT turn FROM event WHERE actor = ? AND ours = 1 "
            "AND turn IN (SELECT value FROM json_each(?))",
            actor.id,
            json.dumps(list(turn_ids)),
        )
        return {turn for (turn,) in rows}

    async def head(self, lane: Lane, now: datetime) -> Outgoing | None:
        """The lane's oldest waiting event of those that are due."""

        def outgoing(found: tuple[Any, ...]) -> Outgoing:
            row, turn_id, part, body, since = found
            failing_since = datetime.fromisoformat(since) if since else None
            return Outgoing(row, lane, turn_id, part, json.loads(body), failing_since)

        found = await self._db.read(
            outgoing,
            "SELECT row, turn, part, body, failing_since FROM event "
            "WHERE actor = ? AND session = ? AND state = 'waiting' "
            # Further away than a day it can only be after a leap of the clock.
            "AND (due_at IS NULL OR due_at NOT BETWEEN ? AND ?) ORDER BY row LIMIT 1",
            *(lane.actor_id, lane.session_id),
            *(stamp(now), stamp(now + timedelta(days=1))),
        )
        return found[0] if found else None

    async def turns_of(self, actor: Actor, event_ids: Sequence[str]) -> dict[str, str]:
        """The actor's turns that were sent as these events, as far as they are known."""
        rows = await self._db.rows(
            "SELECT event_id, turn FROM event WHERE actor = ? "
            "AND event_id IN (SELECT value FROM json_each(?))",
            actor.id,
            json.dumps(list(event_ids)),
        )
        return dict(rows)

    async def tries(self, keys: Sequence[str]) -> dict[str, tuple[int, datetime]]:
        """Of these extraction jobs: how often each was started again, and when it may be next."""
        found = await self._db.read(
            lambda row: (row[0], (row[1], datetime.fromisoformat(row[2]))),
            "SELECT key, tries, next_at FROM job WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(list(keys)),
        )
        return dict(found)

    async def note_try(self, key: str, tries: int, next_at: datetime) -> None:
        """Note that an extraction job was started again."""
        sql = (
            "INSERT INTO job (key, tries, next_at) VALUES (?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET tries = excluded.tries, next_at = excluded.next_at"
        )
        await self._db.write(sql, key, tries, stamp(next_at))

    async def mark_sent(self, event: Outgoing, event_id: str | None) -> None:
        """Mark an event as sent, and replace its contents by the id that AWS gave it; None if AWS
        had it before and does not tell."""
        await self._db.write(
            "UPDATE event SET state = 'sent', body = NULL, event_id = ?, changed_at = ? "
            "WHERE row = ?",
            event_id,
            _now(),
            event.row,
        )

    async def events_of(self, actor: Actor, turn_ids: Sequence[str]) -> list[SentEvent]:
        """The events of these turns that AWS has, as far as their ids are known."""
        return await self._db.read(
            lambda row: SentEvent(*row),
            "SELECT turn, session, event_id FROM event WHERE actor = ? AND event_id IS NOT NULL "
            "AND turn IN (SELECT value FROM json_each(?)) ORDER BY row",
            actor.id,
            json.dumps(list(turn_ids)),
        )

    async def note_failure(
        self,
        event: Outgoing,
        why: str,
        now: datetime,
        due_at: datetime | None = None,
        *,
        final: bool = False,
    ) -> None:
        """Note why an event could not be sent. It waits at the head of its lane, or steps aside
        until `due_at`; after a `final` failure it is kept without being sent again."""
        due, at = stamp(due_at) if due_at else None, stamp(now)
        await self._db.write(
            "UPDATE event SET why = ?, failing_since = coalesce(failing_since, ?), due_at = ?, "
            "state = CASE WHEN ? = 1 THEN 'refused' ELSE state END, changed_at = ? "
            "WHERE row = ? AND (why IS NOT ? OR due_at IS NOT ? OR ? = 1)",
            *(why, at, due, final, at),
            *(event.row, why, due, final),
        )

    async def requeue(self) -> int:
        """Send again what AWS refused and what stepped aside. Returns how many events had been
        refused."""
        refused = await self.count_refused()
        await self._db.write(
            "UPDATE event SET state = 'waiting', due_at = NULL, failing_since = NULL, "
            "changed_at = ? WHERE state = 'refused' OR due_at IS NOT NULL",
            _now(),
        )
        return refused

    async def forget_tries(self) -> None:
        """Count the tries of failed extraction jobs from 0 again."""
        await self._db.write("DELETE FROM job")

    async def move(self, actor: Actor, to: Actor) -> None:
        """Give another actor the events that AWS has not taken, except turns that this actor has
        too."""
        await self._db.write(
            "UPDATE event SET actor = ?1 WHERE actor = ?2 AND state != 'sent' AND NOT EXISTS "
            "(SELECT 1 FROM event AS known WHERE known.actor = ?1 "
            "AND known.session = event.session AND known.turn = event.turn "
            "AND known.part = event.part)",
            to.id,
            actor.id,
        )

    async def lanes(self) -> list[Lane]:
        """The lanes with waiting events, the longest waiting first."""
        rows = await self._db.rows(
            "SELECT actor, session FROM event WHERE state = 'waiting' "
            "GROUP BY actor, session ORDER BY min(row)"
        )
        return [Lane(actor, session) for actor, session in rows]

    async def pending(self, actor: Actor | None = None, *, aside: bool = True) -> int:
        """How many events wait, of one actor or of all, with or without those that have stepped
        `aside`."""
        rows = await self._db.rows(
            "SELECT count(*) FROM event WHERE state = 'waiting' "
            "AND (? = 1 OR due_at IS NULL) AND actor = coalesce(?, actor)",
            aside,
            actor.id if actor else None,
        )
        return int(rows[0][0])

    async def has_unsent(self, actor: Actor, turn_ids: Sequence[str]) -> bool:
        """True if AWS does not have all of these turns: some wait, or were refused."""
        rows = await self._db.rows(
            "SELECT 1 FROM event WHERE actor = ? AND state != 'sent' "
            "AND turn IN (SELECT value FROM json_each(?)) LIMIT 1",
            actor.id,
            json.dumps(list(turn_ids)),
        )
        return bool(rows)

    async def count_refused(self) -> int:
        """How many events AWS has refused for good."""
        rows = await self._db.rows("SELECT count(*) FROM event WHERE state = 'refused'")
        return int(rows[0][0])

    async def withdraw(self, actor: Actor, turn_ids: Sequence[str], *, sent: bool = False) -> None:
        """Delete the events of these turns that AWS does not have. With `sent`, delete the others'
        rows too, so that the turns can be put again."""
        which = "" if sent else "AND state != 'sent'"
        sql = f"DELETE FROM event WHERE actor = ? AND turn = ? {which}"
        rows = [(actor.id, turn_id) for turn_id in turn_ids]
        if rows:
            await self._db.wipe(lambda db: db.executemany(sql, rows))

    async def add_erasure(self, erasure: Erasure) -> Erasure:
        """Note a request to erase. One for everything replaces the actor's earlier requests and
        deletes all their events from the file. Returns the request with its row."""
        actor, trace = erasure.actor.id, erasure.trace
        values = (actor, stamp(erasure.asked_at), trace and trace.dump(), stamp(erasure.next_sweep))

        rows: list[int] = []

        def work(db: Connection) -> None:
            if trace is None:
                db.execute("DELETE FROM event WHERE actor = ?", (actor,))
                db.execute("DELETE FROM erased WHERE actor = ?", (actor,))
            sql = (
                "INSERT INTO erased (actor, asked_at, trace, next_look) VALUES (?, ?, ?, ?) "
                "RETURNING row"
            )
            rows.append(db.execute(sql, values).fetchone()[0])

        await self._db.wipe(work)
        return replace(erasure, row=rows[-1])

    async def erasures(self, actor: Actor) -> list[Erasure]:
        """What was erased of the actor and may still come back from AWS."""
        columns = ", ".join(_ERASED)
        return await self._db.read(
            lambda row: read_erasure(dict(zip(_ERASED, row, strict=True))),
            f"SELECT {columns} FROM erased WHERE actor = ? ORDER BY asked_at, row",
            actor.id,
        )

    async def due_sweeps(self, now: datetime) -> list[Actor]:
        """The actors of whom something erased is to be searched for."""
        sql = "SELECT DISTINCT actor FROM erased WHERE next_look <= ?"
        return await self._db.read(lambda row: Actor(row[0]), sql, stamp(now))

    async def next_sweep(self, now: datetime) -> datetime | None:
        """When the first sweep after now is due."""
        sql = "SELECT min(next_look) FROM erased WHERE next_look > ?"
        rows = await self._db.rows(sql, stamp(now))
        return time_or_none(rows[0][0])

    async def pending_erasures(self) -> int:
        """How many erasures have not been found complete yet."""
        rows = await self._db.rows("SELECT count(*) FROM erased WHERE pending = 1")
        return int(rows[0][0])

    async def note_sweep(self, erasure: Erasure) -> None:
        """Keep the state of an erasure after a sweep."""
        await self._db.write(
            "UPDATE erased SET trace = ?, looks = ?, next_look = ?, pending = ?, "
            "failing_since = ?, why = ? WHERE row = ?",
            erasure.trace and erasure.trace.dump(),
            erasure.sweeps,
            stamp(erasure.next_sweep),
            int(erasure.pending),
            erasure.failing_since and stamp(erasure.failing_since),
            erasure.why,
            erasure.row,
        )

    async def drop_erasure(self, erasure: Erasure) -> None:
        """Delete a request that was undone, or of which nothing can come back."""
        await self._db.write("DELETE FROM erased WHERE row = ?", erasure.row)


def _now() -> str:
    return stamp(datetime.now(UTC))
