"""What an outbox has not handed to AWS, for another process than the one that sends it."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.errors import StoreUnavailable
from memory.stores.files import connect_existing


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
    """The backlog in an outbox's file, which may be in use and stays as it is; None if there is no
    such file, or one of another layout. Blocks. Raises StoreUnavailable."""
    if not path.exists():
        return None
    try:
        with closing(connect_existing(path)) as db:
            known = {row[1] for row in db.execute("PRAGMA table_info (event)")}
            if "failing_since" not in known:
                return None
            return OutboxBacklog(_unsent(db, "waiting"), _unsent(db, "refused"))
    except (sqlite3.Error, ValueError) as failure:
        raise StoreUnavailable(f"{path} can't be read: {failure}") from failure


def _unsent(db: sqlite3.Connection, state: str) -> UnsentEvents:
    # SQLite takes `why` from the row that min() found.
    count, since, why = db.execute(
        "SELECT count(*), min(failing_since), why FROM event WHERE state = ?", (state,)
    ).fetchone()
    return UnsentEvents(count, datetime.fromisoformat(since) if since else None, why or "")
