"""Finds records that say the same thing, so that one of them is enough.

Strict on purpose: a changed number, name or negation is news, never a duplicate."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from memory.records import Hit, Kind, Record
from memory.search.lexicon.lexicon import negations
from memory.search.text import small_stems

#: The shorter text must hold at least this share of the longer one's telling words.
SHARED = 0.9

#: From this length on, in letters, only equal texts are duplicates.
LONG = 400


def telling(text: str, words: Callable[[], Collection[str]]) -> frozenset[str]:
    """What makes a text say what it says: its index words without the small ones. Of a long text
    it is the text itself, since no two are alike by chance, and its words are not asked for."""
    if len(text) > LONG:
        return frozenset({text})
    own = words()
    return frozenset(own) - small_stems() or frozenset(own)


def same(one: frozenset[str], other: frozenset[str]) -> bool:
    """True if two sets of meaningful words say the same, give or take a few words."""
    if one == other:
        return True
    less, more = (one, other) if len(one) < len(other) else (other, one)
    if len(less) < SHARED * len(more) or not less <= more:
        return False
    added = more - less
    return not any(word in negations() or any(c.isdigit() for c in word) for word in added)


def distinct(found: Iterable[tuple[Hit, frozenset[str]]], limit: int) -> list[Hit]:
    """The first `limit` hits that say something new, each given with its meaningful words. A hit
    also names the turns of its duplicates found so far. Takes no more hits than needed."""
    if limit < 1:
        return []
    hits: list[Hit] = []
    said: list[frozenset[str]] = []
    for hit, words in found:
        twin = next(
            (
                place
                for place, other in enumerate(said)
                if same(words, other) and _of_one(hits[place].record, hit.record)
            ),
            None,
        )
        if twin is None:
            hits.append(hit)
            said.append(words)
        else:
            first = hits[twin].record
            turn_ids = tuple(dict.fromkeys(first.turn_ids + hit.record.turn_ids))
            hits[twin] = Hit(replace(first, turn_ids=turn_ids), hits[twin].relevance)
        if len(hits) >= limit:
            break
    return hits


def _of_one(one: Record, other: Record) -> bool:
    """True if two records may replace each other: what two people in a group said of themselves may
    not."""
    archived = Kind.MESSAGE in (one.kind, other.kind)
    return archived or one.speaker == other.speaker
