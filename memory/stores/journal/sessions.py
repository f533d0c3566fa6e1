"""The journal's sessions in its database: the open ones, and the ended ones as jobs."""

from datetime import datetime
from typing import Any

from memory.journal import Backlog, Job
from memory.records import Actor, Place, Session
from memory.stores.database import Connection, Database, Look
from memory.stores.layout import Row
from memory.stores.values import (
    first,
    integer_of,
    integer_or_none,
    stamp,
    text_of,
    text_or_none,
    time_of,
)

SESSION = "id, actor, channel, chat, topic, opened_at, last_at, message_count, private"


def session_of(row: tuple[Any, ...]) -> Session:
    """The session of a row with the columns `SESSION`. Raises ValueError, TypeError."""
    id_, actor, channel, chat, topic, opened_at, last_at, count, private = row
    return Session(
        id_,
        Actor(actor),
        Place(text_of(channel), integer_of(chat), integer_or_none(topic)),
        time_of(opened_at),
        time_of(last_at),
        integer_of(count),
        bool(private),
    )


def read_session(row: Row) -> Row:
    """See Layout. A whole conversation is not set aside for a moment or a count."""
    moments = row["last_at"], row["opened_at"]
    right = {
        "opened_at": first(time_of, *reversed(moments)),
        "last_at": first(time_of, *moments),
        "message_count": first(integer_of, row["message_count"], 1),
        "reason": first(text_or_none, row["reason"], None),
        "attempts": first(integer_of, row["attempts"], 0),
        "error": first(text_or_none, row["error"], None),
        "private": first(integer_of, row.get("private", 0), 1),
    }
    for name in {"ended_at", "due_at", "set_aside_at"} & row.keys():
        right[name] = None if row[name] is None else first(time_of, row[name], *moments)
    # Of earlier versions, whose jobs had leases of their own.
    right |= dict.fromkeys({"holder", "leased_until"} & row.keys())
    session_of(tuple((row | right)[name] for name in SESSION.split(", ")))
    return row | right


class SqlSessions:
    """See memory.journal.Sessions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, actor: Actor, place: Place) -> Session | None:
        sql = (
            f"SELECT {SESSION} FROM session WHERE ended_at IS NULL AND actor = ? AND channel = ? "
            "AND chat = ? AND topic IS ? ORDER BY opened_at DESC LIMIT 1"
        )
        where = (actor.id, place.channel, place.chat_id, place.topic_id)
        found = await self._db.read(session_of, sql, *where)
        return found[0] if found else None

    async def of(self, actor: Actor) -> list[Session]:
        sql = (
            f"SELECT {SESSION} FROM session WHERE ended_at IS NULL AND actor = ? "
            "ORDER BY opened_at, id"
        )
        return await self._db.read(session_of, sql, actor.id)

    async def unfinished(self, actor: Actor) -> list[Session]:
        sql = f"SELECT {SESSION} FROM session WHERE actor = ? ORDER BY opened_at, id"
        return await self._db.read(session_of, sql, actor.id)

    async def idle_since(self, before: datetime) -> list[Session]:
        sql = (
            f"SELECT {SESSION} FROM session "
            "WHERE ended_at IS NULL AND message_count > 0 AND last_at <= ?"
        )
        return await self._db.read(session_of, sql, stamp(before))

    async def open(self, session: Session) -> None:
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
        changed = await self._db.write(
            "UPDATE session SET ended_at = ?1, due_at = ?1, reason = ?2 "
            "WHERE id = ?3 AND ended_at IS NULL",
            stamp(at),
            reason,
            session_id,
        )
        return changed == 1

    async def discard(self, session_id: str) -> bool:
        dropped = False

        def work(db: Connection) -> None:
            nonlocal dropped
            sql = "DELETE FROM session WHERE id = ? AND ended_at IS NULL"
            dropped = db.execute(sql, (session_id,)).rowcount == 1

        await self._db.wipe(work)
        return dropped


class SqlJobs:
    """See memory.journal.Jobs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def due(self, now: datetime, limit: int) -> list[Job]:
        return await self._db.read(
            lambda row: Job(session_of(row[:9]), row[9], integer_of(row[10])),
            f"SELECT {SESSION}, reason, attempts FROM session WHERE ended_at IS NOT NULL "
            "AND set_aside_at IS NULL AND due_at <= ? ORDER BY ended_at, id LIMIT ?",
            stamp(now),
            limit,
        )

    async def has(self, session: Session) -> bool:
        sql = "SELECT 1 FROM session WHERE id = ? AND actor = ? AND ended_at IS NOT NULL"
        return bool(await self._db.rows(sql, session.id, session.actor.id))

    async def done(self, session_id: str) -> None:
        sql = "DELETE FROM session WHERE id = ?"
        await self._db.wipe(lambda db: db.execute(sql, (session_id,)))

    async def retry(self, session: Session, next_at: datetime, error: str | None) -> None:
        await self._put_off("due_at", session, next_at, error)

    async def quarantine(self, session: Session, at: datetime, error: str) -> bool:
        return await self._put_off("set_aside_at", session, at, error)

    async def requeue(self, now: datetime) -> int:
        return await self._db.write(
            "UPDATE session SET set_aside_at = NULL, attempts = 0, due_at = ? "
            "WHERE set_aside_at IS NOT NULL",
            stamp(now),
        )

    async def backlog(self) -> Backlog:
        return await self._db.ask(_backlog)

    async def _put_off(
        self, column: str, session: Session, at: datetime, error: str | None
    ) -> bool:
        changed = await self._db.write(
            f"UPDATE session SET attempts = attempts + ?, {column} = ?, error = ? "
            "WHERE id = ? AND actor = ? AND ended_at IS NOT NULL",
            int(error is not None),
            stamp(at),
            error,
            session.id,
            session.actor.id,
        )
        return changed == 1


def backlog_in(look: Look) -> Backlog | None:
    """The backlog of a journal that may be in use; see Look."""
    return look("session", "set_aside_at", _backlog)


def _backlog(db: Connection) -> Backlog:
    ended, aside = db.execute(
        "SELECT count(*), count(set_aside_at) FROM session WHERE ended_at IS NOT NULL"
    ).fetchone()
    return Backlog(ended - aside, aside)
