"""Finds out what a question is about, and how much of that a line's words cover."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from bot.offline.language import Language
from memory.search.lexicon.lexicon import chatter, other_stop_words
from memory.search.query import Term, parse, related_stems
from memory.search.text import pairs, plain_words

#: How much a related word counts, and another form of the asked one.
RELATED = 0.35
_FORM = 0.8
#: How many letters a word needs for a part of it to count as another form.
_LONG = 5
#: So many index words open a line.
_OPENING = 8
#: The words that show how a question asks, not what it is about.
_GRAMMAR = (
    *(f"asks.{kind}" for kind in ("words", "anywhere", "name", "when", "me", "filler")),
    "marks.change",
)


def terms_of(question: str, language: Language, now: datetime) -> tuple[Term, ...]:
    """What the question is about, without its grammar; each word with those that mean the same."""
    topic = question
    for kind in _GRAMMAR:
        topic = language.without(kind, topic)
    terms = _word_terms(topic, language) if language.spaced else _pair_terms(topic)
    terms = terms or parse(question, now).terms
    return tuple(
        replace(
            term,
            exact=(*term.exact, *frozenset().union(*map(language.same, term.exact))),
        )
        for term in terms
    )


def _word_terms(topic: str, language: Language) -> tuple[Term, ...]:
    stopped = language.stop_words | other_stop_words() | chatter()
    plain = (word for kind, word in plain_words(topic) if kind != "unspaced")
    found = (language.stems(word) for word in plain if word not in stopped)
    return tuple(dict.fromkeys(Term(s, frozenset().union(*map(related_stems, s))) for s in found))


def _pair_terms(topic: str) -> tuple[Term, ...]:
    """The pairs of letters of what is left of a question: names may hold letters that are small
    words elsewhere."""
    runs = (run for kind, run in plain_words(topic) if kind == "unspaced")
    return tuple(
        dict.fromkeys(Term((pair,), related_stems(pair)) for run in runs for pair in pairs(run))
    )


def earliness(spoken: Sequence[str], terms: Sequence[Term]) -> float:
    """Near 1 if a line begins with what it is asked for: then it is about that."""
    wanted = {word for term in terms for word in term.exact}
    places = [place for place, word in enumerate(spoken[:_OPENING]) if word in wanted]
    return 1 - places[0] / _OPENING if places else 0.0


def forms_of(term: Term, seen: Iterable[str]) -> frozenset[str]:
    """The words said that are other forms of a term."""
    return frozenset(other for other in seen for word in term.exact if _similar(word, other))


def share_of(term: Term, forms: frozenset[str], held: frozenset[str]) -> float:
    """How much of a term a line's words cover."""
    if any(word in held for word in term.exact):
        return 1.0
    if forms & held:
        return _FORM
    return RELATED if term.related & held else 0.0


def _similar(one: str, other: str) -> bool:
    """True if two words are forms or parts of each other: "therapy" and "therapist"."""
    less, more = sorted((one, other), key=len)
    if len(less) < _LONG:
        return False
    head = math.ceil(0.75 * len(more))
    return less in more or less[:head] == more[:head]
