"""Everything that the bot itself says: a language is one TOML file.

Templates are filled with `format`; the names in braces are the same in every language."""

from bot.texts.catalogue import Sentence, languages, texts_in
from bot.texts.texts import Texts

__all__ = ["ENGLISH", "Sentence", "Texts", "languages", "texts_in"]

ENGLISH = texts_in("en")
