"""Rendering: what is sent of a reply. Pure."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from bot.telegram.formatting.markdown import mark_up
from bot.telegram.formatting.marked import LONGEST_MESSAGE, Marked, clean
from bot.telegram.formatting.splitting import split

T = TypeVar("T")

#: More characters of Markdown take more than two milliseconds.
_LONG = 1000
#: Nobody reads more messages in a row; a longer answer is a file.
_MOST_MESSAGES = 5
#: How much of such an answer is shown, in UTF-16 units.
_BEGINNING = 1000
_GOES_ON = "\n\n…"
#: So many characters of Markdown fill a message, unless they are mostly marks.
_PREVIEWED = 2 * LONGEST_MESSAGE
#: Shows that a reply is still being written.
_CURSOR = " ▍"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The messages of an answer in their order, and the whole of it as a file if they are only its
    beginning."""

    messages: tuple[Marked, ...]
    document: bytes | None = None


def render(answer: str, mark: str = "") -> Rendered:
    """An answer in Markdown as messages, or as a file with a short beginning. There is at least one
    message, if there is anything to see in the answer. The first one begins with the mark."""
    source = clean(answer)
    whole = mark_up(source)
    if next(split(whole), None) is None:
        # All of it were marks without anything to mark: they are what there is to see.
        whole = Marked(source)
    whole = whole.strip().after(mark)
    messages = tuple(islice(split(whole), _MOST_MESSAGES + 1))
    if len(messages) <= _MOST_MESSAGES:
        return Rendered(messages)
    first = next(split(whole, _BEGINNING))
    beginning = Marked(first.text + _GOES_ON, first.spans)
    return Rendered((beginning,), source.encode())


def render_plain(text: str, mark: str = "") -> Rendered:
    """One of the bot's own sentences as messages, behind the mark: as it is, without formatting."""
    if text and not text.startswith(mark):
        text = f"{mark} {text}"
    return Rendered(tuple(split(Marked(clean(text)))))


async def off_the_loop(work: Callable[[str, str], T], text: str, mark: str) -> T:
    """What `render` or `preview` makes of a text; of a long one in a thread, so that nobody else
    waits for it."""
    if len(text) <= _LONG:
        return work(text, mark)
    return await asyncio.to_thread(work, text, mark)


def preview(written: str, mark: str = "") -> str:
    """What there is of an answer so far, in one message without formatting, behind the mark; empty
    if there is nothing to see yet."""
    # What follows is not shown yet: it need not be read again and again.
    whole = Marked(mark_up(clean(written[:_PREVIEWED])).text)
    room = LONGEST_MESSAGE - len(_CURSOR) - Marked("").after(mark).units
    first = next(split(whole, room), None)
    return first.after(mark).text + _CURSOR if first else ""
