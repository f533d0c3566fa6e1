"""Which form of a noun goes with a number, by Unicode's CLDR plural rules for integers. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

#: The categories of CLDR's plural rules that the languages here know.
Form = Literal["one", "few", "many", "other"]
PluralRule = Callable[[int], Form]


def one_other(count: int) -> Form:
    """English, German: one of something, or another number."""
    return "one" if count == 1 else "other"


def none_is_one(count: int) -> Form:
    """Hindi: nothing is said like one."""
    return "one" if count in (0, 1) else "other"


def _millions(count: int) -> bool:
    """Romance languages put a preposition after whole millions: "1000000 de mensajes"."""
    return count != 0 and count % 1_000_000 == 0


def one_many_other(count: int) -> Form:
    """Spanish, Italian."""
    return "many" if _millions(count) else one_other(count)


def none_is_one_many_other(count: int) -> Form:
    """Portuguese: nothing is said like one."""
    return "many" if _millions(count) else none_is_one(count)


def east_slavic(count: int) -> Form:
    """Russian: 1, 21, 31 like one; 2 to 4, 22 to 24 with the few; the others, 11 to 14 among them,
    with the many."""
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"


#: Every form that a rule can ask for.
FORMS: Mapping[PluralRule, frozenset[Form]] = {
    one_other: frozenset(("one", "other")),
    none_is_one: frozenset(("one", "other")),
    one_many_other: frozenset(("one", "many", "other")),
    none_is_one_many_other: frozenset(("one", "many", "other")),
    east_slavic: frozenset(("one", "few", "many")),
}

#: The rule of every language that the bot speaks.
PLURAL_RULES: Mapping[str, PluralRule] = {
    "en": one_other,
    "es": one_many_other,
    "de": one_other,
    "it": one_many_other,
    "pt": none_is_one_many_other,
    "ru": east_slavic,
    "hi": none_is_one,
}


@dataclass(frozen=True, slots=True)
class Counted:
    """A text with a number in it, as `{count}`, in every form that the language's rule knows."""

    rule: PluralRule
    forms: Mapping[Form, str]

    def format(self, count: int, **others: object) -> str:
        """The text for this number; `others` fill what else stands in braces."""
        return self.forms[self.rule(count)].format(count=count, **others)
