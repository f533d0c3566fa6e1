"""The few statements that rules understand well enough to keep as facts and preferences. Pure.

A rule must fit a whole clause. Nothing is taken from a message that jokes, supposes, asks, quotes
or tells what somebody else said or wrote: better a fact too few than a false one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.offline.language import Language, all_languages, sentences
from bot.offline.wishes import is_question
from memory.records import Kind, own_words
from memory.search.lexicon.lexicon import negations
from memory.search.text import plain_words

#: A longer message, or one of more lines, is a text that somebody pasted.
_LONGEST, _LINES = 300, 3
#: No more words than these are no clause of their own.
_NO_CLAUSE = 2
#: "Proofread this: …"
_INTRODUCES = re.compile(r"^[^.!?\n]{1,60}[:：]\s")
_QUOTED = re.compile('["“”«»„]|^\\s*>', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A clause, verbatim, that says something lasting about the person. `slot` names the question
    that it answers, if that has a single answer."""

    text: str
    kind: Kind
    slot: str | None
    importance: int


def findings_in(text: str, language: Language, among: Iterable[Language] = ()) -> list[StatedFact]:
    """What a message says of its writer, in any language or in one of these."""
    own = own_words(text).strip()
    if own != text.strip() or len(own) > _LONGEST or own.count("\n") >= _LINES:
        return []
    if _QUOTED.search(own) or _INTRODUCES.search(own) or is_unsure(own, language):
        return []
    # A short message does not show its language: whole clauses do.
    for each in among or all_languages(language):
        if found := list(_findings(own, each)):
            return [] if is_unsure(own, each) else found
    return []


def _findings(text: str, language: Language) -> Iterator[StatedFact]:
    for sentence in sentences(text):
        if not is_question(_whole(sentence, text), language):
            found = (_finding(clause, language) for clause in _clauses(sentence, language))
            yield from filter(None, found)


def is_unsure(text: str, language: Language) -> bool:
    """True if a message jokes, supposes, plays, or tells what somebody said or wrote."""
    return any(language.finds(f"marks.{mark}", text) for mark in _UNSURE)


def denies(text: str) -> bool:
    """True if a text has a negation."""
    return not negations().isdisjoint(run for _, run in plain_words(text))


def slots_in(text: str, language: Language) -> frozenset[str]:
    """The slots that a message states a value of."""
    return frozenset(each.slot for each in findings_in(text, language, (language,)) if each.slot)


def sole_finding(text: str, language: Language) -> StatedFact | None:
    """The one fact that the whole text states; None if there is none."""
    return _finding(text.strip(" .!"), language)


_UNSURE = ("unreal", "laughter", "made", "play")


def _whole(sentence: str, text: str) -> str:
    """The sentence with the mark that ends it."""
    end = text.find(sentence) + len(sentence)
    return sentence + text[end : end + 1].strip()


def _clauses(sentence: str, language: Language) -> Iterator[str]:
    start = 0
    for boundary in _boundary(language).finditer(sentence):
        clause = sentence[start : boundary.start()].strip(" ,;")
        # "My partner and I live in Rome" is one clause.
        if len(clause.split()) > _NO_CLAUSE or boundary[0].strip()[:1] in ",;–—":
            yield clause
            start = boundary.end()
    yield sentence[start:].strip(" ,;")


@cache
def _boundary(language: Language) -> re.Pattern[str]:
    starts = language.table.get("fact_words", {}).get("starts", "(?!)")
    joins = language.table.get("fact_words", {}).get("joins", "(?!)")
    return re.compile(
        rf"(?:\s*[,;–—]\s*(?:(?:{joins})\s+)?|\s+(?:{joins})\s+)(?=(?:{starts})(?!\w))",
        re.IGNORECASE,
    )


def _finding(clause: str, language: Language) -> StatedFact | None:
    clause = language.uncorrected(clause)
    lasting = _lately(language).sub("", clause)
    for rule, pattern in _rules(language):
        if pattern.fullmatch(lasting):
            text = clause[:1].upper() + clause[1:]
            kind = Kind(rule.get("kind", "fact"))
            return StatedFact(text, kind, rule.get("slot"), rule.get("importance", 6))
    return None


@cache
def _lately(language: Language) -> re.Pattern[str]:
    """When something began, at the end of a clause: "I moved to Basel last week"."""
    lately = language.table.get("fact_words", {}).get("lately", "(?!)")
    return re.compile(rf"\s+(?:{lately})$", re.IGNORECASE)


@cache
def _rules(language: Language) -> list[tuple[dict[str, Any], re.Pattern[str]]]:
    rules = language.table.get("facts", [])
    return [(rule, re.compile(_fill_in(rule["says"]), re.IGNORECASE)) for rule in rules]


_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ])[\w'’.-]*"

#: What the rules' placeholders for a name, a few words and a day match.
_PARTS = {
    "<Name>": rf"{_CAPITAL}(?:\s+(?:(?:de|da|do|del|la|le|van|von|&|of|the)\s+)?{_CAPITAL}){{0,3}}",
    "<words>": r"\w[\w'’/+#&.-]*(?:\s+[\w'’/+#&.-]+){0,6}",
    "<date>": r"(?=.*\d)[\w.,/ -]{1,30}",
}


def _fill_in(says: str) -> str:
    for part, pattern in _PARTS.items():
        says = says.replace(part, pattern)
    return says
