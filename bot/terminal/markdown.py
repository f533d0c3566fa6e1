"""The model's Markdown on a screen: rich's renderer, without losing a word of it."""

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
#: The least room for what is nested ever deeper, in columns.
_NARROWEST = 16
#: How models break a line within a table, where Markdown has no way to.
_LINE_BREAKS = ("<br>", "<br/>", "<br />")


def formatted(source: str) -> RenderableType:
    """Some Markdown as rich shows it. What has nothing but marks in it is shown as it is."""
    tokens = parse_markdown(source)
    if not tokens or not any(token.content.strip() or token.type == "hr" for token in tokens):
        return Text(source)
    # Without "left" rich fills every line up with blanks, which a copied text would have.
    markdown = _Markdown("", justify="default")
    markdown.parsed = list(_readable(tokens))
    return markdown


def _readable(tokens: list[Token]) -> Iterator[Token]:
    """The tokens with what rich would drop: line breaks, the addresses of links and pictures."""
    in_cell = False
    for token in tokens:
        in_cell = token.type in ("th_open", "td_open") or (in_cell and token.nesting == 0)
        if token.children:
            token.children = list(_inline(token.children, in_cell=in_cell))
        yield token


def _inline(tokens: list[Token], *, in_cell: bool) -> Iterator[Token]:
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
                # Where nobody can tap on it, an address has to be read.
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
    """Code in the terminal's own colours, with nothing around it that would be copied along."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code, self.lexer_name, theme="ansi_dark", background_color="default", word_wrap=True
        )


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"{_RULE}\n")


class _Math(Paragraph):
    """Math stays as it is written."""


class _Cell(TableDataElement):
    """A cell that is too narrow for a word breaks it; rich would cut it off."""

    def __init__(self, justify: JustifyMethod) -> None:
        super().__init__(justify)
        self.content.overflow = "fold"


class _Quote(BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _hanging("▌ ", "▌ ", self, console, options)


class _Item(ListItem):
    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _hanging("• ", "  ", self, console, options)

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        mark = f"{number}. "
        return _hanging(mark, " " * len(mark), self, console, options)


def _hanging(
    first: str, further: str, block: _Quote | _Item, console: Console, options: ConsoleOptions
) -> RenderResult:
    """What is in a block, behind a mark."""
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
    """The lines of something. Those of `Console.render_lines` are cut off at the width."""
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
