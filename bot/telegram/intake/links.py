"""Links: the addresses that formatted text hides, in words."""

from collections.abc import Iterable

from telegram import MessageEntity

#: Telegram counts offsets in UTF-16 code units.
_UNITS, _UNIT = "utf-16-le", 2


def with_addresses(text: str, entities: Iterable[MessageEntity]) -> str:
    """The text with the address of each link that shows other words: "here (https://…)"."""
    raw = text.encode(_UNITS, "surrogatepass")
    links = [it for it in entities if it.type == MessageEntity.TEXT_LINK and it.url]
    # From the last to the first, so that the places of the others stay right.
    for link in sorted(links, key=lambda it: it.offset + it.length, reverse=True):
        start, end = _UNIT * link.offset, _UNIT * (link.offset + link.length)
        shown = raw[start:end].decode(_UNITS, "replace")
        if _bare(shown) != _bare(link.url or ""):
            raw = raw[:end] + f" ({link.url})".encode(_UNITS, "surrogatepass") + raw[end:]
    return raw.decode(_UNITS, "surrogatepass")


def _bare(address: str) -> str:
    return address.strip().removeprefix("https://").removeprefix("http://").rstrip("/").lower()
