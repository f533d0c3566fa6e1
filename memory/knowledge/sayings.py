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
class Text:
    """A text as sayings are looked for in it: its `words`, and of each clause the words that carry
    it, in order."""

    words: frozenset[str]
    clauses: tuple[tuple[str, ...], ...]

    @property
    def core(self) -> frozenset[str]:
        return frozenset(word for clause in self.clauses for word in clause)

    def replace_words(self, by: Callable[[str], str]) -> "Text":
        """The text with other signs for its words."""
        clauses = tuple(tuple(map(by, clause)) for clause in self.clauses)
        return Text(frozenset(map(by, self.words)), clauses)


@dataclass(frozen=True, slots=True)
class Saying:
    """The words of a statement: all its `own`, the `telling` ones, and its `core`, which somebody
    who says it in other words has in the same order."""

    telling: frozenset[str]
    own: frozenset[str]
    core: tuple[str, ...]

    def is_in(self, here: frozenset[str]) -> bool:
        """True if a text of these words (see `words_of`) says the statement, even among other
        things or of somebody else."""
        return self.telling <= here and len(self.own & here) >= CARRIED_SHARE * len(self.own)

    def is_retold(self, text: Text) -> bool:
        """True if a text, perhaps of somebody who tells of the speaker, says the statement at the
        beginning of a clause: what comes before it would make it another one ("my sister lives in
        Oslo")."""
        length = len(self.core)
        return set(self.core) == text.core or any(
            clause[:length] == self.core and length > 1 for clause in text.clauses
        )

    def is_half_in(self, text: Text) -> bool:
        """True if a text has most of the core: enough if it is known to come from the same
        words."""
        core = frozenset(self.core)
        return 2 * len(core & text.core) > len(core)

    def touches(self, text: Text) -> bool:
        """True if a text has a word of the core: enough if it is known to be made of texts that are
        to go."""
        return not text.core.isdisjoint(self.core)

    def replace_words(self, by: Callable[[str], str]) -> "Saying":
        """The saying with other signs for its words."""
        telling, own = (frozenset(map(by, part)) for part in (self.telling, self.own))
        return Saying(telling, own, tuple(map(by, self.core)))


def saying_of(statement: str) -> Saying | None:
    """The saying of a statement; None for one without words. "The user" in it is nobody else."""
    text = " ".join(split_at_user(statement))
    own = words(text)
    if not own:
        return None
    told = telling(text, partial(words, text))
    return Saying(told, frozenset(own), core_words(text) or tuple(own))


def words_of(text: str) -> frozenset[str]:
    """The words of a text. A long one is a word of its own."""
    return frozenset({*words(text), text})


def text_of(text: str) -> Text:
    """A text to look for sayings in, also for those in other words."""
    parts = (part for clause in _CLAUSE_END.split(text) for part in split_at_user(clause))
    return Text(words_of(text), tuple(filter(None, map(core_words, parts))))
