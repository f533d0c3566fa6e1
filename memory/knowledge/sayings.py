"""Recognizes a statement in other texts by its words."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from memory.learning.sameness import naming_words, without_user
from memory.search.resemblance import telling
from memory.search.text import stems, words

#: A text says a statement again if it has all its telling words and this share of all its words:
#: "You work at Acme" says "I work at Acme", "the Acme of art" does not.
CARRIED_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Saying:
    """The words of a statement: all its `own`, the `telling` ones, and of these the `core`, which
    somebody who says it in other words uses too."""

    telling: frozenset[str]
    own: frozenset[str]
    core: frozenset[str]

    def is_in(self, here: frozenset[str]) -> bool:
        """True if a text with these words says the statement."""
        return self.telling <= here and self._carried(here)

    def is_retold(self, here: frozenset[str]) -> bool:
        """True if a text with these words, which somebody else wrote about the speaker, says the
        statement."""
        return self.core <= here and (len(self.core) > 1 or self._carried(here))

    def is_half_in(self, here: frozenset[str]) -> bool:
        """True if a text with these words has most of the core: enough if it is known to come from
        the same conversation."""
        return 2 * len(self.core & here) > len(self.core)

    def _carried(self, here: frozenset[str]) -> bool:
        return len(self.own & here) >= CARRIED_SHARE * len(self.own)

    def replace_words(self, by: Callable[[str], str]) -> "Saying":
        """The saying with other signs for its words."""
        parts = (self.telling, self.own, self.core)
        return Saying(*(frozenset(map(by, part)) for part in parts))


def saying_of(statement: str) -> Saying | None:
    """The saying of a statement; None for one without words. "The user" in it is nobody else."""
    text = without_user(statement)
    own = frozenset(words(text))
    if not own:
        return None
    told = telling(text, partial(words, text))
    return Saying(told, own, told - _naming_stems() or told)


def words_of(text: str) -> frozenset[str]:
    """The words to look for sayings in. A long statement is a word of its own."""
    return frozenset({*words(text), text})


@cache
def _naming_stems() -> frozenset[str]:
    return frozenset(
        stem for language, word in naming_words() for stem in stems(word, language or "english")
    )
