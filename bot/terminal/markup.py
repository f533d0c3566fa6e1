"""Formatted text as a bot sends it, read, and as a terminal can show it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from bot.telegram.formatting.marked import Marked, Span, character_at

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


def printable(text: str) -> str:
    """The text with every control character made harmless: a terminal would obey it. The length
    stays."""
    return text.translate(_CONTROLS)


def with_addresses(content: Marked) -> Marked:
    """The text with each link's address after its name: where nobody can tap, it has to be read."""
    text, spans = content.text, list(content.spans)
    links = [s for s in spans if s.kind == "text_link" and text[s.start : s.end] != s.detail]
    for link in sorted(links, key=lambda span: span.end, reverse=True):
        address = f" ({link.detail})"
        text = text[: link.end] + address + text[link.end :]
        spans = [_moved(span, link.end, len(address)) for span in spans]
    return Marked(text, tuple(spans))


def _moved(span: Span, position: int, by: int) -> Span:
    """Where a span is after something was put in at a position."""
    return replace(
        span,
        start=span.start + by if span.start >= position else span.start,
        end=span.end + by if span.end > position else span.end,
    )


def from_entities(text: str, entities: Sequence[Mapping[str, Any]]) -> Marked:
    """Text as a bot sends it with an explicit list of entities."""
    position = character_at(text)
    spans = []
    for entity in entities:
        start = position(entity["offset"])
        end = position(entity["offset"] + entity["length"])
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
