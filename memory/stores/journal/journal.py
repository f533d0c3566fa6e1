"""The journal in one database: open sessions, their turns, and ended ones that wait."""

from contextlib import suppress
from datetime import datetime
from typing import Self

from memory.records import Actor, Place
from memory.stores.database import Connection, Database
from memory.stores.journal.panels import SqlPanels, read_panel
from memory.stores.journal.sessions import SqlJobs, SqlSessions, read_session
from memory.stores.journal.turns import SqlSummaries, SqlTurns, read_summary, read_turn
from memory.stores.layout import Layout, Migration
from memory.stores.notes import Notes, notes_table
from memory.stores.values import stamp, time_or_none

_SUMMARIES = (
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
)
_DUE = "CREATE INDEX running_summary_due ON running_summary (due_at) WHERE {}"
_MIGRATIONS = (
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
            notes_table("note"),
        ),
    ),
    Migration(
        "running summaries",
        (
            *_SUMMARIES,
            _DUE.format("fallback"),
        ),
        postgres=(*_SUMMARIES, _DUE.format("fallback = 1")),
    ),
    Migration(
        "private sessions",
        ("ALTER TABLE session ADD COLUMN private INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        "panels",
        (
            """CREATE TABLE panel (
                id TEXT PRIMARY KEY, actor TEXT NOT NULL, owner INTEGER NOT NULL,
                opened_at TEXT NOT NULL, state TEXT NOT NULL
            ) WITHOUT ROWID""",
            "CREATE INDEX panel_opened ON panel (opened_at)",
            "CREATE INDEX panel_actor ON panel (actor)",
        ),
    ),
)


JOURNAL_LAYOUT = Layout(
    "journal",
    _MIGRATIONS,
    {
        "session": read_session,
        "turn": read_turn,
        "running_summary": read_summary,
        "panel": read_panel,
    },
    private=("DELETE FROM session WHERE private",),
)


#: The sessions that would be a second open one in the place they are moved to.
_SECOND = (
    "actor = ?1 AND ended_at IS NULL AND EXISTS (SELECT 1 FROM session AS other "
    "WHERE other.actor = ?2 AND other.ended_at IS NULL AND other.channel = ?3 AND other.chat = ?4 "
    "AND (other.topic = session.topic OR (other.topic IS NULL AND session.topic IS NULL)))"
)


def _move(db: Connection, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
    """Move an actor's sessions to another one, in the transaction under way."""
    old, new, there = actor.id, to.id, (to_place.channel, to_place.chat_id)
    db.execute(
        f"DELETE FROM session WHERE {_SECOND} AND (private = 1 OR message_count = 0)",
        (old, new, *there),
    )
    db.execute(
        "UPDATE session SET ended_at = last_at, due_at = last_at, reason = 'moved' "
        f"WHERE {_SECOND}",
        (old, new, *there),
    )
    db.execute(
        "UPDATE session SET channel = ?, chat = ? WHERE actor = ? AND channel = ? AND chat = ?",
        (*there, old, place.channel, place.chat_id),
    )
    db.execute("UPDATE session SET actor = ? WHERE actor = ?", (new, old))
    # The messages with their buttons stay in the old chat.
    db.execute("DELETE FROM panel WHERE actor = ?", (old,))


class SqlJournal:
    """A Journal in a database with `JOURNAL_LAYOUT`, which it closes."""

    def __init__(self, database: Database) -> None:
        self.sessions, self.turns = SqlSessions(database), SqlTurns(database)
        self.jobs, self.summaries = SqlJobs(database), SqlSummaries(database)
        self.maintenance = SqlMaintenanceLog(database)
        self.panels = SqlPanels(database)
        #: What the parts share.
        self.database = database

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.database.aclose()

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        await self.database.wipe(lambda db: _move(db, actor, to, place, to_place))

    async def erase(self, actor: Actor) -> None:
        def work(db: Connection) -> None:
            for table in ("session", "panel"):
                db.execute(f"DELETE FROM {table} WHERE actor = ?", (actor.id,))

        await self.database.wipe(work, actor.id)


class SqlMaintenanceLog:
    """See memory.journal.MaintenanceLog."""

    def __init__(self, db: Database) -> None:
        self._db, self._notes = db, Notes(db)

    async def last_maintenance(self) -> datetime | None:
        return await self._read("maintained_at")

    async def note_maintenance(self, at: datetime) -> None:
        await self._notes.put("maintained_at", stamp(at))

    async def last_right_time(self) -> datetime | None:
        # Earlier versions noted only when maintenance ran.
        return await self._read("clock_right_at") or await self._read("maintained_at")

    async def note_right_time(self, at: datetime) -> None:
        await self._notes.put("clock_right_at", stamp(at))

    async def _read(self, name: str) -> datetime | None:
        at = await self._notes.get(name)
        # One that can't be read counts as none.
        with suppress(ValueError, TypeError):
            return time_or_none(at)
        return None

    async def keep_copy(self, generations: int) -> None:
        await self._db.keep_copy(generations)
