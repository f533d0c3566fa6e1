"""Splitting: a text with spans into parts that each fit one message. Pure."""

from collections.abc import Iterator

import regex

from bot.telegram.formatting.marked import LONGEST_MESSAGE, MOST_ENTITIES, Marked
from memory.safety.escaping import is_blank

_VISIBLE_CHARACTER = regex.compile(r"\X")


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
        end = _fitting(window, longest, most_spans)
        cut, following = (end, end) if position + end == length else _cut(window, end)
        part = window.cut(0, cut).strip()
        if not is_blank(part.text):
            yield part
        position += following


def _fitting(content: Marked, longest: int, most_spans: int) -> int:
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
