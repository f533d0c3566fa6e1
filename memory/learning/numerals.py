"""Numbers in a text of any language, in figures and in words.

"32k", "32,000" and "thirty two thousand" are one number. What can be read in several ways is read
in all of them ("1.500" is 1500 and 1.5, "8.40" is 8, 40 and 8.4): this serves to find out whether a
number may have been said, and a number too many does less harm than one too few."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path

from memory.learning.folding import fold, fold_words
from memory.search.lexicon.lexicon import lexicons
from memory.search.text import latin_language, plain_words

_DATA = Path(__file__).with_name("numerals.toml")
#: The entries that are not languages.
_OTHER = ("multipliers", "unsure")
_SCRIPTS = (
    (re.compile("[\u0400-\u052f]"), "ru"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
)

_FIGURES = re.compile(r"\d+(?:[.,'  :]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{2,3})*[.,' ]\d{3}")
_FRACTION = re.compile(r"\d+[.,]\d{1,3}")
_AFTER = re.compile(r"\s?([^\W\d_]+)")
_HALF, _QUARTER = Decimal("0.5"), Decimal("0.25")

_HAN = dict(
    zip(
        "零〇一二两兩三四五六七八九俩倆仨廿卅",
        map(Decimal, (0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2, 3, 20, 30)),
        strict=True,
    )
)
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN_RUN = re.compile(f"[{''.join(_HAN)}{''.join(_HAN_UNITS)}\\d.半]+")

#: What Arabic and Hebrew write together with a word: and, so, in, to, as, from, the.
_PREFIX = re.compile(
    "^(?:[\u0648\u0641\u0628\u0644\u0643\u05d1\u05d4\u05d5\u05dc\u05de]{0,2}"
    "(?:\u0627\u0644)?)(?=..)"
)
#: The longest run of number words that is read, and the largest number.
_LONGEST, _MOST = 8, Decimal(10) ** 15
#: The ending that an inflected number word may have, and the letters it must share.
_ENDING, _STEM = 4, 5
#: Words of so many letters may stand between number words: "thirty and two".
_LINK = 3


def numbers(text: str) -> frozenset[Decimal]:
    """All numbers that a text may name, in figures or in words."""
    return _numbers(fold(text))


def number_words(text: str) -> list[tuple[str, frozenset[Decimal]]]:
    """The numbers of a statement that are words of its language, from three to a thousand: as
    written, and what each may mean. Smaller ones are often counted up instead of said, and some
    words mean something else too."""
    table = _table().get(_language(text), {})
    found: list[tuple[str, frozenset[Decimal]]] = []
    run: list[str] = []
    for word in (*fold_words(fold(text)), ""):
        bare = word if word in table else _bare(word)
        if bare in table and bare not in _unsure():
            run.append(bare)
        elif (run and len(word) > _LINK) or not word:
            values = [table[each] for each in run]
            if values and any(3 <= value <= 1000 for value in values):
                meanings = {_sum(values[n:]) for n in range(len(values))}
                meanings |= {_sum(values[: n + 1]) for n in range(len(values))}
                found.append((" ".join(run), frozenset(n.normalize() for n in meanings)))
            run = []
    return found


def _language(text: str) -> str:
    """The code of the language that a text is in."""
    for letters, code in _SCRIPTS:
        if letters.search(text):
            return code
    snowball = latin_language(plain_words(text))
    return next(code for code, each in lexicons().items() if each.snowball == snowball)


def figures(text: str) -> list[tuple[str, frozenset[Decimal]]]:
    """The numbers of a text that are written in figures, in order: as written, and what each may
    mean."""
    folded = fold(text)
    return [
        (match.group(), frozenset(_meanings(match, folded))) for match in _FIGURES.finditer(folded)
    ]


@lru_cache(maxsize=2_000)
def _numbers(folded: str) -> frozenset[Decimal]:
    found: set[Decimal] = set()
    for match in _FIGURES.finditer(folded):
        found.update(_meanings(match, folded))
        found.update(Decimal(part) for part in re.findall(r"\d+", match.group()))
    found.update(_of_words(fold_words(folded)))
    for run in _HAN_RUN.findall(folded):
        if not run.isascii():
            found.update(_of_han(run.strip(".")))
    return frozenset(number.normalize() for number in found if number < _MOST)


def _meanings(match: re.Match[str], folded: str) -> Iterator[Decimal]:
    """What figures may mean, each also times what follows them: "32k", "3 Millionen"."""
    written = match.group()
    plain = [Decimal(written)] if written.isdecimal() else []
    if _GROUPED.fullmatch(written):
        plain.append(Decimal(re.sub(r"\D", "", written)))
    if _FRACTION.fullmatch(written):
        plain.append(Decimal(written.replace(",", ".")))
    elif not plain:
        *whole, last = re.split(r"[.,]", written)
        digits = re.sub(r"\D", "", "".join(whole))
        if digits and last.isdecimal():
            plain.append(Decimal(f"{digits}.{last}"))
    yield from (number.normalize() for number in plain)
    following = _AFTER.match(folded, match.end())
    times = _multiplier(following.group(1)) if following else None
    if times:
        yield from ((number * times).normalize() for number in plain)


@lru_cache(maxsize=2_000)
def _multiplier(word: str) -> Decimal | None:
    """What a word multiplies the figures before it with."""
    if word in _multipliers():
        return _multipliers()[word]
    if word[0] in _HAN_UNITS:
        return Decimal(_HAN_UNITS[word[0]])
    value = number_word(word)
    return value if value and value >= 100 else None


def _of_words(words: Sequence[str]) -> Iterator[Decimal]:
    """The numbers that runs of number words may mean: each part of a run, and the whole."""
    for run in _runs(words):
        for reading in (run, _with_eighties(run)):
            for start in range(len(reading)):
                for end in range(start + 1, min(len(reading), start + _LONGEST) + 1):
                    part = reading[start:end]
                    yield _sum(part)
                    yield from _pairs(part[0], _sum(part[1:]))


def _with_eighties(run: Sequence[Decimal]) -> list[Decimal]:
    """The run with "quatre-vingt" as one word."""
    found: list[Decimal] = []
    for value in run:
        if value == 20 and found and found[-1] == 4:
            found[-1] = Decimal(80)
        else:
            found.append(value)
    return found


def _pairs(first: Decimal, second: Decimal) -> Iterator[Decimal]:
    """Further readings of two numbers in a row: "nineteen ninety", "two point five"."""
    if first != int(first) or second != int(second) or not 0 < second < 100:
        return
    if 10 <= first < 100:
        yield first * 100 + second
    yield Decimal(f"{int(first)}.{int(second)}")


def _runs(words: Sequence[str]) -> Iterator[list[Decimal]]:
    """The values of number words that stand together, with at most one short word between."""
    run: list[Decimal] = []
    gap = ""
    for word in words:
        value = number_word(word)
        if value is not None:
            run.append(value)
            gap = ""
        elif run and not gap and len(word) <= 5:
            gap = word
        else:
            if run:
                yield run
            run, gap = [], ""
    if run:
        yield run


def _sum(values: Iterable[Decimal]) -> Decimal:
    """The number that number words in a row mean."""
    total = current = Decimal(0)
    for value in values:
        if value >= 1000:
            total += (current or 1) * value
            current = Decimal(0)
        elif value >= 100 and 0 < current < 100:
            current *= value
        else:
            current += value
    return total + current


def _of_han(run: str) -> Iterator[Decimal]:
    """The numbers of a run of Chinese numerals: 三十二, 二〇二六, 3万, 两半."""
    if all(sign in _HAN for sign in run):
        yield from (_HAN[sign] for sign in run)
        digits = "".join(str(_HAN[sign]) for sign in run)
        yield Decimal(digits)
        return
    total = section = current = Decimal(0)
    digits, last = "", 0
    for sign in run:
        if sign.isdecimal() or sign == ".":
            digits += sign
            continue
        if digits:
            current, digits = Decimal(digits.strip(".") or 0), ""
        if sign in _HAN:
            current = _HAN[sign]
        elif sign == "半":
            current += _HALF
        elif (unit := _HAN_UNITS[sign]) >= 10**4:
            last = unit
            total += (section + current or 1) * unit
            section = current = Decimal(0)
        else:
            section += (current or 1) * unit
            current, last = Decimal(0), unit
    yield total + section + (Decimal(digits.strip(".") or 0) if digits else current)
    if last > 10:
        yield total + section + current * last / 10  # 两万五: 25,000
    # 三四个: three or four.
    yield from (_HAN[sign] for sign in run if sign in _HAN)


@lru_cache(maxsize=20_000)
def number_word(word: str) -> Decimal | None:
    """The value of a folded number word; it may be inflected, have a small word in front ("d'une"),
    or be composed of others ("zweiunddreißig")."""
    exact = _words().get(word)
    if exact is not None:
        return exact
    bare = _bare(word)
    if bare != word and bare in _words():
        return _words()[bare]
    for cut in range(1, min(_ENDING, len(bare) - _STEM) + 1):
        stem = bare[: len(bare) - cut]
        if stem in _stems():
            return _stems()[stem]
    if len(bare) > _STEM:
        for words in _table().values():
            if parts := _parts_of(bare, words):
                return _sum(parts)
    return None


def _bare(word: str) -> str:
    """A word without the small ones that are written together with it."""
    if re.match("[\u0590-\u06ff]", word):
        return _PREFIX.sub("", word)
    return word.rpartition("'")[2] or word


def _parts_of(word: str, words: Mapping[str, Decimal], depth: int = 0) -> tuple[Decimal, ...]:
    """The values of the number words of one language that a word is made of, with up to three
    letters between them and another ending; none if it is not."""
    for end in range(len(word) - 1, 1, -1):
        value, rest = words.get(word[:end]), word[end:]
        if value is None:
            continue
        if depth and len(rest) <= _ENDING and end >= _STEM - 1:
            return (value,)
        for link in range(min(4, len(rest) - 1)):
            last = words.get(rest[link:])
            if last is not None:
                return (value, last)
            if depth < _LONGEST and (parts := _parts_of(rest[link:], words, depth + 1)):
                return (value, *parts)
    return ()


@cache
def _table() -> Mapping[str, Mapping[str, Decimal]]:
    """The values of the number words of each language, folded."""
    return {code: _values(lines) for code, lines in _data().items() if code not in _OTHER}


@cache
def _unsure() -> frozenset[str]:
    return frozenset(map(fold, _data()["unsure"].split()))


@cache
def _data() -> Mapping[str, str]:
    data: dict[str, str] = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    return data


@cache
def _words() -> Mapping[str, Decimal]:
    tables = reversed(list(_table().values()))
    return {word: value for words in tables for word, value in words.items()}


@cache
def _multipliers() -> Mapping[str, Decimal]:
    return _values(_data()["multipliers"])


def _values(lines: str) -> Mapping[str, Decimal]:
    rows = (line.split() for line in lines.strip().splitlines())
    return {fold(word): Decimal(value) for value, *words in rows for word in words}


@cache
def _stems() -> Mapping[str, Decimal]:
    """Number words as they begin: what follows may be another ending."""
    stems: dict[str, Decimal] = {}
    for word, value in _words().items():
        for cut in (0, 1, 2):
            if len(word) - cut >= _STEM:
                stems.setdefault(word[: len(word) - cut], value)
    return stems
