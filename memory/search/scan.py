"""Searches messages that are in no index: a few conversations, read anew for each question."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from memory.records import Hit, Record
from memory.search.entry import Entry, by_assistant, entry
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
    messages: Sequence[Record], text: str, limit: int, least: float, now: datetime
) -> list[Hit]:
    """Those of these MESSAGE records (given in the order they were said) that match the text with
    a relevance of `least` or more, best first. Reads all of them: call it in a thread."""
    query = parse(storable(text), now)
    if not (messages and query.index_words):
        return []
    entries = [entry(message) for message in messages]
    corpus = Corpus(len(entries), sum(each.length for each in entries) / len(entries), spoken=True)
    asked = WeighedQuery(query, _postings(query.index_words, entries), corpus, _WEIGHTS)
    found = {
        place: _candidate(messages, place, entries[place].length)
        for place in shortlist(asked)
        if place < len(messages)
    }
    ranked = [each for each in rank(asked, found, now.timestamp()) if each.relevance >= least]
    hits = (
        (
            Hit(messages[each.document], min(1.0, each.relevance)),
            _telling(messages[each.document], entries[each.document]),
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


def _candidate(messages: Sequence[Record], place: int, length: int) -> Candidate:
    message = messages[place]
    context = next(
        earlier
        for earlier in range(max(0, place - CONTEXT), place + 1)
        if messages[earlier].session_id == message.session_id
    )
    return Candidate(
        length, message.created_at.timestamp(), context, by_assistant(message), message.session_id
    )


def _telling(message: Record, words: Entry) -> frozenset[str]:
    return telling(message.text, lambda: (*words.own, *words.reply))
