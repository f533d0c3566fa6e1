"""How messages and facts are named, and how the bot's messages are read by these names."""

import random
import re
from collections.abc import Iterable, Iterator

from bot.telegram.formatting.rendering import CURSOR
from bot.texts import ENGLISH

#: A message is named after its chat and its number there, such as m1001x17.
MARK = re.compile(r"\bm(\d+)x(\d+)\b")
FACT = re.compile(r"I own an? \w+ called ([A-Z][a-z]+)")
_CALLED = re.compile(r"\bcalled ([A-Z][a-z]+)")
#: What the model answers: whole with its last word alone.
_HEARD = re.compile(r"Heard((?: m\d+x\d+)+)\.")
_END = "Over."
#: How a reply begins that may have arrived before.
AGAIN = ENGLISH.sent_again

_THINGS = "lamp boat piano bicycle clock kettle camera drum mirror ladder".split()
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_FILLER = "it is a fine day and the sea lies still under a wide and quiet sky of pale blue".split()

#: Commands whose replies name nothing: how these begin.
NAMELESS = {
    "/new": re.compile(rf"(✨.*\n)?{re.escape(ENGLISH.new)}"),
    "/help": re.compile(re.escape(ENGLISH.help[:20])),
    "/memory": re.compile(
        "|".join(re.escape(one) for one in (ENGLISH.memory_title, ENGLISH.memory_empty))
    ),
}
REMEMBERED = re.compile(rf"{ENGLISH.remembered.partition('{')[0]}.* called (\w+)\W.*\[(\w+)\]")
#: How the bot asks what to delete.
QUESTIONS = (ENGLISH.memory_delete_ask.partition("{")[0].strip(), ENGLISH.forget_ask)
DELETED, RESTORED = (
    one.partition("{")[0] for one in (ENGLISH.memory_deleted, ENGLISH.memory_brought_back)
)


def mark(chat: int, number: int) -> str:
    """The name of a message."""
    return f"m{abs(chat)}x{number}"


def marks(text: str) -> list[str]:
    """The names of messages in a text."""
    return [found.group() for found in MARK.finditer(text)]


def statement(dice: random.Random) -> tuple[str, str]:
    """A fact that nothing else resembles, and the name in it."""
    name = "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(5)).title()
    return f"I own a {dice.choice(_THINGS)} called {name}", name


def reply(heard: Iterable[str], dice: random.Random) -> list[str]:
    """What the model answers to these messages, in pieces."""
    filler = (dice.choice(_FILLER) for _ in range(dice.randint(5, 40)))
    return [f"Heard {' '.join(heard)}.", *(f" {word}" for word in filler), f". {_END}"]


def answered_marks(text: str) -> list[str]:
    """The names of the messages that a message of the bot's answers, if it is a whole reply."""
    found = _HEARD.search(text)
    return marks(found.group(1)) if found and _END in text and not text.endswith(CURSOR) else []


def is_answer(name: str, text: str) -> bool:
    """Whether a message of the bot's is the whole answer to the message or command of this name."""
    if name.startswith("m"):
        return name in answered_marks(text)
    text = text.replace(AGAIN, "").lstrip()
    if pattern := NAMELESS.get(name):
        return bool(pattern.match(text))
    found = REMEMBERED.match(text)
    return bool(found and found.group(1) == name)


def names(text: str) -> list[str]:
    """The names of messages and facts in a text."""
    return [*marks(text), *_CALLED.findall(text)]


def outcome(name: str, text: str) -> str:
    """What a message of the bot's says became of the fact of this name."""
    if name not in names(text):
        return ""
    return next((one for one in (DELETED, RESTORED) if text.startswith(one)), "")


def is_half(text: str) -> bool:
    """Whether a message of the bot's shows a reply that never became whole."""
    return text.endswith(CURSOR) or ("Heard" in text and not answered_marks(text))


def facts(texts: Iterable[str]) -> Iterator[str]:
    """The names of the facts that these texts state."""
    for text in texts:
        yield from FACT.findall(text)
