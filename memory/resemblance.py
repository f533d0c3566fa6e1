"""Whether two records say the same thing, so that one of them is enough.

Strict on purpose: a changed number, name or negation is news, never a duplicate."""

from collections.abc import Callable, Collection, Iterable

from memory.ranking import Ranked
from memory.records import Hit, Record
from memory.stopwords import NEGATIONS
from memory.text import SMALL_STEMS

#: The shorter text must hold at least this share of the longer one's telling words.
SHARED = 0.9


def telling(words: Collection[str]) -> frozenset[str]:
    """The index words of a text that make it say what it says. All, if it has small ones only."""
    return frozenset(words) - SMALL_STEMS or frozenset(words)


def same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of telling words say the same, give or take a few words."""
    if one == other:
        return True
    less, more = sorted((one, other), key=len)
    if not less <= more or len(less) < SHARED * len(more):
        return False
    added = more - less
    return not any(word in NEGATIONS or any(c.isdigit() for c in word) for word in added)


def distinct(
    ranked: Iterable[Ranked],
    limit: int,
    fetch: Callable[[int], tuple[Record, frozenset[str]]],
) -> list[Hit]:
    """The first `limit` documents that say something new, as hits. `fetch` gives a document's
    record and its telling words; it is asked for no more documents than needed."""
    hits: list[Hit] = []
    said: list[frozenset[str]] = []
    for one in ranked:
        if len(hits) >= limit:
            break
        record, words = fetch(one.document)
        if not any(same(words, earlier) for earlier in said):
            hits.append(Hit(record, one.relevance))
            said.append(words)
    return hits
