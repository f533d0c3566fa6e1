"""Everything the bot itself says, in one catalogue: a language is one more module.

Templates are filled with `format`; the names in braces are the same in every language."""

from collections.abc import Callable, Mapping

from bot.texts.english import ENGLISH, SAVED
from bot.texts.german import GERMAN
from bot.texts.hindi import HINDI
from bot.texts.italian import ITALIAN
from bot.texts.portuguese import PORTUGUESE
from bot.texts.russian import RUSSIAN
from bot.texts.spanish import SPANISH
from bot.texts.texts import Texts

__all__ = ["ENGLISH", "SAVED", "Sentence", "Texts", "languages", "texts_in"]

#: What is to be said, in whatever language.
Sentence = Callable[[Texts], str]

_CATALOGUE: Mapping[str, Texts] = {
    "en": ENGLISH,
    "es": SPANISH,
    "de": GERMAN,
    "it": ITALIAN,
    "pt": PORTUGUESE,
    "ru": RUSSIAN,
    "hi": HINDI,
}


def texts_in(*languages: str | None) -> Texts:
    """The texts in the first of these languages that there are texts in, each an IETF tag such as
    "en" or "pt-br"; else English."""
    wanted = (_CATALOGUE.get((tag or "").lower().split("-")[0]) for tag in languages)
    return next((texts for texts in wanted if texts), ENGLISH)


def languages() -> Mapping[str, Texts]:
    """All languages there are, by their tag."""
    return _CATALOGUE
