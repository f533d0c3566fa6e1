"""The words of the notebook's languages: a TOML file each in `languages/`, read when first needed.

A list of words is a text, split at spaces, and compared word by word; an array or a text with "|"
holds regular expressions."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from memory.knowledge.moments import base_language
from memory.search.lexicon.lexicon import lexicons, stop_words
from memory.search.text import pairs, plain_words, spoken_words, stems

#: The codes of the files. Of two languages that fit a text equally well, the first is taken.
CODES = ("en", "de", "es", "fr", "it", "pt", "ru", "zh", "hi", "hi-latn")

#: Messages that are nothing but one of these say nothing to be told again.
COURTESIES = ("hello", "thanks", "bye", "okay")

_SNOWBALL = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
}
_SCRIPTS = (
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_SENTENCE = re.compile(r"[.!?…。！？\n]+(?=\s|$)|[。！？]")
#: Where a wish may begin: at the beginning of a message, a sentence or a part of one.
_STARTS = re.compile(r"(?:^|[.!?…\n,;:¿¡。！？，；：–—-])[\s\"“«]*")
_QUOTES = "\"'“”«»„`‘’"
_AFTER_NAME = re.compile(r"[,;:!?…()。，！？]|\.(?=\s|$)|\s[–—-]\s")
_NOISE = " .,;:!?…\"'“”«»„()*_~\ufe0f。，！？"
#: How many small words of one language leave no doubt.
_CERTAIN = 3
#: Maximum words of a name that a person gives the assistant.
_NAME_WORDS = 4


@dataclass(frozen=True, eq=False)
class Language:
    """One language of the notebook. `says` holds its sentences by name."""

    code: str
    table: Mapping[str, Any]

    @cached_property
    def says(self) -> Mapping[str, str]:
        return dict(self.table["says"])

    @property
    def spaced(self) -> bool:
        """False for a script that puts no spaces between words."""
        return self.code != "zh"

    def has(self, kind: str, text: str) -> bool:
        """True if the text has a word of this list ("asks.me")."""
        listed = self._words(kind)
        if not self.spaced:
            return any(word in text for word in listed)
        return any(word in listed for _, word in plain_words(text))

    def begins(self, kind: str, text: str) -> bool:
        """True if the text begins with a word of this list."""
        if not self.spaced:
            return text.startswith(tuple(self._words(kind)))
        return any(word in self._words(kind) for _, word in plain_words(text)[:1])

    def without(self, kind: str, text: str) -> str:
        """The text without the words of this list."""
        listed = self._words(kind)
        if not self.spaced:
            return re.sub("|".join(map(re.escape, listed)) or "(?!)", " ", text)
        return " ".join(word for _, word in plain_words(text) if word not in listed)

    def finds(self, kind: str, text: str) -> bool:
        """True if an expression of this kind ("marks.unreal") fits somewhere in the text."""
        return self._pattern(kind).search(text) is not None

    def matches(self, kind: str, text: str) -> Iterator[re.Match[str]]:
        """Where expressions of this kind fit the beginning of the text or of a part of it."""
        pattern = self._pattern(kind)
        for start in _STARTS.finditer(text):
            if match := pattern.match(text, start.end()):
                yield match

    def opens(self, kind: str, text: str) -> bool:
        """True if an expression of this kind fits the beginning of the text."""
        return self._pattern(kind).match(text.lstrip(' ¿¡"“«')) is not None

    def is_all(self, kind: str, text: str) -> bool:
        """True if expressions of this kind, and words that go with a courtesy, are all there is in
        the text."""
        rest, count = self._pattern(kind).subn(" ", text)
        rest = self._pattern("courtesies.filler").sub(" ", rest) if count else text
        return count > 0 and not any(map(str.isalnum, rest))

    def uncorrected(self, clause: str) -> str:
        """The clause without the words that announce a correction."""
        match = self._pattern("marks.correction").match(clause)
        return clause[match.end() :].lstrip(" ,，") if match else clause

    def clauses(self, text: str) -> list[str]:
        """The parts of a text, each of which may speak of something else."""
        return [part for part in self._joint.split(text) if part]

    @cached_property
    def _joint(self) -> re.Pattern[str]:
        joins = self.table.get("fact_words", {}).get("joins", "(?!)")
        unspaced = "" if self.spaced else r"|\s+"
        return re.compile(
            rf"[,;.!?。，；！？&]+\s*|\s[-–—]\s|\s(?:{joins})\s{unspaced}", re.IGNORECASE
        )

    def asks_for_style(self, question: str) -> bool:
        """True if a question is about how the assistant should write."""
        both = self.has("asks.you", question) and self.has("asks.style", question)
        return both or self.finds("asks.answering", question)

    def slot_asked(self, question: str) -> str | None:
        """The slot that a question asks for ("where do I live?": "home")."""
        slots = self.table.get("slots", ())
        return next((slot for slot in slots if self.finds(f"slots.{slot}", question)), None)

    def style_share(self, text: str) -> float:
        """How sure it is that a message says how the assistant should write, from 0 to 1."""
        if self.finds("wishes.answering", text):
            return 1.0
        return 0.5 * (self.has("wishes.directive", text) and self.has("asks.style", text))

    @cached_property
    def small_stems(self) -> frozenset[str]:
        """The index words of small words that search does not know as small."""
        listed = self.table.get("small_words") or " ".join(lexicons()[self.code].small_words)
        small = (*str(listed).split(), *self._words("marks.change"), *self._words("asks.filler"))
        return frozenset(self.index_words(" ".join(small)))

    @property
    def grammar(self) -> frozenset[str]:
        """The words with which people ask, and speak of themselves."""
        kinds = ("asks.me", "asks.when", "asks.name", "asks.filler", "marks.change")
        return frozenset().union(*map(self._words, kinds))

    @property
    def stop_words(self) -> frozenset[str]:
        """The grammar words of this language."""
        snowball = _SNOWBALL.get(self.code, "russian" if self.code == "ru" else "english")
        return stop_words()[snowball]

    def stems(self, word: str) -> tuple[str, ...]:
        """The index words of one word. Of a short line search cannot tell the language."""
        return stems(word, _SNOWBALL.get(self.code, "english"))

    def index_words(self, text: str) -> tuple[str, ...]:
        """The index words of a text in this language, in order."""
        found: list[str] = []
        for kind, word in plain_words(text):
            found += pairs(word) if kind == "unspaced" else self.stems(word)
        return tuple(found)

    def same(self, stem: str) -> frozenset[str]:
        """The index words of the words that mean the same."""
        return self._same_words().get(stem, frozenset())

    @cache  # noqa: B019
    def _same_words(self) -> Mapping[str, frozenset[str]]:
        groups: dict[str, set[str]] = {}
        for row in str(self._entry("same.words")).strip().splitlines():
            group = set(self.index_words(row))
            for stem in group:
                groups.setdefault(stem, set()).update(group)
        return {stem: frozenset(group - {stem}) for stem, group in groups.items()}

    @cache  # noqa: B019 - there are ten languages, which live as long as the process
    def _words(self, kind: str) -> frozenset[str]:
        listed = str(self._entry(kind)).split()
        if not self.spaced:
            return frozenset(listed)
        return frozenset(word for each in listed for _, word in plain_words(each))

    @cache  # noqa: B019
    def _pattern(self, kind: str) -> re.Pattern[str]:
        entry = self._entry(kind)
        rows = [entry] if isinstance(entry, str) else list(entry)
        shapes = "|".join(f"(?:{row})" for row in _number_groups(rows)) if any(rows) else "(?!)"
        edges = (r"(?<!\w)", r"(?!\w)") if self.spaced else ("", "")
        return re.compile(f"{edges[0]}(?:{shapes}){edges[1]}", re.IGNORECASE)

    def _entry(self, kind: str) -> Any:
        table, _, name = kind.partition(".")
        return self.table.get(table, {}).get(name, "")


def _number_groups(rows: Iterable[str]) -> Iterator[str]:
    """The expressions, with a number in each group name: a pattern may have a name only once."""
    for number, row in enumerate(rows):
        yield re.sub(r"\(\?P<(\w+)>", rf"(?P<\1_{number}>", row)


def captured_text(match: re.Match[str]) -> str:
    """The text that the groups of an expression captured."""
    return next((group for group in match.groupdict().values() if group), "")


@cache
def language_of(code: str) -> Language:
    """The language of one of `CODES`."""
    path = Path(__file__).parent / "languages" / f"{code}.toml"
    return Language(code, tomllib.loads(path.read_text(encoding="utf-8")))


def all_languages(first: Language) -> Iterator[Language]:
    """All languages, this one first."""
    yield first
    yield from (language_of(code) for code in CODES if code != first.code)


def guess_language(texts: Iterable[str], chosen: str | None = None) -> Language:
    """The language of the first text; where it leaves a doubt, those after it decide. Else the
    chosen one (a BCP 47 tag), else English."""
    rivals: frozenset[str] = frozenset()
    for text in texts:
        fits = _codes_of(text)
        rivals = (rivals & fits) or rivals or fits
        if len(rivals) == 1:
            break
    base = base_language(chosen)
    if base in rivals or (not rivals and base in CODES):
        return language_of(base)
    return language_of(next((code for code in CODES if code in rivals), "en"))


def _codes_of(text: str) -> frozenset[str]:
    """The languages that a text may be in; none if nothing shows it."""
    for code, script in _SCRIPTS:
        if script.search(text):
            return frozenset({code})
    seen = spoken_words(text)
    counts = {code: len(seen & words) for code, words in _small_words().items()}
    most = max(counts.values())
    if not most:
        # A greeting has no grammar, but a language.
        kinds = [f"courtesies.{kind}" for kind in COURTESIES]
        fits = (c for c in counts if any(language_of(c).is_all(kind, text) for kind in kinds))
        return frozenset(fits)
    doubt = 1 if most < _CERTAIN else 0
    return frozenset(code for code, count in counts.items() if count >= max(1, most - doubt))


@cache
def _small_words() -> Mapping[str, frozenset[str]]:
    """For each language in Latin letters the words that give it away."""
    found = {}
    for code, name in _SNOWBALL.items():
        dates = lexicons()[code].dates
        days = chain(dates.today, dates.yesterday, dates.tomorrow, *dates.months, *dates.weekdays)
        found[code] = stop_words()[name] | language_of(code).grammar | frozenset(days)
    latin = language_of("hi-latn")
    return found | {"hi-latn": latin.grammar | frozenset(str(latin.table["small_words"]).split())}


def sentences(text: str) -> list[str]:
    """The sentences of a text, without what ends them."""
    return [part for each in _SENTENCE.split(text) if (part := each.strip(" ¿¡"))]


def given_name(match: re.Match[str], language: Language) -> str | None:
    """The name at the beginning of what follows the naming words; None if it is none."""
    raw = captured_text(match).strip()
    if raw[:1] in _QUOTES and (quoted := re.match(rf"[{_QUOTES}](.+?)[{_QUOTES}]", raw)):
        return quoted[1].strip() or None
    rest = _AFTER_NAME.split(raw)[0]
    if after := language.table["wishes"].get("after_name"):
        rest = re.split(rf"\s(?:{after})(?!\w)", rest, flags=re.IGNORECASE)[0]
    tokens = rest.strip(_NOISE).split()
    capital = []
    for position, token in enumerate(tokens):
        if not (any(c.isupper() for c in token) or (position and token[0].isdigit())):
            break
        capital.append(token)
    name = capital or (tokens if len(tokens) == 1 else [])
    unfit = not name or len(name) > _NAME_WORDS or language.begins("wishes.not_names", name[0])
    return None if unfit else " ".join(name)
