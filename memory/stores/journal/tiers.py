"""The tiers of the journal's sessions: which turns have left the window, what stands for them."""

import json
import sqlite3
from datetime import UTC, datetime
from typing import Any

from memory.ports import SummaryJob
from memory.records import Actor, Place, RunningSummary, Session, Shift
from memory.stores.sqlite.database import Database

SESSION = "id, actor, channel, chat, topic, opened_at, last_at, message_count, private"
_SUMMARY = "summary.id, session, text, turns, oldest, newest, fallback, base, base_turns"


class TierRows:
    """The part of a journal that has to do with tiers; see `memory.ports.Journal`."""

    _db: Database

    async def shift(self, shift: Shift) -> None:
        """Write down what moves between the tiers of a session: all of it or nothing."""
        await self._db.change(lambda db: move(db, shift))

    async def evicted(self, session_id: str) -> list[str]:
        """The ids of the session's turns that have left its window."""
        sql = "SELECT id FROM turn WHERE session = ? AND evicted ORDER BY position"
        return [row[0] for row in await self._db.rows(sql, session_id)]

    async def summaries(self, session_id: str) -> list[RunningSummary]:
        """The session's running summaries, oldest first."""
        sql = (
            f"SELECT {_SUMMARY} FROM running_summary AS summary WHERE session = ? ORDER BY position"
        )
        return [_summary_of(row) for row in await self._db.rows(sql, session_id)]

    async def fallbacks(
        self, due: datetime | None = None, session_id: str | None = None
    ) -> list[SummaryJob]:
        """The summaries of open sessions, or of this one, that wait for the summarizer; those alone
        whose next try is due, if `due` is given. Oldest first."""
        columns = ", ".join(f"session.{name}" for name in SESSION.split(", "))
        sql = (
            f"SELECT summary.attempts, {columns}, {_SUMMARY} FROM running_summary AS summary "
            "JOIN session ON session.id = summary.session WHERE fallback AND ended_at IS NULL "
            "AND summary.due_at <= coalesce(?1, summary.due_at) "
            "AND session.id = coalesce(?2, session.id) ORDER BY session.rowid, position"
        )
        rows = await self._db.rows(sql, stamp(due) if due else None, session_id)
        return [SummaryJob(session_of(row[1:10]), _summary_of(row[10:]), row[0]) for row in rows]

    async def summarized(self, summary_id: str, text: str) -> bool:
        """The summarizer has made this of a fallback. False if there is no such fallback any more:
        it was merged or forgotten meanwhile."""
        changed = await self._db.write(
            "UPDATE running_summary SET text = ?, fallback = 0, base = NULL, base_turns = 0 "
            "WHERE id = ? AND fallback",
            text,
            summary_id,
        )
        return changed == 1

    async def retry_summary(self, summary_id: str, next_at: datetime) -> None:
        """The summarizer failed: count the attempt and try again not before `next_at`."""
        await self._db.write(
            "UPDATE running_summary SET attempts = attempts + 1, due_at = ? WHERE id = ?",
            stamp(next_at),
            summary_id,
        )


def move(db: sqlite3.Connection, shift: Shift) -> None:
    """Write down what moves between the tiers, in the transaction under way."""
    db.executemany("UPDATE turn SET evicted = 1 WHERE id = ?", [(id_,) for id_ in shift.evicted])
    for summary in shift.added:
        db.execute(
            "INSERT INTO running_summary (id, session, position, turns, oldest, newest, fallback, "
            "base, base_turns, text) "
            "SELECT ?, ?, position, ?, ?, ?, ?, ?, ?, ? FROM turn WHERE id = ?",
            (
                summary.id,
                summary.session_id,
                json.dumps(summary.turn_ids),
                stamp(summary.oldest),
                stamp(summary.newest),
                summary.fallback,
                summary.base,
                summary.base_turns,
                summary.text,
                summary.turn_ids[0],
            ),
        )
    dropped = [(id_,) for id_ in shift.dropped]
    db.executemany("DELETE FROM running_summary WHERE id = ?", dropped)


def make_room(db: sqlite3.Connection, session_id: str, position: int) -> None:
    """Move the session's turns from this position on by one, with the summaries that begin there,
    in the transaction under way."""
    here = (session_id, position)
    # By way of negative numbers: no two turns may have the same position for a moment.
    db.execute("UPDATE turn SET position = -1 - position WHERE session = ? AND position >= ?", here)
    db.execute("UPDATE turn SET position = -position WHERE session = ? AND position < 0", here[:1])
    db.execute(
        "UPDATE running_summary SET position = position + 1 WHERE session = ? AND position >= ?",
        here,
    )


def stamp(at: datetime) -> str:
    """A moment as text that sorts by time: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def session_of(row: tuple[Any, ...]) -> Session:
    """The session of a row with the columns `SESSION`."""
    id_, actor, channel, chat, topic, opened_at, last_at, count, private = row
    return Session(
        id_,
        Actor(actor),
        Place(channel, chat, topic),
        datetime.fromisoformat(opened_at),
        datetime.fromisoformat(last_at),
        count,
        bool(private),
    )


def _summary_of(row: tuple[Any, ...]) -> RunningSummary:
    id_, session_id, text, turns, oldest, newest, fallback, base, base_turns = row
    return RunningSummary(
        id_,
        session_id,
        text,
        tuple(json.loads(turns)),
        datetime.fromisoformat(oldest),
        datetime.fromisoformat(newest),
        fallback=bool(fallback),
        base=base,
        base_turns=base_turns,
    )
