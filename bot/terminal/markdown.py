"""The model's Markdown on a screen: rich's renderer, without losing words."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    HorizontalRule,
    ListItem,
    Markdown,
    MarkdownElement,
    Paragraph,
    TableDataElement,
)
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from bot.markdown import parse_markdown

_RULE = "———"
#: Minimum width of deeply nested blocks, in columns.
_NARROWEST = 16
#: How models break lines in tables, which Markdown does not allow.
_LINE_BREAKS = ("<br>", "<br/>", "<br />")


def render_markdown(source: str) -> RenderableType:
    """Markdown for rich. A text of nothing but marks is shown as it is."""
    tokens = parse_markdown(source)
    if not tokens or not any(token.content.strip() or token.type == "hr" for token in tokens):
        return Text(source)
    # With "left", rich would pad every line with blanks, which end up in copied text.
    markdown = _Markdown("", justify="default")
    markdown.parsed = list(_prepare_tokens(tokens))
    return markdown


def _prepare_tokens(tokens: list[Token]) -> Iterator[Token]:
    """Add what rich would drop: line breaks, and the addresses of links and pictures."""
    in_cell = False
    for token in tokens:
        in_cell = token.type in ("th_open", "td_open") or (in_cell and token.nesting == 0)
        if token.children:
            token.children = list(_prepare_inline(token.children, in_cell=in_cell))
        yield token


def _prepare_inline(tokens: list[Token], *, in_cell: bool) -> Iterator[Token]:
    href, name = "", ""
    for token in tokens:
        match token.type:
            case "softbreak":
                token.type = "hardbreak"
                yield token
            case "image":
                address = str(token.attrs["src"])
                yield _text(f"{token.content} ({address})" if token.content else address)
            case "link_open":
                href, name = str(token.attrs["href"]), ""
                yield token
            case "link_close":
                # Links can't be tapped here, so show the address.
                address = f" ({href})" if name else href
                if href != name:
                    yield _text(address)
                yield token
            case _:
                if in_cell and token.type == "text":
                    for line_break in _LINE_BREAKS:
                        token.content = token.content.replace(line_break, "\n")
                name += token.content
                yield token


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar = {}


class _Code(CodeBlock):
    """Code in the terminal's own colours, without padding that would be copied along."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code, self.lexer_name, theme="ansi_dark", background_color="default", word_wrap=True
        )


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"{_RULE}\n")


class _Math(Paragraph):
    """Math is shown as written."""


class _Cell(TableDataElement):
    """Breaks words that are too long for the cell; rich would cut them off."""

    def __init__(self, justify: JustifyMethod) -> None:
        super().__init__(justify)
        self.content.overflow = "fold"


class _Quote(BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _prefixed("▌ ", "▌ ", self, console, options)


class _Item(ListItem):
    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _prefixed("• ", "  ", self, console, options)

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        mark = f"{number}. "
        return _prefixed(mark, " " * len(mark), self, console, options)


def _prefixed(
    first: str, further: str, block: _Quote | _Item, console: Console, options: ConsoleOptions
) -> RenderResult:
    """A block with a mark before its first line, and an indent before the others."""
    room = options.update(width=max(options.max_width - len(first), _NARROWEST))
    mark = first
    for line in lines_of(block.elements, console, room, block.style):
        yield Segment(mark, block.style)
        yield from line
        yield Segment.line()
        mark = further


def lines_of(
    what: RenderableType, console: Console, options: ConsoleOptions, style: Style | None = None
) -> Iterable[list[Segment]]:
    """The rendered lines. `Console.render_lines` would cut them off at the width."""
    return Segment.split_lines(Segment.apply_style(console.render(what, options), style))


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "hr": _Rule,
        "blockquote_open": _Quote,
        "list_item_open": _Item,
        "th_open": _Cell,
        "td_open": _Cell,
        "math_block": _Math,
    }
