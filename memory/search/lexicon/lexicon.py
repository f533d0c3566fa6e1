"""The words of the languages that search, dates, the window and the gate know: one TOML file each,
named by its ISO 639-1 code, read when first needed.

A list of words is a text, split at spaces, or an array where entries have spaces of their own; rows
are an array of such texts, or one line each."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

Words = tuple[str, ...]
WordRows = tuple[Words, ...]

#: The languages there are. Of two that have as many of a text's small words, the first is taken.
CODES: Words = (
    "en", "de", "fr", "es", "it", "pt", "nl", "ru", "uk", "he", "ar", "el", "hi", "zh", "ja", "ko",
    "th", "tr", "pl", "emoji",
)  # fmt: skip

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Dates:
    """The words that dates are told with. Rows are in the calendar's order: January, Monday,
    spring, one."""

    months: WordRows = ()
    weekdays: WordRows = ()
    seasons: WordRows = ()
    counts: WordRows = ()
    #: Endings of a day's number, and what may stand between a day, a month and a year.
    ordinals: Words = ()
    of: Words = ()
    #: Words that make a month's name behind them a date.
    before_months: Words = ()
    today: Words = ()
    tomorrow: Words = ()
    day_after_tomorrow: Words = ()
    yesterday: Words = ()
    day_before_yesterday: Words = ()
    #: What looks like one of these five days and is none.
    no_days: Words = ()
    day: Words = ()
    week: Words = ()
    month: Words = ()
    year: Words = ()
    next: Words = ()
    this: Words = ()
    #: "Last", before and after its noun; and in one word with it.
    last_before: Words = ()
    last_after: Words = ()
    last_week: Words = ()
    last_month: Words = ()
    last_year: Words = ()
    #: "Ago", before and after a number with its unit; units that stand alone before it.
    ago_before: Words = ()
    ago_after: Words = ()
    ago_alone: Words = ()


@dataclass(frozen=True, slots=True)
class Ago:
    """How a language tells when something was. Units are the forms of a noun, as its plural rule
    has them; `pattern` has places for `{n}` and `{noun}`. `name` is what the
    language calls itself, `english` what English calls it."""

    name: str
    english: str
    today: str
    yesterday: str
    pattern: str
    plurals: str
    day: Words
    week: Words
    month: Words
    year: Words


@dataclass(frozen=True, slots=True)
class Secrets:
    """What secrets are called; `…*` with any ending, `*…` as the end of a longer word."""

    #: What may come after them is a secret, whatever it looks like.
    passwords: Words = ()
    #: The same; they need no "is" where one word is all that comes after them.
    phrases: Words = ()
    #: What comes after these is one if it looks odd, with digits or signs.
    pins: Words = ()
    #: The same, unless a word beside it says that this code is `harmless`.
    codes: Words = ()
    harmless: Words = ()
    #: What "is" an odd value is locked or joined with it.
    locks: Words = ()
    #: What has no number but its code, and the words that tell with which code a lock opens.
    bolts: Words = ()
    unlocks: Words = ()
    by: Words = ()
    wireless: Words = ()
    #: Between a name and its value.
    equals: Words = ()
    documents: Words = ()
    accounts: Words = ()


@dataclass(frozen=True, slots=True)
class Orders:
    """How the assistant is told to break its rules: "ignore all (`yours`) previous rules", "forget
    everything said before", "new rules:". Words as in Secrets; `shapes` are whole patterns."""

    ignore: Words = ()
    yours: Words = ()
    rules: Words = ()
    everything: Words = ()
    before: Words = ()
    new: Words = ()
    #: Who speaks in a transcript: "system:".
    roles: Words = ()
    shapes: Words = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language, in lower case, as written; apostrophes split small words."""

    #: What Snowball's stemmer calls it, if its small words tell it from others with that alphabet.
    snowball: str = ""
    #: It puts no spaces between words.
    unspaced: bool = False
    small_words: Words = ()
    #: Small words of any language that are names here.
    names: Words = ()
    negations: Words = ()
    #: Words that statements of one thing may differ in: "and", articles, the first person, the
    #: present of "to be" and "to have"; words between a thing and its name; and, where one
    #: is about "the user" instead of "I", the third person, and the endings of verbs in both.
    light: Words = ()
    naming: Words = ()
    user: Words = ()
    third_person: Words = ()
    #: Verbs that a preference without a subject begins with.
    preferring: Words = ()
    #: Verbs of the third person with those of the first where no rule makes one of the other, a row
    #: each; verbs that fit any person; what may stand between subject and verb.
    first_person: WordRows = ()
    any_person: Words = ()
    adverbs: Words = ()
    agreement: Words = ()
    chatter: Words = ()
    greetings: Words = ()
    please: Words = ()
    #: Requests that a text to be worked on follows: "translate".
    work_on: Words = ()
    #: Requests to go on: all of a message, or its beginning before a comma.
    going_on: Words = ()
    #: Phrases by which a message refers to what was said before it; and what only looks like one.
    points_back: Words = ()
    points_nowhere: Words = ()
    #: Words that people use for one thing, a row each.
    concepts: WordRows = ()
    dates: Dates = field(default_factory=Dates)
    ago: Ago | None = None
    secrets: Secrets = field(default_factory=Secrets)
    orders: Orders = field(default_factory=Orders)


@cache
def lexicons(folder: Path = _FOLDER) -> Mapping[str, Lexicon]:
    """All languages by their code. Raises ValueError if a file is missing or faulty."""
    if strange := {path.stem for path in folder.glob("*.toml")} ^ set(CODES):
        raise ValueError(f"{folder}: files and CODES differ in {', '.join(sorted(strange))}")
    return {code: _read(folder / f"{code}.toml") for code in CODES}


def all_of(part: Callable[[Dates], Iterable[str]]) -> frozenset[str]:
    """The words that this part of the dates has in any language."""
    return frozenset(word for lexicon in lexicons().values() for word in part(lexicon.dates))


def secret_names(part: Callable[[Secrets], Words], *, unspaced: bool) -> str:
    """A pattern for the words that this part of the secrets has in any language with, or without,
    spaces."""
    kept = (each for each in lexicons().values() if each.unspaced is unspaced)
    return names_pattern(word for each in kept for word in part(each.secrets))


def names_pattern(names: Iterable[str]) -> str:
    """A pattern for any of these names, where `*` is any ending or beginning."""
    return any_of(set(names)).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest that fits."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


def _read(path: Path) -> Lexicon:
    try:
        lexicon: Lexicon = _fill(Lexicon, tomllib.loads(path.read_text(encoding="utf-8")), "")
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error
    dates = lexicon.dates
    for name, rows, count in (
        ("months", dates.months, 12), ("weekdays", dates.weekdays, 7), ("seasons", dates.seasons, 4)
    ):  # fmt: skip
        if len(rows) not in (0, count):
            raise ValueError(f"{path}: dates.{name} has {len(rows)} rows instead of {count}")
    return lexicon


def _fill(kind: Any, table: Any, where: str) -> Any:
    """A dataclass from a table. Raises ValueError for a key that it lacks or does not know, or a
    value of the wrong kind."""
    if not isinstance(table, dict):
        raise TypeError(f"{where or 'the file'} is no table")
    if unknown := table.keys() - {each.name for each in fields(kind)}:
        raise ValueError(f"{where}{', '.join(sorted(unknown))}: there is no such key")
    required = {each.name for each in fields(kind) if each.default is each.default_factory}
    if missing := required - table.keys():
        raise ValueError(f"{where}{', '.join(sorted(missing))} is missing")
    hints = get_type_hints(kind)
    return kind(**{k: _value(hints[k], value, where + k) for k, value in table.items()})


def _value(hint: Any, value: Any, where: str) -> Any:
    if hint == Words:
        return _words(value, where)
    if hint == WordRows:
        lines = value.strip().splitlines() if isinstance(value, str) else value
        return tuple(_words(line, where) for line in _texts(lines, where))
    if hint in (str, bool):
        if not isinstance(value, hint):
            raise TypeError(f"{where} is no {hint.__name__}")
        return value
    return _fill(
        {"ago": Ago, "secrets": Secrets, "orders": Orders}.get(where, Dates), value, f"{where}."
    )


def _words(value: Any, where: str) -> Words:
    return tuple(value.split()) if isinstance(value, str) else tuple(_texts(value, where))


def _texts(value: Any, where: str) -> Iterable[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise TypeError(f"{where} is neither a text nor an array of texts")
    return value


# The small words of the main languages carry grammar, not topics. They are taken out of queries,
# never out of the index, and they tell the language of a text.


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Grammar words by Snowball language, lower case, as written (apostrophes split words)."""
    return {
        lexicon.snowball: frozenset(lexicon.small_words)
        for lexicon in lexicons().values()
        if lexicon.snowball
    }


@cache
def other_stop_words() -> frozenset[str]:
    """The grammar words of languages with letters of their own, for which no Latin text can be
    mistaken."""
    return _union(lambda each: () if each.snowball or each.unspaced else each.small_words)


@cache
def unspaced_stop_words() -> frozenset[str]:
    """The grammar words of scripts without spaces. They separate the text of a query as a space
    does."""
    return _union(lambda each: each.small_words if each.unspaced else ())


@cache
def also_names() -> frozenset[str]:
    """Grammar words that are also people's names."""
    return _union(lambda each: each.names)


@cache
def negations() -> frozenset[str]:
    """Grammar words that reverse a sentence."""
    return _union(lambda each: each.negations)


@cache
def chatter() -> frozenset[str]:
    """Words that greet, thank, agree, or talk about telling and remembering ("what did I tell you
    about …") instead of about a topic."""
    return _union(lambda each: each.chatter)


def _union(part: Callable[[Lexicon], Iterable[str]]) -> frozenset[str]:
    return frozenset(word for each in lexicons().values() for word in part(each))
