"""Compares statements by their words."""

import re
from functools import cached_property

from memory.learning.grounding import FILLERS, NEGATIONS, NOISE, NUMERALS, sequence

_AFTER_COMMA = re.compile(r"[,;:，；：]")

#: Words that tell how much something is liked: who changes them changes their mind.
_LIKINGS = frozenset(
    "like love enjoy adore hate dislike detest loathe mag liebe hasse gusta gustan encanta "
    "encantan odio adoro amo detesto piace piacciono gosto odeio aime adore déteste люблю "
    "обожаю ненавижу "
    "нравится нравятся 喜 欢 讨 厌 爱".split()
)
#: A statement with one of these says two things, and a denial of one leaves the other.
_LISTING = frozenset("and or und oder y e o et ou и или 和 跟".split())

#: What goes on with a statement and leaves what it said before as it was.
_JOINTS = frozenset(
    "in at as with since for from and but because near until when who which by on last next this "
    "in bei als mit seit für aus und aber weil nahe bis wenn "
    "en como con desde para y pero porque cerca hasta cuando "
    "come da per e ma perché vicino fino quando "
    "em na no com por mas porque perto até "
    "à chez comme avec depuis pour et mais parce près jusqu "
    "в на с со из для и но потому около до когда как".split()
)


class Statement:
    """A text and its words, which are computed once: each statement is compared with thousands of
    others."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words in their order."""
        return tuple(sequence(self.text))

    @cached_property
    def essence(self) -> tuple[str, ...]:
        """The words without those that add nothing; all of them if there are no others. Statements
        with the same essence say the same."""
        return tuple(word for word in self.words if word not in NOISE) or self.words

    def same(self, other: "Statement") -> bool:
        """True if two texts say the same: the same words in the same order, apart from words that
        add nothing. A single other word makes another statement: "a friend called Anna" is not
        "called Maria", "was married" not "am married", "5 years" not "6 years"."""
        return self.essence == other.essence

    def extends(self, other: "Statement") -> bool:
        """True if this repeats the other one and adds to it: "I work at Acme as a cook" extends "I
        work at Acme". A single word added at the end is something else: "New York", "guitar
        hero"."""
        said, first = self.words, other.words
        goes_on = len(said) > len(first) > 1 and said[: len(first)] == first
        return goes_on and said[len(first)] in _JOINTS

    def says(self, other: "Statement") -> bool:
        """True if this says everything that the other one says."""
        return self.same(other) or self.extends(other)

    def revises(self, old: "Statement") -> bool:
        """True if this takes the other one back or reverses it: the same words apart from amounts,
        negations, order, and how much it is liked; but not the same statement. Another year is
        another event. A denial also takes back what says more: "I don't eat meat" reverses "I eat
        meat every day". Ignores what follows a comma."""
        if self.same(old):
            return False
        turned = any(one._content and one._content == old._content for one in (self, self._opening))
        return turned or self._opening._denies(old)

    def _denies(self, old: "Statement") -> bool:
        return (
            self._negates
            and not old._negates
            and _LISTING.isdisjoint(old.words)
            and bool(self._content)
            and self._content <= old._content
        )

    @cached_property
    def _opening(self) -> "Statement":
        """What stands before the first comma."""
        return Statement(_AFTER_COMMA.split(self.text)[0])

    @cached_property
    def _negates(self) -> bool:
        return not NEGATIONS.isdisjoint(self.words)

    @cached_property
    def _content(self) -> frozenset[str]:
        """The words without those that a revision changes or adds."""
        words = frozenset(self.essence)
        amounts = {word for word in words if word.isdigit() and not _is_year(word)}
        return words - NEGATIONS - FILLERS - _LIKINGS - NUMERALS - amounts


def _is_year(word: str) -> bool:
    return len(word) == 4 and word[:2] in ("19", "20")
