"""Formatted text as Telegram has it: plain text, and spans that say how parts of it look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any

#: The tags of Telegram's HTML and the entity each makes.
_ENTITY_OF_TAG = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "span": "spoiler",
    "tg-spoiler": "spoiler",
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
}
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160))}
del _CONTROLS[ord("\n")], _CONTROLS[ord("\t")]


class BadMarkup(Exception):
    """The text can't be parsed; the message is what Telegram would say."""


@dataclass(frozen=True, slots=True)
class Span:
    """How a stretch of text looks. Positions count characters; `detail` is a link's address or a
    code block's language."""

    kind: str
    start: int
    end: int
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """Text with its spans."""

    text: str
    spans: tuple[Span, ...] = ()

    @property
    def units(self) -> int:
        """The length in UTF-16 code units, which is what Telegram counts."""
        return utf16_length(self.text)

    @property
    def entities(self) -> list[dict[str, Any]]:
        """The spans as Telegram's entities, with offsets in UTF-16 code units."""
        return [self._entity(span) for span in self.spans]

    def _entity(self, span: Span) -> dict[str, Any]:
        offset = utf16_length(self.text[: span.start])
        length = utf16_length(self.text[span.start : span.end])
        entity: dict[str, Any] = {"type": span.kind, "offset": offset, "length": length}
        if span.detail is not None:
            entity["url" if span.kind == "text_link" else "language"] = span.detail
        return entity


def utf16_length(text: str) -> int:
    """How many UTF-16 code units the text has."""
    return len(text) + sum(character > "\uffff" for character in text)


def printable(text: str) -> str:
    """The text with every control character made harmless: a terminal would obey it. The length
    stays."""
    return text.translate(_CONTROLS)


def from_entities(text: str, entities: Sequence[Mapping[str, Any]]) -> Marked:
    """Text as a bot sends it with an explicit list of entities."""
    ends = accumulate((utf16_length(character) for character in text), initial=0)
    position = {units: index for index, units in enumerate(ends)}
    spans = []
    for entity in entities:
        start = position.get(entity["offset"])
        end = position.get(entity["offset"] + entity["length"])
        if start is None or end is None:
            raise BadMarkup("ENTITY_BOUNDS_INVALID")
        detail = entity.get("url") or entity.get("language")
        spans.append(Span(str(entity["type"]), start, end, detail))
    return Marked(text, tuple(spans))


def from_html(source: str) -> Marked:
    """Text as a bot sends it with parse_mode=HTML. Raises BadMarkup where Telegram would refuse."""
    reader = _HtmlReader()
    reader.feed(source)
    reader.close()
    if reader.open:
        tag = reader.open[-1][0]
        raise BadMarkup(
            f"can't parse entities: Can't find end tag corresponding to start tag \"{tag}\""
        )
    return Marked(
        "".join(reader.parts), tuple(sorted(reader.spans, key=lambda s: (s.start, -s.end)))
    )


class _HtmlReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.spans: list[Span] = []
        self.open: list[tuple[str, int, str | None]] = []

    @property
    def _here(self) -> int:
        return sum(map(len, self.parts))

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ENTITY_OF_TAG:
            raise BadMarkup(f'can\'t parse entities: Unsupported start tag "{tag}"')
        given = dict(attrs)
        detail = given.get("href") or (given.get("class") or "").removeprefix("language-") or None
        self.open.append((tag, self._here, detail if tag in ("a", "code", "pre") else None))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            raise BadMarkup(f'can\'t parse entities: Unexpected end tag "{tag}"')
        _, start, detail = self.open.pop()
        if tag == "code" and self.open and self.open[-1][0] == "pre":
            # <pre><code class="language-…"> is one code block with a language.
            self.open[-1] = (*self.open[-1][:2], detail)
        elif start < self._here:
            self.spans.append(Span(_ENTITY_OF_TAG[tag], start, self._here, detail))
