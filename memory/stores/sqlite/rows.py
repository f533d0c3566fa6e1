"""A record as a row of a person's file, and back."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from memory.records import Kind, Place, Record, Role
from memory.search.text import storable

#: What `values_of` fills and `record_of` reads, in this order.
COLUMNS = (
    "id, kind, text, created_at, session_id, turn_ids, slot, importance, event_date, "
    "supersedes, superseded_at, role, speaker, place, topics"
)


def values_of(record: Record) -> tuple[object, ...]:
    """The record's columns, and its `moment` after them: `created_at` in seconds since 1970."""
    return (
        record.id,
        record.kind.value,
        record.text,
        moment(record.created_at),
        record.session_id,
        json.dumps(record.turn_ids),
        _cleaned(record.slot),
        record.importance,
        _cleaned(record.event_date),
        record.supersedes,
        moment(record.superseded_at) if record.superseded_at else None,
        record.role.value,
        _cleaned(record.speaker),
        _place_text(record.place),
        json.dumps([storable(topic) for topic in record.topics]) if record.topics else None,
        _zoned(record.created_at).timestamp(),
    )


def record_of(row: Sequence[Any]) -> Record:
    """The record of a row."""
    (id_, kind, text, created_at, session_id, turn_ids, slot, importance, event_date,
     supersedes, superseded_at, role, speaker, place, topics) = row  # fmt: skip
    return Record(
        id=id_,
        kind=Kind(kind),
        text=text,
        created_at=datetime.fromisoformat(created_at),
        session_id=session_id,
        turn_ids=_ids_of(turn_ids),
        slot=slot,
        importance=int(importance),
        event_date=event_date,
        supersedes=supersedes,
        superseded_at=datetime.fromisoformat(superseded_at) if superseded_at else None,
        role=Role(role),
        speaker=speaker,
        topics=tuple(json.loads(topics)) if topics else (),
        place=_place_of(place) if place else None,
    )


# What many records share is read once: somebody's 100,000 messages were said in two places.
@lru_cache(maxsize=1_000)
def _ids_of(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


@lru_cache(maxsize=1_000)
def _place_of(text: str) -> Place:
    return Place(*json.loads(text))


def moment(at: datetime) -> str:
    """ISO with the offset it was said at."""
    return _zoned(at).isoformat()


def _place_text(place: Place | None) -> str | None:
    return json.dumps([place.channel, place.chat_id, place.topic_id]) if place else None


def _zoned(at: datetime) -> datetime:
    """A time without a zone is taken for UTC."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _cleaned(text: str | None) -> str | None:
    return None if text is None else storable(text) or None
