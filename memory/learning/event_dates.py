"""When what somebody tells of happened or will: an absolute date, or none.

A date is never made up: one that a model proposes stays only as far as the words it was said in
carry it. "In March 2027" carries "2027-03" and no day of it, "last week" carries the month that
the week lies in, "some day" nothing. Whole and partial ISO dates: "2026-03-02", "2026-03", "2026".
The phrases are those of the main languages, in one table, because no text here says which it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product

from memory.search.dates import MONTHS, written_dates
from memory.search.relative_dates import phrases

#: How many parts of a date are known.
_YEAR, _MONTH, _DAY = 1, 2, 3
_LENGTHS = (0, 4, 7, 10)

_ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")

_ANY_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")
_SINCE = re.compile(
    r"(?<!\w)(?:since|until|from|year|seit|bis|desde|hasta|dal|fino\s+al|até|depuis|jusqu'en|с|"
    r"до|из)"
    r"\s+((?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
#: The words for tomorrow that are mornings here, and other words of the same look.
_MORNING = re.compile(
    r"\b(?:am|guten|jeden|diesen)\s+morgen\b|\b(?:la|cada|esta|una)\s+mañana\b|\bhier\b",
    re.IGNORECASE,
)
#: Names of months that are also something else don't count without a day or a year.
_AMBIGUOUS = frozenset("may march mar mars mart maart mai jan jun dec ago set mei".split())
_ANY_MONTH = re.compile(rf"(?<!\w)(?:{'|'.join(MONTHS.keys() - _AMBIGUOUS)})(?!\w)", re.IGNORECASE)

#: Days that come again every year: without a year of their own they have none.
_YEARLY = re.compile(
    r"\b(?:birthday|anniversary|born|geburtstag|geboren|jahrestag|cumpleaños|aniversario|naci|nací|"
    r"compleanno|nat[oa]|anniversario|aniversário|nasci|anniversaire|née?)\b|рожд|родил|годовщин|"
    r"生日|誕生日|出生",
    re.IGNORECASE,
)

_DAYS_AWAY = {
    0: "today tonight heute hoy oggi hoje aujourd'hui сегодня 今天 今日 今晚",
    1: "tomorrow morgen mañana domani amanhã demain завтра 明天 明日",
    2: "übermorgen послезавтра dopodomani 后天 明後日 après-demain",
    -2: "vorgestern позавчера anteayer 前天",
    -1: "yesterday gestern ayer ieri ontem hier вчера 昨天 昨日",
}
_UNITS = {
    "day": r"days?|tage?n?|días?|giorn[oi]|dias?|jours?|день|дня|дней|天",
    "week": r"weeks?|wochen?|semanas?|settiman[ae]|semaines?|недел\w+|周|星期|週",
    "month": r"months?|monate?n?|mes|meses|mes[ei]|mês|mois|месяц\w*|月",
    "year": r"years?|jahre?n?|años?|ann[oi]|anos?|ans?|années?|год\w*|лет|年",
}
_TOWARDS = {
    1: r"next|coming|nächste[nmrs]?|kommende[nmrs]?|próxim[oa]s?|que\s+viene|prossim[oaie]|"
    r"que\s+vem|"
    r"prochaine?s?|следующ\w+|будущ\w+|下个?|来",
    0: r"this|diese[nmrs]?|est[ea]|quest[oa]|cet?|cette|этот|эт[оау]м?|эту|这个?|今|本",
    -1: r"last|past|letzte[nmrs]?|vorige[nmrs]?|pasad[oa]|scors[oa]|passad[oa]|derni[eè]re?|"
    r"passée?|"
    r"прошл\w+|上个?|去|先",
}
_COUNTS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein einem einer einen eine un una uno um uma une один одну 一",
            "two zwei dos due dois duas deux два две 两 二",
            "three drei tres tre três trois три 三",
            "four vier cuatro quattro quatro quatre четыре 四",
            "five fünf cinco cinque cinq пять 五",
            "six sechs seis sei шесть 六",
        ),
        start=1,
    )
    for word in words.split()
}
_WEEKDAYS = tuple(
    re.compile(rf"(?<!\w)(?:{names})(?!\w)|{unspaced}", re.IGNORECASE)
    for names, unspaced in (
        (r"mondays?|montags?|lunes|lunedì|segunda-feira|lundi|"
            r"понедельник\w*", "(?:周|星期)一|月曜"),
        (r"tuesdays?|dienstags?|martes|martedì|terça-feira|mardi|вторник\w*", "(?:周|星期)二|火曜"),
        (r"wednesdays?|mittwochs?|miércoles|mercoledì|quarta-feira|mercredi|сред[ауы]",
         "(?:周|星期)三|水曜"),
        (r"thursdays?|donnerstags?|jueves|giovedì|quinta-feira|jeudi|четверг\w*",
         "(?:周|星期)四|木曜"),
        (r"fridays?|freitags?|viernes|venerdì|sexta-feira|vendredi|"
            r"пятниц\w+", "(?:周|星期)五|金曜"),
        (r"saturdays?|samstags?|sonnabends?|sábado|sabato|samedi|суббот\w+", "(?:周|星期)六|土曜"),
        (r"sundays?|sonntags?|domingo|domenica|dimanche|воскресень\w+", "(?:周|星期)[日天]|日曜"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """The days that a phrase may mean, and how many parts of a date it tells."""

    first: date
    last: date
    precision: int

    @property
    def iso(self) -> str | None:
        """The date as far as it is told, if that is one date."""
        length = _LENGTHS[self.precision]
        first, last = self.first.isoformat()[:length], self.last.isoformat()[:length]
        return first or None if first == last else None


def told(text: str, today: date) -> str | None:
    """The date that a sentence said today tells of, if it tells one: with its year, or counted from
    today."""
    spans = [*_written(text), *_counted(text, today)]
    spans += [span for span in map(_year_alone, _SINCE.findall(text)) if span]
    spans += _days_away(_MORNING.sub(" ", text).casefold(), today)
    return spans[0].iso if spans else None


def carried(iso: str, said: str, today: date) -> str | None:
    """A proposed date as far as these words, said today, carry it; None if they do not."""
    found = _ISO.fullmatch(iso.strip())
    proposed = _span(*(int(part) if part else None for part in found.groups())) if found else None
    if proposed is None:
        return None
    yearly = bool(_YEARLY.search(said))
    spans = [*_written(said), *_counted(said, today), *_around(said, today)]
    if not yearly:
        spans += _without_year(said, today)
    cuts = [_cut(proposed, span) for span in spans]
    return max((cut for cut in cuts if cut), key=len, default=None)


def _cut(proposed: Span, span: Span) -> str | None:
    """The proposed date without the parts that the phrase does not tell, if it may mean it."""
    length = _LENGTHS[min(proposed.precision, span.precision)]
    first = proposed.first.isoformat()[:length]
    inside = span.first.isoformat()[:length] <= first <= span.last.isoformat()[:length]
    return first if inside and first else None


def _span(year: int | None, month: int | None = None, day: int | None = None) -> Span | None:
    """A whole or partial date; None if there is no such day, or no year."""
    if year is None:
        return None
    try:
        first = date(year, month or 1, day or 1)
        if month and day:
            return Span(first, first, _DAY)
        if month:
            return Span(first, _month_end(first), _MONTH)
        return Span(first, date(year, 12, 31), _YEAR)
    except (ValueError, OverflowError):
        return None


def _written(text: str) -> Iterator[Span]:
    """Dates that are written with their year."""
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


def _without_year(text: str, today: date) -> Iterator[Span]:
    """Days and months without a year, in the years around: within a year of today."""
    bare = [(None, MONTHS[name.lower()], None) for name in _ANY_MONTH.findall(text)]
    for year, month, day in (*written_dates(text), *bare):
        if year is not None:
            continue
        for near in (today.year - 1, today.year, today.year + 1):
            span = _span(near, month, day)
            if span and abs((span.first - today).days) <= 366:
                yield span


def _counted(text: str, today: date) -> Iterator[Span]:
    """Dates in the past that are counted from today; of what may mean several days, the part of the
    date that is sure."""
    for meant in phrases(text, today):
        spans = [span for iso in meant if (span := _span(*map(int, iso.split("-"))))]
        if not spans:
            continue
        precision = spans[0].precision - (len(spans) > 1)
        yield Span(spans[0].first, spans[-1].last, precision)


def _around(text: str, today: date) -> Iterator[Span]:
    """What else may be counted from today, in both directions, with less certainty; and any number
    that looks like a year."""
    folded = text.casefold()
    yield from filter(None, map(_year_alone, _ANY_YEAR.findall(text)))
    yield from _days_away(folded, today)
    for weekday, names_of_day in enumerate(_WEEKDAYS):
        if names_of_day.search(folded):
            ahead = (weekday - today.weekday()) % 7
            for days in (ahead - 7, ahead, ahead + 7):
                day = today + timedelta(days=days)
                yield Span(day, day, _DAY)
    for (unit, unit_names), (way, way_names) in product(_UNITS.items(), _TOWARDS.items()):
        near = rf"(?:{way_names})\s*(?:{unit_names})|(?:{unit_names})\s*(?:{way_names})"
        if unit != "day" and re.search(rf"(?<!\w)(?:{near})(?!\w)|{near}", folded):
            yield _unit_away(unit, way, today)
    for unit, unit_names in _UNITS.items():
        for count in re.findall(rf"(\d{{1,2}}|\w+)\s*(?:{unit_names})(?!\w)", folded):
            number = int(count) if count.isdecimal() else _COUNTS.get(count, 0)
            if number:
                yield _unit_away(unit, number, today)
                yield _unit_away(unit, -number, today)


def _days_away(folded: str, today: date) -> Iterator[Span]:
    """The days that have a name of their own, such as tomorrow."""
    for days, names in _DAYS_AWAY.items():
        if any(_has(folded, name) for name in names.split()):
            day = today + timedelta(days=days)
            yield Span(day, day, _DAY)


def _year_alone(year: str) -> Span | None:
    return _span(int(year))


def _unit_away(unit: str, count: int, today: date) -> Span:
    """The day, the month of the week, the month or the year so many units from today."""
    if unit == "day":
        day = today + timedelta(days=count)
        return Span(day, day, _DAY)
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=count)
        return Span(monday, monday + timedelta(days=6), _MONTH)
    if unit == "month":
        months = 12 * today.year + today.month - 1 + count
        first = date(months // 12, months % 12 + 1, 1)
        return Span(first, _month_end(first), _MONTH)
    year = min(9999, max(1, today.year + count))
    return Span(date(year, 1, 1), date(year, 12, 31), _YEAR)


def _month_end(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _has(text: str, word: str) -> bool:
    """Whether a word stands in the text; those of scripts without spaces, anywhere."""
    if not word.isascii() and not re.search(r"[a-zà-ÿа-яё]", word):
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
