"""What can stand in a message, and its measures. Pure."""

import unicodedata

#: Bot API, sendMessage: 1-4096 characters, which it counts in UTF-16 code units.
LONGEST_MESSAGE = 4096
#: Telegram ignores the entities of a message beyond the hundredth.
MOST_ENTITIES = 100


def clean(text: str) -> str:
    """The text without what no message can hold: control characters but line break and tab, and
    halves of surrogate pairs."""
    return "".join(
        c
        for c in text.replace("\r\n", "\n").replace("\r", "\n")
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")
    )
