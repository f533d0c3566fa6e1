"""Texts made shorter, always the same way: one that was cut is never cut again, so that what a
prompt cache has seen stays as it was. Pure."""

from memory.conversation.tokens import Count


def shortened(text: str, limit: int) -> str:
    """The text in at most `limit` characters: its beginning and its end, and between them a mark
    that says how much is missing. A text that fits is left as it is."""
    if len(text) <= limit:
        return text
    # The number is at most as long as that of all characters.
    room = max(0, limit - len(_mark(len(text))))
    head = room - room // 3
    tail = room - head
    mark = _mark(len(text) - room)
    return f"{text[:head]}{mark}{text[len(text) - tail :]}"[:limit]


def cut_to_tokens(text: str, tokens: int, count: Count) -> str:
    """The text's beginning in at most `tokens`, up to the end of a word and with "…" where
    something is missing. A text that fits is left as it is."""
    if count(text) <= tokens:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if count(text[:middle] + "…") <= tokens:
            fits = middle
        else:
            too_long = middle
    whole, space, _ = text[:fits].rpartition(" ")
    # Scripts without spaces, and addresses, have no word end near.
    kept = whole if space and fits - len(whole) < 40 else text[:fits]
    return f"{kept.rstrip(' ,;:')}…" if kept else ""


def _mark(missing: int) -> str:
    return f" [… {missing:,} characters left out] "
