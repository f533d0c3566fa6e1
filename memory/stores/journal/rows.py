"""What the journal's tables have in common: moments, sessions and leases as columns."""

from datetime import UTC, datetime
from typing import Any

from memory.records import Actor, Place, Session

SESSION = "id, actor, channel, chat, topic, opened_at, last_at, message_count, private"
NO_LEASE = "holder = NULL, leased_until = NULL"


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
