"""Days as index words, so that "what did I do in March?" finds what was said in March.

A day becomes words such as `§2023`, `§m05`, `§2023m05` and `§2023m05d08`; the sign keeps them apart
from anything people write. A query that names a date, or one relative to now, asks for those
words."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache

from memory.search.lexicon.lexicon import all_of, any_of, lexicons
from memory.search.relative_dates import hinted, understood

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
    """Tried in order; what one has understood the next ones don't see."""
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


def dates_named(text: str, now: datetime) -> tuple[frozenset[str], str]:
    """The index words of the dates that a text names, in figures, by month, or relative to `now`
    in its own time zone; any of them may be meant. With them, the text without those dates."""
    words = _WORDS.findall(text.casefold())
    found: set[str] = set()
    if hinted(text, words):
        relative, text = understood(text, now.date())
        found.update(map(_word, relative))
    if months().keys().isdisjoint(words) and not _DIGIT.search(text):
        return frozenset(found), text
    for written in _ways_to_write():
        for match in written.finditer(text):
            found.update(_named(**match.groupdict()))
        text = written.sub(" ", text)
    return frozenset(found), text


def written_dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    """The dates that a text writes out, as year, month and day, each as far as it is there."""
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


def _word(iso: str) -> str:
    """The index word of a whole or partial ISO date."""
    return "§" + iso.replace("-", "m", 1).replace("-", "d", 1)


def _named(year: str | None = None, month: str | None = None, day: str | None = None) -> list[str]:
    """The index words of a date as written. A day comes with its month: people tell of it later."""
    if not month:
        return [f"§{year}"]
    number = int(month) if month.isdigit() else months()[month.casefold()]
    if not year:
        return [f"§m{number:02}"]
    words = [f"§{year}m{number:02}"]
    return [*words, f"{words[0]}d{int(day):02}"] if day else words
