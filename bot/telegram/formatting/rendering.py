"""Renders replies as messages that fit Telegram's limits. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import regex

from bot.telegram.formatting.markdown import mark_up
from bot.telegram.formatting.marked import LONGEST_MESSAGE, MOST_ENTITIES, Marked, clean
from memory.background.threads import compute
from memory.safety.escaping import is_blank

T = TypeVar("T")

_VISIBLE_CHARACTER = regex.compile(r"\X")

#: More characters of Markdown than this take over two milliseconds.
_LONG = 1000
#: An answer that needs more messages is sent as a file.
_MOST_MESSAGES = 5
#: How much of such an answer to show, in UTF-16 units.
_BEGINNING = 1000
_GOES_ON = "\n\n…"
#: This many characters of Markdown fill a message, unless they are mostly marks.
_PREVIEWED = 2 * LONGEST_MESSAGE
#: Shows that a reply is still being written.
CURSOR = " ▍"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The messages of an answer, and the whole answer as a file if they are only its beginning."""

    messages: tuple[Marked, ...]
    document: bytes | None = None


def render(answer: str, mark: str = "") -> Rendered:
    """An answer in Markdown as messages, or as a file with a short beginning. There is at least one
    message unless the answer is invisible. The first one begins with the mark."""
    source = clean(answer)
    whole = mark_up(source)
    if next(split(whole), None) is None:
        # The answer is nothing but marks: show them as they are.
        whole = Marked(source)
    whole = whole.strip().after(mark)
    messages = tuple(islice(split(whole), _MOST_MESSAGES + 1))
    if len(messages) <= _MOST_MESSAGES:
        return Rendered(messages)
    first = next(split(whole, _BEGINNING))
    beginning = Marked(first.text + _GOES_ON, first.spans)
    return Rendered((beginning,), source.encode())


def render_plain(text: str, mark: str = "") -> Rendered:
    """A plain text as messages after the mark, without formatting."""
    if text and not text.startswith(mark):
        text = f"{mark} {text}"
    return Rendered(tuple(split(Marked(clean(text)))))


def add_footer(messages: Sequence[Marked], footer: str) -> tuple[Marked, ...]:
    """The messages with a plain text below the last one, or in further ones if it does not fit."""
    if not footer:
        return tuple(messages)
    below = clean(footer)
    *before, last = messages or (Marked(""),)
    whole = Marked(f"{last.text}\n\n{below}" if last.text else below, last.spans)
    fits = whole.units <= LONGEST_MESSAGE
    return (*before, whole) if fits else (*messages, *split(Marked(below)))


async def off_the_loop(work: Callable[[str, str], T], text: str, mark: str) -> T:
    """Call `render` or `preview`; for a long text in a thread, so that others need not wait."""
    if len(text) <= _LONG:
        return work(text, mark)
    return await compute(work, text, mark)


def preview(written: str, mark: str = "") -> str:
    """An unfinished answer as one message after the mark, without formatting; empty if there is
    nothing visible yet."""
    # Don't parse again and again what a preview can't show.
    whole = Marked(mark_up(clean(written[:_PREVIEWED])).text)
    room = LONGEST_MESSAGE - len(CURSOR) - Marked("").after(mark).units
    first = next(split(whole, room), None)
    return first.after(mark).text + CURSOR if first else ""


def split(
    content: Marked, longest: int = LONGEST_MESSAGE, most_spans: int = MOST_ENTITIES
) -> Iterator[Marked]:
    """The text in parts of at most `longest` UTF-16 units and `most_spans` spans.

    It is cut at a paragraph, else a line, else a word, and within a word only if the word alone is
    too long; never inside one visible character. A span that is cut goes on in the next part, so a
    code block keeps its language. A heading stays with what it is over."""
    position, length = 0, len(content.text)
    while position < length:
        # One character more than could fit, to see what belongs together.
        window = content.cut(position, min(position + longest + 1, length))
        indent = window.indent
        if indent:
            position += indent
            continue
        end = _fit_length(window, longest, most_spans)
        cut, following = (end, end) if position + end == length else _cut(window, end)
        part = window.cut(0, cut).strip()
        if not is_blank(part.text):
            yield part
        position += following


def _fit_length(content: Marked, longest: int, most_spans: int) -> int:
    """How many characters from the start fit, without cutting a visible character in two."""
    text, room = content.text, longest
    limit = content.spans[most_spans].start if len(content.spans) > most_spans else len(text)
    end = 0
    for character in text[:limit]:
        room -= 1 + (character > "\uffff")
        if room < 0:
            break
        end += 1
    if end == len(text):
        return end
    whole = max(start for start in _boundaries(text, end) if start <= end)
    return whole or max(end, 1)


def _boundaries(text: str, end: int) -> list[int]:
    """Where visible characters begin, up to `end` and with it if one begins there."""
    # Whether two characters belong together is told by what comes before, never after them.
    return [found.start() for found in _VISIBLE_CHARACTER.finditer(text[: end + 1])]


def _cut(content: Marked, end: int) -> tuple[int, int]:
    """Where to cut at or before `end`, and where to go on."""
    text, start = content.text, end // 2
    paragraph = text.rfind("\n\n", start, end + 1)
    if paragraph > 0 and not _in_code(content, paragraph):
        return _above_heading(content, paragraph)
    line = text.rfind("\n", start, end + 1)
    if line > 0:
        return line, line + 1
    boundaries = set(_boundaries(text, end))
    for position in range(min(end, len(text) - 1), 0, -1):
        if text[position] in " \t\n" and (position == end or position + 1 in boundaries):
            return position, position + 1
    return end, end


def _above_heading(content: Marked, paragraph: int) -> tuple[int, int]:
    """Where to cut at the end of this paragraph: before it, if it is one line and all bold."""
    line = content.text.rfind("\n", 0, paragraph) + 1
    is_heading = any(
        span.kind == "bold" and (span.start, span.end) == (line, paragraph)
        for span in content.spans
    )
    at = line if is_heading and line > 0 else paragraph
    return at, at


def _in_code(content: Marked, position: int) -> bool:
    return any(s.kind == "pre" and s.start < position < s.end for s in content.spans)
