"""Whether two statements say the same: in the same words, apart from those that add nothing.

Never takes two things for one: another number, name, date, negation, order or tense is another
statement. A remote store writes in the third person ("The user has a cat"); here that counts as
the first person. Only a model can tell that other words say the same."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest

from memory.learning.folding import fold
from memory.learning.names import Spoken
from memory.learning.numerals import number_word
from memory.records import Draft, Record
from memory.search.lexicon.lexicon import lexicons
from memory.search.text import plain_words
from memory.understanding import Proposal

#: Signs that tell one thing from another: C and C++, 5 and -5, 5 and 5%.
_SIGNS = re.compile(r"[%‰°#@&+=<>$€£¥₹₽]|(?<!\w)-(?=\d)")
_ADDING_NOTHING = ("light", "naming")
_OF_THE_USER = ("user", "third_person")


def says_same(one: str, other: str) -> bool:
    """True if two statements say the same."""
    first, second = _essence(one), _essence(other)
    if first == second:
        return True
    if first.third_person == second.third_person:
        return False
    pairs = zip_longest(first.words, second.words, fillvalue="")
    return all(a == b or _agree(a, b) for a, b in pairs)


def speaks_of_user(text: str) -> bool:
    """True if a text is about "the user", in the third person."""
    return _essence(text).third_person


def likeness(text: str) -> tuple[str, ...]:
    """A key that all statements share that say the same; others may share it too."""
    # As much of a word as verbs that agree with another person keep.
    return tuple(word[:2] for word in _essence(text).words)


def without_user(text: str) -> str:
    """The words of a text about "the user", without those that name them; any other text as it
    is."""
    if not speaks_of_user(text):
        return text
    plain = plain_words(text)
    return " ".join(
        _without(word, _OF_THE_USER) if kind == "unspaced" else word
        for kind, word in plain
        if kind == "unspaced" or not any(word in _words(name) for name in _OF_THE_USER)
    )


def naming_words() -> list[tuple[str | None, str]]:
    """The words that only say that something has a name, with their Snowball languages."""
    return [
        (lexicon.snowball, word)
        for lexicon in lexicons().values()
        if not lexicon.unspaced
        for word in lexicon.naming
    ]


def repeats(one: Record | Draft | Proposal, other: Record | Draft | Proposal) -> bool:
    """True if two statements say the same, and of the same day."""
    dates = {each.event_date for each in (one, other) if each.event_date}
    return len(dates) < 2 and says_same(one.text, other.text)


def restates(text: str, known: str, said: str) -> bool:
    """True if a statement only repeats what is known: it has no new word, and at most one of its
    words was said now. Somebody who says more of it means it."""
    new, old = _essence(text), _essence(known)
    if new.third_person != old.third_person or not set(new.words) <= set(old.words):
        return False
    spoken = Spoken(said)
    return sum(spoken.has(word) for word in set(new.words)) <= 1


@dataclass(frozen=True, slots=True)
class _Essence:
    """The words that carry a statement's meaning, in order; `third_person` if it speaks of "the
    user"."""

    words: tuple[str, ...]
    third_person: bool = False


@lru_cache(maxsize=20_000)
def _essence(text: str) -> _Essence:
    plain = plain_words(text)
    third_person = any(
        word in _words("user") or (kind == "unspaced" and any(u in word for u in _runs("user")))
        for kind, word in plain
    )
    lists = (*_ADDING_NOTHING, *_OF_THE_USER) if third_person else _ADDING_NOTHING
    telling = [
        _number(part)
        for kind, word in plain
        for part in (_without(word, lists) if kind == "unspaced" else (word,))
        if kind == "unspaced" or not any(part in _words(name) for name in lists)
    ]
    telling += _SIGNS.findall(unicodedata.normalize("NFKC", text))
    return _Essence(tuple(telling or (_number(word) for _, word in plain)), third_person)


def _number(word: str) -> str:
    """A number word as a number, anything else folded."""
    folded = fold(word)
    number = number_word(folded)
    return f"{number:f}" if number is not None and number > 1 else folded


def _without(run: str, lists: tuple[str, ...]) -> str:
    """A text without spaces, without what adds nothing."""
    for word in sorted({word for name in lists for word in _runs(name)}, key=len, reverse=True):
        run = run.replace(word, "")
    return run


def _agree(one: str, other: str) -> bool:
    """True if two verbs differ in person only."""
    stems = (
        {word.removesuffix(ending) for ending in ("", *endings) if word.endswith(ending)}
        for word in (one, other)
        for endings in (_words("agreement"),)
    )
    first, second = stems
    return any(len(stem) > 1 for stem in first & second)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(
        part
        for lexicon in lexicons().values()
        if not lexicon.unspaced
        for word in getattr(lexicon, name)
        for part in word.split("'")
    )


@cache
def _runs(name: str) -> frozenset[str]:
    """The words of scripts without spaces."""
    unspaced = (lexicon for lexicon in lexicons().values() if lexicon.unspaced)
    return frozenset(word for lexicon in unspaced for word in getattr(lexicon, name))
