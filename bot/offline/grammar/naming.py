"""Names: the one a message gives the assistant, and the one a person says is their own."""

import re
from collections.abc import Iterator

from bot.offline.grammar.grammar import (
    Masked,
    clauses_and_questions,
    lower_words,
    mask,
    plain,
    without_start,
)
from bot.offline.grammar.shapes import Language
from bot.offline.grammar.statements import noteworthy
from bot.offline.languages.tables import LANGUAGES

_QUOTES = "\"'“”«»„`‘’"
_HIDDEN = re.compile("\ue000\\d+\ue001")
_AFTER_NAME = re.compile(r"[,;:!?…()]|\s[–—-]\s")
#: "From now on", "please", "because I like it": this many extra words mean nothing.
_FEW_WORDS = 4
_NOISE = " .,;:!?…\"'“”«»„()*_~\ufe0f"

#: The words right before one's own name.
_INTRODUCTIONS = {
    "en": r"my\s+(?:\w+\s+)?name\s+is|my\s+name[’']s|call\s+me|i\s+am|i[’']m|im|this\s+is|"
    r"people\s+call\s+me",
    "ru": r"меня\s+зовут|мо[её]\s+имя|зови(?:те)?\s+меня|называй(?:те)?\s+меня|(?<!\w)я\s*[-–—]?",
    "de": r"ich\s+hei(?:ß|ss)e|mein\s+name\s+ist|ich\s+bin(?:\s+(?:der|die))?|"
    r"nenn(?:e|t|en\s+sie)?\s+mich",
    "es": r"me\s+llamo|mi\s+nombre\s+es|(?:yo\s+)?soy|ll[aá]m(?:a|e|en)me|puedes\s+llamarme",
    "it": r"mi\s+chiamo|il\s+mio\s+nome\s+[eè]|mio\s+nome\s+[eè]|(?:io\s+)?sono|"
    r"chiamami|mi\s+chiami",
    "pt": r"(?:eu\s+)?me\s+chamo|chamo-me|(?:o\s+)?meu\s+nome\s+[eé]|(?:eu\s+)?sou(?:\s+[oa])?|"
    r"(?:pode\s+)?me\s+cham(?:e|ar)(?:\s+de)?|chama-me",
    "fr": r"je\s+m[’']appelle|mon\s+(?:pr[eé])?nom\s+est|je\s+suis|appell?e-moi|appelez-moi|"
    r"moi\s+c[’']est",
}

_BEFORE_OWN_NAME = "|".join(rf"\b(?:{words})" for words in _INTRODUCTIONS.values())


def naming(text: str) -> str | None:
    """The name that the message gives the assistant, in its own letter case; None if none."""
    return next((name for name, _ in _namings(text)), None)


def only_names(text: str) -> bool:
    """True if the message names the assistant and says no more than a few words besides."""
    namings = list(_namings(text))
    if not namings or noteworthy(text):
        return False
    name, clause = min(namings, key=lambda naming: len(naming[1]))
    after = clause.rpartition(name)[2] if name in clause else ""
    return len(lower_words(text)) - len(lower_words(clause)) + len(lower_words(after)) <= _FEW_WORDS


def asks_agent_name(text: str) -> bool:
    """True if the message asks for the assistant's name, or who it is."""
    return any(
        language.agent_name_question.match(without_start(clause, language.courtesy))
        for language in LANGUAGES
        for clause in clauses_and_questions(plain(text, language), language)
    )


def introduces_self(text: str, name: str) -> bool:
    """True if `name` occurs in the text, and only as the speaker's own name."""
    name = name.strip().strip(_QUOTES).strip()
    if not name:
        return False
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    # A first name may come before the wanted part: "my name is Anna Maria Smith".
    before = rf"(?:{_BEFORE_OWN_NAME})\s*[{_QUOTES}]?(?:(?-i:[^\W\d_a-zа-яё])[\w'’-]*\s+){{0,2}}"
    said = len(re.findall(word, text, re.IGNORECASE))
    own = len(re.findall(before + word, text, re.IGNORECASE))
    return 0 < said == own


def _namings(text: str) -> Iterator[tuple[str, str]]:
    """The names that the message gives the assistant, each with its clause; whole sentences come
    before their parts."""
    for language in LANGUAGES:
        masked = mask(plain(text, language))
        for clause in clauses_and_questions(masked.text, language):
            if name := _name_in(clause, masked, language):
                yield name, clause


def _name_in(clause: str, masked: Masked, language: Language) -> str | None:
    for shape in language.naming:
        if (match := shape.match(clause)) and (name := _trim_name(match["name"], masked, language)):
            return name
    return None


def _trim_name(raw: str, masked: Masked, language: Language) -> str | None:
    """The name at the beginning of what follows the naming words."""
    if quoted := _HIDDEN.match(raw):
        return masked.restore(quoted[0]).strip(_QUOTES).strip() or None
    if (word := raw.split()[0].strip(_QUOTES)) and word.lower() in language.not_names:
        return None
    rest = language.after_name.split(_AFTER_NAME.split(raw)[0])[0]
    tokens = rest.strip(_NOISE).split()
    name = list(_capitalised_words(tokens)) or (tokens if len(tokens) == 1 else [])
    if not name or name[0].lower() in language.not_names or language.no_name.match(name[0]):
        return None
    return masked.restore(" ".join(name)) or None


def _capitalised_words(tokens: list[str]) -> Iterator[str]:
    for position, token in enumerate(tokens):
        if any(letter.isupper() for letter in token) or (position and token[0].isdigit()):
            yield token
        else:
            return
