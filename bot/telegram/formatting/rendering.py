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

_LINE_BREAKS = regex.compile(r"\n+")
_VISIBLE_CHARACTER = regex.compile(r"\X")

#: More characters of Markdown than this take over two milliseconds.
_LONG = 1000
#: An answer that needs more messages is sent as a file, too.
_MOST_MESSAGES = 5
_GOES_ON = "\n\n…"
#: Shows that a reply is still being written.
CURSOR = " ▍"
#: How much of an answer fits a message, in UTF-16 units: whatever stands at its end must fit too.
_ROOM = LONGEST_MESSAGE - len(_GOES_ON)
#: This many characters of Markdown fill all messages, unless they are mostly marks.
_PREVIEWED = 2 * _MOST_MESSAGES * LONGEST_MESSAGE
#: How full a message is that may end with a paragraph, and with a line.
_PARAGRAPH_ENDS, _LINE_ENDS = 0.85, 0.92


@dataclass(frozen=True, slots=True)
class Rendered:
    """The messages of an answer, and the whole answer as a file if they don't hold all of it."""

    messages: tuple[Marked, ...]
    document: bytes | None = None


def render(answer: str, mark: str = "") -> Rendered:
    """An answer in Markdown as messages, and as a file if it needs too many. There is at least one
    message unless the answer is invisible. The first one begins with the mark."""
    source = clean(answer)
    # An answer of nothing but marks is shown unchanged.
    messages = _messages(mark_up(source), mark) or _messages(Marked(source), mark)
    if len(messages) <= _MOST_MESSAGES:
        return Rendered(messages)
    *full, last, _ = messages
    return Rendered((*full, last.before(_GOES_ON)), source.encode())


def preview(written: str, mark: str = "", below: str = "") -> tuple[Marked, ...]:
    """An unfinished answer as messages after the mark: those that `render` makes of the whole, as
    far as they go, and a plain text below. Empty if there is nothing visible yet."""
    # Don't parse again and again what a preview can't show.
    messages = _messages(mark_up(clean(written[:_PREVIEWED])), mark)
    if len(messages) > _MOST_MESSAGES:
        return (*messages[:-2], messages[-2].before(_GOES_ON))
    if below:
        first = Marked(below).after(mark)
        messages = add_footer(messages, below, _ROOM) if messages else (first,)
    return (*messages[:-1], messages[-1].before(CURSOR)) if messages else ()


def render_plain(text: str, mark: str = "") -> Rendered:
    """A plain text as messages after the mark, without formatting."""
    if text and not text.startswith(mark):
        text = f"{mark} {text}"
    whole = Marked(clean(text)).strip()
    fits = whole.units <= LONGEST_MESSAGE and not is_blank(whole.text)
    return Rendered((whole,) if fits else tuple(split(whole)))


def add_footer(
    messages: Sequence[Marked], footer: str, longest: int = LONGEST_MESSAGE
) -> tuple[Marked, ...]:
    """The messages with a plain text below the last one, or in further ones if it does not fit."""
    if not footer:
        return tuple(messages)
    below = clean(footer)
    *before, last = messages or (Marked(""),)
    whole = last.before(f"\n\n{below}") if last.text else Marked(below)
    return (*before, whole) if whole.units <= longest else (*messages, *split(Marked(below)))


async def off_the_loop(work: Callable[[str, str], T], text: str, mark: str) -> T:
    """Render in a thread if the text is long, so that others need not wait."""
    if len(text) <= _LONG:
        return work(text, mark)
    return await compute(work, text, mark)


def _messages(content: Marked, mark: str) -> tuple[Marked, ...]:
    """The messages of an answer after the mark, one more than may be sent if there are too many."""
    if is_blank(content.text):
        return ()
    return tuple(islice(split(content.strip().after(mark), _ROOM), _MOST_MESSAGES + 1))


def split(
    content: Marked, longest: int = LONGEST_MESSAGE, most_spans: int = MOST_ENTITIES
) -> Iterator[Marked]:
    """The text in parts of at most `longest` UTF-16 units and `most_spans` spans.

    A part that is nearly full ends with a paragraph, a fuller one with a line, else one ends with a
    word, and within a word only if the word alone is too long; never inside one visible character.
    So a text that grows is always cut at the same places. A span that is cut goes on in the next
    part, so a code block keeps its language. A heading stays with what it is over."""
    position, length = 0, len(content.text)
    while position < length:
        # One character more than could fit, to see what belongs together.
        window = content.cut(position, min(position + longest + 1, length))
        indent = window.indent
        if indent:
            position += indent
            continue
        end = _fit_length(window, longest, most_spans)
        early = _early_end(window, end, longest, most_spans)
        if early is not None:
            end = early
        elif position + end < length:
            end = _word_end(window.text, end)
        part = window.cut(0, end).strip()
        if not is_blank(part.text):
            yield part
        position += end


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


def _early_end(content: Marked, end: int, longest: int, most_spans: int) -> int | None:
    """The end of the first paragraph when the message is nearly full, or of the first line when it
    is fuller; not that of a heading. What comes later changes nothing about it."""
    paragraphs, lines = (
        _fit_length(content, int(longest * share), int(most_spans * share))
        for share in (_PARAGRAPH_ENDS, _LINE_ENDS)
    )
    for found in _LINE_BREAKS.finditer(content.text, paragraphs, end + 1):
        at: int = found.start()
        is_paragraph = len(found.group()) > 1 and not _in_code(content, at)
        if (is_paragraph or at >= lines) and not _is_heading(content, at):
            return at
    return None


def _word_end(text: str, end: int) -> int:
    """The end of the last whole word at or before `end`; `end` if there is none."""
    boundaries = set(_boundaries(text, end))
    for position in range(min(end, len(text) - 1), 0, -1):
        if text[position] in " \t\n" and (position == end or position + 1 in boundaries):
            # Not in the indentation of a line, which would be lost.
            return len(text[:position].rstrip()) or position
    return end


def _is_heading(content: Marked, end: int) -> bool:
    """True if the line that ends there is all bold."""
    line = content.text.rfind("\n", 0, end) + 1
    return any(s.kind == "bold" and (s.start, s.end) == (line, end) for s in content.spans)


def _in_code(content: Marked, position: int) -> bool:
    return any(s.kind == "pre" and s.start < position < s.end for s in content.spans)
