"""The details of a record that most records lack (evidence, names, dates of truth), as JSON values
that every engine can keep."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory.records import Basis, Draft, Evidence, Kind, Record
from memory.search.text import storable
from memory.stores.values import moment, text_of, text_or_none, texts_of, time_of

#: Fields that are kept as they are.
_TEXTS = ("recurrence", "true_since", "true_until", "reason")


def dump_details(record: Record | Draft) -> dict[str, Any]:
    """The details that differ from those of a plain record: a message, or one whose evidence is its
    own text."""
    if record.kind is Kind.MESSAGE:
        return {}
    details: dict[str, Any] = {
        name: storable(text) for name in _TEXTS if (text := getattr(record, name))
    }
    if record.about:
        details["about"] = [storable(name) for name in record.about]
    if record.basis is not Basis.VOLUNTEERED:
        details["basis"] = record.basis.value
    if record.evidence != _own_evidence(
        record.kind, record.text, record.created_at, record.turn_ids
    ):
        details["evidence"] = [
            [each.turn_id, storable(each.words), moment(each.at) if each.at else None]
            for each in record.evidence
        ]
    return details


def load_details(
    details: Mapping[str, Any],
    kind: Kind,
    text: str,
    created_at: datetime,
    turn_ids: Sequence[str],
) -> dict[str, Any]:
    """The fields of a record with these details. Records from before there was evidence are in
    the user's own words: their own text is their evidence. Raises ValueError, TypeError."""
    # Most have no details, and an export may hold 100,000 messages.
    if not details:
        return {"evidence": _own_evidence(kind, text, created_at, turn_ids)}
    evidence = details.get("evidence")
    return {
        **{name: text_or_none(details.get(name)) for name in _TEXTS},
        "about": texts_of(details.get("about", [])),
        "basis": Basis(details.get("basis", Basis.VOLUNTEERED)),
        "evidence": _own_evidence(kind, text, created_at, turn_ids)
        if evidence is None
        else tuple(
            Evidence(text_of(turn_id), text_of(words), time_of(at) if at else None)
            for turn_id, words, at in evidence
        ),
    }


def _own_evidence(
    kind: Kind, text: str, created_at: datetime, turn_ids: Sequence[str]
) -> tuple[Evidence, ...]:
    if kind not in (Kind.FACT, Kind.PREFERENCE):
        return ()
    return tuple(Evidence(turn_id, text, created_at) for turn_id in turn_ids or ("",))
