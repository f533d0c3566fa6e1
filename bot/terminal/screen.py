"""What the person sees: plain text for scripts, or a live screen with Markdown."""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import ClassVar, TextIO

from markdown_it.token import Token
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.live import Live
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
from rich.spinner import Spinner
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from bot.markdown import parse_markdown
from bot.people.personal import PRIVATE_MARK

# Rich's Markdown renderer, without losing words.

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
        return _render_with_mark("▌ ", "▌ ", self, console, options)


class _Item(ListItem):
    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _render_with_mark("• ", "  ", self, console, options)

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        mark = f"{number}. "
        return _render_with_mark(mark, " " * len(mark), self, console, options)


def _render_with_mark(
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


PROMPT = "you: "
_BOT = "bot: "
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160))}
del _CONTROLS[ord("\n")], _CONTROLS[ord("\t")]


class PlainScreen:
    """Replies as plain text, each beginning with `bot: `."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def greet(self) -> None:
        """Scripts get no greeting, and only final replies."""

    def show_progress(self, doing: str, written: str = "", *, private: bool = False) -> None: ...

    def stop_progress(self) -> None: ...

    def leave_line(self) -> None: ...

    def show(
        self,
        text: str,
        below: Sequence[str] = (),
        *,
        markdown: bool = False,
        private: bool = False,
        unfinished: str | None = None,
    ) -> None:
        """Write and flush a reply and the lines `below` it, so that a reader gets it at once.
        Raises BrokenPipeError."""
        said = _mark(private) + (_strip_markdown(printable(text)) if markdown else printable(text))
        self._stdout.write("\n".join([said, *map(printable, below)]) + "\n")
        self._stdout.flush()


class LiveScreen:
    """Formatted replies that grow while they are written."""

    def __init__(self, console: Console, about: str) -> None:
        """`about` is the first line of the greeting."""
        self._console, self._about = console, about
        self._live: Live | None = None
        self._spinner = Spinner("dots")
        self._growing: _BotMessage | None = None

    def greet(self) -> None:
        """Print two lines: what this is, and how to get help and leave."""
        self._console.print(Text(printable(self._about), "bold"))
        self._console.print(Text("Type help for what I can do, quit or Ctrl-D to leave.", "dim"))

    def show_progress(self, doing: str, written: str = "", *, private: bool = False) -> None:
        """Show what the bot is doing and has written so far, until `stop_progress` or `show`. A
        thread of rich's renders it a few times a second, however fast the text grows."""
        self._spinner.update(text=Text(doing, "dim"))
        self._growing = _BotMessage(written, markdown=True, private=private) if written else None
        if self._live is None:
            self._live = Live(
                console=self._console,
                transient=True,
                refresh_per_second=8,
                get_renderable=self._progress,
            )
            self._live.start(refresh=True)

    def stop_progress(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def show(
        self,
        text: str,
        below: Sequence[str] = (),
        *,
        markdown: bool = False,
        private: bool = False,
        unfinished: str | None = None,
    ) -> None:
        """Show a final message and the lines `below` it. `unfinished` is what the person has typed
        at the prompt so far; None if there is no prompt."""
        self.stop_progress()
        screen = self._console.file
        if unfinished is not None:
            screen.write(self._erase_sequence(PROMPT + unfinished))
        said = _BotMessage(text, markdown=markdown, private=private)
        self._console.print(said, highlight=False, crop=False)
        for line in below:
            self._console.print(Text(f"  {printable(line)}", "green"))
        if unfinished is not None:
            screen.write(PROMPT + unfinished)
        screen.flush()

    def leave_line(self) -> None:
        """Leave the prompt's line after Ctrl-C or Ctrl-D."""
        self._console.file.write("\n")

    def _progress(self) -> RenderableType:
        said = [_Tail(self._growing)] if self._growing else []
        return Group(*said, self._spinner)

    def _erase_sequence(self, typed: str) -> str:
        """The control sequence that erases the rows of this text, with the cursor in the last
        one."""
        width = max(self._console.width, 1)
        above = sum(max(-(-cell_len(line) // width), 1) for line in typed.split("\n")) - 1
        return f"\r\x1b[{above}A\x1b[J" if above else "\r\x1b[K"


class _BotMessage:
    """A message of the bot. Only its first line has the mark, so that copied text has none."""

    def __init__(self, text: str, *, markdown: bool, private: bool) -> None:
        self._text, self._markdown, self._mark = printable(text), markdown, _mark(private)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        body = render_markdown(self._text) if self._markdown else Text(self._text, overflow="fold")
        room = options.update(width=max(options.max_width - cell_len(self._mark), 1), height=None)
        yield Segment(self._mark, console.get_style("bold magenta"))
        lines = lines_of(body, console, room)
        # rich adds an empty line before lists and tables, even at the top.
        for line in dropwhile(_is_empty, lines):
            yield from line
            yield Segment.line()


def _is_empty(line: list[Segment]) -> bool:
    return not any(segment.text.strip() for segment in line)


class _Tail:
    """The end of a text that may be higher than the screen."""

    def __init__(self, whole: RenderableType) -> None:
        self._whole = whole

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._whole, options.update(height=None), pad=False)
        for line in lines[-max(console.height - 2, 1) :]:
            yield from line
            yield Segment.line()


def _mark(private: bool) -> str:
    return f"{_BOT}{PRIVATE_MARK} " if private else _BOT


def printable(text: str) -> str:
    """Replace control characters, which a terminal would obey. Keeps the length."""
    return text.translate(_CONTROLS)


def _strip_markdown(source: str) -> str:
    """Markdown as plain text, without wrapping lines."""
    out = io.StringIO()
    longest = max(map(cell_len, source.split("\n")))
    Console(file=out, color_system=None, width=2 * longest + 80).print(render_markdown(source))
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n")).strip("\n")
