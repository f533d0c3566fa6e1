"""Markdown to text with spans. Pure; accepts any text and loses no word of it."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from rich.cells import cell_len

from bot.markdown import parse_markdown
from bot.telegram.formatting.marked import Marked, Span

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
#: How models break lines in tables, which Markdown does not allow.
_LINE_BREAK = re.compile(r"<br ?/?>")
_RULE = "———"
_BULLETS = "•◦▪"
#: How many characters of a code block fit the width of a small phone.
_WIDEST = 32
#: Kinds of spans by the parser's tags.
_KINDS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
_STYLES = frozenset(_KINDS.values())


def mark_up(source: str) -> Marked:
    """The text of Markdown, with its spans."""
    tokens = parse_markdown(source)
    if tokens is None:
        return Marked(source).strip()
    writer = _Writer()
    writer.blocks(tokens)
    return writer.result()


@dataclass(slots=True)
class _Open:
    """A span that is not closed yet. It starts with its first text."""

    kind: str | None
    detail: str | None = None
    start: int | None = None


class _Writer:
    """Writes one text, block by block."""

    def __init__(self, *, in_table: bool = False) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[Span] = []
        self._open: list[_Open] = []
        self._gap = 0  # line breaks before the next text
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._task = False  # True where a task list may have its box
        self._in_table = in_table

    def result(self) -> Marked:
        text = "".join(self._parts)
        seen = (span for span in self._spans if not text[span.start : span.end].isspace())
        spans = sorted(seen, key=lambda span: (span.start, -span.end))
        return Marked(text, tuple(spans)).strip()

    # -- blocks -----------------------------------------------------------------------------------

    def blocks(self, tokens: Sequence[Token]) -> None:
        """Write a whole document."""
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "table_open":
                end = _table_end(tokens, position)
                self._table(list(_rows(tokens[position:end])), _to_right(tokens[position:end]))
                position = end
            else:
                self._block(token)
            position += 1

    def _block(self, token: Token) -> None:
        match token.type:
            case "inline":
                self.inline(token.children or [])
            case "fence" | "code_block":
                self._code("pre", token.content.rstrip("\n"), _language(token.info))
                self._gap = 1 if self._lists else 2
            case "math_block":
                self._put(token.content)
                self._gap = 2
            case "hr":
                self._put(_RULE)
                self._gap = 2
            case "heading_open":
                self._begin("bold")
            case "blockquote_open":
                self._begin("blockquote")
            case "heading_close" | "blockquote_close":
                self._end()
                self._gap = 2
            case "paragraph_close":
                # A paragraph of a list without empty lines is "hidden".
                self._gap = 1 if token.hidden else 2
            case _:
                self._list(token)

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._gap = self._gap if self._lists else 2
            case "list_item_open":
                self._put(self._marker())
                self._task = True
            case "list_item_close":
                self._gap = max(self._gap, 1)

    def _marker(self) -> str:
        depth, number = len(self._lists) - 1, self._lists[-1]
        indent = "  " * depth
        if number is None:
            return f"{indent}{_BULLETS[min(depth, len(_BULLETS) - 1)]} "
        self._lists[-1] = number + 1
        return f"{indent}{number}. "

    # -- tables -----------------------------------------------------------------------------------

    def _table(self, rows: list[list[list[Token]]], to_right: Sequence[bool]) -> None:
        """Write a narrow table as a code block, any other row by row."""
        self._in_table = True
        cells = [[_plain(cell) for cell in row] for row in rows]
        drawn = None if _has_links(rows) else _align(cells, to_right)
        if drawn:
            self._code("pre", drawn, None)
        elif len(rows) == 1:
            self._record([], rows[0])
        else:
            for row in rows[1:]:
                self._record(rows[0], row)
                self._gap = 2
        self._gap, self._in_table = 2, False

    def _record(self, header: list[list[Token]], row: list[list[Token]]) -> None:
        """Write a row of a table as lines of `heading: value`, the first one in bold."""
        for number, cell in enumerate(row):
            title = header[number] if header else []
            if not cell:
                continue
            if number == 0:
                self._begin("bold")
            self.inline(title)
            if title:
                self._put(": ")
            self.inline(cell)
            if number == 0:
                self._end()
            self._gap = 1

    # -- inside a line ----------------------------------------------------------------------------

    def inline(self, tokens: Sequence[Token]) -> None:
        """Write the content of a line, or of a table cell."""
        for token in tokens:
            match token.type:
                case "text" | "text_special" if self._in_table:
                    self._put(_LINE_BREAK.sub("\n", token.content))
                case "text" | "text_special":
                    self._put(self._box(token.content))
                case "softbreak" | "hardbreak":
                    self._put("\n")
                case "code_inline":
                    self._code("code", token.content, None)
                case "link_open":
                    self._begin("text_link", str(token.attrs["href"]))
                case "image":
                    self._begin("text_link", str(token.attrs["src"]))
                    self.inline(token.children or [])
                    self._end()
                case "em_open" | "strong_open" | "s_open":
                    self._begin(_KINDS[token.tag])
                case "em_close" | "strong_close" | "s_close" | "link_close":
                    self._end()

    def _box(self, text: str) -> str:
        """The text; a task list's box at its beginning becomes a drawn one."""
        task = _TASK.match(text) if self._task and self._lists else None
        self._task = False
        if task is None:
            return text
        if self._parts[-1].strip() in tuple(_BULLETS):
            # The box replaces the bullet.
            self._length -= len(self._parts.pop())
            self._append("  " * (len(self._lists) - 1))
        return ("☐ " if task[1] == " " else "☑ ") + text[task.end() :]

    # -- text and spans ---------------------------------------------------------------------------

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._gap and self._length:
            self._append("\n" * self._gap)
        self._gap = 0
        for entry in self._open:
            entry.start = self._length if entry.start is None else entry.start
        self._append(text)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _code(self, kind: str, text: str, detail: str | None) -> None:
        """Write code. It has no other style; inside a link it is part of the link."""
        self._task = False
        if any(entry.kind == "text_link" for entry in self._open):
            self._put(text)
            return
        styles = [entry for entry in self._open if entry.kind in _STYLES]
        for entry in styles:
            self._mark(entry)
        self._put(text)
        self._mark(_Open(kind, detail, self._length - len(text)))
        for entry in styles:
            entry.start = None

    def _begin(self, kind: str, detail: str | None = None) -> None:
        known = any(entry.kind == kind for entry in self._open)
        self._open.append(_Open(None if known else kind, detail))

    def _end(self) -> None:
        entry = self._open[-1]
        if entry.start is None and entry.kind == "text_link":
            self._put(entry.detail or "")  # a link without a name shows its address
        self._open.pop()
        self._mark(entry)

    def _mark(self, entry: _Open) -> None:
        """Keep a span unless it is empty."""
        if entry.kind is not None and entry.start is not None and entry.start < self._length:
            self._spans.append(Span(entry.kind, entry.start, self._length, entry.detail))


def _language(info: str) -> str | None:
    found = _LANGUAGE.match(info.strip())
    return found.group() if found else None


def _table_end(tokens: Sequence[Token], start: int) -> int:
    return next(n for n in range(start, len(tokens)) if tokens[n].type == "table_close")


def _rows(tokens: Sequence[Token]) -> Iterator[list[list[Token]]]:
    row: list[list[Token]] = []
    for token in tokens:
        if token.type == "inline":
            row.append(token.children or [])
        elif token.type == "tr_close":
            yield row
            row = []


def _to_right(tokens: Sequence[Token]) -> list[bool]:
    heads = (token for token in tokens if token.type == "th_open")
    return ["right" in str(head.attrs.get("style", "")) for head in heads]


def _has_links(rows: list[list[list[Token]]]) -> bool:
    return any(
        token.type in ("link_open", "image") for row in rows for cell in row for token in cell
    )


def _plain(tokens: Sequence[Token]) -> str:
    writer = _Writer(in_table=True)
    writer.inline(tokens)
    return writer.result().text.replace("\n", " ")


def _align(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> str | None:
    """The rows, of equal length and with the header first, as aligned columns; None if they do not
    fit on a phone, or are in a script that can't be aligned."""
    if not rows or not all(_is_monospaced(cell) for row in rows for cell in row):
        return None
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) > _WIDEST:
        return None

    def line(row: Sequence[str]) -> str:
        columns = zip(row, widths, to_right, strict=True)
        cells = [c.rjust(width) if right else c.ljust(width) for c, width, right in columns]
        return " | ".join(cells).rstrip()

    rule = "-+-".join("-" * width for width in widths)
    return "\n".join([line(rows[0]), rule, *map(line, rows[1:])])


def _is_monospaced(text: str) -> bool:
    return cell_len(text) == len(text) and not any(
        unicodedata.bidirectional(character) in ("R", "AL") for character in text
    )
