"""What an outbox has not got done at AWS, for another process than the one that works on it."""

from dataclasses import dataclass, replace
from datetime import datetime

from memory.stores.database import Connection, Look


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


def outbox_backlog_in(look: Look) -> OutboxBacklog | None:
    """The backlog of an outbox that may be in use; see Look."""

    def read(db: Connection) -> OutboxBacklog:
        return OutboxBacklog(
            _count_unfinished(db, "event WHERE state = 'waiting'"),
            _count_unfinished(db, "event WHERE state = 'refused'"),
        )

    backlog = look("event", "failing_since", read)
    failed = "erased WHERE failing_since IS NOT NULL"
    # One that no bot has opened since an update may lack the column.
    erasures = look("erased", "failing_since", lambda db: _count_unfinished(db, failed))
    return backlog and replace(backlog, erasures=erasures or Unfinished())


def _count_unfinished(db: Connection, rows: str) -> Unfinished:
    (count,) = db.execute(f"SELECT count(*) FROM {rows}").fetchone()
    oldest = "ORDER BY coalesce(failing_since, '~') LIMIT 1"
    since, why = db.execute(f"SELECT failing_since, why FROM {rows} {oldest}").fetchone() or (
        "",
        "",
    )
    return Unfinished(count, datetime.fromisoformat(since) if since else None, why or "")
