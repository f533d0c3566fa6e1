"""What an outbox has not got done at AWS, for another process than the one that works on it."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.stores.files import look_into


@dataclass(frozen=True, slots=True)
class Unfinished:
    """How many, since when the oldest of them has failed, and why."""

    count: int = 0
    since: datetime | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class OutboxBacklog:
    """The events that wait, those that AWS has refused for good, and the erasures that failed."""

    waiting: Unfinished = Unfinished()
    refused: Unfinished = Unfinished()
    erasures: Unfinished = Unfinished()


def outbox_backlog_in(path: Path) -> OutboxBacklog | None:
    """The backlog in an outbox's file; see `look_into`."""
    return look_into(path, "event", "failing_since", _backlog)


def _backlog(db: sqlite3.Connection) -> OutboxBacklog:
    kept = {row[1] for row in db.execute("PRAGMA table_info (erased)")}
    erased = "erased WHERE failing_since IS NOT NULL"
    return OutboxBacklog(
        _unfinished(db, "event WHERE state = 'waiting'"),
        _unfinished(db, "event WHERE state = 'refused'"),
        # A file that no bot has opened since an update lacks the column.
        _unfinished(db, erased) if "failing_since" in kept else Unfinished(),
    )


def _unfinished(db: sqlite3.Connection, rows: str) -> Unfinished:
    # SQLite takes `why` from the row that min() found.
    count, since, why = db.execute(
        f"SELECT count(*), min(failing_since), why FROM {rows}"
    ).fetchone()
    return Unfinished(count, datetime.fromisoformat(since) if since else None, why or "")
