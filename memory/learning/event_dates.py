"""When an event happened or will happen: an absolute date, or none.

A date is never invented: a proposed one is kept only as far as the words of the statement support
it. "In March 2027" supports "2027-03" but no day, "last week" the month of that week, "some day"
nothing. Dates are whole or partial ISO dates: "2026-03-02", "2026-03", "2026". The phrases of all
languages with a lexicon count, because a text does not say which it is in."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from memory.search.dates import DAYS, MONTHS, UNITS, WEEKS, counts, months, phrases, written_dates
from memory.search.lexicon.lexicon import Dates, Words, all_of, any_of, lexicons

#: How many parts of a date are known.
_YEAR, _MONTH, _DAY = 1, 2, 3
_LENGTHS = (0, 4, 7, 10)

_ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")

_ANY_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")


@cache
def _since() -> re.Pattern[str]:
    words = any_of(all_of(lambda dates: dates.before_years))
    return re.compile(rf"(?<!\w)(?:{words})\s+((?:19|20)\d\d)(?!\d)", re.IGNORECASE)


@cache
def _no_days() -> re.Pattern[str]:
    """Phrases with a word for tomorrow that mean a morning, and the like."""
    return re.compile(rf"\b(?:{any_of(all_of(lambda dates: dates.no_days))})\b", re.IGNORECASE)


@cache
def _any_month() -> re.Pattern[str]:
    """Months without a day or a year, except those whose names mean something else."""
    names = months().keys() - all_of(lambda dates: dates.ambiguous_months)
    return re.compile(rf"(?<!\w)(?:{any_of(names)})(?!\w)", re.IGNORECASE)


@cache
def _yearly() -> re.Pattern[str]:
    """Days that recur every year: without a year they have no date."""
    return _word_pattern(lambda dates: dates.yearly)


@cache
def _days_away() -> Mapping[int, re.Pattern[str]]:
    """Names of days ("tomorrow") by their distance from today."""
    return {
        0: _word_pattern(lambda dates: dates.today),
        1: _word_pattern(lambda dates: dates.tomorrow),
        2: _word_pattern(lambda dates: dates.day_after_tomorrow),
        -2: _word_pattern(lambda dates: dates.day_before_yesterday),
        -1: _word_pattern(lambda dates: dates.yesterday),
    }


@cache
def _weekdays() -> tuple[re.Pattern[str], ...]:
    def names_of(number: int) -> Callable[[Dates], Words]:
        return lambda dates: dates.weekdays[number] if dates.weekdays else ()

    return tuple(_word_pattern(names_of(number)) for number in range(7))


@cache
def _near() -> Mapping[tuple[str, int], re.Pattern[str]]:
    """Next, this and last week, month and year."""
    ways: dict[int, Callable[[Dates], Words]] = {
        1: lambda dates: dates.next,
        0: lambda dates: dates.this,
        -1: lambda dates: (*dates.last_before, *dates.last_after),
    }
    return {
        (name, way): re.compile(
            rf"(?<!\w)(?:{_spaced_words(words)})\s+(?:{_spaced_words(unit)})(?!\w)|"
            rf"(?<!\w)(?:{_spaced_words(unit)})\s+(?:{_spaced_words(words)})(?!\w)|"
            rf"(?:{_unspaced_words(words)})(?:{_unspaced_words(unit)})"
        )
        for name, unit in UNITS.items()
        if name != DAYS
        for way, words in ways.items()
    }


@cache
def _in_units() -> Mapping[str, re.Pattern[str]]:
    """A number of days, weeks, months or years."""
    return {
        name: re.compile(rf"(\d{{1,2}}|\w+)\s*(?:{any_of(all_of(unit))})(?!\w)")
        for name, unit in UNITS.items()
    }


def _word_pattern(part: Callable[[Dates], Words]) -> re.Pattern[str]:
    """Any of these words, whole; in scripts without spaces, anywhere."""
    return re.compile(
        rf"(?<!\w)(?:{_spaced_words(part)})(?!\w)|{_unspaced_words(part)}", re.IGNORECASE
    )


def _spaced_words(part: Callable[[Dates], Words]) -> str:
    words = (word for each in lexicons().values() if not each.unspaced for word in part(each.dates))
    return any_of(words).replace(r"\*", r"\w*")


def _unspaced_words(part: Callable[[Dates], Words]) -> str:
    return any_of(
        word for each in lexicons().values() if each.unspaced for word in part(each.dates)
    )


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days that a phrase may mean, and how many parts of the date it states."""

    first: date
    last: date
    precision: int

    @property
    def iso(self) -> str | None:
        """The stated part of the date, if it is a single date."""
        length = _LENGTHS[self.precision]
        first, last = self.first.isoformat()[:length], self.last.isoformat()[:length]
        return first or None if first == last else None


def find_date(text: str, today: date) -> str | None:
    """The date that a sentence said today states, with a year or relative to today; None if it
    states none."""
    spans = [*_full_dates(text), *_relative_dates(text, today)]
    spans += [span for span in map(_year_alone, _since().findall(text)) if span]
    spans += _days_by_name(_no_days().sub(" ", text), today)
    return spans[0].iso if spans else None


def supported_date(iso: str, said: str, today: date) -> str | None:
    """The part of a proposed date that these words, said today, support; None if they don't."""
    found = _ISO.fullmatch(iso.strip())
    proposed = _span(*(int(part) if part else None for part in found.groups())) if found else None
    if proposed is None:
        return None
    yearly = bool(_yearly().search(said))
    spans = [*_full_dates(said), *_relative_dates(said, today), *_possible_dates(said, today)]
    if not yearly:
        spans += _dates_without_year(said, today)
    cuts = [_common_part(proposed, span) for span in spans]
    return max((cut for cut in cuts if cut), key=len, default=None)


def _common_part(proposed: DateSpan, span: DateSpan) -> str | None:
    """The proposed date without parts that the phrase does not state; None if it can't mean this
    date."""
    length = _LENGTHS[min(proposed.precision, span.precision)]
    first = proposed.first.isoformat()[:length]
    inside = span.first.isoformat()[:length] <= first <= span.last.isoformat()[:length]
    return first if inside and first else None


def _span(year: int | None, month: int | None = None, day: int | None = None) -> DateSpan | None:
    """A whole or partial date; None without a year, or if the day does not exist."""
    if year is None:
        return None
    try:
        first = date(year, month or 1, day or 1)
        if month and day:
            return DateSpan(first, first, _DAY)
        if month:
            return DateSpan(first, _month_end(first), _MONTH)
        return DateSpan(first, date(year, 12, 31), _YEAR)
    except (ValueError, OverflowError):
        return None


def _full_dates(text: str) -> Iterator[DateSpan]:
    """Dates written with a year."""
    numbers = [(int(y), int(m), int(d)) for d, m, y in _DOTTED.findall(text)]
    for first, second, year in _SLASHED.findall(text):
        # 03/04/2027 is March or April depending on the country: only the clear ones count.
        if int(first) > 12 or first == second:
            numbers.append((int(year), int(second), int(first)))
        elif int(second) > 12:
            numbers.append((int(year), int(first), int(second)))
    for parts in (*numbers, *written_dates(text)):
        if span := _span(*parts):
            yield span


def _dates_without_year(text: str, today: date) -> Iterator[DateSpan]:
    """Days and months without a year, as they fall within a year of today."""
    bare = [(None, months()[name.lower()], None) for name in _any_month().findall(text)]
    for year, month, day in (*written_dates(text), *bare):
        if year is not None:
            continue
        for near in (today.year - 1, today.year, today.year + 1):
            span = _span(near, month, day)
            if span and abs((span.first - today).days) <= 366:
                yield span


def _relative_dates(text: str, today: date) -> Iterator[DateSpan]:
    """Past dates relative to today. If several days are possible, only the certain part of the
    date."""
    for meant in phrases(text, today):
        spans = [span for iso in meant if (span := _span(*map(int, iso.split("-"))))]
        if not spans:
            continue
        precision = spans[0].precision - (len(spans) > 1)
        yield DateSpan(spans[0].first, spans[-1].last, precision)


def _possible_dates(text: str, today: date) -> Iterator[DateSpan]:
    """Other dates that may be meant relative to today, past or future, and any number that looks
    like a year."""
    folded = text.casefold()
    yield from filter(None, map(_year_alone, _ANY_YEAR.findall(text)))
    yield from _days_by_name(text, today)
    for weekday, names in enumerate(_weekdays()):
        if names.search(text):
            ahead = (weekday - today.weekday()) % 7
            for days in (ahead - 7, ahead, ahead + 7):
                day = today + timedelta(days=days)
                yield DateSpan(day, day, _DAY)
    for (unit, way), near in _near().items():
        if near.search(folded):
            yield _unit_away(unit, way, today)
    for unit, counted in _in_units().items():
        for count in counted.findall(folded):
            number = int(count) if count.isdecimal() else counts().get(count, 0)
            if number:
                yield _unit_away(unit, number, today)
                yield _unit_away(unit, -number, today)


def _days_by_name(text: str, today: date) -> Iterator[DateSpan]:
    """Days with a name of their own, such as tomorrow."""
    for days, names in _days_away().items():
        if names.search(text):
            day = today + timedelta(days=days)
            yield DateSpan(day, day, _DAY)


def _year_alone(year: str) -> DateSpan | None:
    return _span(int(year))


def _unit_away(unit: str, count: int, today: date) -> DateSpan:
    """The day, the month of the week, the month or the year `count` units from today."""
    if unit == DAYS:
        day = today + timedelta(days=count)
        return DateSpan(day, day, _DAY)
    if unit == WEEKS:
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=count)
        return DateSpan(monday, monday + timedelta(days=6), _MONTH)
    if unit == MONTHS:
        months = 12 * today.year + today.month - 1 + count
        first = date(months // 12, months % 12 + 1, 1)
        return DateSpan(first, _month_end(first), _MONTH)
    year = min(9999, max(1, today.year + count))
    return DateSpan(date(year, 1, 1), date(year, 12, 31), _YEAR)


def _month_end(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
