"""Finds out which dates follow from what was said, and from the day it was said."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, cached_property

from memory.learning.calendar import (
    DAY,
    MONTH,
    WEEK,
    YEAR,
    TimeWords,
    WrittenDate,
    feast_days,
    statement_dates,
    time_words,
)
from memory.learning.numerals import numbers
from memory.search.dates import phrases, written_dates
from memory.search.lexicon.lexicon import all_of, any_of

#: A date without a year is at most so many days from the day it was said; a bare day of the month
#: at most the second number.
_YEAR_AWAY, _MONTH_AWAY = 400, 62
_SPRING = 3
_PAIR = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})(?!\d)")


def find_date(text: str, today: date) -> str | None:
    """The ISO date, whole or partial, that a sentence said today tells by itself; None if it tells
    none, or several days are possible."""
    isos = [_iso(each.year, each.month, each.day) for each in statement_dates(text)]
    isos += [_iso(*parts) for parts in written_dates(text)]
    isos += [days[0] for days in phrases(text, today) if len(days) == 1]
    plain = _no_days().sub(" ", text)
    isos += [(today + timedelta(days=n)).isoformat() for n in sorted(time_words(plain).days)]
    return next(filter(None, isos), None)


@cache
def _no_days() -> re.Pattern[str]:
    """Phrases with a word for tomorrow that mean a morning, and the like."""
    return re.compile(rf"\b(?:{any_of(all_of(lambda dates: dates.no_days))})\b", re.IGNORECASE)


def _iso(year: int | None, month: int | None, day: int | None) -> str | None:
    if year is None or (day and not _date(year, month or 1, day)):
        return None
    parts = (f"{year:04}", *(f"{part:02}" for part in (month, day) if part))
    return "-".join(parts)


@dataclass(frozen=True)
class Saying:
    """A text and the day it was said. Only what is `cited` as evidence tells of distances: "in two
    weeks", "three days later"."""

    text: str
    day: date
    cited: bool = True

    @cached_property
    def words(self) -> TimeWords:
        return time_words(self.text)

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(int(n) for n in numbers(self.text) if n == int(n))

    @cached_property
    def tells_days(self) -> bool:
        """True if it tells a day by itself, from the day it was said."""
        words = self.words
        return bool(words.days or words.weekdays or words.feasts or words.weekend)

    @cached_property
    def fractions(self) -> frozenset[Decimal]:
        return frozenset(n for n in numbers(self.text) if n != int(n))


@dataclass(frozen=True)
class Timeline:
    """The sayings that dates may follow from, and dates that are known besides, as ISO texts."""

    sayings: Sequence[Saying]
    known: Sequence[str] = field(default=())

    def supports(self, written: WrittenDate) -> bool:
        """True if the date follows from what was said: it was named, or is told from the day of
        saying or from another date, as in "three weeks later"."""
        if written.month is None:
            return written.year is None or self.supports_year(written.year)
        if written.day is None:
            return self._supports_month(written.year, written.month)
        if written.year is None and any(
            written.month in self._months(each) and written.day in each.numbers
            for each in self.sayings
        ):
            return True
        if any(self.supports_day(day) for day in self._days(written)):
            return True
        # Somebody who turns 90 on Sunday was born on that day 90 years ago.
        near = replace(written, year=None)
        old = written.year is not None and written.year < min(s.day.year for s in self.sayings) - 1
        return old and self.supports_year(written.year or 0) and self.supports(near)

    def supports_day(self, day: date) -> bool:
        return self._is_named(day) or day in self._days_at_hand or day in self._days_from_others

    def supports_year(self, year: int) -> bool:
        """True for a year that was said, also as "98" or "five years ago", and those around."""
        for saying in self.sayings:
            away = abs(year - saying.day.year)
            if away <= 1 or year in saying.numbers or year % 100 in saying.numbers:
                return True
            if away in saying.numbers or away - 1 in saying.numbers:
                return True
        return any(day.year == year for day in self._known_days)

    def weekdays(self) -> frozenset[int]:
        """The weekdays that were named, or of which a date was."""
        named = {day for saying in self.sayings for day in saying.words.weekdays}
        return frozenset(named | {day.weekday() for day in self._days_at_hand})

    def _days(self, written: WrittenDate) -> Iterator[date]:
        """The days that a written date may mean."""
        ways = [(written.month, written.day)]
        if written.ambiguous:
            ways.append((written.day, written.month))
        years = {saying.day.year for saying in self.sayings}
        for month, day in ways:
            for year in [written.year] if written.year else _around(years):
                if month and day and (found := _date(year, month, day)):
                    yield found

    def _is_named(self, day: date) -> bool:
        """True if the day of the month was said, with its month if that is not at hand, and its
        year if that is far."""
        months = {month for saying in self.sayings for month in self._months(saying)}
        for saying in self.sayings:
            if day.day not in saying.numbers:
                continue
            away = abs((day - saying.day).days)
            # "Am vierundzwanzigsten achten"
            by_number = day.month in saying.numbers and not saying.words.months
            named = day.month in months or by_number
            at_hand = away <= _MONTH_AWAY and not (saying.words.months - {day.month})
            if (named or at_hand) and (away <= _YEAR_AWAY or self.supports_year(day.year)):
                return True
        return False

    @staticmethod
    def _months(saying: Saying) -> frozenset[int]:
        """The months that a saying names; in figures ("3/11") any small number may be one."""
        return saying.words.months | _months_in_figures(saying.text)

    def _supports_month(self, year: int | None, month: int) -> bool:
        for saying in self.sayings:
            years = [year] if year else [saying.day.year + n for n in (-1, 0, 1)]
            for each in years:
                first = date(each, month, 1)
                away = abs(_months_between(first, saying.day))
                if saying.cited and away in _distances_in_months(saying):
                    return True
                named = month in self._months(saying) or self._in_season(saying, month)
                if named and (away <= 13 or self.supports_year(each)):
                    return True
        return any(
            day.month == month and (year is None or day.year == year)
            for day in self._days_at_hand | self._days_from_others
        )

    @staticmethod
    def _in_season(saying: Saying, month: int) -> bool:
        """True if the month is in a season that was named, on either side of the equator."""
        return any(
            (month - _SPRING - 3 * season + half) % 12 < 3
            for season in saying.words.seasons
            for half in (0, 6)
        )

    @cached_property
    def _days_at_hand(self) -> frozenset[date]:
        """Days that are told from the day of saying, and those that are known."""
        days = {day for saying in self.sayings for day in _days_from(saying)}
        return frozenset(days | set(self._known_days))

    @cached_property
    def _days_from_others(self) -> frozenset[date]:
        """Days that are told from other days ("three weeks later"): from those named, those known,
        and those that another saying tells; "ten days from Saturday" from its own."""
        named = {day for saying in self.sayings for day in self._named_days(saying)}
        found: set[date] = set()
        for saying in (each for each in self.sayings if each.cited):
            bases = named | set(self._known_days)
            bases |= {d for each in self.sayings if each is not saying for d in _days_from(each)}
            own = {d for weekday in saying.words.weekdays for d in _ahead(weekday, saying.day)}
            for days in _distances(saying):
                told = bases | own if days % 7 else bases
                found.update(base + timedelta(days=n) for base in told for n in (-days, days))
        return frozenset(found)

    def _named_days(self, saying: Saying) -> Iterator[date]:
        for month in self._months(saying):
            for number in saying.numbers:
                for year in (saying.day.year - 1, saying.day.year, saying.day.year + 1):
                    day = _date(year, month, number)
                    if day and abs((day - saying.day).days) <= _YEAR_AWAY:
                        yield day

    @cached_property
    def _known_days(self) -> tuple[date, ...]:
        return tuple(day for iso in self.known if (day := _from_iso(iso)))


def _around(years: Iterable[int]) -> list[int]:
    return sorted({year + n for year in years for n in (-1, 0, 1)})


def _distances_in_months(saying: Saying) -> Iterator[int]:
    """Numbers of months that a saying names, in months or years, with halves of a year."""
    for number in _small(saying):
        if MONTH in saying.words.units:
            yield from (number, 0)
        if YEAR in saying.words.units:
            yield 12 * number
            if saying.fractions:
                yield from (12 * number + 6, 6)
    if MONTH in saying.words.units:
        # In a month and a half it may be the next month but one.
        yield from (int(n) + more for n in saying.fractions for more in (0, 1))


def _days_from(saying: Saying) -> Iterator[date]:
    """The days that a saying tells from the day it was said."""
    words, today = saying.words, saying.day
    for days in words.days:
        yield today + timedelta(days=days)
        # "Heute in acht Tagen", "de amanhã a oito", "d'aujourd'hui en quinze": whole weeks.
        yield from (today + timedelta(days=days + n - 1) for n in (8, 15) if n in saying.numbers)
    for weekday in (*words.weekdays, *((4, 5, 6) if words.weekend else ())):
        yield from _weekday_near(weekday, today, saying)
    yield from _weekdays_of_months(saying)
    for near in _around([today.year]):
        yield from feast_days(words.feasts, near)
    if saying.cited:
        yield from _days_away(saying)


def _days_away(saying: Saying) -> Iterator[date]:
    """The days that are some days, weeks, months or years from the day of saying; that day itself
    if nothing else tells a day."""
    words, today = saying.words, saying.day
    if not (words.days or words.weekdays or words.feasts or words.weekend or words.months):
        yield today
    # "A week on Monday" is no distance from today.
    for days in () if words.week_later else _distances(saying):
        for way in (-days, days):
            day = today + timedelta(days=way)
            if days % 7 or (DAY in words.units and days in saying.numbers):
                yield day
            else:
                yield from _week_of(day, words.weekdays)
    if words.in_two_weeks:
        yield from _week_of(today + timedelta(days=14), words.weekdays)
    yield from _months_and_years_from(saying)


def _weekdays_of_months(saying: Saying) -> Iterator[date]:
    """The second Saturday of May, and the last one; of this or the next month, if it has no
    name."""
    today = saying.day
    firsts = [date(year, m, 1) for m in saying.words.months for year in _around([today.year])]
    if MONTH in saying.words.units:
        firsts += [day.replace(day=1) for n in (0, 1) if (day := _months_away(today, n))]
    for first in firsts:
        for weekday in saying.words.weekdays:
            ahead = (weekday - first.weekday()) % 7
            days = [first + timedelta(days=ahead + 7 * n) for n in range(5)]
            days = [day for day in days if day.month == first.month]
            yield days[-1]
            yield from (day for n, day in enumerate(days, 1) if n in saying.numbers)


def _months_and_years_from(saying: Saying) -> Iterator[date]:
    """The same day some months or years away."""
    today, units = saying.day, saying.words.units
    for number in _small(saying):
        for way in (-number, number):
            if MONTH in units and (month := _months_away(today, way)):
                yield month
            if YEAR in units and (year := _date(today.year + way, today.month, today.day)):
                yield year


def _ahead(weekday: int, today: date) -> Iterator[date]:
    """The coming day of this name."""
    yield today + timedelta(days=(weekday - today.weekday()) % 7 or 7)


def _weekday_near(weekday: int, today: date, saying: Saying) -> Iterator[date]:
    """The days that "friday", "last friday" and "next friday" may be: the one behind and the one
    ahead, and those a week further where "next" or a week is spoken of."""
    ahead = (weekday - today.weekday()) % 7 or 7
    # On a Friday "next Friday" is in a week, on a Monday in four days or in eleven.
    still_to_come = today.weekday() < weekday
    if weekday in saying.words.week_later:
        yield today + timedelta(days=ahead + 7)
        if still_to_come:
            yield today + timedelta(days=ahead + 14)
        return
    yield today + timedelta(days=ahead)
    yield today + timedelta(days=ahead - 7)
    if WEEK in saying.words.units or (saying.words.next and still_to_come):
        yield today + timedelta(days=ahead + 7)
    yield today + timedelta(days=ahead - 14)


def _week_of(day: date, weekdays: Collection[int]) -> Iterator[date]:
    """The days of the same week, and those near; only these weekdays if any are named."""
    monday = day - timedelta(days=day.weekday())
    near = {monday + timedelta(days=n) for n in range(7)}
    near |= {day + timedelta(days=n) for n in range(-2, 3)}
    yield from (each for each in near if not weekdays or each.weekday() in weekdays)


def _distances(saying: Saying) -> Iterator[int]:
    """Numbers of days that a saying names, in days or weeks."""
    for number in _small(saying):
        # "The day after tomorrow" is no day from now.
        if DAY in saying.words.units and (number in saying.numbers or not saying.words.days):
            yield number
        if WEEK in saying.words.units:
            yield 7 * number


def _small(saying: Saying) -> Iterable[int]:
    """The numbers that may count days, weeks or months; one need not be said."""
    return {1, *(n for n in saying.numbers if 0 < n <= 120)}


def _months_in_figures(text: str) -> frozenset[int]:
    """The months that "3/11" may name."""
    parts = {int(number) for pair in _PAIR.findall(text) for number in pair}
    return frozenset(number for number in parts if 1 <= number <= 12)


def _months_between(one: date, other: date) -> int:
    return 12 * (one.year - other.year) + one.month - other.month


def _months_away(today: date, count: int) -> date | None:
    months = 12 * today.year + today.month - 1 + count
    return _date(months // 12, months % 12 + 1, min(today.day, 28))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _from_iso(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None
