"""What a message states, and whether any of it is worth keeping."""

from bot.offline.grammar.grammar import Finding, findings, has_first_person_clause, words
from bot.offline.grammar.grammar import is_off_record as _is_off_record
from bot.offline.languages.tables import LANGUAGES, language_of


def noteworthy(text: str) -> tuple[Finding, ...]:
    """What of one message the extractor would keep, in order."""
    language = language_of(text)
    return tuple(findings(text, language)) if language else ()


def slot_of(text: str) -> str | None:
    """Which question a statement answers ("employer", "home"), if it is one statement and answers
    one that has a single answer."""
    found = noteworthy(text)
    return found[0].slot if len(found) == 1 and not found[0].negated else None


def sole_finding(text: str) -> Finding | None:
    """The text as the extractor would keep it, if it is one statement worth keeping and no more."""
    found = noteworthy(text)
    return found[0] if len(found) == 1 and words(found[0].text) == words(text) else None


def is_statement(text: str) -> bool:
    """Whether the message states something about the person, worth keeping or not."""
    language = language_of(text)
    return language is not None and has_first_person_clause(text, language)


def is_about_relatives(text: str) -> bool:
    """Whether a statement is about somebody of the person's, and not about the person."""
    return any(language.relatives.match(text) for language in LANGUAGES)


def is_off_record(text: str) -> bool:
    """Whether the message asks that it, or something that was said, is not kept."""
    return any(_is_off_record(text, language) for language in LANGUAGES)
