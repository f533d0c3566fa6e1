"""What a message states, and whether any of it is worth keeping."""

from bot.offline.grammar.grammar import (
    StatedClause,
    has_first_person_clause,
    is_off_record_in,
    lower_words,
    stated_clauses,
)
from bot.offline.languages.tables import LANGUAGES, language_of


def noteworthy(text: str) -> tuple[StatedClause, ...]:
    """The clauses of a message that the extractor would keep, in order."""
    language = language_of(text)
    return tuple(stated_clauses(text, language)) if language else ()


def slot_of(text: str) -> str | None:
    """The slot of a text ("employer", "home"), if it is a single statement with one."""
    found = noteworthy(text)
    return found[0].slot if len(found) == 1 and not found[0].negated else None


def sole_clause(text: str) -> StatedClause | None:
    """The text as the extractor would keep it, if it is exactly one statement worth keeping."""
    found = noteworthy(text)
    return found[0] if len(found) == 1 and lower_words(found[0].text) == lower_words(text) else None


def is_statement(text: str) -> bool:
    """True if the message states something about the person, worth keeping or not."""
    language = language_of(text)
    return language is not None and has_first_person_clause(text, language)


def is_about_relatives(text: str) -> bool:
    """True if a statement is about the person's relatives or friends, not about the person."""
    return any(language.relatives.match(text) for language in LANGUAGES)


def is_off_record(text: str) -> bool:
    """True if the message asks not to keep it, or something said before."""
    return any(is_off_record_in(text, language) for language in LANGUAGES)
