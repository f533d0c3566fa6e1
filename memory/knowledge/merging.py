"""Amends records, and merges the records of one memory into another. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from memory.errors import UnknownRecord
from memory.records import Amendment, Draft, Evidence, Kind, Record, Role


def amend(record: Record, amendment: Amendment) -> Record:
    """The record after this amendment. The same words of a turn are evidence only once; evidence is
    in the order it was said. Reopening a current record changes nothing. Raises UnknownRecord for
    the end of what is history already."""
    kept = [each for each in record.evidence if each not in amendment.forgotten]
    known = {(each.turn_id, each.words) for each in kept if each.turn_id}
    kept += [each for each in amendment.evidence if (each.turn_id, each.words) not in known]
    evidence = tuple(sorted(dict.fromkeys(kept), key=_time_of))
    turns = [each.turn_id for each in evidence if each.turn_id]
    lost = {each.turn_id for each in amendment.forgotten}.difference(turns)
    left = (turn_id for turn_id in record.turn_ids if turn_id not in lost)
    record = replace(record, evidence=evidence, turn_ids=tuple(dict.fromkeys((*left, *turns))))
    if amendment.ended_at:
        record = supersede(record, amendment.ended_at)
    elif amendment.reopened and not record.current:
        record = replace(record, superseded_at=None)
    else:
        return record
    return replace(record, true_until=amendment.true_until, reason=amendment.reason)


def _time_of(evidence: Evidence) -> float:
    return evidence.at.timestamp() if evidence.at else 0.0


def supersede(record: Record, at: datetime) -> Record:
    """The record as history from `at` on. Raises UnknownRecord if it is history already."""
    if not record.current:
        raise UnknownRecord(f"no current record has the id {record.id!r}")
    return replace(record, superseded_at=at)


def change_all(
    records: Mapping[str, Record], drafts: Sequence[Draft], amendments: Sequence[Amendment]
) -> dict[str, Record]:
    """The records, by their ids, after these drafts have superseded and these amendments have
    changed them, one after the other. Raises UnknownRecord."""
    changed = dict(records)
    for draft in drafts:
        if draft.supersedes:
            changed[draft.supersedes] = supersede(changed[draft.supersedes], draft.created_at)
    for amendment in amendments:
        changed[amendment.record_id] = amend(changed[amendment.record_id], amendment)
    return changed


class Identity(NamedTuple):
    """What makes two records the same, whatever their ids."""

    kind: Kind
    text: str
    created_at: datetime
    role: Role
    turn_ids: tuple[str, ...]


def identity(record: Record) -> Identity:
    turns = record.turn_ids if record.kind is Kind.MESSAGE else ()
    return Identity(record.kind, record.text, record.created_at, record.role, turns)


class Merging:
    """Adds records to a memory that has some already, in the order of `missing`."""

    def __init__(self, there: Sequence[Record]) -> None:
        self._ids = {identity(record): record.id for record in there}
        self._current = [record for record in there if record.current]
        self._new_ids: dict[str, str] = {}
        self._ends: list[tuple[str, datetime]] = []

    def missing(self, records: Iterable[Record]) -> Iterator[Record]:
        """Those that are not there yet. Give them oldest first, so that a record comes after the
        one it supersedes."""
        for record in records:
            known = self._ids.get(identity(record))
            if known is None:
                yield record
            else:
                self._new_ids[record.id] = known

    def renumber(self, record: Record) -> Record:
        """The record as it is written: without its id and its end, and naming what it supersedes
        by its id there."""
        old = record.supersedes
        return replace(record, id="", supersedes=old and self._new_ids.get(old), superseded_at=None)

    def note_added(self, record: Record, written: Record) -> None:
        """Note the id that a record got."""
        self._new_ids[record.id] = written.id
        if record.superseded_at:
            self._ends.append((written.id, record.superseded_at))
        else:
            self._current.append(written)

    def ends(self) -> Iterator[tuple[str, datetime]]:
        """The ids of the records to mark as superseded, and since when: those that already were,
        and all but the newest of those with the same slot and speaker."""
        yield from self._ends
        newest: dict[tuple[Kind, str, int | str | None], Record] = {}
        for record in sorted(self._current, key=lambda r: r.created_at):
            if record.slot:
                who = record.speaker.key if record.speaker else None
                question = (record.kind, record.slot, who)
                before = newest.get(question)
                newest[question] = record
                if before:
                    yield before.id, record.created_at
