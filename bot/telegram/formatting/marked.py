"""Formatted text for Telegram: plain text with spans, allowed characters, and lengths. Pure."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

#: Bot API, sendMessage: 1-4096 characters, counted in UTF-16 code units.
LONGEST_MESSAGE = 4096
#: Telegram ignores entities after the hundredth.
MOST_ENTITIES = 100
#: Kinds of spans that start on a new line.
_BLOCKS = ("pre", "blockquote", "expandable_blockquote")


@dataclass(frozen=True, slots=True)
class Span:
    """The style of a part of a text. Positions count characters; `kind` is the type of Telegram's
    entity, `detail` a link's address or a code block's language."""

    kind: str
    start: int
    end: int
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """Text with spans, sorted by start, longer ones first."""

    text: str
    spans: tuple[Span, ...] = ()

    @property
    def units(self) -> int:
        """The length in UTF-16 code units, which is what Telegram counts."""
        return utf16_length(self.text)

    @property
    def entities(self) -> list[dict[str, Any]]:
        """The spans as Telegram's entities, with offsets in UTF-16 code units."""
        if not self.spans:
            return []
        at = _units_before(self.text)
        return [_entity(span, at(span.start), at(span.end)) for span in self.spans]

    def after(self, mark: str) -> "Marked":
        """The text after a mark, which gets its own line if the text begins with a block."""
        if not mark:
            return self
        block = any(s.start == 0 and s.kind in _BLOCKS for s in self.spans)
        return self._behind(mark + ("\n" if block else " "))

    def below(self, line: str) -> "Marked":
        """The text below a line, if there is one."""
        return self._behind(f"{line}\n").strip() if line else self

    def _behind(self, start: str) -> "Marked":
        shift = len(start)
        spans = (Span(s.kind, s.start + shift, s.end + shift, s.detail) for s in self.spans)
        return Marked(start + self.text, tuple(spans))

    def before(self, text: str) -> "Marked":
        """The text followed by another, plain one."""
        return Marked(self.text + text, self.spans)

    def cut(self, start: int, end: int) -> "Marked":
        """The part between two positions, with its spans cut accordingly."""
        spans = (
            Span(s.kind, max(s.start, start) - start, min(s.end, end) - start, s.detail)
            for s in self.spans
            if s.start < end and s.end > start
        )
        return Marked(self.text[start:end], tuple(spans))

    @property
    def indent(self) -> int:
        """The number of leading white-space characters to drop: all, except the indentation of a
        code block's first line."""
        start = len(self.text) - len(self.text.lstrip())
        for span in self.spans:
            if span.kind == "pre" and span.start < start < span.end:
                return max(span.start, self.text.rfind("\n", span.start, start) + 1)
        return start

    def strip(self) -> "Marked":
        """The text without surrounding white space, which Telegram would remove."""
        start = self.indent
        return self.cut(start, max(len(self.text.rstrip()), start))


def clean(text: str) -> str:
    """The text without characters that messages can't contain: control characters except line
    breaks and tabs, and lone surrogates."""
    return "".join(
        c
        for c in text.replace("\r\n", "\n").replace("\r", "\n")
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")
    )


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def _units_before(text: str) -> Callable[[int], int]:
    """A function that returns the number of code units before a position."""
    # One more for each character outside the basic plane.
    wide = list(accumulate((c > "\uffff" for c in text), initial=0))
    return lambda position: position + wide[position]


def _entity(span: Span, start: int, end: int) -> dict[str, Any]:
    entity: dict[str, Any] = {"type": span.kind, "offset": start, "length": end - start}
    if span.detail is not None:
        entity["url" if span.kind == "text_link" else "language"] = span.detail
    return entity
