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
from memory.search.lexicon.lexicon import lexicons, negations, stop_words
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


def split_at_user(text: str) -> list[str]:
    """A text about "the user" in parts, each from where it names them, without these words; any
    other text in one part."""
    if not speaks_of_user(text):
        return [text]
    parts: list[list[str]] = [[]]
    for kind, word in plain_words(text):
        if kind == "unspaced":
            parts[-1].append(_without(word, _OF_THE_USER))
        elif word in _words("user"):
            parts.append([])
        elif word not in _words("third_person"):
            parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def core_words(text: str) -> tuple[str, ...]:
    """The words that carry a text, in order and without what a verb's persons differ in."""
    return tuple(_bare(word) for word in _essence(text).words if word not in _little_words())


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


def _bare(word: str) -> str:
    """The word without the longest ending of a verb's persons that it has."""
    endings = sorted(_words("agreement"), key=len, reverse=True)
    return next((word.removesuffix(e) for e in endings if word[2:].endswith(e)), word)


@cache
def _little_words() -> frozenset[str]:
    every = (word for small in stop_words().values() for word in small - negations())
    return frozenset(map(fold, every))


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
