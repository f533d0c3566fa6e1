"""How much of the window a message needs: a few turns, or all of it when it points back. Pure.

A message that points back ("go on", "as before", "what did you just say?") can't be understood
without what it points to; most others can. The rules are phrases of many languages, matched as
whole words. They rather take a message for one that points back than not: that costs tokens, the
other mistake costs the thread."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from memory.search.lexicon.lexicon import any_of, lexicons

#: The newest turns that every message is shown with: what "yes", "why?" and "the second one" are
#: about.
FEW_TURNS = 3

_ACCENTS = re.compile("[\u0300-\u036f]")
_DROPPED = re.compile(r"[^\w\s\u0900-\u097f\u0e00-\u0e7f]+")
_CLAUSE = re.compile(r"[,.;:!?…—。，！？、।؟،\n]+")


def points_back(text: str) -> bool:
    """Whether a message can only be understood with what was said before it."""
    spoken = _plain(text)
    phrases = _phrases()
    if any(phrase in spoken for phrase in phrases.unspaced):
        return True
    spoken = phrases.nowhere.sub(" ", spoken)
    # "Continue, please", but not "continue my studies".
    opening = _plain(_CLAUSE.split(text.strip(), maxsplit=1)[0])
    return opening in phrases.going_on or phrases.back.search(spoken) is not None


def turns_to_show(text: str, turns: int) -> int:
    """How many of the newest turns a message goes to the model with, of as many as there are."""
    return turns if points_back(text) else min(FEW_TURNS, turns)


def _plain(text: str) -> str:
    """A text's words with one space between them, without case, accents and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    return " ".join(_DROPPED.sub(" ", folded).split())


@dataclass(frozen=True, slots=True)
class _Phrases:
    going_on: frozenset[str]
    back: re.Pattern[str]
    #: Those of scripts without spaces: wherever the characters stand.
    unspaced: frozenset[str]
    #: "Earlier" that compares.
    nowhere: re.Pattern[str]


@cache
def _phrases() -> _Phrases:
    spaced = [lexicon for lexicon in lexicons().values() if not lexicon.unspaced]
    unspaced = [lexicon for lexicon in lexicons().values() if lexicon.unspaced]
    return _Phrases(
        frozenset(_plain(phrase) for each in lexicons().values() for phrase in each.going_on),
        _whole(phrase for each in spaced for phrase in each.points_back),
        frozenset(_plain(phrase) for each in unspaced for phrase in each.points_back),
        _whole(phrase for each in spaced for phrase in each.points_nowhere),
    )


def _whole(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{any_of(map(_plain, phrases))})(?!\S)")
