"""Days as index words, so that "what did I do in March?" finds what was said in March.

A day becomes words such as `§2023`, `§m05`, `§2023m05` and `§2023m05d08`; the sign keeps them apart
from anything people write. A query that names a date, or one relative to now, asks for those
words."""

import re
from datetime import date, datetime

from memory.search.relative_dates import hinted, understood

#: The names of the months, with their numbers.
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari января январь январе",
            "february feb februar février febrero febbraio fevereiro februari"
            " февраля февраль феврале",
            "march mar märz mars marzo março maart марта март марте",
            "april apr avril abril aprile апреля апрель апреле",
            "may mai mayo maggio maio mei мая май мае",
            "june jun juni juin junio giugno junho июня июнь июне",
            "july jul juli juillet julio luglio julho июля июль июле",
            "august aug août agosto augustus августа август августе",
            "september sep sept septembre septiembre settembre setembro сентября сентябрь сентябре",
            "october oct oktober octobre octubre ottobre outubro октября октябрь октябре",
            "november nov novembre noviembre novembro ноября ноябрь ноябре",
            "december dec dezember décembre diciembre dicembre dezembro декабря декабрь декабре",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_NAME = rf"(?P<month>{_MONTH})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?(?!\w)"
_OF = r"(?:of\s+|de\s+)?"
_IN = r"(?<!\w)(?:in|during|since|last|this|of|im|en|em|nel|в)\s+"

#: Ways to write a date, tried in order; what one has understood the next ones don't see.
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-3]\d))?(?!\d)",
        r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?<!\d)(?P<month>1[0-2]|0?[1-9])\s*月"
        r"(?:\s*(?P<day>[0-3]?\d)\s*[日号])?",
        rf"(?<!\w){_DAY}\s+{_OF}{_NAME}(?:,?\s+{_OF}{_YEAR})?",
        rf"(?<!\w){_NAME}\s+{_DAY}(?:,?\s+{_YEAR})?",
        rf"(?<!\w){_NAME},?\s+{_OF}{_YEAR}",
        # A bare month needs a word before it that makes it one: "may" and "march" are verbs too.
        rf"{_IN}{_NAME}",
        rf"{_IN}{_YEAR}",
    )
)


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
    if MONTHS.keys().isdisjoint(words) and not _DIGIT.search(text):
        return frozenset(found), text
    for written in _WRITTEN:
        for match in written.finditer(text):
            found.update(_named(**match.groupdict()))
        text = written.sub(" ", text)
    return frozenset(found), text


def written_dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    """The dates that a text writes out, as year, month and day, each as far as it is there."""
    found: list[tuple[int | None, int | None, int | None]] = []
    for written in _WRITTEN:
        for match in written.finditer(text):
            parts = match.groupdict()
            year, month, day = (parts.get(name) for name in ("year", "month", "day"))
            number = int(month) if month and month.isdigit() else MONTHS.get((month or "").lower())
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
    number = int(month) if month.isdigit() else MONTHS[month.casefold()]
    if not year:
        return [f"§m{number:02}"]
    words = [f"§{year}m{number:02}"]
    return [*words, f"{words[0]}d{int(day):02}"] if day else words
