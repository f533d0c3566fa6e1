"""Looks up what somebody means by a few words: to be told, or to be forgotten."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.background.threads import compute
from memory.knowledge.knowledge import Knowledge
from memory.records import LEARNED_KINDS, Actor, Kind, Record, Role
from memory.search.query import Query, parse
from memory.search.text import words

#: Records asked of the search for each one wanted: many of its hits only stand near what is meant.
_DEPTH = 3


async def find_meant(
    known: Knowledge, actor: Actor, text: str, now: datetime, most: int
) -> list[Record]:
    """What a person may want to forget, for them to choose from: what is known under this name or
    in these words, ended or not, then their own messages that say it and that nothing was learned
    from. At most `most`. Raises StoreUnavailable."""
    query = parse(text, now)
    hits = await known.search(actor, text, (*LEARNED_KINDS, Kind.MESSAGE), most * _DEPTH)
    found = {hit.record.id: hit.record for hit in hits}
    learned = [record for record in found.values() if record.kind is not Kind.MESSAGE]
    ended = await find_ended(known, actor, text, now)
    named = await known.about(actor, text)
    everything = {r.id: r for r in (*named, *learned, *ended, *found.values())}
    best = await compute(_best_matches, query, list(everything.values()))
    return _without_companions(best or learned)[:most]


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
    asks = record.kind is Kind.MESSAGE and record.text.rstrip().endswith(("?", "？"))
    return record.role is Role.USER and not asks


def _best_matches(query: Query, records: Iterable[Record]) -> list[Record]:
    """Those that have most of the words asked for, in their order; none if no one has any."""
    shares = [(record, _share(query, record)) for record in records]
    best = max((share for _, share in shares), default=0)
    return [record for record, share in shares if best and share == best]


def _share(query: Query, record: Record) -> float:
    """The share of the words asked for that a record has, from 0 to 1."""
    own = frozenset(words(" ".join((record.text, *record.about))))
    had = [not own.isdisjoint((*term.exact, *term.related)) for term in query.terms]
    return sum(had) / len(had) if had else 0.0


def _without_companions(records: Sequence[Record]) -> list[Record]:
    """Without what is forgotten along with something else in the list, earlier wordings and the
    messages it came from, and without the assistant's messages."""
    replaced = {record.supersedes for record in records}
    kept: list[Record] = []
    turns: set[str] = set()
    for record in records:
        source = not turns.isdisjoint(record.turn_ids) or record.role is not Role.USER
        if record.id not in replaced and not (record.kind is Kind.MESSAGE and source):
            kept.append(record)
            turns.update(record.turn_ids)
    return kept
