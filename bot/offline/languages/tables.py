"""The languages there are, and which of them a text is written in."""

from bot.offline.grammar.grammar import MAX_TEXT, lower_words, plain
from bot.offline.grammar.shapes import Language
from bot.offline.languages.chinese import CHINESE
from bot.offline.languages.english import ENGLISH
from bot.offline.languages.french import FRENCH
from bot.offline.languages.german import GERMAN
from bot.offline.languages.italian import ITALIAN
from bot.offline.languages.portuguese import PORTUGUESE
from bot.offline.languages.russian import RUSSIAN
from bot.offline.languages.spanish import SPANISH

LANGUAGES: tuple[Language, ...] = (
    ENGLISH, RUSSIAN, GERMAN, SPANISH, ITALIAN, PORTUGUESE, FRENCH, CHINESE,
)  # fmt: skip


def language_of(text: str) -> Language | None:
    """The language with most of its small words in the text; None when no table fits."""
    text = text[:MAX_TEXT]
    scored = [(_count_known_words(text, language), language) for language in LANGUAGES]
    score, language = max(scored, key=lambda pair: pair[0])
    return language if score else None


def language_code(text: str) -> str | None:
    """The ISO 639-1 code of that language; None when no table fits."""
    language = language_of(text)
    return language.code if language else None


def _count_known_words(text: str, language: Language) -> int:
    known = sum(word in language.words for word in lower_words(plain(text, language)))
    return known + bool(language.letters.match(text))
