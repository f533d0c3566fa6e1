"""Records that say the same. We never write a known statement again. A store that extracts by
itself does: it repeats what a person asked to remember, or writes one thing both as a fact and as a
preference. Its records have no evidence, which tells them from ours.

Twins are stored separately, but shown and recalled as one. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory.learning.checks import MAX_EVIDENCE
from memory.learning.sameness import likeness, repeats, says_same
from memory.records import Hit, Kind, Record

#: What the store leaves out of its preferences: "Likes tea".
_SUBJECT = "The user"


def without_twins(records: Sequence[Record]) -> list[Record]:
    """The records without repetitions: of twins only the best, in its place."""
    if not any(_can_have_twins(record) and not record.evidence for record in records):
        return list(records)
    return [best for best, _ in _families(records)]


def join_twins(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without repetitions, best first: of twins only the best, as relevant as the most
    relevant of them."""
    relevance = {hit.record.id: hit.relevance for hit in hits}
    joined = [
        Hit(best, max(relevance[each.id] for each in family))
        for best, family in _families([hit.record for hit in hits])
    ]
    return sorted(joined, key=lambda hit: -hit.relevance)


def without_learned(messages: Sequence[Record], records: Iterable[Record]) -> list[Record]:
    """The messages that none of the records says already."""
    learned = defaultdict[tuple[str, ...], list[Record]](list)
    for record in map(_with_subject, filter(_can_have_twins, records)):
        learned[likeness(record.text)].append(record)
    return [
        message
        for message in messages
        if not any(
            record.speaker == message.speaker and says_same(record.text, message.text)
            for record in learned.get(likeness(message.text), ())
        )
    ]


def end_with_twins(records: Sequence[Record]) -> list[Record]:
    """The records, where those that the store extracted end together with ours that say the same:
    the store does not learn that something has ended. One of what was said later does not end."""
    ended = defaultdict[tuple[str, ...], list[Record]](list)
    for record in records:
        if record.superseded_at and record.evidence and record.kind is not Kind.SUMMARY:
            ended[likeness(record.text)].append(record)
    return [_end_with(record, ended) for record in records] if ended else list(records)


def _end_with(record: Record, ended: Mapping[tuple[str, ...], Sequence[Record]]) -> Record:
    if record.evidence or not _can_have_twins(record):
        return record
    ends = [
        twin.superseded_at
        for twin in ended.get(likeness(_with_subject(record).text), ())
        if twin.superseded_at
        and record.created_at <= twin.superseded_at
        and record.speaker == twin.speaker
        and repeats(_with_subject(record), twin)
    ]
    return replace(record, superseded_at=max(ends)) if ends else record


def are_twins(one: Record, other: Record) -> bool:
    """True if two records say the same, and at least one of them was extracted by the store."""
    return (
        _can_have_twins(one)
        and _can_have_twins(other)
        and not (one.evidence and other.evidence)
        and one.speaker == other.speaker
        and repeats(_with_subject(one), _with_subject(other))
    )


def _families(records: Sequence[Record]) -> Iterable[tuple[Record, list[Record]]]:
    """The families of twins: of each the best record, with the evidence of all, and all of
    them."""
    families: list[list[Record]] = []
    alike: defaultdict[tuple[str, ...], list[list[Record]]] = defaultdict(list)
    # Those with evidence first: of two that are ours none is the other's twin, whatever it says.
    for record in sorted(records, key=_rank):
        key = likeness(_with_subject(record).text) if _can_have_twins(record) else ()
        likely = alike[key] if key else ()
        family = next((f for f in likely if all(are_twins(each, record) for each in f)), None)
        if family is None:
            families.append([record])
            alike[key].append(families[-1])
        else:
            family.append(record)
    place = {record.id: number for number, record in enumerate(records)}
    families.sort(key=lambda family: place[family[0].id])
    return ((_join(family), family) for family in families)


def _rank(record: Record) -> tuple[bool, bool, bool]:
    """A sort key: current records first, then those that quote the person, then preferences, which
    every conversation begins with."""
    return not record.current, not record.evidence, record.kind is not Kind.PREFERENCE


def _can_have_twins(record: Record) -> bool:
    return record.current and record.kind in (Kind.FACT, Kind.PREFERENCE)


def _with_subject(record: Record) -> Record:
    """The record with the subject that its text may lack."""
    if record.evidence or record.kind is not Kind.PREFERENCE:
        return record
    return replace(record, text=f"{_SUBJECT} {record.text}")


def _join(family: Sequence[Record]) -> Record:
    """The best of a family, with the evidence of all."""
    best = family[0]
    if len(family) == 1:
        return best
    evidence = dict.fromkeys(each for record in family for each in record.evidence)
    turns = dict.fromkeys(turn_id for record in family for turn_id in record.turn_ids)
    return replace(best, evidence=tuple(evidence)[:MAX_EVIDENCE], turn_ids=tuple(turns))
