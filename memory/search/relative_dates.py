"""Dates that are told from today: "yesterday", "last spring", "vor zwei Wochen", "el mes pasado".

One table of words serves all languages: no word of one means another time in the next. Seasons are
those of the northern hemisphere. What a phrase may mean comes as ISO texts, whole or partial:
"2026-03-02", "2026-03", "2026"."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta

_DAYS, _WEEKS, _MONTHS, _YEARS = "days", "weeks", "months", "years"


def _numbered(rows: Iterable[str], start: int = 0, step: int = 1) -> dict[str, int]:
    """Each word of each row with the number of its row."""
    return {
        word: start + step * place for place, words in enumerate(rows) for word in words.split()
    }


_UNITS = {
    word: unit
    for unit, words in (
        (_DAYS, "day days tag tage tagen день дня дней día días"),
        (_WEEKS, "week weeks woche wochen неделя неделю недели неделе недель semana semanas"),
        (_MONTHS, "month months monat monate monaten месяц месяца месяце месяцев mes meses"),
        (_YEARS, "year years jahr jahre jahren год года году лет año años"),
    )
    for word in words.split()
}
_COUNTS = _numbered(
    (
        "a an one einem einer один одну un una",
        "two couple zwei два две пару dos",
        "three few drei три несколько tres",
        "four vier четыре cuatro",
        "five fünf пять cinco",
        "six sechs шесть seis",
        "seven sieben семь siete",
        "eight acht восемь ocho",
        "nine neun девять nueve",
        "ten zehn десять diez",
    ),
    start=1,
)
_WEEKDAYS = _numbered(
    (
        "monday montag понедельник lunes",
        "tuesday dienstag вторник martes",
        "wednesday mittwoch среду miércoles",
        "thursday donnerstag четверг jueves",
        "friday freitag пятницу viernes",
        "saturday samstag sonnabend субботу sábado",
        "sunday sonntag воскресенье domingo",
    )
)
#: Each season by its first month.
_SEASONS = _numbered(
    (
        "spring frühling frühjahr весной весну primavera",
        "summer sommer летом лето verano",
        "autumn fall herbst осенью осень otoño",
        "winter зимой зиму invierno",
    ),
    start=3,
    step=3,
)
#: How many days ago it was.
_DAY_NAMES = _numbered(
    (
        "yesterday gestern вчера ayer anoche 昨天 昨晚 昨日",
        "vorgestern позавчера anteayer 前天",
    ),
    start=1,
) | {"last night": 1, "day before yesterday": 2}
_LAST_IN_ONE_WORD = {
    "上周": _WEEKS, "上星期": _WEEKS, "上个星期": _WEEKS, "上个月": _MONTHS, "去年": _YEARS,
    "先週": _WEEKS, "先月": _MONTHS,
}  # fmt: skip

_UNSPACED = (*_LAST_IN_ONE_WORD, "昨天", "昨晚", "昨日", "前天")


def _any(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest that fits."""
    return "|".join(sorted(words, key=len, reverse=True))


_NUMBER = rf"\d{{1,3}}|{_any(_COUNTS)}"
_NAME = _any((_UNITS.keys() - {"day", "tag", "день", "día"}) | _WEEKDAYS.keys() | _SEASONS.keys())
_PHRASE = re.compile(
    # A run of Chinese or Japanese has no edges of words to look for.
    rf"(?P<one_word>{_any(_LAST_IN_ONE_WORD)})"
    rf"|(?P<day>昨天|昨晚|昨日|前天|(?<!\w)(?:{_any(_DAY_NAMES)})(?!\w))"
    r"|(?<!\w)(?:"
    rf"(?:last|past|letzte[nmrs]?|vorige[nmrs]?|прошл(?:ый|ая|ую|ое|ой|ым|ом))\s+(?P<name>{_NAME})"
    rf"|(?P<past>{_NAME})\s+pasad[oa]"
    rf"|(?P<count>{_NUMBER})\s+(?:of\s+)?(?P<unit>{_any(_UNITS)})\s+(?:ago|назад)"
    r"|(?P<single>неделю|месяц|год)\s+назад"
    rf"|(?:vor|hace)\s+(?P<number>{_NUMBER})\s+(?P<time>{_any(_UNITS)})"
    r")(?!\w)",
    re.IGNORECASE,
)

_WORD = re.compile(r"\w+")

#: Every phrase has one of these, or none of its letters is Latin or Cyrillic.
_CUES = frozenset(
    "last past night ago vor hace letzte letzten letzter letztes letztem vorige vorigen voriger"
    " voriges vorigem прошлый прошлая прошлую прошлое прошлой прошлым прошлом назад pasado pasada"
    "".split()
) | frozenset(_DAY_NAMES)


def hinted(text: str, words: Collection[str]) -> bool:
    """Whether a text with these words may tell a date from today; right whenever it says no."""
    return not _CUES.isdisjoint(words) or any(sign in text for sign in _UNSPACED)


def understood(text: str, today: date) -> tuple[list[str], str]:
    """The dates that a text tells from today, and the text without them."""
    found: list[str] = []

    def take(phrase: re.Match[str]) -> str:
        found.extend(_meant({n: g.casefold() for n, g in phrase.groupdict().items() if g}, today))
        return " "

    rest = _PHRASE.sub(take, text)
    return found, rest


def phrases(text: str, today: date) -> list[list[str]]:
    """What each phrase of a text that tells a date from today may mean, in order."""
    if not hinted(text, _WORD.findall(text.casefold())):
        return []
    return [
        _meant({n: g.casefold() for n, g in phrase.groupdict().items() if g}, today)
        for phrase in _PHRASE.finditer(text)
    ]


def _meant(said: Mapping[str, str], today: date) -> list[str]:
    """The dates of one phrase, by its named parts."""
    match said:
        case {"day": name}:
            return _ago(_DAY_NAMES[name], _DAYS, today)
        case {"one_word": word}:
            return _last_unit(_LAST_IN_ONE_WORD[word], today)
        case {"name": name} | {"past": name}:
            return _last(name, today)
        case {"single": unit}:
            return _ago(1, _UNITS[unit], today)
        case {"count": count, "unit": unit} | {"number": count, "time": unit}:
            return _ago(_number(count), _UNITS[unit], today)
    raise AssertionError(f"a phrase without a case of its own: {said}")


def _number(count: str) -> int:
    return int(count) if count.isdecimal() else _COUNTS[count]


def _last(name: str, today: date) -> list[str]:
    """What "last …" means for a season, a weekday or a unit of time."""
    if name in _SEASONS:
        return _last_season(_SEASONS[name], today)
    if name in _WEEKDAYS:
        return _last_weekday(_WEEKDAYS[name], today)
    return _last_unit(_UNITS[name], today)


def _last_season(first_month: int, today: date) -> list[str]:
    """The months of the latest such season that is over."""
    year = today.year
    while _month_on(year, first_month, 2) >= (today.year, today.month):
        year -= 1
    return [_iso_month(*_month_on(year, first_month, n)) for n in range(3)]


def _last_weekday(weekday: int, today: date) -> list[str]:
    """The latest such day before today; if it is of this week, the one before may be meant too."""
    back = (today.weekday() - weekday - 1) % 7 + 1
    ways = (back, back + 7) if back <= today.weekday() else (back,)
    return [(today - timedelta(days=days)).isoformat() for days in ways]


def _last_unit(unit: str, today: date) -> list[str]:
    if unit == _WEEKS:
        return _week_from(today - timedelta(days=today.weekday() + 7))
    return _ago(1, unit, today)


def _ago(number: int, unit: str, today: date) -> list[str]:
    """The day, the week around the day, the month or the year so long ago."""
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
    """The year and month that come so many months after this one."""
    months = 12 * year + month - 1 + count
    return months // 12, months % 12 + 1


def _iso_month(year: int, month: int) -> str:
    return f"{year:04}-{month:02}"
