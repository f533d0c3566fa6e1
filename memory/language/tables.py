"""The languages there are, and which of them a text is written in."""

from memory.language.chinese import CHINESE
from memory.language.english import ENGLISH
from memory.language.french import FRENCH
from memory.language.german import GERMAN
from memory.language.grammar import MAX_TEXT, plain, words
from memory.language.italian import ITALIAN
from memory.language.portuguese import PORTUGUESE
from memory.language.russian import RUSSIAN
from memory.language.shapes import Language
from memory.language.spanish import SPANISH

LANGUAGES: tuple[Language, ...] = (
    ENGLISH, RUSSIAN, GERMAN, SPANISH, ITALIAN, PORTUGUESE, FRENCH, CHINESE,
)  # fmt: skip


def language_of(text: str) -> Language | None:
    """The language with most of its small words in the text; None when no table fits."""
    text = text[:MAX_TEXT]
    scored = [(_familiar(text, language), language) for language in LANGUAGES]
    score, language = max(scored, key=lambda pair: pair[0])
    return language if score else None


def language_code(text: str) -> str | None:
    """The ISO 639-1 code of that language; None when no table fits."""
    language = language_of(text)
    return language.code if language else None


def _familiar(text: str, language: Language) -> int:
    known = sum(word in language.words for word in words(plain(text, language)))
    return known + bool(language.letters.match(text))
