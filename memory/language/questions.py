"""Questions about what is remembered, small talk, and the turn from "I" to "you"."""

import re
from dataclasses import dataclass

from memory.language.grammar import (
    Language,
    QuestionRule,
    clauses_and_questions,
    clean,
    has_first_person_clause,
    mask,
    plain,
    without_start,
    written_words,
)
from memory.language.tables import LANGUAGES, language_of
from memory.records import Kind

_NUMERAL = re.compile(r"[,.;:!?)]|$")


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What a message wants to hear from memory: `topic` None means everything of these kinds."""

    topic: str | None
    kinds: tuple[Kind, ...]


def memory_question(text: str) -> MemoryQuestion | None:
    """What the message asks of memory; None when it asks nothing or something else."""
    for language in LANGUAGES:
        for clause in clauses_and_questions(plain(text, language), language):
            asked = without_start(clause, language.courtesy)
            if question := _asked(asked, language):
                return question
    return None


def asks_to_remember(text: str) -> str | None:
    """What the person explicitly wants kept ("remember that …"), as a sentence; None if nothing."""
    for language in LANGUAGES:
        masked = mask(plain(text.strip(), language))
        without_greeting = without_start(masked.text, language.courtesy)
        if match := language.keep_request.match(without_greeting):
            return masked.restore(clean(match["what"], language)) or None
    return None


def second_person(sentence: str) -> str:
    """The sentence as one says it back to the person; unchanged in a language without a table."""
    language = language_of(sentence)
    if language is None or language.request.match(sentence):
        return sentence
    masked = mask(sentence.replace("’", "'"))
    turned = masked.text
    for first, second in language.persons:
        turned = first.sub(lambda m, to=second: _replaced(m, to, language), turned)  # type: ignore[misc]
    return masked.restore(turned[:1].upper() + turned[1:])


def is_statement(text: str) -> bool:
    """Whether the message states something about the person, worth keeping or not."""
    language = language_of(text)
    return language is not None and has_first_person_clause(text, language)


def is_greeting(text: str) -> bool:
    """Whether the message is nothing but a greeting or a good-bye."""
    return any(language.greeting.match(text.strip()) for language in LANGUAGES)


def is_thanks(text: str) -> bool:
    """Whether the message is nothing but thanks."""
    return any(language.thanks.match(text.strip()) for language in LANGUAGES)


def _asked(clause: str, language: Language) -> MemoryQuestion | None:
    for rule in language.questions:
        if match := rule.pattern.match(clause):
            return None if rule.refused else _question(rule, match, language)
    return None


def _question(rule: QuestionRule, match: re.Match[str], language: Language) -> MemoryQuestion:
    if rule.topic is not None:
        return MemoryQuestion(rule.topic, rule.kinds)
    said = " ".join(part for part in match.groupdict().values() if part)
    topic = [w for w in written_words(said) if w.lower() not in language.question_noise]
    return MemoryQuestion(" ".join(topic) or None, rule.kinds)


def _replaced(match: re.Match[str], to: str, language: Language) -> str:
    """The other person's form, in the letter case of the place; a name's "I" stays."""
    if match[0] == "I" and language.numeral_before.search(_just_before(match)):
        rest = match.string[match.end() :]
        if _NUMERAL.match(rest) or language.numeral_after.match(rest):
            return match[0]
    starts = not match.string[: match.start()].strip()
    to = match.expand(to)
    return to[:1].upper() + to[1:] if starts else to


def _just_before(match: re.Match[str]) -> str:
    """The last few words before a match: a look at all of them for every match would be slow."""
    return match.string[max(0, match.start() - 40) : match.start()]
