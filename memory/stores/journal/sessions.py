"""The journal's sessions in its SQLite file."""

import sqlite3
from datetime import datetime

from memory.records import Actor, Place, Session
from memory.stores.journal.rows import SESSION, session_of, stamp
from memory.stores.sqlite.database import Database


class SqliteSessions:
    """See memory.ports.Sessions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this actor in this place, if there is one."""
        sql = (
            f"SELECT {SESSION} FROM session WHERE ended_at IS NULL AND actor = ? AND channel = ? "
            "AND chat = ? AND topic IS ? ORDER BY opened_at DESC LIMIT 1"
        )
        rows = await self._db.rows(sql, actor.id, place.channel, place.chat_id, place.topic_id)
        return session_of(rows[0]) if rows else None

    async def of(self, actor: Actor) -> list[Session]:
        """The actor's open sessions, in all places, oldest first."""
        sql = (
            f"SELECT {SESSION} FROM session WHERE ended_at IS NULL AND actor = ? "
            "ORDER BY opened_at, rowid"
        )
        return [session_of(row) for row in await self._db.rows(sql, actor.id)]

    async def unfinished(self, actor: Actor) -> list[str]:
        """The ids of the actor's sessions, open or waiting for extraction."""
        rows = await self._db.rows("SELECT id FROM session WHERE actor = ?", actor.id)
        return [row[0] for row in rows]

    async def idle_since(self, before: datetime) -> list[Session]:
        """Open sessions with messages, the last one older than `before`."""
        sql = (
            f"SELECT {SESSION} FROM session "
            "WHERE ended_at IS NULL AND message_count > 0 AND last_at <= ?"
        )
        return [session_of(row) for row in await self._db.rows(sql, stamp(before))]

    async def open(self, session: Session) -> None:
        """Write a new open session."""
        place = session.place
        await self._db.write(
            f"INSERT INTO session ({SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            session.id,
            session.actor.id,
            place.channel,
            place.chat_id,
            place.topic_id,
            stamp(session.opened_at),
            stamp(session.last_at),
            session.message_count,
            session.private,
        )

    async def end(self, session_id: str, reason: str, at: datetime) -> bool:
        """Close an open session, which makes it a job. False if it was not open."""
        changed = await self._db.write(
            "UPDATE session SET ended_at = ?1, due_at = ?1, reason = ?2 "
            "WHERE id = ?3 AND ended_at IS NULL",
            stamp(at),
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
