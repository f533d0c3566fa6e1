"""Recognizes a statement in other texts by its words."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from memory.learning.sameness import core_words, split_at_user
from memory.search.resemblance import telling
from memory.search.text import words

#: A text says a statement again if it has all its telling words and this share of all its words:
#: "You work at Acme" says "I work at Acme", "the Acme of art" does not.
CARRIED_SHARE = 0.75


#: What ends a clause, in any script.
_CLAUSE_END = re.compile(r"[.,;:!?…。，；：！？、؟،]+(?=\s|$)|(?<=[。，；：！？、])|\n+")


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text in which phrasings are looked for: its `words`, and of each clause the words that
    carry it, in order."""

    words: frozenset[str]
    clauses: tuple[tuple[str, ...], ...]

    @property
    def core(self) -> frozenset[str]:
        return frozenset(word for clause in self.clauses for word in clause)

    def replace_words(self, by: Callable[[str], str]) -> "ParsedText":
        """The text with other signs for its words."""
        clauses = tuple(tuple(map(by, clause)) for clause in self.clauses)
        return ParsedText(frozenset(map(by, self.words)), clauses)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """The words of a statement: all its `own`, the `telling` ones, and its `core`, which somebody
    who says it in other words has in the same order."""

    telling: frozenset[str]
    own: frozenset[str]
    core: tuple[str, ...]

    def is_in(self, here: frozenset[str]) -> bool:
        """True if a text of these words (see `all_words`) says the statement, even among other
        things or of somebody else."""
        return self.telling <= here and len(self.own & here) >= CARRIED_SHARE * len(self.own)

    def is_retold_in(self, text: ParsedText) -> bool:
        """True if a clause of the text begins with the statement, perhaps told by somebody else.
        Words before it would make it another statement ("my sister lives in Oslo")."""
        length = len(self.core)
        return set(self.core) == text.core or any(
            clause[:length] == self.core and length > 1 for clause in text.clauses
        )

    def is_mostly_in(self, text: ParsedText) -> bool:
        """True if the text has most of the core: enough if it comes from the same words."""
        core = frozenset(self.core)
        return 2 * len(core & text.core) > len(core)

    def shares_a_word_with(self, text: ParsedText) -> bool:
        """True if the text has a word of the core: enough if it was made of what is deleted."""
        return not text.core.isdisjoint(self.core)

    def replace_words(self, by: Callable[[str], str]) -> "Phrasing":
        """The phrasing with other signs for its words."""
        telling, own = (frozenset(map(by, part)) for part in (self.telling, self.own))
        return Phrasing(telling, own, tuple(map(by, self.core)))


def phrasing_of(statement: str) -> Phrasing | None:
    """The phrasing of a statement; None for one without words. "The user" counts as the
    speaker."""
    text = " ".join(split_at_user(statement))
    own = words(text)
    if not own:
        return None
    told = telling(text, partial(words, text))
    return Phrasing(told, frozenset(own), core_words(text) or tuple(own))


def all_words(text: str) -> frozenset[str]:
    """The words of a text, and the text itself as one more."""
    return frozenset({*words(text), text})


def parse_text(text: str) -> ParsedText:
    """A text to look for phrasings in, also for those in other words."""
    parts = (part for clause in _CLAUSE_END.split(text) for part in split_at_user(clause))
    return ParsedText(all_words(text), tuple(filter(None, map(core_words, parts))))
