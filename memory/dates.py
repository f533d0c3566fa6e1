"""Days as index words, so that "what did I do in March?" finds what was said in March.

A day becomes words such as `§2023`, `§m05` and `§2023-05-08`; the sign keeps them apart from
anything people write. A query that names a date, or one relative to now, asks for those words."""

import re
from datetime import date, datetime, timedelta

_MONTHS = {
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
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_IN = r"(?<!\w)(?:in|during|since|last|this|of|im|en|em|nel|в)\s+"

#: Ways to write a month, each with the groups that hold its year and month. A day within a month
#: asks for the month: people tell of a day some days later.
_WRITTEN = (
    (re.compile(rf"(?<!\d){_YEAR}-(0[1-9]|1[0-2])(?:-\d\d)?(?!\d)"), 1, 2),
    (re.compile(r"(?:((?:19|20)\d\d)\s*年\s*)?(?<!\d)(1[0-2]|0?[1-9])\s*月"), 1, 2),
    (re.compile(rf"(?<!\w)\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?({_MONTH})\b"
                rf"(?:\.?,?\s+(?:de\s+)?{_YEAR})?", re.I), 2, 1),
    (re.compile(rf"(?<!\w)({_MONTH})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b"
                rf"(?:,?\s+{_YEAR})?", re.I), 2, 1),
    (re.compile(rf"(?<!\w)({_MONTH})\b\.?,?\s+(?:of\s+|de\s+)?{_YEAR}", re.I), 2, 1),
    # A bare month needs a word before it that makes it one: "may" and "march" are verbs as well.
    (re.compile(rf"{_IN}({_MONTH})\b(?!\.?,?\s+(?:of\s+|de\s+)?\d)()", re.I), 2, 1),
)  # fmt: skip
_BARE_YEAR = re.compile(rf"{_IN}{_YEAR}", re.I)
_RELATIVE = re.compile(
    r"(?<!\w)(day before yesterday|yesterday|last week|last month|last year)\b", re.I
)


def date_words(day: date) -> list[str]:
    """The index words of a day: its year, its month in any year, the month, and the day itself."""
    return [f"§{day.year}", f"§m{day.month:02}", f"§{day:%Y-%m}", f"§{day:%Y-%m-%d}"]


def dates_named(text: str, now: datetime) -> tuple[frozenset[str], str]:
    """The index words of the dates that a text names, in figures, by month, or relative to `now`
    in its own time zone; any of them may be meant. With them, the text without those dates."""
    found: set[str] = set()

    def take(words: list[str]) -> str:
        found.update(words)
        return " "

    for written, year, month in _WRITTEN:
        found.update(_month_word(m[year], m[month]) for m in written.finditer(text))
        text = written.sub(" ", text)
    text = _BARE_YEAR.sub(lambda m: take([f"§{m[1]}"]), text)
    text = _RELATIVE.sub(lambda m: take(_relative(m[1].casefold(), now.date())), text)
    return frozenset(found), text


def _month_word(year: str | None, month: str) -> str:
    number = int(month) if month.isdigit() else _MONTHS[month.casefold()]
    return f"§{year}-{number:02}" if year else f"§m{number:02}"


def _relative(phrase: str, today: date) -> list[str]:
    match phrase:
        case "yesterday":
            return [f"§{today - timedelta(days=1):%Y-%m-%d}"]
        case "day before yesterday":
            return [f"§{today - timedelta(days=2):%Y-%m-%d}"]
        case "last week":
            monday = today - timedelta(days=today.weekday() + 7)
            return [f"§{monday + timedelta(days=n):%Y-%m-%d}" for n in range(7)]
        case "last month":
            return [f"§{today.replace(day=1) - timedelta(days=1):%Y-%m}"]
        case _:
            return [f"§{today.year - 1}"]
