"""Absolute dates in a sentence. A date without its year is no absolute date and gives None:
a guessed year would be remembered as a fact."""

import re
from collections.abc import Iterator
from datetime import date

from memory.language.shapes import Language

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b")
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")


def event_date(text: str, language: Language) -> str | None:
    """The first absolute date as ISO text: a day, a month ("2027-03") or a year ("2027")."""
    return next(_dates(text, language), None)


def _dates(text: str, language: Language) -> Iterator[str]:
    yield from _numeric(text)
    yield from _named(text, language)
    if year := language.year_cue.search(text):
        yield year[1]


def _numeric(text: str) -> Iterator[str]:
    for year, month, day in _ISO.findall(text):
        yield from _valid(year, month, day)
    for day, month, year in _DOTTED.findall(text):
        yield from _valid(year, month, day)
    for first, second, year in _SLASHED.findall(text):
        # 03/04/2027 is March or April depending on the country: only the clear ones count.
        if int(first) > 12:
            yield from _valid(year, second, first)
        elif int(second) > 12:
            yield from _valid(year, first, second)


def _named(text: str, language: Language) -> Iterator[str]:
    names = "|".join(sorted(map(re.escape, language.months), key=len, reverse=True))
    day, year = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>(?:19|20)\d\d)"
    month = rf"(?P<month>{names})\b\.?"
    for shape in (
        rf"\b{month}\s+{day},?\s+{year}\b",
        rf"\b{day}\.?\s+(?:of\s+)?{month},?\s+{year}\b",
        rf"\b{month},?\s+{year}\b",
    ):
        if found := re.search(shape, text, re.IGNORECASE):
            number = language.months[found["month"].lower()]
            if "day" in found.groupdict():
                yield from _valid(found["year"], number, found["day"])
            else:
                yield f"{found['year']}-{number:02d}"


def _valid(year: str | int, month: str | int, day: str | int) -> Iterator[str]:
    try:
        yield date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return
