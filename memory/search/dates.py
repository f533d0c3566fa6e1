"""Days as index words, so that "what did I do in March?" finds what was said in March.

A day becomes words such as `§2023`, `§m05`, `§2023m05` and `§2023m05d08`; the sign keeps them apart
from anything people write. A query that names a date, or one relative to now, asks for those
words.

Dates are also told from today: "yesterday", "last spring", "vor zwei Wochen", "el mes pasado". All
languages are read at once: no word of one means another time in the next. Seasons are those of the
northern hemisphere. What a phrase may mean is a list of ISO texts, whole or partial: "2026-03-02",
"2026-03", "2026"."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import TypeVar

from memory.search.lexicon.lexicon import Dates, WordRows, Words, all_of, any_of, lexicons

_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"


@cache
def months() -> Mapping[str, int]:
    """The names of the months, with their numbers."""
    return {
        name: number
        for lexicon in lexicons().values()
        for number, names in enumerate(lexicon.dates.months, 1)
        for name in names
    }


@cache
def _ways_to_write() -> tuple[re.Pattern[str], ...]:
    """Patterns in order: what one has matched the next ones don't see."""
    month = rf"(?P<month>{any_of(months())})\b\.?"
    day = rf"(?P<day>[0-3]?\d)(?:{any_of(all_of(lambda dates: dates.ordinals))}|\.)?(?!\w)"
    of = rf"(?:(?:{any_of(all_of(lambda dates: dates.of))})\s+)?"
    before = rf"(?<!\w)(?:{any_of(all_of(lambda dates: dates.before_months))})\s+"
    patterns = (
        rf"(?<!\d){_YEAR}-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-3]\d))?(?!\d)",
        r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?<!\d)(?P<month>1[0-2]|0?[1-9])\s*月"
        r"(?:\s*(?P<day>[0-3]?\d)\s*[日号])?",
        rf"(?<!\w){day}\s+{of}{month}(?:,?\s+{of}{_YEAR})?",
        rf"(?<!\w){month}\s+{day}(?:,?\s+{_YEAR})?",
        rf"(?<!\w){month},?\s+{of}{_YEAR}",
        # A bare month needs a word before it that makes it one: "may" and "march" are verbs too.
        rf"{before}{month}",
        rf"{before}{_YEAR}",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def date_words(day: date) -> list[str]:
    """The index words of a day: its year, its month in any year, the month, and the day itself."""
    return [f"§{day.year}", f"§m{day.month:02}", f"§{day:%Ym%m}", f"§{day:%Ym%md%d}"]


def named_dates(text: str, now: datetime) -> tuple[frozenset[str], str]:
    """The index words of the dates that a text names in figures, by month, or relative to `now` in
    its own time zone; any of them may be meant. Also the text without those dates."""
    words = _WORDS.findall(text.casefold())
    found: set[str] = set()
    if _may_be_relative(text, words):
        relative, text = _take_relative(text, now.date())
        found.update("§" + iso.replace("-", "m", 1).replace("-", "d", 1) for iso in relative)
    if months().keys().isdisjoint(words) and not _DIGIT.search(text):
        return frozenset(found), text
    for written in _ways_to_write():
        for match in written.finditer(text):
            found.update(_date_words_of(**match.groupdict()))
        text = written.sub(" ", text)
    return frozenset(found), text


def written_dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    """The dates written in a text as year, month and day, each None if absent."""
    found: list[tuple[int | None, int | None, int | None]] = []
    for written in _ways_to_write():
        for match in written.finditer(text):
            parts = match.groupdict()
            year, month, day = (parts.get(name) for name in ("year", "month", "day"))
            number = (
                int(month) if month and month.isdigit() else months().get((month or "").lower())
            )
            found.append((int(year) if year else None, number, int(day) if day else None))
        text = written.sub(" ", text)
    return found


def _date_words_of(
    year: str | None = None, month: str | None = None, day: str | None = None
) -> list[str]:
    """The index words of a date as written. A day includes its month, because people talk about it
    later."""
    if not month:
        return [f"§{year}"]
    number = int(month) if month.isdigit() else months()[month.casefold()]
    if not year:
        return [f"§m{number:02}"]
    words = [f"§{year}m{number:02}"]
    return [*words, f"{words[0]}d{int(day):02}"] if day else words


T = TypeVar("T")

DAYS, WEEKS, MONTHS, YEARS = "days", "weeks", "months", "years"
#: Where a lexicon has the words of each unit.
UNITS: Mapping[str, Callable[[Dates], Words]] = {
    DAYS: lambda dates: dates.day,
    WEEKS: lambda dates: dates.week,
    MONTHS: lambda dates: dates.month,
    YEARS: lambda dates: dates.year,
}
_WORD = re.compile(r"\w+")


@cache
def _units() -> Mapping[str, str]:
    return _by_word({name: unit(each) for name, unit in UNITS.items()} for each in _languages())


@cache
def counts() -> Mapping[str, int]:
    """Small numbers by their words."""
    return _numbers_by_word(lambda dates: dates.counts, 1)


@cache
def _weekdays() -> Mapping[str, int]:
    return _numbers_by_word(lambda dates: dates.weekdays, 0)


@cache
def _seasons() -> Mapping[str, int]:
    """Seasons by their first month."""
    return _numbers_by_word(lambda dates: dates.seasons, 3, 3)


@cache
def _day_names() -> Mapping[str, int]:
    """Names of past days by how many days ago they were."""
    names = _by_word({1: each.yesterday, 2: each.day_before_yesterday} for each in _languages())
    none = all_of(lambda dates: dates.no_days)
    return {name: days for name, days in names.items() if name not in none}


@cache
def _last_in_one_word() -> Mapping[str, str]:
    return _by_word(
        {WEEKS: each.last_week, MONTHS: each.last_month, YEARS: each.last_year}
        for each in _languages()
    )


@cache
def _unspaced_names() -> Words:
    """Names of days in Chinese or Japanese text, which has no word boundaries."""
    unspaced = {
        name for each in lexicons().values() if each.unspaced for name in _past_days(each.dates)
    }
    return tuple(name for name in _day_names() if name in unspaced)


@cache
def _cues() -> frozenset[str]:
    """Every spaced phrase contains one of these words."""
    edges = all_of(lambda d: (*d.last_before, *d.last_after, *d.ago_before, *d.ago_after))
    return frozenset(words.split()[-1] for words in (*edges, *_day_names()))


@cache
def _phrase() -> re.Pattern[str]:
    # "The last day" is none in particular.
    spans = {word for word, unit in _units().items() if unit != DAYS}
    name = any_of(spans | _weekdays().keys() | _seasons().keys())
    number, unit = rf"\d{{1,3}}|{any_of(counts())}", any_of(_units())
    ago = any_of(all_of(lambda dates: dates.ago_after))
    return re.compile(
        rf"(?P<one_word>{any_of(_last_in_one_word())})"
        rf"|(?P<day>{any_of(_unspaced_names())}|(?<!\w)(?:{any_of(_day_names())})(?!\w))"
        r"|(?<!\w)(?:"
        rf"(?:{any_of(all_of(lambda dates: dates.last_before))})\s+(?P<name>{name})"
        rf"|(?P<past>{name})\s+(?:{any_of(all_of(lambda dates: dates.last_after))})"
        rf"|(?P<count>{number})\s+(?:of\s+)?(?P<unit>{unit})\s+(?:{ago})"
        rf"|(?P<single>{any_of(all_of(lambda dates: dates.ago_alone))})\s+(?:{ago})"
        rf"|(?:{any_of(all_of(lambda dates: dates.ago_before))})"
        rf"\s+(?P<number>{number})\s+(?P<time>{unit})"
        r")(?!\w)",
        re.IGNORECASE,
    )


def _may_be_relative(text: str, words: Collection[str]) -> bool:
    """False only if a text with these words certainly names no date relative to today."""
    return not _cues().isdisjoint(words) or any(
        sign in text for sign in (*_unspaced_names(), *_last_in_one_word())
    )


def _take_relative(text: str, today: date) -> tuple[list[str], str]:
    """The dates that a text names relative to today, and the text without them."""
    found: list[str] = []

    def take(phrase: re.Match[str]) -> str:
        found.extend(
            _dates_of({n: g.casefold() for n, g in phrase.groupdict().items() if g}, today)
        )
        return " "

    rest = _phrase().sub(take, text)
    return found, rest


def phrases(text: str, today: date) -> list[list[str]]:
    """The possible dates of each phrase in a text that is relative to today, in order."""
    if not _may_be_relative(text, _WORD.findall(text.casefold())):
        return []
    return [
        _dates_of({n: g.casefold() for n, g in phrase.groupdict().items() if g}, today)
        for phrase in _phrase().finditer(text)
    ]


def _dates_of(said: Mapping[str, str], today: date) -> list[str]:
    """The dates of one phrase, by its named parts."""
    match said:
        case {"day": name}:
            return _ago(_day_names()[name], DAYS, today)
        case {"one_word": word}:
            return _last_unit(_last_in_one_word()[word], today)
        case {"name": name} | {"past": name}:
            return _last(name, today)
        case {"single": unit}:
            return _ago(1, _units()[unit], today)
        case {"count": count, "unit": unit} | {"number": count, "time": unit}:
            return _ago(_number(count), _units()[unit], today)
    raise AssertionError(f"a phrase without a case of its own: {said}")


def _number(count: str) -> int:
    return int(count) if count.isdecimal() else counts()[count]


def _last(name: str, today: date) -> list[str]:
    """The meaning of "last …" for a season, a weekday or a unit of time."""
    if name in _seasons():
        return _last_season(_seasons()[name], today)
    if name in _weekdays():
        return _last_weekday(_weekdays()[name], today)
    return _last_unit(_units()[name], today)


def _last_season(first_month: int, today: date) -> list[str]:
    """The months of the latest such season that is over."""
    year = today.year
    while _month_on(year, first_month, 2) >= (today.year, today.month):
        year -= 1
    return [_iso_month(*_month_on(year, first_month, n)) for n in range(3)]


def _last_weekday(weekday: int, today: date) -> list[str]:
    """The latest such weekday before today; if it is in this week, the one before may be meant
    too."""
    back = (today.weekday() - weekday - 1) % 7 + 1
    ways = (back, back + 7) if back <= today.weekday() else (back,)
    return [(today - timedelta(days=days)).isoformat() for days in ways]


def _last_unit(unit: str, today: date) -> list[str]:
    if unit == WEEKS:
        return _week_from(today - timedelta(days=today.weekday() + 7))
    return _ago(1, unit, today)


def _ago(number: int, unit: str, today: date) -> list[str]:
    """The day, the week around the day, the month or the year `number` units ago."""
    match unit:
        case "days":
            return [(today - timedelta(days=number)).isoformat()]
        case "weeks":
            return _week_from(today - timedelta(days=7 * number + 3))
        case "months":
            return [_iso_month(*_month_on(today.year, today.month, -number))]
        case _:
            return [f"{today.year - number:04}"]


def _week_from(first: date) -> list[str]:
    return [(first + timedelta(days=n)).isoformat() for n in range(7)]


def _month_on(year: int, month: int, count: int) -> tuple[int, int]:
    """The year and month `count` months after this one."""
    months = 12 * year + month - 1 + count
    return months // 12, months % 12 + 1


def _iso_month(year: int, month: int) -> str:
    return f"{year:04}-{month:02}"


def _languages() -> Iterable[Dates]:
    return (lexicon.dates for lexicon in lexicons().values())


def _past_days(dates: Dates) -> Words:
    return (*dates.yesterday, *dates.day_before_yesterday)


def _numbers_by_word(
    rows: Callable[[Dates], WordRows], start: int, step: int = 1
) -> dict[str, int]:
    """Each word with the number of its row."""
    return _by_word(
        {start + step * place: row for place, row in enumerate(rows(each))} for each in _languages()
    )


def _by_word(tables: Iterable[Mapping[T, Words]]) -> dict[str, T]:
    return {word: of for table in tables for of, words in table.items() for word in words}
