"""A record as a row of a table."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from memory.records import Kind, Place, Record, Role, Speaker
from memory.search.text import storable
from memory.stores.details import dump_details, load_details
from memory.stores.values import (
    integer_of,
    integer_or_none,
    moment,
    text_of,
    text_or_none,
    texts_of,
    time_of,
    with_zone,
)

#: What `values_of` fills and `record_of` reads, in this order.
COLUMNS = (
    "id, kind, text, created_at, session_id, turn_ids, slot, importance, event_date, "
    "supersedes, superseded_at, role, speaker, speaker_id, place, topics, details"
)


def values_of(record: Record) -> tuple[object, ...]:
    """The record's columns, and its `moment` after them: `created_at` in seconds since 1970."""
    place = record.place
    return (
        record.id,
        record.kind.value,
        record.text,
        moment(record.created_at),
        record.session_id,
        json.dumps(record.turn_ids),
        _clean(record.slot),
        record.importance,
        _clean(record.event_date),
        record.supersedes,
        moment(record.superseded_at) if record.superseded_at else None,
        record.role.value,
        _clean(record.speaker.name) if record.speaker else None,
        record.speaker.id if record.speaker else None,
        json.dumps([place.channel, place.chat_id, place.topic_id]) if place else None,
        json.dumps([storable(topic) for topic in record.topics]) if record.topics else None,
        json.dumps(details, ensure_ascii=False) if (details := dump_details(record)) else None,
        with_zone(record.created_at).timestamp(),
    )


def record_of(row: Sequence[Any]) -> Record:
    """The record of a row. Raises ValueError, TypeError, LookupError if it can't be read."""
    (id_, kind, text, created_at, session_id, turn_ids, slot, importance, event_date, supersedes,
     superseded_at, role, speaker, speaker_id, place, topics, details) = row  # fmt: skip
    kind, created_at, turns = Kind(kind), time_of(created_at), _ids_of(turn_ids)
    return Record(
        id=text_of(id_),
        kind=kind,
        text=text_of(text),
        created_at=created_at,
        session_id=text_or_none(session_id),
        turn_ids=turns,
        slot=text_or_none(slot),
        importance=integer_of(importance),
        event_date=text_or_none(event_date),
        supersedes=text_or_none(supersedes),
        superseded_at=time_of(superseded_at) if superseded_at else None,
        role=Role(role),
        speaker=_speaker_of(speaker_id, speaker) if speaker else None,
        topics=texts_of(json.loads(topics)) if topics else (),
        place=_place_of(place) if place else None,
        **load_details(json.loads(details) if details else {}, kind, text, created_at, turns),
    )


# What many records share is read once: somebody's 100,000 messages were said in two places.
@lru_cache(maxsize=1_000)
def _ids_of(text: str) -> tuple[str, ...]:
    return texts_of(json.loads(text))


@lru_cache(maxsize=1_000)
def _place_of(text: str) -> Place:
    channel, chat, topic = json.loads(text)
    return Place(text_of(channel), integer_of(chat), integer_or_none(topic))


def _speaker_of(id_: object, name: object) -> Speaker:
    return Speaker(integer_or_none(id_), text_of(name))


def _clean(text: str | None) -> str | None:
    return None if text is None else storable(text) or None
