"""Finds the earlier wordings of a record, and everything about a name, among all records. Pure."""

from collections.abc import Iterable
from datetime import datetime

from memory.records import Record
from memory.search.query import parse
from memory.search.text import words


def earlier_wordings(record: Record, records: Iterable[Record]) -> list[Record]:
    """What the record superseded, and what that did, oldest first."""
    by_id = {each.id: each for each in records if each.id != record.id}
    chain: list[Record] = []
    while record.supersedes and (before := by_id.pop(record.supersedes, None)):
        chain.append(before)
        record = before
    return chain[::-1]


def records_about(records: Iterable[Record], name: str, now: datetime) -> list[Record]:
    """The records that contain this name, whatever its case, accents and endings."""
    wanted = [frozenset(term.exact) for term in parse(name, now).terms]
    return [record for record in records if wanted and _names(record, wanted)]


def _names(record: Record, wanted: Iterable[frozenset[str]]) -> bool:
    speaker = record.speaker.name if record.speaker else ""
    own = {word for text in (record.text, speaker, *record.about) for word in words(text)}
    return all(own & forms for forms in wanted)
