"""Events and erasures that AWS has not acknowledged yet, in one SQLite file.

It is written on the reply's path, so it has a thread of its own: calls that hang must not delay it.
Acknowledged rows stay without their contents for as long as AWS may keep the events: a turn that is
added again is not sent again, and a turn that is forgotten names its events."""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.files import make_directory
from memory.stores.sqlite.database import Database
from memory.stores.sqlite.migrations import Layout, Migration, Row
from memory.stores.values import stamp

_MIGRATIONS = (
    # IF NOT EXISTS: files of before there were migrations have these.
    Migration(
        "events and erasures",
        (
            """CREATE TABLE IF NOT EXISTS event (
                row INTEGER PRIMARY KEY AUTOINCREMENT,
                actor TEXT NOT NULL,
                session TEXT NOT NULL,
                turn TEXT NOT NULL,
                part INTEGER NOT NULL,
                body TEXT,
                state TEXT NOT NULL DEFAULT 'waiting'
                    CHECK (state IN ('waiting', 'sent', 'refused')),
                changed_at TEXT NOT NULL,
                UNIQUE (actor, session, turn, part)
            )""",
            "CREATE INDEX IF NOT EXISTS event_waiting ON event (actor, session, row) "
            "WHERE state = 'waiting'",
            "CREATE TABLE IF NOT EXISTS erasure (actor TEXT PRIMARY KEY, asked_at TEXT NOT NULL) "
            "WITHOUT ROWID",
        ),
    ),
    Migration("ids of events", ("ALTER TABLE event ADD COLUMN event_id TEXT",)),
    Migration(
        "who learns from events", ("ALTER TABLE event ADD COLUMN ours INTEGER NOT NULL DEFAULT 0",)
    ),
    Migration(
        "what fails, and when to try again",
        (
            "ALTER TABLE event ADD COLUMN failing_since TEXT",
            "ALTER TABLE event ADD COLUMN why TEXT",
            "ALTER TABLE event ADD COLUMN due_at TEXT",
            # Many of these were refused only because the memory was not active.
            "UPDATE event SET state = 'waiting' WHERE state = 'refused'",
        ),
    ),
    Migration(
        "tries of extraction jobs",
        (
            "CREATE TABLE job (key TEXT PRIMARY KEY, tries INTEGER NOT NULL, "
            "next_at TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
)
#: AWS lets events live for a year at most.
_REMEMBERED = timedelta(days=365)


def _read_event(row: Row) -> Row:
    if row["body"] is not None:
        json.loads(row["body"])
    return row | {"failing_since": _moment(row["failing_since"]), "due_at": _moment(row["due_at"])}


def _moment(written: Any) -> str | None:
    try:
        return stamp(datetime.fromisoformat(written))
    except (TypeError, ValueError):
        return None


def _read_erasure(row: Row) -> Row:
    Actor(row["actor"])
    datetime.fromisoformat(row["asked_at"])
    return row


def _read_job(row: Row) -> Row:
    datetime.fromisoformat(row["next_at"])
    return row | {"tries": int(row["tries"])}


_LAYOUT = Layout(_MIGRATIONS, {"event": _read_event, "erasure": _read_erasure, "job": _read_job})


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


@dataclass(frozen=True, slots=True)
class Erasure:
    """An actor whose data at AWS, as far as it is older than this, is still to be deleted."""

    actor: Actor
    asked_at: datetime


class Outbox:
    """Open it with `await Outbox.open(path)`. Every method raises StoreUnavailable if the file
    can't be read or written."""

    def __init__(self, db: Database, thread: ThreadPoolExecutor) -> None:
        self._db, self._thread = db, thread

    @classmethod
    async def open(cls, path: Path) -> "Outbox":
        """Open or create the file. Raises NewerStore, StoreUnavailable."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="outbox")

        def connect() -> Database:
            make_directory(path.parent)
            return Database(path, _LAYOUT, thread)

        try:
            db = await asyncio.get_running_loop().run_in_executor(thread, connect)
            forgotten = stamp(datetime.now(UTC) - _REMEMBERED)
            # The newest stay even if the clock has leapt: they are the likeliest to come again.
            await db.write(
                "DELETE FROM event WHERE state = 'sent' AND changed_at < ? AND row < "
                "(SELECT max(row) - 1000 FROM event)",
                forgotten,
            )
            await db.write("DELETE FROM job WHERE next_at < ?", forgotten)
        except OSError as failure:
            thread.shutdown(wait=False)
            raise StoreUnavailable(f"the outbox {path} can't be opened: {failure}") from failure
        except BaseException:
            thread.shutdown(wait=False)
            raise
        return cls(db, thread)

    async def aclose(self) -> None:
        """Close the file. Waiting events stay in it."""
        await self._db.aclose()
        self._thread.shutdown(wait=False)

    async def put(
        self, lane: Lane, turn_id: str, bodies: Sequence[dict[str, Any]], *, ours: bool = False
    ) -> None:
        """Store a turn's events, all or none. Once this returns, a kill or a power cut can't lose
        them. A turn that was added before changes nothing. `ours` are those that AWS only keeps:
        learning from them is left to us."""
        rows = [
            (lane.actor_id, lane.session_id, turn_id, part, json.dumps(body), _now(), ours)
            for part, body in enumerate(bodies)
        ]

        sql = (
            "INSERT OR IGNORE INTO event (actor, session, turn, part, body, changed_at, ours) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        await self._db.change(lambda db: db.executemany(sql, rows))

    async def ours(self, actor: Actor, turn_ids: Sequence[str]) -> set[str]:
        """Those of these turns that learning from is left to us."""
        rows = await self._db.rows(
            "SELECT turn FROM event WHERE actor = ? AND ours "
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
        sql = "INSERT OR REPLACE INTO job VALUES (?, ?, ?)"
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
            "state = iif(?, 'refused', state), changed_at = ? "
            "WHERE row = ? AND (why IS NOT ? OR due_at IS NOT ? OR ?)",
            *(why, at, due, final, at),
            *(event.row, why, due, final),
        )

    async def requeue(self) -> int:
        """Let what AWS refused, and what stepped aside, be sent again, and failed extraction jobs
        be started as if for the first time. Returns how many events had been refused."""
        refused = await self.count_refused()

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE event SET state = 'waiting', due_at = NULL, failing_since = NULL, "
                "changed_at = ? WHERE state = 'refused' OR due_at IS NOT NULL",
                (_now(),),
            )
            db.execute("DELETE FROM job")

        await self._db.change(work)
        return refused

    async def lanes(self) -> list[Lane]:
        """The lanes with waiting events, the longest waiting first."""
        rows = await self._db.rows(
            "SELECT actor, session FROM event WHERE state = 'waiting' "
            "GROUP BY actor, session ORDER BY min(row)"
        )
        return [Lane(actor, session) for actor, session in rows]

    async def pending(self, actor: Actor | None = None, *, aside: bool = True) -> int:
        """How many events wait, of one actor or of all; without those that have stepped `aside` if
        that is False."""
        rows = await self._db.rows(
            "SELECT count(*) FROM event WHERE state = 'waiting' "
            "AND (? OR due_at IS NULL) AND actor = coalesce(?, actor)",
            aside,
            actor.id if actor else None,
        )
        return int(rows[0][0])

    async def keeps(self, actor: Actor, turn_ids: Sequence[str]) -> bool:
        """True if some of these turns wait, or AWS has refused them."""
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

    async def erase(self, actor: Actor, asked_at: datetime) -> None:
        """Delete all events of the actor from the file, and note that AWS has to delete its data
        too."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM event WHERE actor = ?", (actor.id,))
            db.execute("INSERT OR REPLACE INTO erasure VALUES (?, ?)", (actor.id, stamp(asked_at)))

        await self._db.wipe(work)

    async def erasures(self) -> list[Erasure]:
        """The erasures that AWS may not have completed."""
        return await self._db.read(
            lambda row: Erasure(Actor(row[0]), datetime.fromisoformat(row[1])),
            "SELECT actor, asked_at FROM erasure ORDER BY asked_at",
        )

    async def mark_erased(self, erasure: Erasure) -> None:
        """Remove a completed erasure. A newer request of the actor stays."""
        await self._db.write(
            "DELETE FROM erasure WHERE actor = ? AND asked_at = ?",
            erasure.actor.id,
            stamp(erasure.asked_at),
        )


def _now() -> str:
    return stamp(datetime.now(UTC))
