"""Finds names in a statement, and whether they were said.

Names are recognised by their capitals, so only where a script has some and a language does not
write every noun with one. They are compared as people write them: in lower case, inflected,
abbreviated, with a slip of the pen."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from memory.learning.calendar import time_words
from memory.learning.folding import UNSPACED, fold, fold_words
from memory.search.lexicon.lexicon import lexicons
from memory.search.text import latin_language, plain_words

#: Letters of scripts that have capitals: Latin, Greek, Cyrillic, Armenian.
_LETTER = "[A-Za-z\u00c0-\u024f\u0370-\u058f\u1e00-\u1fff]"
_TOKEN = re.compile(rf"{_LETTER}+(?:['’.&-]{_LETTER}+)*")
#: An end of a sentence, a speaker's label, an opening mark: a capital after them says nothing.
_OPENING = re.compile(r"(?:^|^\w+(?: \w+)?[:：]|[.!?…;。！？]|\n)[\s\"'“„«(\[¿¡*-]*$")
_VOWELS = re.compile("[aeiouyаеиоуыэюяьъй]")
_LATIN = re.compile("[a-z]")
#: Languages that write every noun with a capital, as Snowball calls them.
_CAPITAL_NOUNS = frozenset({"german"})
_SAME_SHARE = 0.6
#: Between names of one group: maximum letters of a word, and number of words.
_SHORT, _BETWEEN = 3, 2
_APART = "-"
_MARK = re.compile(r"[^\s\w]|\d")


@dataclass(frozen=True)
class Spoken:
    """Texts that names may come from."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self._in_order)

    def has(self, name: str) -> bool:
        """True if this name, folded, was said in some form."""
        if name in self.words or any(_akin(name, word) for word in self.words):
            return True
        if (len(name) > 3 or UNSPACED.match(name)) and name in self._without_spaces:
            return True
        return len(name) > 1 and name in self._initials

    def has_initials(self, initials: str) -> bool:
        """True if several names were said by their first letters: "NYC"."""
        return len(initials) > 1 and any(
            word.startswith(initials) for word in self.words if len(word) <= len(initials) + 1
        )

    @cached_property
    def is_latin(self) -> bool:
        return any(_LATIN.match(word) for word in self.words)

    @cached_property
    def _in_order(self) -> tuple[str, ...]:
        return tuple(word.replace("'", "") for word in fold_words(fold(self.text)))

    @cached_property
    def _without_spaces(self) -> str:
        return "".join(self._in_order)

    @cached_property
    def _initials(self) -> str:
        return "".join(word[0] for word in self._in_order)


def count_names(text: str) -> int:
    """How many names a statement has."""
    return sum(len(group) for group, _ in _groups(text, text))


def unsaid_names(text: str, spoken: Spoken) -> list[str]:
    """The names in a statement that were not said, as the statement writes them."""
    missing: list[str] = []
    for group, initials in _groups(text, f"{text}\n{spoken.text}"):
        words = [
            [fold(part).replace("'", "") for part in re.split("[.&-]", name)] for name in group
        ]
        short = "".join(part[0] for parts in words for part in parts if part)
        if spoken.has_initials(short) or spoken.has_initials(initials):
            continue
        for name, parts in zip(group, words, strict=True):
            whole = "".join(parts)
            said = spoken.has(whole) or all(spoken.has(part) for part in parts if part)
            foreign = bool(_LATIN.match(whole)) and not spoken.is_latin
            if not said and not foreign:
                missing.append(name)
    return missing


def _groups(text: str, context: str) -> Iterator[tuple[list[str], str]]:
    """The names of a text, those together that stand side by side or have only short words between
    ("Ciudad de México"), and the initials of all these words."""
    text = unicodedata.normalize("NFKC", text)
    nouns_too = latin_language(plain_words(context)) in _CAPITAL_NOUNS
    group: list[str] = []
    initials, between, end = "", "", 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        if _MARK.search(text, end, match.start()):
            between += _APART
        end = match.end()
        if not _is_name(word, text[: match.start()], nouns_too):
            between += fold(word)[0] if len(word) <= _SHORT else _APART
            continue
        if group and (len(between) > _BETWEEN or _APART in between):
            yield group, initials
            group, initials = [], ""
        initials += f"{between if group else ''}{fold(word)[0]}"
        group.append(word)
        between = ""
    if group:
        yield group, initials


def _is_name(word: str, before: str, nouns_too: bool) -> bool:
    capitals = [letter for letter in word if letter.isupper()]
    if not capitals or fold(word) in _small_words():
        return False
    inner = any(letter.isupper() for letter in word[1:])
    if not inner and (nouns_too or _OPENING.search(before)):
        return False
    if len(word) == 1:
        return False
    named = time_words(word)
    return not (named.weekdays or named.months or named.feasts)


def _akin(name: str, word: str) -> bool:
    """True if two words look like one name: inflected, abbreviated, or misspelt."""
    if name[0] != word[0] or word in _small_words():
        return _is_slip(name, word)
    common = next(
        (n for n, (a, b) in enumerate(zip(name, word, strict=False)) if a != b),
        min(len(name), len(word)),
    )
    if common > _SAME_SHARE * max(len(name), len(word)):
        return True
    if 2 <= len(word) <= 5 and common == len(word):
        return True  # "St" for Street, "insta" for Instagram
    bare, other = _VOWELS.sub("", word), _VOWELS.sub("", name)
    if len(bare) >= 3 and bare == other:
        return True  # Павла for Павел
    if 2 <= len(word) <= 5 and bare == word and _is_within(word, name):
        return True  # "Dr" for Doctor, "blvd" for Boulevard
    if 4 <= len(word) <= 5 < len(name) and word[-1] == name[-1] and _is_within(word, name):
        return True  # "bham" for Birmingham
    if len(name) >= 4 and word.startswith(name[:-1]) and len(word) <= len(name) + 3:
        return True  # "Пашки" for Паши, "Annie" for Anna
    return _is_slip(name, word)


def _is_within(letters: str, word: str) -> bool:
    """True if the word has these letters in their order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _is_slip(name: str, word: str) -> bool:
    """True if a few letters are wrong: one of five, two of eight."""
    most = 2 if len(name) >= 8 else 1 if len(name) >= 5 else 0
    return bool(most) and abs(len(name) - len(word)) <= most and _distance(name, word, most) <= most


def _distance(one: str, other: str, most: int) -> int:
    """How many letters have to be changed, added, left out or swapped; more than `most` is any
    larger number."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


@cache
def _small_words() -> frozenset[str]:
    each = lexicons().values()
    names = {fold(word) for lexicon in each for word in lexicon.names}
    return frozenset(fold(word) for lexicon in each for word in lexicon.small_words) - names
