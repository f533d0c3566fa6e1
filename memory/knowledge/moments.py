"""When something was, as a person says it: "yesterday", "3 weeks ago", in the language and by the
calendar of whoever it is said to. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

#: The forms of counted nouns, by the names of Unicode's CLDR plural rules.
Form = Literal["one", "few", "many"]


@dataclass(frozen=True, slots=True)
class Phrases:
    """How one language says it. The units are the forms of a noun, filled with a count: for "one",
    and for "few" and "many" where they differ."""

    name: str
    today: str
    yesterday: str
    days: Mapping[Form, str]
    weeks: Mapping[Form, str]
    months: Mapping[Form, str]
    years: Mapping[Form, str]
    form: Callable[[int], Form]


def _one_or_many(count: int) -> Form:
    return "one" if count == 1 else "many"


def _none_is_one(count: int) -> Form:
    return "one" if count < 2 else "many"


def _slavic(count: int) -> Form:
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"


def _forms(pattern: str, one: str, *others: str) -> Mapping[Form, str]:
    """The forms of a noun within a pattern; with a single other one, it stands for all counts."""
    few, many = others[0], others[-1]
    return {
        "one": pattern.format(noun=one),
        "few": pattern.format(noun=few),
        "many": pattern.format(noun=many),
    }


def _phrases(
    name: str,
    near: tuple[str, str],
    pattern: str,
    units: tuple[str, str, str, str],
    form: Callable[[int], Form] = _one_or_many,
) -> Phrases:
    days, weeks, months, years = (_forms(pattern, *unit.split()) for unit in units)
    return Phrases(name, *near, days, weeks, months, years, form)


#: The languages in which moments are told, by ISO 639-1 code.
LANGUAGES: Mapping[str, Phrases] = {
    "en": _phrases(
        "English", ("today", "yesterday"), "{{n}} {noun} ago",
        ("day days", "week weeks", "month months", "year years"),
    ),
    "ru": _phrases(
        "Русский", ("сегодня", "вчера"), "{{n}} {noun} назад",
        ("день дня дней", "неделю недели недель", "месяц месяца месяцев", "год года лет"), _slavic,
    ),
    "uk": _phrases(
        "Українська", ("сьогодні", "вчора"), "{{n}} {noun} тому",
        ("день дні днів", "тиждень тижні тижнів", "місяць місяці місяців", "рік роки років"),
        _slavic,
    ),
    "es": _phrases(
        "Español", ("hoy", "ayer"), "hace {{n}} {noun}",
        ("día días", "semana semanas", "mes meses", "año años"),
    ),
    "de": _phrases(
        "Deutsch", ("heute", "gestern"), "vor {{n}} {noun}",
        ("Tag Tagen", "Woche Wochen", "Monat Monaten", "Jahr Jahren"),
    ),
    "fr": _phrases(
        "Français", ("aujourd'hui", "hier"), "il y a {{n}} {noun}",
        ("jour jours", "semaine semaines", "mois mois", "an ans"), _none_is_one,
    ),
    "it": _phrases(
        "Italiano", ("oggi", "ieri"), "{{n}} {noun} fa",
        ("giorno giorni", "settimana settimane", "mese mesi", "anno anni"),
    ),
    "pt": _phrases(
        "Português", ("hoje", "ontem"), "há {{n}} {noun}",
        ("dia dias", "semana semanas", "mês meses", "ano anos"),
    ),
    "hi": _phrases(
        "हिन्दी", ("आज", "बीते कल"), "{{n}} {noun} पहले",
        ("दिन दिन", "सप्ताह सप्ताह", "महीने महीने", "साल साल"), _none_is_one,
    ),
}  # fmt: skip


def ago(then: datetime, now: datetime, language: str | None = None) -> str:
    """How long ago, by calendar days in `now`'s time zone. `language` is a BCP 47 tag such as "ru"
    or "pt-br"; English where it is none of LANGUAGES. What is yet to come is today."""
    say = LANGUAGES.get(base_language(language), LANGUAGES["en"])
    days = (now.date() - then.astimezone(now.tzinfo).date()).days
    if days <= 0:
        return say.today
    if days == 1:
        return say.yesterday
    if days >= 365:
        count, unit = days // 365, say.years
    elif days >= 60:
        count, unit = days // 30, say.months
    elif days >= 14:
        count, unit = days // 7, say.weeks
    else:
        count, unit = days, say.days
    return unit[say.form(count)].format(n=count)


def base_language(tag: str | None) -> str:
    """The language of a BCP 47 tag, without region and script; "" for none."""
    return (tag or "").replace("_", "-").partition("-")[0].lower()
