"""A question as an index can answer it: its telling words, each with what may stand in for it."""

import re
from dataclasses import dataclass
from datetime import datetime

from memory.search.concepts import related
from memory.search.dates import dates_named
from memory.search.stopwords import (
    ALSO_NAMES,
    CHATTER,
    GREETINGS,
    OTHER_STOP_WORDS,
    STOP_WORDS,
    UNSPACED_STOP_WORDS,
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
_SPACED = "|".join(re.escape(g) for g in sorted(GREETINGS, key=len, reverse=True) if g < "⺀")
_UNSPACED = "|".join(re.escape(g) for g in sorted(GREETINGS, key=len, reverse=True) if g >= "⺀")
_GREETING = re.compile(rf"(?<!\w)(?:{_SPACED}|{_LAUGHTER})(?!\w)|{_UNSPACED}", re.IGNORECASE)
#: A text to be worked on follows: its words are material, not a question.
_MATERIAL = re.compile(
    r"\s*(?:please\s+|bitte\s+|por favor,?\s+|пожалуйста,?\s+|请)?(?:translate|proofread|correct|"
    r"rephrase|übersetze?|korrigiere?|traduce|traduis|corrige|переведи|исправь|翻译|翻譯|修改|ترجم|صحح)"
    r"[^:：\n]{0,60}[:：\n].*",
    re.IGNORECASE | re.DOTALL,
)
_UNSPACED_STOP = re.compile(
    "|".join(re.escape(w) for w in sorted(UNSPACED_STOP_WORDS, key=len, reverse=True))
)
#: A word with a capital letter that does not begin the text, or one that is all of it.
_MAYBE_A_NAME = re.compile(r"(?<=\w)\W+(?P<capital>[A-Z][a-z]+)\b|\A\W*(?P<alone>[A-Za-z]+)\W*\Z")
_ALWAYS_STOPPED = STOP_WORDS["english"] | STOP_WORDS["russian"] | OTHER_STOP_WORDS | CHATTER


@dataclass(frozen=True, slots=True)
class Term:
    """One telling word of a query: the index words that count as it in full, and those that may
    stand in for it at less weight. A pair of letters out of a longer run may be `torn` out of two
    words: that nobody said it tells little."""

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
    """The query of any text. Small words, greetings and talk about remembering fall away, unless
    a name is all that would be left; dates that are named, or relative to `now`, are looked up as
    dates and as words."""
    text = _GREETING.sub(" ", text[:MAX_QUERY])
    if _MATERIAL.match(text):
        return Query(topical=False)
    dates, rest = dates_named(text, now)
    terms = _terms(text)
    topical = bool(_terms(rest)) if dates else bool(terms)
    return Query(terms, dates, topical)


def _terms(text: str) -> tuple[Term, ...]:
    plain = plain_words(text)
    language = latin_language(plain)
    stopped = _ALWAYS_STOPPED | STOP_WORDS[language]
    terms: list[Term] = []
    for kind, word in plain:
        if kind == "unspaced":
            terms += [pair for part in _UNSPACED_STOP.split(word) for pair in _pairs(part)]
        elif word not in stopped:
            exact = (word,) if kind == "emoji" else stems(word, language)
            terms.append(Term(exact, frozenset().union(*map(related, exact))))
    terms = terms or [Term(stems(name, language)) for name in _names(text)]
    return tuple(dict.fromkeys(terms))[:MAX_TERMS]


def _names(text: str) -> list[str]:
    """The small words of a text that are meant as names: "Who is Will?", or "Mia" alone."""
    found = [(match["capital"] or match["alone"]).lower() for match in _MAYBE_A_NAME.finditer(text)]
    return [word for word in found if word in ALSO_NAMES]


def _pairs(run: str) -> list[Term]:
    return [Term((pair,), related(pair), torn=len(run) > 2) for pair in pairs(run)]
