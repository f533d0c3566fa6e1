"""A question as an index can answer it: its meaningful words, each with words that may replace
it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from memory.search.dates import named_dates
from memory.search.lexicon.lexicon import (
    also_names,
    any_of,
    chatter,
    lexicons,
    other_stop_words,
    stop_words,
    unspaced_stop_words,
)
from memory.search.text import (
    latin_language,
    pairs,
    plain_words,
    stems,
)

#: No more of a query is read: the longest message Telegram carries has 4096 letters.
MAX_QUERY = 4096

#: No more terms are looked up; a longer question has said by then what it is about.
MAX_TERMS = 48

_LAUGHTER = "(?:ha|he|ja|ха|хе)(?:-?(?:ha|he|ja|ха|хе))+h?|ه{2,}|哈{2,}|w{3,}|ㅋ{2,}"
#: A word with a capital letter that does not begin the text, or one that is all of it.
_MAYBE_A_NAME = re.compile(r"(?<=\w)\W+(?P<capital>[A-Z][a-z]+)\b|\A\W*(?P<alone>[A-Za-z]+)\W*\Z")


@cache
def _greeting() -> re.Pattern[str]:
    spaced: list[str] = []
    unspaced: list[str] = []
    for lexicon in lexicons().values():
        (unspaced if lexicon.unspaced else spaced).extend(lexicon.greetings)
    return re.compile(
        rf"(?<!\w)(?:{any_of(spaced)}|{_LAUGHTER})(?!\w)|{any_of(unspaced)}", re.IGNORECASE
    )


@cache
def _material() -> re.Pattern[str]:
    """A request to work on a text: the words of that text are material, not a question."""
    please = any_of(word for lexicon in lexicons().values() for word in lexicon.please)
    work_on = any_of(word for lexicon in lexicons().values() for word in lexicon.work_on)
    return re.compile(
        rf"\s*(?:(?:{please}),?\s*)?(?:{work_on})[^:：\n]{{0,60}}[:：\n].*",
        re.IGNORECASE | re.DOTALL,
    )


@cache
def _unspaced_stop() -> re.Pattern[str]:
    return re.compile(any_of(unspaced_stop_words()))


@cache
def _common_stop_words() -> frozenset[str]:
    return stop_words()["english"] | stop_words()["russian"] | other_stop_words() | chatter()


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word of a query: the index words that fully count as it, and those that may
    replace it at less weight. A pair of letters from a longer run may be `torn` out of two words:
    if nobody said it, that means little."""

    exact: tuple[str, ...]
    related: frozenset[str] = frozenset()
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks for: its terms, and the index words of the dates it names. `topical` is
    false if it asks for dates alone. Without terms and dates it finds nothing."""

    terms: tuple[Term, ...] = ()
    dates: frozenset[str] = frozenset()
    topical: bool = True

    @property
    def index_words(self) -> list[str]:
        """Every index word that has a say, once each."""
        found = {word for term in self.terms for word in (*term.exact, *term.related)}
        return sorted(found | self.dates)


def parse(text: str, now: datetime) -> Query:
    """The query of any text. Drops grammar words, greetings and talk about remembering, unless a
    name is all that would be left. Dates, also those relative to `now`, are looked up both as dates
    and as words."""
    text = _greeting().sub(" ", text[:MAX_QUERY])
    if _material().match(text):
        return Query(topical=False)
    dates, rest = named_dates(text, now)
    terms = _terms(text)
    topical = bool(_terms(rest)) if dates else bool(terms)
    return Query(terms, dates, topical)


def _terms(text: str) -> tuple[Term, ...]:
    plain = plain_words(text)
    language = latin_language(plain)
    stopped = _common_stop_words() | stop_words()[language]
    terms: list[Term] = []
    for kind, word in plain:
        if kind == "unspaced":
            terms += [
                Term((pair,), related_stems(pair), torn=len(part) > 2)
                for part in _unspaced_stop().split(word)
                for pair in pairs(part)
            ]
        elif word not in stopped:
            exact = (word,) if kind == "emoji" else stems(word, language)
            terms.append(Term(exact, frozenset().union(*map(related_stems, exact))))
    terms = terms or [Term(stems(name, language)) for name in _names(text)]
    return tuple(dict.fromkeys(terms))[:MAX_TERMS]


def _names(text: str) -> list[str]:
    """The grammar words of a text that are meant as names: "Who is Will?", or "Mia" alone."""
    found = [(match["capital"] or match["alone"]).lower() for match in _MAYBE_A_NAME.finditer(text)]
    return [word for word in found if word in also_names()]


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


def related_stems(stem: str) -> frozenset[str]:
    """The index words that may replace this one: those of its row in a lexicon. A question seldom
    has the words of its answer: "what did I tell you about my job?" was answered by "I work at Acme
    Corp"."""
    return _groups().get(stem, frozenset())
