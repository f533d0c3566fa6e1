"""Words that people use for one thing.

A question seldom has the words of its answer: "what did I tell you about my job?" was answered by
"I work at Acme Corp". The words of one row of a lexicon stand in for each other in a query, at less
weight than the word that was asked for."""

from collections.abc import Mapping
from functools import cache

from memory.search.lexicon.lexicon import lexicons
from memory.search.text import pairs, stems


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for lexicon in lexicons().values():
        for row in lexicon.concepts:
            found = {
                stem
                for word in row
                for stem in (pairs(word) if lexicon.unspaced else stems(word, lexicon.snowball))
            }
            for stem in found:
                groups.setdefault(stem, set()).update(found)
    return {stem: frozenset(group - {stem}) for stem, group in groups.items()}


def related(stem: str) -> frozenset[str]:
    """The index words that may stand in for this one; none if it is in no row."""
    return _groups().get(stem, frozenset())
