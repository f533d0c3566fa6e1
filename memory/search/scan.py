"""Searches records that are in no index: a few conversations, or what was written just now. All are
read anew for each question."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from memory.records import Hit, Record
from memory.search.entry import Entry, by_assistant, entry, is_context
from memory.search.query import parse
from memory.search.ranking import (
    CONTEXT,
    HEAD,
    OWN,
    REPLY,
    Candidate,
    Corpus,
    WeighedQuery,
    Weights,
    rank,
    shortlist,
)
from memory.search.resemblance import distinct, telling
from memory.search.text import storable

_WEIGHTS = Weights()


def scan(
    records: Sequence[Record], text: str, limit: int, least: float, now: datetime
) -> list[Hit]:
    """Those of these records (MESSAGE records in the order they were said, or no MESSAGE records)
    that match the text with a relevance of `least` or more, best first. Reads all of them: call it
    in a thread."""
    query = parse(storable(text), now)
    if not (records and query.index_words):
        return []
    entries = [entry(record) for record in records]
    spoken = is_context(records[0])
    corpus = Corpus(len(entries), sum(each.length for each in entries) / len(entries), spoken)
    asked = WeighedQuery(query, _postings(query.index_words, entries), corpus, _WEIGHTS)
    found = {
        place: _candidate(records, place, entries[place].length)
        for place in shortlist(asked)
        if place < len(records)
    }
    ranked = [each for each in rank(asked, found, now.timestamp()) if each.relevance >= least]
    hits = (
        (
            Hit(records[each.document], min(1.0, each.relevance)),
            _telling(records[each.document], entries[each.document]),
        )
        for each in ranked
    )
    return distinct(hits, limit)


def _postings(wanted: Sequence[str], entries: Sequence[Entry]) -> dict[str, dict[int, int]]:
    """Where these words are, in which fields."""
    found: dict[str, defaultdict[int, int]] = {word: defaultdict(int) for word in wanted}
    for place, words in enumerate(entries):
        for field, said in ((OWN, words.own), (REPLY, words.reply), (HEAD, words.head)):
            for word in found.keys() & set(said):
                found[word][place] |= field
    return {word: dict(places) for word, places in found.items()}


def _candidate(records: Sequence[Record], place: int, length: int) -> Candidate:
    record = records[place]
    at = record.created_at.timestamp()
    if not is_context(record):
        return Candidate(length, at, place, importance=record.importance)
    context = next(
        earlier
        for earlier in range(max(0, place - CONTEXT), place + 1)
        if records[earlier].session_id == record.session_id
    )
    return Candidate(length, at, context, by_assistant(record), record.session_id)


def _telling(message: Record, words: Entry) -> frozenset[str]:
    return telling(message.text, lambda: (*words.own, *words.reply))
