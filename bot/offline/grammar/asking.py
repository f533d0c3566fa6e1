"""Detects texts that only ask. A text that may be a statement does not count, because texts that
only ask are refused as memories."""

import re

from bot.offline.grammar.grammar import mask, sentences
from bot.offline.grammar.shapes import Shape
from bot.offline.grammar.statements import noteworthy
from bot.offline.languages.tables import LANGUAGES

_ASKED = re.compile(r"[?？]\W*$")
#: After a colon, a dash or an equals sign comes what the words before only announce ("who my doctor
#: is: Dr. Smith").
_ANNOUNCED = re.compile(r"[:：=]\s*\w|\s[–—-]\s+\w")

#: What is longer, without a mark, may turn out to say something at its end.
_MOST_WORDS = 8

_ENGLISH_BE = r"(?:is|are|was|were|am)"
_ENGLISH_DO = r"(?:do|does|did|can|could|should|would|will|shall|have|has|had|must|may|might)"
_ENGLISH_ONE = r"(?:i|you|we|they|he|she|it|there)\b"
#: Questions by the order of their words alone, without a mark at the end.
_ORDERED = (
    # What is the time; who are you. A second verb makes a statement of it: "what is mine is yours".
    Shape(
        rf"(?:what|who|where|when|why|how|which)(?:'s|'re|\s+{_ENGLISH_BE})\s+"
        rf"(?!.*\b{_ENGLISH_BE}\b)\S"
    ),
    # What time is it; how old am I; which one do you like.
    Shape(
        rf"(?:what|which|whose|how)\s+(?:\w+\s+){{1,2}}(?:{_ENGLISH_BE}|{_ENGLISH_DO})\s+"
        rf"{_ENGLISH_ONE}"
    ),
    Shape(rf"(?:what|who|where|when|why|how)\s+{_ENGLISH_DO}\s+(?:{_ENGLISH_ONE}|my|the|your)\b"),
    # Is it raining; do you like tea.
    # "Had I known" and the like begin a condition.
    Shape(rf"(?!(?:had|were|should|may|might)\b)(?:{_ENGLISH_BE}|{_ENGLISH_DO})\s+{_ENGLISH_ONE}"),
    Shape(
        r"(?:was|wer|wo|wann|wie|warum|woher|wohin|wieso|weshalb)\s+(?:(?:spät|alt|viel|viele|"
        r"lange|oft|groß)\s+)?(?:ist|sind|war|bin|bist|hei(?:ß|ss)t|hei(?:ß|ss)e|habe|hast|hat|kann|"
        r"kannst|soll|geht|machst|wohne|arbeite)\s+(?:es|ich|du|er|wir|ihr|das|dir|der|die|mein\w*|"
        r"dein\w*)\b"
    ),
    Shape(r"(?:ist|bin|bist|hast|kannst|weißt|magst)\s+(?:es|du|das|ich)\b"),
    Shape(r"(?:который\s+час|сколько\s+(?:сейчас\s+)?времени|какой\s+сегодня\s+день|какая\s+"
            r"(?:сегодня\s+)?погода|как\s+(?:тебя|вас|меня)\s+зовут|как\s+дела|кто\s+ты)\W*$"),
    Shape(r"(?:qué\s+hora\s+es|cómo\s+(?:te\s+llamas|me\s+llamo|estás)|che\s+ora\s+è|che\s+ore\s+"
            r"sono|come\s+(?:ti\s+chiami|mi\s+chiamo|stai)|que\s+horas\s+são|qual\s+é\s+o\s+teu\s+"
            r"nome|quelle\s+heure\s+est-il|comment\s+(?:tu\s+t'appelles|je\s+m'appelle))\W*$"),
)  # fmt: skip


def only_asks(text: str) -> bool:
    """True if every sentence is a question: by its question mark, unless the person speaks of
    themselves in it, or by its word order."""
    masked = mask(text.strip().replace("’", "'")).text
    if noteworthy(text) or _ANNOUNCED.search(masked):
        return False
    said = sentences(masked, LANGUAGES[0])
    return bool(said) and all(map(_is_question, said))


def _is_question(sentence: str) -> bool:
    bare = sentence.lstrip(" ¿\"'(")
    marked = _ASKED.search(sentence) is not None
    short = "," not in bare and len(bare.split()) <= _MOST_WORDS
    if (marked or short) and any(shape.match(bare) for shape in _ORDERED):
        return True
    tells = any(language.own.match(bare) for language in LANGUAGES)
    return marked and not tells
