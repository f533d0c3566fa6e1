"""The name an actor gives the assistant: what is a name."""

import unicodedata

from memory.errors import Refusal, RefusedText
from memory.safety.escaping import LOOK_LIKE_BRACKETS, one_line

#: Telegram allows 64 characters for a first name; nobody calls an assistant by more.
MAX_NAME_LENGTH = 64

_QUOTES = "\"'`«»„“”‘’"


def clean_name(name: str) -> str:
    """The name without quotes, markup and surplus space. Raises RefusedText for what is none."""
    if "\n" in name.strip() or "\r" in name.strip():
        raise RefusedText("a name stands on one line", Refusal.NAME_LINES)
    # Without what can't be seen: reversed writing, zero widths.
    folded = unicodedata.normalize("NFC", one_line(name)).strip(_QUOTES + " .,;:!?")
    if not folded or not any(c.isalnum() for c in folded):
        raise RefusedText("a name needs at least one letter or digit", Refusal.NAME_EMPTY)
    if len(folded) > MAX_NAME_LENGTH:
        raise RefusedText(
            f"a name has at most {MAX_NAME_LENGTH} characters, this one has {len(folded)}",
            Refusal.NAME_LONG,
        )
    controls = any(unicodedata.category(c) in ("Cc", "Cs", "Cn") for c in " ".join(name.split()))
    if controls or set(LOOK_LIKE_BRACKETS) & set(folded):
        raise RefusedText(
            "a name has no control characters and no angle brackets", Refusal.NAME_CHARACTERS
        )
    return folded
