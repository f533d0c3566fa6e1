"""What an outbox has not handed to AWS, for another process than the one that sends it."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.stores.files import look_into


@dataclass(frozen=True, slots=True)
class UnsentEvents:
    """How many events, since when the oldest of them has failed, and why."""

    count: int = 0
    since: datetime | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class OutboxBacklog:
    """The events that wait, and those that AWS has refused for good."""

    waiting: UnsentEvents
    refused: UnsentEvents


def outbox_backlog_in(path: Path) -> OutboxBacklog | None:
    """The backlog in an outbox's file; see `look_into`."""
    return look_into(path, "event", "failing_since", _backlog)


def _backlog(db: sqlite3.Connection) -> OutboxBacklog:
    return OutboxBacklog(_unsent(db, "waiting"), _unsent(db, "refused"))


def _unsent(db: sqlite3.Connection, state: str) -> UnsentEvents:
    # SQLite takes `why` from the row that min() found.
    count, since, why = db.execute(
        "SELECT count(*), min(failing_since), why FROM event WHERE state = ?", (state,)
    ).fetchone()
    return UnsentEvents(count, datetime.fromisoformat(since) if since else None, why or "")
