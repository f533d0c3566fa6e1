"""The journal in one SQLite file: open sessions, their turns, and ended ones that wait."""

import sqlite3
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

import structlog

from memory.errors import StoreUnavailable
from memory.ports import Backlog, Job
from memory.records import (
    Actor,
    Place,
    Session,
    Shift,
    Turn,
)
from memory.stores.journal.tiers import SESSION as _SESSION
from memory.stores.journal.tiers import TierRows, move
from memory.stores.journal.tiers import session_of as _session
from memory.stores.journal.tiers import stamp as _stamp
from memory.stores.journal.turns import dump, load, put_back
from memory.stores.sqlite.database import Database
from memory.stores.sqlite.schema import Migration

_log = structlog.get_logger(__name__)

T = TypeVar("T")

MIGRATIONS = (
    Migration(
        "sessions and turns",
        (
            """CREATE TABLE session (
                id TEXT PRIMARY KEY, actor TEXT NOT NULL, channel TEXT NOT NULL,
                chat INTEGER NOT NULL, topic INTEGER, opened_at TEXT NOT NULL,
                last_at TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
                ended_at TEXT, reason TEXT, attempts INTEGER NOT NULL DEFAULT 0, due_at TEXT,
                error TEXT
            )""",
            "CREATE INDEX session_actor ON session (actor)",
            "CREATE INDEX session_due ON session (due_at) WHERE ended_at IS NOT NULL",
            """CREATE TABLE turn (
                session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL,
                PRIMARY KEY (session, position)
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "leases",
        (
            "ALTER TABLE session ADD COLUMN holder TEXT",
            "ALTER TABLE session ADD COLUMN leased_until TEXT",
            "ALTER TABLE session ADD COLUMN set_aside_at TEXT",
            "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        "running summaries",
        (
            "ALTER TABLE turn ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0",
            """CREATE TABLE running_summary (
                id TEXT PRIMARY KEY,
                session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                position INTEGER NOT NULL, -- of its first turn
                turns TEXT NOT NULL, oldest TEXT NOT NULL, newest TEXT NOT NULL,
                fallback INTEGER NOT NULL, base TEXT, base_turns INTEGER NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0,
                due_at TEXT NOT NULL DEFAULT '', -- at once
                text TEXT NOT NULL
            )""",
            "CREATE INDEX running_summary_session ON running_summary (session, position)",
            "CREATE INDEX running_summary_due ON running_summary (due_at) WHERE fallback",
        ),
    ),
    Migration(
        "private sessions",
        ("ALTER TABLE session ADD COLUMN private INTEGER NOT NULL DEFAULT 0",),
    ),
)
_TURN = (
    "SELECT turn.id, session, body, channel, chat, topic FROM turn "
    "JOIN session ON session.id = session"
)
_NO_LEASE = "holder = NULL, leased_until = NULL"
#: The sessions that would be a second open one in the place they are moved to.
_SECOND = (
    "actor = :old AND ended_at IS NULL AND EXISTS (SELECT 1 FROM session AS other "
    "WHERE other.actor = :new AND other.ended_at IS NULL AND other.channel = :to_channel "
    "AND other.chat = :to_chat AND other.topic IS session.topic)"
)
_MOVE = (
    f"DELETE FROM session WHERE {_SECOND} AND (private OR message_count = 0)",
    f"UPDATE session SET ended_at = last_at, due_at = last_at, reason = 'moved' WHERE {_SECOND}",
    "UPDATE session SET channel = :to_channel, chat = :to_chat "
    "WHERE actor = :old AND channel = :channel AND chat = :chat",
    f"UPDATE session SET actor = :new, {_NO_LEASE} WHERE actor = :old",
)


class SqliteJournal(TierRows):
    """A Journal in a file, or for tests and for memory switched off in RAM (`:memory:`)."""

    def __init__(self, path: Path | str, pool: Executor) -> None:
        """Open or create the file; a damaged one is set aside. Raises NewerStore,
        StoreUnavailable."""
        self._db = Database(path, MIGRATIONS, pool)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the file."""
        await self._db.aclose()

    def close(self) -> None:
        """Close the file, where no event loop runs."""
        self._db.close()

    async def open_session(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this actor in this place, if there is one."""
        sql = (
            f"SELECT {_SESSION} FROM session WHERE ended_at IS NULL AND actor = ? AND channel = ? "
            "AND chat = ? AND topic IS ? ORDER BY opened_at DESC LIMIT 1"
        )
        rows = await self._db.rows(sql, actor.id, place.channel, place.chat_id, place.topic_id)
        return _session(rows[0]) if rows else None

    async def open_sessions(self, actor: Actor) -> list[Session]:
        """The actor's open sessions, in all places, oldest first."""
        sql = (
            f"SELECT {_SESSION} FROM session WHERE ended_at IS NULL AND actor = ? "
            "ORDER BY opened_at, rowid"
        )
        return [_session(row) for row in await self._db.rows(sql, actor.id)]

    async def start(self, session: Session) -> None:
        """Write a new open session."""
        place = session.place
        await self._db.write(
            f"INSERT INTO session ({_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            session.id,
            session.actor.id,
            place.channel,
            place.chat_id,
            place.topic_id,
            _stamp(session.opened_at),
            _stamp(session.last_at),
            session.message_count,
            session.private,
        )

    async def append(self, session_id: str, turn: Turn, shift: Shift | None = None) -> bool:
        """Write a finished turn and count its messages, and what moves between the tiers because
        of it. False, and nothing is written, if there is such a turn already."""

        def work(db: sqlite3.Connection) -> bool:
            if db.execute("SELECT 1 FROM turn WHERE id = ?", (turn.id,)).fetchone():
                return False
            db.execute(
                "INSERT INTO turn (session, position, id, body) SELECT ?1, "
                "1 + coalesce(max(position), 0), ?2, ?3 FROM turn WHERE session = ?1",
                (session_id, turn.id, dump(turn)),
            )
            db.execute(
                "UPDATE session SET last_at = ?, message_count = message_count + ? WHERE id = ?",
                (_stamp(turn.messages[-1].at), len(turn.messages), session_id),
            )
            if shift:
                move(db, shift)
            return True

        return await self._db.change(work)

    async def turns(self, session_id: str) -> list[Turn]:
        """The session's turns, oldest first."""
        rows = await self._db.rows(f"{_TURN} WHERE session = ? ORDER BY position", session_id)
        return [load(*row) for row in rows]

    async def turn(self, turn_id: str) -> Turn | None:
        """The turn with this id, whatever has become of its session, until that is done."""
        rows = await self._db.rows(f"{_TURN} WHERE turn.id = ?", turn_id)
        return load(*rows[0]) if rows else None

    async def end(self, session_id: str, reason: str, at: datetime) -> bool:
        """Close an open session, which makes it a job. False if it was not open."""
        changed = await self._db.write(
            "UPDATE session SET ended_at = ?1, due_at = ?1, reason = ?2 "
            "WHERE id = ?3 AND ended_at IS NULL",
            _stamp(at),
            reason,
            session_id,
        )
        return changed == 1

    async def discard(self, session_id: str) -> bool:
        """Drop an open session, its turns and every trace of them: it becomes no job. False if it
        was not open."""
        dropped = False

        def work(db: sqlite3.Connection) -> None:
            nonlocal dropped
            sql = "DELETE FROM session WHERE id = ? AND ended_at IS NULL"
            dropped = db.execute(sql, (session_id,)).rowcount == 1

        await self._db.wipe(work)
        return dropped

    async def idle_since(self, before: datetime) -> list[Session]:
        """Open sessions with messages, the last one older than `before`."""
        sql = (
            f"SELECT {_SESSION} FROM session "
            "WHERE ended_at IS NULL AND message_count > 0 AND last_at <= ?"
        )
        return [_session(row) for row in await self._db.rows(sql, _stamp(before))]

    async def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Lease the ended sessions whose extraction is due, oldest first and at most `limit`, to
        this holder until then. What is leased already or was set aside is not among them."""
        # One statement: nobody else comes between looking and taking.
        sql = (
            "UPDATE session SET holder = ?1, leased_until = ?2 WHERE id IN ("
            "SELECT id FROM session WHERE ended_at IS NOT NULL AND set_aside_at IS NULL "
            "AND due_at <= ?3 AND (leased_until IS NULL OR leased_until <= ?3) "
            f"ORDER BY ended_at LIMIT ?4) RETURNING {_SESSION}, reason, attempts, ended_at"
        )
        rows = await self._db.rows(sql, holder, _stamp(until), _stamp(now), limit)
        rows.sort(key=lambda row: row[-1])
        return [Job(_session(row[:9]), *row[9:11]) for row in rows]

    async def renew(self, session_id: str, holder: str, until: datetime) -> bool:
        """Go on with a lease until then. False if the job is no longer this holder's."""
        changed = await self._db.write(
            "UPDATE session SET leased_until = ? WHERE id = ? AND holder = ?",
            _stamp(until),
            session_id,
            holder,
        )
        return changed == 1

    async def release(self, holder: str) -> None:
        """Give all leases of this holder back."""
        await self._db.write(f"UPDATE session SET {_NO_LEASE} WHERE holder = ?", holder)

    async def end_leases(self) -> None:
        """End everybody's leases. For whoever knows that nobody else works on this file: what a
        killed process held need not wait for its lease to run out."""
        await self._db.write(f"UPDATE session SET {_NO_LEASE} WHERE holder IS NOT NULL")

    async def done(self, session_id: str) -> None:
        """The job is finished: drop the session, its turns and every trace of them. What was not to
        be kept, or names what was to be forgotten, went no further than this."""
        sql = "DELETE FROM session WHERE id = ?"
        await self._db.wipe(lambda db: db.execute(sql, (session_id,)))

    async def retry(self, session_id: str, holder: str, next_at: datetime, error: str) -> bool:
        """The job failed: count the attempt, end the lease and try again not before `next_at`.
        False, and nothing is written, if the job is no longer this holder's."""
        return await self._failed("due_at", session_id, holder, next_at, error)

    async def set_aside(self, session_id: str, holder: str, at: datetime, error: str) -> bool:
        """The job failed for the last time: keep it, and try it no more. False, and nothing is
        written, if the job is no longer this holder's."""
        return await self._failed("set_aside_at", session_id, holder, at, error)

    async def _failed(
        self, column: str, session_id: str, holder: str, at: datetime, error: str
    ) -> bool:
        changed = await self._db.write(
            f"UPDATE session SET attempts = attempts + 1, {column} = ?, error = ?, {_NO_LEASE} "
            "WHERE id = ? AND holder = ?",
            _stamp(at),
            error,
            session_id,
            holder,
        )
        return changed == 1

    async def put_back(self, now: datetime) -> int:
        """Make jobs of all that was set aside, due now and with no attempts; how many."""
        return await self._db.write(
            "UPDATE session SET set_aside_at = NULL, attempts = 0, due_at = ? "
            "WHERE set_aside_at IS NOT NULL",
            _stamp(now),
        )

    async def unfinished(self, actor: Actor) -> list[str]:
        """The ids of the actor's sessions, open or waiting for extraction."""
        rows = await self._db.rows("SELECT id FROM session WHERE actor = ?", actor.id)
        return [row[0] for row in rows]

    async def drop_turns(self, turn_ids: Sequence[str], shifts: Sequence[Shift] = ()) -> None:
        """Delete these turns and every trace of them, and change the running summaries with it."""

        def work(db: sqlite3.Connection) -> None:
            for shift in shifts:
                move(db, shift)
            db.executemany("DELETE FROM turn WHERE id = ?", [(id_,) for id_ in turn_ids])

        await self._db.wipe(work)

    async def restore_turns(self, actor: Actor, turns: Sequence[Turn]) -> list[str]:
        """Put turns that were deleted back into those of the actor's sessions that are still there,
        each before what was said after it, and into their windows; the ids really put back. A turn
        that is there stays as it is."""

        def work(db: sqlite3.Connection) -> list[str]:
            return [turn.id for turn in turns if put_back(db, actor, turn)]

        return await self._db.change(work)

    async def backlog(self) -> Backlog:
        """What of the ended sessions is not extracted yet."""
        return await self._db.ask(_backlog)

    async def maintained_at(self) -> datetime | None:
        """When the memory was last tidied up, if ever."""
        rows = await self._db.rows("SELECT value FROM note WHERE name = 'maintained_at'")
        return datetime.fromisoformat(rows[0][0]) if rows else None

    async def maintained(self, at: datetime) -> None:
        """Note that the memory was tidied up then."""
        await self._db.write("INSERT OR REPLACE INTO note VALUES ('maintained_at', ?)", _stamp(at))

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        """Give the actor's sessions to another one, and the chat of `place` to that of `to_place`,
        topic by topic, all at once. Where both have an open session, the actor's is ended. Leases
        end: whoever has a job under way must take it up anew."""
        names = {"old": actor.id, "new": to.id, "chat": place.chat_id, "channel": place.channel}
        names |= {"to_chat": to_place.chat_id, "to_channel": to_place.channel}

        def work(db: sqlite3.Connection) -> None:
            for statement in _MOVE:
                db.execute(statement, names)

        await self._db.wipe(work)

    async def erase(self, actor: Actor) -> None:
        """Drop all sessions and turns of the actor, and the pages they stood on."""

        await self._db.wipe(
            lambda db: db.execute("DELETE FROM session WHERE actor = ?", (actor.id,))
        )


def backlog_in(path: Path) -> Backlog | None:
    """The backlog in a journal's file, which may be in use and stays as it is; None if there is no
    such file, or one of another layout. Blocks. Raises StoreUnavailable."""
    if not path.exists():
        return None
    try:
        # Not read-only: that would leave the files of its write-ahead log behind.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db:
            known = {row[1] for row in db.execute("PRAGMA table_info (session)")}
            return _backlog(db) if "set_aside_at" in known else None
    except sqlite3.Error as failure:
        raise StoreUnavailable(f"{path} can't be read: {failure}") from failure


def _backlog(db: sqlite3.Connection) -> Backlog:
    ended, aside = db.execute(
        "SELECT count(*), count(set_aside_at) FROM session WHERE ended_at IS NOT NULL"
    ).fetchone()
    return Backlog(ended - aside, aside)
