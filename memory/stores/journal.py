"""The journal in one SQLite file: open sessions, their turns, and ended ones that wait."""

import json
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import structlog

from memory.ports import Job
from memory.records import Actor, Message, Place, Role, Session, ToolUse, Turn
from memory.stores.database import Database
from memory.stores.schema import Migration

_log = structlog.get_logger(__name__)

T = TypeVar("T")

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
)
_SESSION = "id, actor, channel, chat, topic, opened_at, last_at, message_count"


class SqliteJournal:
    """A Journal in a file, or for tests and for memory switched off in RAM (`:memory:`)."""

    def __init__(self, path: Path | str, pool: Executor) -> None:
        """Open or create the file; a damaged one is set aside. Raises NewerStore,
        StoreUnavailable."""
        self._db = Database(path, _MIGRATIONS, pool)

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

    async def start(self, session: Session) -> None:
        """Write a new open session."""
        place = session.place
        await self._db.write(
            f"INSERT INTO session ({_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            session.id,
            session.actor.id,
            place.channel,
            place.chat_id,
            place.topic_id,
            _stamp(session.opened_at),
            _stamp(session.last_at),
            session.message_count,
        )

    async def append(self, session_id: str, turn: Turn) -> bool:
        """Write a finished turn and count its messages. False if there is such a turn already."""

        def work(db: sqlite3.Connection) -> bool:
            if db.execute("SELECT 1 FROM turn WHERE id = ?", (turn.id,)).fetchone():
                return False
            db.execute(
                "INSERT INTO turn (session, position, id, body) SELECT ?1, "
                "1 + coalesce(max(position), 0), ?2, ?3 FROM turn WHERE session = ?1",
                (session_id, turn.id, _dump(turn)),
            )
            db.execute(
                "UPDATE session SET last_at = ?, message_count = message_count + ? WHERE id = ?",
                (_stamp(turn.messages[-1].at), len(turn.messages), session_id),
            )
            return True

        return await self._db.change(work)

    async def turns(self, session_id: str) -> list[Turn]:
        """The session's turns, oldest first."""
        sql = "SELECT id, session, body FROM turn WHERE session = ? ORDER BY position"
        return [_load(*row) for row in await self._db.rows(sql, session_id)]

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

    async def idle_since(self, before: datetime) -> list[Session]:
        """Open sessions with messages, the last one older than `before`."""
        sql = (
            f"SELECT {_SESSION} FROM session "
            "WHERE ended_at IS NULL AND message_count > 0 AND last_at <= ?"
        )
        return [_session(row) for row in await self._db.rows(sql, _stamp(before))]

    async def jobs(self, due: datetime) -> list[Job]:
        """Ended sessions whose extraction is due, oldest first."""
        sql = (
            f"SELECT {_SESSION}, reason, attempts FROM session "
            "WHERE ended_at IS NOT NULL AND due_at <= ? ORDER BY ended_at"
        )
        return [Job(_session(row[:8]), *row[8:]) for row in await self._db.rows(sql, _stamp(due))]

    async def done(self, session_id: str) -> None:
        """The job is finished: drop the session and its turns."""
        await self._db.write("DELETE FROM session WHERE id = ?", session_id)

    async def retry(self, session_id: str, next_at: datetime, error: str) -> None:
        """The job failed: count the attempt and try again not before `next_at`."""
        await self._db.write(
            "UPDATE session SET attempts = attempts + 1, due_at = ?, error = ? WHERE id = ?",
            _stamp(next_at),
            error,
            session_id,
        )

    async def unfinished(self, actor: Actor) -> list[str]:
        """The ids of the actor's sessions, open or waiting for extraction."""
        rows = await self._db.rows("SELECT id FROM session WHERE actor = ?", actor.id)
        return [row[0] for row in rows]

    async def drop_turns(self, turn_ids: Sequence[str]) -> None:
        """Delete these turns and every trace of them."""

        rows = [(id_,) for id_ in turn_ids]
        await self._db.wipe(lambda db: db.executemany("DELETE FROM turn WHERE id = ?", rows))

    async def backlog(self) -> int:
        """How many ended sessions wait for extraction."""
        rows = await self._db.rows("SELECT count(*) FROM session WHERE ended_at IS NOT NULL")
        return int(rows[0][0])

    async def erase(self, actor: Actor) -> None:
        """Drop all sessions and turns of the actor, and the pages they stood on."""

        await self._db.wipe(
            lambda db: db.execute("DELETE FROM session WHERE actor = ?", (actor.id,))
        )


def _stamp(at: datetime) -> str:
    """A moment as text that sorts by time: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _session(row: tuple[Any, ...]) -> Session:
    id_, actor, channel, chat, topic, opened_at, last_at, count = row
    return Session(
        id_,
        Actor(actor),
        Place(channel, chat, topic),
        datetime.fromisoformat(opened_at),
        datetime.fromisoformat(last_at),
        count,
    )


def _dump(turn: Turn) -> str:
    messages = [{**asdict(m), "at": m.at.isoformat()} for m in turn.messages]
    tools = [asdict(tool) for tool in turn.tools]
    document = {"messages": messages, "tools": tools, "kept": turn.kept}
    return json.dumps(document, ensure_ascii=False)


def _load(id_: str, session_id: str, body: str) -> Turn:
    document = json.loads(body)
    messages = tuple(
        Message(Role(m["role"]), m["text"], datetime.fromisoformat(m["at"]), m["speaker"])
        for m in document["messages"]
    )
    tools = tuple(ToolUse(**tool) for tool in document["tools"])
    return Turn(id_, session_id, messages, tools, document.get("kept", True))
