"""The journal's running summaries in its SQLite file, and what moves between the tiers."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from memory.ports import SummaryJob
from memory.records import RunningSummary, Shift
from memory.stores.journal.rows import SESSION, session_of, stamp
from memory.stores.sqlite.database import Database

_SUMMARY = "summary.id, session, text, turns, oldest, newest, fallback, base, base_turns"


class SqliteSummaries:
    """See memory.ports.Summaries."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, session_id: str) -> list[RunningSummary]:
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

    async def complete(self, summary_id: str, text: str) -> bool:
        """The summarizer has made this of a fallback. False if there is no such fallback any more:
        it was merged or forgotten meanwhile."""
        changed = await self._db.write(
            "UPDATE running_summary SET text = ?, fallback = 0, base = NULL, base_turns = 0 "
            "WHERE id = ? AND fallback",
            text,
            summary_id,
        )
        return changed == 1

    async def retry(self, summary_id: str, next_at: datetime) -> None:
        """The summarizer failed: count the attempt and try again not before `next_at`."""
        await self._db.write(
            "UPDATE running_summary SET attempts = attempts + 1, due_at = ? WHERE id = ?",
            stamp(next_at),
            summary_id,
        )


def apply(db: sqlite3.Connection, shift: Shift) -> None:
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
