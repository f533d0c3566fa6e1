"""Finds days, weekdays, months and feasts in texts of any language."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from memory.learning.folding import UNSPACED, fold, fold_words
from memory.learning.numerals import numbers
from memory.search.lexicon.lexicon import lexicons

_DATA = Path(__file__).with_name("calendar.toml")

DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"
_UNITS = (DAY, WEEK, MONTH, YEAR)
_NEAR = {
    "three_days_ago": -3,
    "day_before_yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "day_after_tomorrow": 2,
    "in_three_days": 3,
}
#: An inflected name shares all but two of its letters, at least so many, and has a short ending.
_STEM, _CUT, _ENDING = 4, 2, 3

_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)")
_HAN = re.compile(
    r"(?:((?:19|20)\d\d)\s*年\s*)?(?<!\d)(1[0-2]|0?[1-9])\s*月(?:\s*(\d{1,2})\s*[日号號])?"
)
_FIGURES = re.compile(r"(?<![\d.,/-])(\d{1,2})([./-])(\d{1,2})(?:\2((?:19|20)?\d\d))?(?![\d/])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"(\d{1,2})(?!\d)")
#: No more letters stand between a day, its month and the year: "26 de junio de 2026", "20th of".
_BETWEEN = 4


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """The parts of a date as it is written. If `ambiguous`, day and month may be the other way
    round ("3/4/2026")."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class TimeWords:
    """What a text names of the calendar. Days are counted from the day it was said; feasts are
    (month, day) or, as one number, days from Easter."""

    weekdays: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    units: frozenset[str] = frozenset()
    seasons: frozenset[int] = frozenset()
    feasts: frozenset[tuple[int, ...]] = frozenset()
    weekend: bool = False
    next: bool = False
    #: Weekdays of which not the coming one is meant, but the one after: "Monday week".
    week_later: frozenset[int] = frozenset()
    in_two_weeks: bool = False


@lru_cache(maxsize=1_000)
def time_words(text: str) -> TimeWords:
    """What a text names of the calendar, in any language, generously: "sat" may be a Saturday."""
    folded = fold(text)
    words = fold_words(folded)
    return TimeWords(
        # "Неделя" is a week in Russian and a Sunday in Bulgarian.
        weekdays=frozenset(
            _find_names("weekdays", folded, [w for w in words if w not in _index("units")[0]])
        ),
        months=frozenset(_find_names("months", folded, words))
        | {int(match[2]) for match in _HAN.finditer(folded)}
        | {int(n) for n in _han_months(folded)},
        days=frozenset(_find_days(words)),
        units=frozenset(_UNITS[n] for n in _find_names("units", folded, words)),
        seasons=frozenset(_find_names("seasons", folded, words)),
        feasts=frozenset(_feasts_in(" ".join(words))),
        weekend=any(_find_names("weekend", folded, words)),
        next=any(_find_names("next", folded, words)),
        week_later=frozenset(_weekdays_later(folded, words)),
        in_two_weeks=any(_find_names("in_two_weeks", folded, words)),
    )


def _han_months(folded: str) -> Iterator[int]:
    """Months in Chinese numerals: 十月."""
    for run in re.findall("([一二三四五六七八九十]{1,2})月", folded):
        yield from (int(n) for n in numbers(run) if 1 <= n <= 12)


def statement_dates(text: str) -> list[WrittenDate]:
    """The dates that a statement writes out, with a month at least: "23 October 2026", "March
    2026", "2026-10-23", "23.10."."""
    rest, found = fold(text), []

    def take(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        nonlocal rest
        matches = list(pattern.finditer(rest))
        rest = pattern.sub(" ; ", rest)
        yield from matches

    for match in (*take(_ISO), *take(_HAN)):
        year, month, day = (int(part) if part else None for part in match.groups())
        found.append(WrittenDate(year, month, day))
    for match in take(_FIGURES):
        first, second = int(match[1]), int(match[3])
        year = _whole_year(match[4])
        # "8.40" and "3/4" are no dates unless there is a year or a closing dot.
        if year is None and not (match[2] == "." and _ends_in_dot(match)):
            continue
        if first <= 31 and second <= 12:
            found.append(WrittenDate(year, second, first, ambiguous=first <= 12))
        elif first <= 12 and second <= 31:
            found.append(WrittenDate(year, first, second))
    return found + _with_names(rest)


def _ends_in_dot(match: re.Match[str]) -> bool:
    """True for "23.10." with its closing dot."""
    return match.string[match.end() : match.end() + 1] == "."


def _whole_year(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if len(written) == 4 else 2000 + int(written)


def _with_names(folded: str) -> list[WrittenDate]:
    """Dates whose months are named."""
    tokens = [match for match in re.finditer(r"[\w\u0900-\u0963]+", folded)]
    found: list[WrittenDate] = []
    for place, token in enumerate(tokens):
        months = _strict_months().get(token.group()) or _strict_stem(token.group())
        if not months:
            continue
        day, year = _neighbours(tokens, place)
        if day or year:
            found += [WrittenDate(year, month, day) for month in sorted(months)[:1]]
    return found


def _neighbours(tokens: Sequence[re.Match[str]], place: int) -> tuple[int | None, int | None]:
    """The day and the year that stand beside a month."""
    day = year = None
    for step in (-1, -2, 1, 2, 3):
        at = place + step
        if not 0 <= at < len(tokens):
            continue
        between = tokens[min(place, at) + 1 : max(place, at)]
        if any(len(t.group()) > _BETWEEN for t in between if not t.group()[0].isdigit()):
            continue
        word = tokens[at].group()
        if _YEAR.fullmatch(word):
            year = year or int(word)
        elif day is None and (number := _NUMBER.match(word)) and 1 <= int(number[1]) <= 31:
            day = int(number[1])
    return day, year


def certain_weekdays(text: str) -> frozenset[int]:
    """The weekdays that a statement names for certain, by their full names."""
    folded = fold(text)
    found = {number for word in fold_words(folded) for number in _full_weekdays().get(word, ())}
    unspaced = (name for name in _full_weekdays() if UNSPACED.match(name) and name in folded)
    return frozenset(found | {n for name in unspaced for n in _full_weekdays()[name]})


def feast_days(feasts: frozenset[tuple[int, ...]], year: int) -> Iterator[date]:
    """The days of these feasts in a year."""
    for feast in feasts:
        yield date(year, *feast) if len(feast) == 2 else easter(year) + timedelta(days=feast[0])


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (8 * b + 13) // 25
    g = (19 * a + b - d - f + 15) % 30
    h, i = divmod(c, 4)
    j = (32 + 2 * e + 2 * h - g - i) % 7
    k = (a + 11 * g + 22 * j) // 451
    month, day = divmod(g + j - 7 * k + 114, 31)
    return date(year, month, day + 1)


# -- the data -------------------------------------------------------------------------------------

_Names = Mapping[str, frozenset[int]]


def _find_days(words: Sequence[str]) -> Iterator[int]:
    """Days from today by their names; "the day after tomorrow" does not name tomorrow too."""
    text = f" {' '.join(words)} "
    for name, numbers_ in _day_names():
        found = name if UNSPACED.search(name) else f" {name} "
        if found in text:
            text = text.replace(found, " ; ")
            yield from numbers_


@cache
def _day_names() -> tuple[tuple[str, frozenset[int]], ...]:
    names: dict[str, set[int]] = {}
    for name, number in _rows("days"):
        names.setdefault(" ".join(fold_words(fold(name))), set()).add(number)
    longest = sorted(names, key=len, reverse=True)
    return tuple((name, frozenset(names[name])) for name in longest)


def _find_names(kind: str, folded: str, words: Sequence[str]) -> Iterator[int]:
    """The numbers of the names of this kind that a text contains."""
    names, stems, phrases, unspaced = _index(kind)
    for word in words:
        found = names.get(word) or next(
            (
                stems[word[: len(word) - cut]]
                for cut in range(_ENDING + 1)
                if len(word) - cut >= _STEM and word[: len(word) - cut] in stems
            ),
            frozenset(),
        )
        yield from found
    spaced = f" {' '.join(words)} "
    for phrase, found in phrases.items():
        if f" {phrase} " in spaced:
            yield from found
    if UNSPACED.search(folded):
        for name, found in unspaced.items():
            if name in folded:
                yield from found


@cache
def _index(kind: str) -> tuple[_Names, _Names, _Names, _Names]:
    """The names of a kind: whole words, their stems, phrases, and those of unspaced scripts."""
    words: dict[str, set[int]] = {}
    stems: dict[str, set[int]] = {}
    phrases: dict[str, set[int]] = {}
    unspaced: dict[str, set[int]] = {}
    for name, number in _rows(kind):
        folded = fold(name)
        if UNSPACED.search(folded):
            unspaced.setdefault(folded, set()).add(number)
            continue
        parts = fold_words(folded)
        if len(parts) != 1:
            phrases.setdefault(" ".join(parts), set()).add(number)
            continue
        words.setdefault(parts[0], set()).add(number)
        for cut in range(_CUT + 1):
            if len(parts[0]) - cut > _STEM:
                stems.setdefault(parts[0][: len(parts[0]) - cut], set()).add(number)
    return _freeze(words), _freeze(stems), _freeze(phrases), _freeze(unspaced)


def _freeze(names: Mapping[str, set[int]]) -> _Names:
    return {name: frozenset(numbers) for name, numbers in names.items()}


def _rows(kind: str) -> Iterator[tuple[str, int]]:
    """Each name of a kind, with its number: of a weekday, a month, a unit, or days from today."""
    for table in _languages().values():
        for number, names in _rows_in(kind, table):
            words = names.split() if isinstance(names, str) else names
            yield from ((name.replace("_", " "), number) for name in words)
    for lexicon in lexicons().values():
        if kind in ("months", "weekdays", "seasons"):
            listed: Sequence[Sequence[str]] = getattr(lexicon.dates, kind)
            for number, names in enumerate(listed, kind == "months"):
                yield from ((name, number) for name in names)


def _rows_in(kind: str, table: Mapping[str, Any]) -> Iterable[tuple[int, str | Sequence[str]]]:
    match kind:
        case "units":
            return enumerate(table.get(unit, "") for unit in _UNITS)
        case "days":
            return ((number, table.get(field, ())) for field, number in _NEAR.items())
        case "weekend" | "next" | "in_two_weeks":
            return [(1, table.get(kind, ()))]
    return enumerate(table.get(kind, ()), kind == "months")


def _weekdays_later(folded: str, words: Sequence[str]) -> Iterator[int]:
    """The weekdays that a text names with a week between."""
    spaced = f" {' '.join(words)} "
    for template, number in _templates():
        if template.search(folded if UNSPACED.search(template.pattern) else spaced):
            yield number


@cache
def _templates() -> tuple[tuple[re.Pattern[str], int], ...]:
    """What stands around a weekday if not the coming one is meant, for each language and day."""
    found: list[tuple[re.Pattern[str], int]] = []
    for table in _languages().values():
        for number, row in enumerate(table["weekdays"]):
            names = "|".join(re.escape(fold(name.replace("_", " "))) for name in row.split())
            for template in table.get("week_later", ()):
                folded = fold(template.replace("{day}", "§"))
                words = folded if UNSPACED.search(folded) else rf"\b{folded}\b"
                words = words.replace(r"\b§", "§").replace(r"§\b", "§")
                found.append((re.compile(words.replace("§", rf"(?:{names})\w{{0,2}}")), number))
    return tuple(found)


def _feasts_in(words: str) -> Iterator[tuple[int, ...]]:
    for name, feast in _feasts().items():
        if name in words and (UNSPACED.search(name) or f" {name}" in f" {words}"):
            yield feast


@cache
def _feasts() -> Mapping[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for day, names in _data()["feasts"].items():
        if day.startswith("easter"):
            feast: tuple[int, ...] = (int(day.removeprefix("easter")),)
        else:
            feast = (int(day[:2]), int(day[3:]))
        found.update({" ".join(fold_words(fold(name))): feast for name in names})
    return found


@cache
def _strict_months() -> _Names:
    """Full names of months: "set" and "mar" are words, too."""
    names: dict[str, set[int]] = {}
    for table in _languages().values():
        for number, row in enumerate(table.get("months", ()), 1):
            for place, name in enumerate(row.split()):
                if place == 0 or len(name) > 3:
                    names.setdefault(fold(name), set()).add(number)
    for lexicon in lexicons().values():
        for number, row in enumerate(lexicon.dates.months, 1):
            for name in row:
                if len(name) > 3:
                    names.setdefault(fold(name), set()).add(number)
    return _freeze(names)


def _strict_stem(word: str) -> frozenset[int]:
    """The month of an inflected name."""
    for cut in (1, 2):
        if len(word) - cut > _STEM and word[:-cut] in _month_stems():
            return _month_stems()[word[:-cut]]
    return frozenset()


@cache
def _month_stems() -> _Names:
    stems: dict[str, set[int]] = {}
    for name, numbers_ in _strict_months().items():
        for cut in (0, 1):
            if len(name) - cut > _STEM:
                stems.setdefault(name[: len(name) - cut], set()).update(numbers_)
    return _freeze(stems)


@cache
def _full_weekdays() -> _Names:
    names: dict[str, set[int]] = {}
    for name, number in _rows("weekdays"):
        folded = fold(name)
        if len(folded) > 4 or not folded.isascii():
            names.setdefault(folded, set()).add(number)
    return {name: frozenset(found) for name, found in names.items() if len(found) == 1}


def _languages() -> Mapping[str, Mapping[str, Any]]:
    return {code: table for code, table in _data().items() if code != "feasts"}


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
