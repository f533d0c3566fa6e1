"""The journal in one SQLite file: open sessions, their turns, and ended ones that wait."""

import sqlite3
from concurrent.futures import Executor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Self

from memory.records import Actor, Place
from memory.stores.journal.panels import SqlitePanels, read_panel
from memory.stores.journal.sessions import (
    NO_LEASE,
    SqliteJobs,
    SqliteSessions,
    read_session,
)
from memory.stores.journal.turns import SqliteSummaries, SqliteTurns, read_summary, read_turn
from memory.stores.layout import Layout, Migration
from memory.stores.notes import NOTES, Notes
from memory.stores.sqlite.database import SqliteDatabase
from memory.stores.sqlite.salvage import delete_quarantined
from memory.stores.values import stamp, time_or_none

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
            NOTES,
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
    "actor = :old AND ended_at IS NULL AND EXISTS (SELECT 1 FROM session AS other "
    "WHERE other.actor = :new AND other.ended_at IS NULL AND other.channel = :to_channel "
    "AND other.chat = :to_chat AND other.topic IS session.topic)"
)
_MOVE = (
    f"DELETE FROM session WHERE {_SECOND} AND (private OR message_count = 0)",
    f"UPDATE session SET ended_at = last_at, due_at = last_at, reason = 'moved' WHERE {_SECOND}",
    "UPDATE session SET channel = :to_channel, chat = :to_chat "
    "WHERE actor = :old AND channel = :channel AND chat = :chat",
    f"UPDATE session SET actor = :new, {NO_LEASE} WHERE actor = :old",
    # The messages with their buttons stay in the old chat.
    "DELETE FROM panel WHERE actor = :old",
)


class SqliteJournal:
    """A Journal in a file, or for tests and for memory switched off in RAM (`:memory:`)."""

    def __init__(self, path: Path | str, pool: Executor) -> None:
        """Open or create the file. Raises NewerStore, StoreUnavailable."""
        #: The file, which the parts share.
        self.database = SqliteDatabase(path, JOURNAL_LAYOUT, pool)
        self.sessions, self.turns = SqliteSessions(self.database), SqliteTurns(self.database)
        self.jobs, self.summaries = SqliteJobs(self.database), SqliteSummaries(self.database)
        self.maintenance = SqliteMaintenanceLog(self.database)
        self.panels = SqlitePanels(self.database)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.database.aclose()

    def close(self) -> None:
        """Close the file, where no event loop runs."""
        self.database.close()

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        names = {"old": actor.id, "new": to.id, "chat": place.chat_id, "channel": place.channel}
        names |= {"to_chat": to_place.chat_id, "to_channel": to_place.channel}

        def work(db: sqlite3.Connection) -> None:
            for statement in _MOVE:
                db.execute(statement, names)

        await self.database.wipe(work)

    async def erase(self, actor: Actor) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table in ("session", "panel"):
                db.execute(f"DELETE FROM {table} WHERE actor = ?", (actor.id,))
            delete_quarantined(db, actor.id)

        await self.database.wipe(work)


class SqliteMaintenanceLog:
    """See memory.journal.MaintenanceLog."""

    def __init__(self, db: SqliteDatabase) -> None:
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
