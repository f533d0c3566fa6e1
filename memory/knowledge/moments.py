"""When something was, as a person says it ("yesterday", "3 weeks ago"), in the reader's language
and by their calendar."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache

from memory.search.lexicon.lexicon import Ago, lexicons


def _slavic(count: int) -> int:
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else 2


#: Which form of a noun a number takes, by the names of rules in the lexicon.
_PLURALS: Mapping[str, Callable[[int], int]] = {
    "one": lambda count: int(count != 1),
    "none_or_one": lambda count: int(count > 1),
    "slavic": _slavic,
}


@cache
def known_languages() -> Mapping[str, Ago]:
    """The languages in which moments are told, by ISO 639-1 code."""
    return {code: lexicon.ago for code, lexicon in lexicons().items() if lexicon.ago}


def ago(then: datetime, now: datetime, language: str | None = None) -> str:
    """How long ago, by calendar days in `now`'s time zone. `language` is a BCP 47 tag such as "ru"
    or "pt-br"; English where it is none of `known_languages`. What is yet to come is today."""
    say = known_languages().get(base_language(language)) or known_languages()["en"]
    days = (now.date() - then.astimezone(now.tzinfo).date()).days
    if days <= 0:
        return say.today
    if days == 1:
        return say.yesterday
    if days >= 365:
        count, unit = days // 365, say.year
    elif days >= 60:
        count, unit = days // 30, say.month
    elif days >= 14:
        count, unit = days // 7, say.week
    else:
        count, unit = days, say.day
    return say.pattern.format(n=count, noun=unit[_PLURALS[say.plurals](count)])


def base_language(tag: str | None) -> str:
    """The language of a BCP 47 tag, without region and script; "" for none."""
    return (tag or "").replace("_", "-").partition("-")[0].lower()
