"""Everything kept about somebody, as one JSON document. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory.records import Actor, Kind, Record


def document(
    actor: Actor, agent_name: str | None, records: Iterable[Record], now: datetime
) -> dict[str, Any]:
    """The export of an actor's records, superseded ones and archived messages included."""
    by_kind: defaultdict[Kind, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        by_kind[record.kind].append(_exported(record))
    return {
        "format": "mordecai-export/1",
        "exported_at": now.isoformat(),
        "actor": actor.id,
        "agent_name": agent_name,
        "facts": by_kind[Kind.FACT],
        "preferences": by_kind[Kind.PREFERENCE],
        "summaries": by_kind[Kind.SUMMARY],
        "messages": by_kind[Kind.MESSAGE],
    }


def _exported(record: Record) -> dict[str, Any]:
    return {
        "id": record.short_id,
        "text": record.text,
        "role": record.role.value,
        "speaker": record.speaker,
        "created_at": record.created_at.isoformat(),
        "session": record.session_id,
        "turns": list(record.turn_ids),
        "slot": record.slot,
        "importance": record.importance,
        "topics": list(record.topics),
        "place": asdict(record.place) if record.place else None,
        "event_date": record.event_date,
        "supersedes": record.supersedes,
        "superseded_at": record.superseded_at.isoformat() if record.superseded_at else None,
    }
