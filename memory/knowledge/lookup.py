"""Looks up what somebody means by a few words, to tell them or to forget it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.background.threads import compute
from memory.knowledge.forgetting import states
from memory.knowledge.knowledge import Knowledge
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from memory.search.query import Query, parse
from memory.search.text import words

#: How many records to search for each one wanted: many hits only stand near what is meant.
_DEPTH = 3
#: Maximum messages and summaries about somebody.
_MOST_ABOUT = 50


@dataclass(frozen=True, slots=True)
class Meant:
    """What a person may want to forget: `records` to choose from, and `along`, the ids of summaries
    and turns that tell of it too. These are deleted if all the records are."""

    records: tuple[Record, ...] = ()
    along: tuple[str, ...] = ()


async def find_meant(known: Knowledge, actor: Actor, text: str, now: datetime, most: int) -> Meant:
    """What is known under this name or in these words, ended or not, then the actor's own messages
    that say it and that nothing was learned from; where there is neither, summaries. At most
    `most`. Raises StoreUnavailable."""
    query = parse(text, now)
    hits = await known.search(actor, text, (*LEARNED_KINDS, Kind.MESSAGE), most * _DEPTH)
    named = await known.about(actor, text)
    ended = await find_ended(known, actor, text, now, (Kind.FACT, Kind.PREFERENCE))
    # Search does not look at topics, which greetings tell.
    summaries = await known.records(actor, (Kind.SUMMARY,), everything=True)
    found = {r.id: r for r in (*named, *(hit.record for hit in hits), *ended, *summaries)}
    own = sorted(
        (record for record in found.values() if not _tells_of_talk(record)),
        key=lambda record: record.kind is Kind.MESSAGE,
    )
    others = [record for record in found.values() if _tells_of_talk(record)]
    return await compute(_choose, query, own, others, most)


def _tells_of_talk(record: Record) -> bool:
    """True for a summary, a question, and what the assistant said."""
    return record.kind is Kind.SUMMARY or not is_statement(record)


def _choose(query: Query, records: Sequence[Record], others: Sequence[Record], most: int) -> Meant:
    """What is meant of these; `others` are summaries, questions and the assistant's messages."""
    summaries = [record for record in others if record.kind is Kind.SUMMARY]
    learned = [record for record in records if record.kind is not Kind.MESSAGE]
    # Without a word in common, the search went by meaning.
    best = _best_matches(query, records) or learned or _best_matches(query, summaries)
    meant = _without_companions(best)[:most]
    telling = [record for record in others if record not in meant and _share(query, record) == 1]
    along = [
        id_
        for record in telling
        for id_ in ((record.id,) if record.kind is Kind.SUMMARY else record.turn_ids)
    ]
    return Meant(tuple(meant), tuple(dict.fromkeys(along)))


async def find_ended(
    known: Knowledge, actor: Actor, text: str, now: datetime, kinds: Sequence[Kind] = LEARNED_KINDS
) -> list[Record]:
    """The records that are no longer true and have every word asked for, newest first. Raises
    StoreUnavailable."""
    past = [r for r in await known.records(actor, kinds, everything=True) if not r.current]
    query = parse(text, now)
    if not query.terms or not past:
        return []
    matching = await compute(lambda: [record for record in past if _share(query, record) == 1])
    return matching[::-1]


async def find_about(known: Knowledge, actor: Actor, name: str, now: datetime) -> list[Record]:
    """What is known about somebody: the facts and preferences, current and ended, then the actor's
    own messages that name them and that none of these came from; where there is neither, summaries.
    Each kind oldest first. Raises StoreUnavailable."""
    query = parse(name, now)
    learned = await known.about(actor, name)
    hits = await known.search(actor, name, (Kind.SUMMARY, Kind.MESSAGE), _MOST_ABOUT)
    named = await compute(lambda: [hit.record for hit in hits if _share(query, hit.record) == 1])
    own = [record for record in named if not _tells_of_talk(record)]
    said = _without_companions([*learned, *own])
    said = [record for record in said if record.kind is Kind.MESSAGE]
    if not (learned or said):
        said = [record for record in named if record.kind is Kind.SUMMARY]
    return [*learned, *sorted(said, key=lambda record: record.created_at)]


async def find_closest(known: Knowledge, actor: Actor, text: str, now: datetime) -> list[Record]:
    """What comes closest to a text that nothing matches, best first: statements that share a word
    with it, neither questions nor the assistant's words. Raises StoreUnavailable."""
    query = parse(text, now)
    hits = await known.search(actor, text, (*LEARNED_KINDS, Kind.MESSAGE), least=0)
    # Search finds the neighbours of what matches, too.
    return [
        hit.record for hit in hits if is_statement(hit.record) and _share(query, hit.record) > 0
    ]


def is_statement(record: Record) -> bool:
    """True unless the assistant said it, or the user only asked."""
    return record.kind is not Kind.MESSAGE or states(record.role, record.text)


def _best_matches(query: Query, records: Iterable[Record]) -> list[Record]:
    """The records that have most of the words asked for, in order; none if no record has any."""
    shares = [(record, _share(query, record)) for record in records]
    best = max((share for _, share in shares), default=0)
    return [record for record, share in shares if best and share == best]


def _share(query: Query, record: Record) -> float:
    """The share of the words asked for that a record has, from 0 to 1."""
    own = frozenset(words(" ".join((record.text, *record.about, *record.topics))))
    had = [not own.isdisjoint((*term.exact, *term.related)) for term in query.terms]
    return sum(had) / len(had) if had else 0.0


def _without_companions(records: Sequence[Record]) -> list[Record]:
    """The records without those that are forgotten along with another one of the list: its earlier
    wordings, and the messages it came from."""
    replaced = {record.supersedes for record in records}
    kept: list[Record] = []
    turns: set[str] = set()
    for record in records:
        source = record.kind is Kind.MESSAGE and not turns.isdisjoint(record.turn_ids)
        if record.id not in replaced and not source:
            kept.append(record)
            turns.update(record.turn_ids)
    return kept
