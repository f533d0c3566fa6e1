"""Screens: plain text for scripts, or a live screen for a person."""

import io
from collections.abc import Sequence
from itertools import dropwhile
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from bot.people.personal import PRIVATE_MARK
from bot.terminal.markdown import lines_of, render_markdown

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
        buttons: Sequence[str] = (),
        *,
        markdown: bool = False,
        private: bool = False,
        unfinished: str | None = None,
    ) -> None:
        """Write and flush a reply, so that a reader gets it at once. Raises BrokenPipeError."""
        said = _mark(private) + (_strip_markdown(printable(text)) if markdown else printable(text))
        self._stdout.write("\n".join([said, *map(printable, buttons)]) + "\n")
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
        buttons: Sequence[str] = (),
        *,
        markdown: bool = False,
        private: bool = False,
        unfinished: str | None = None,
    ) -> None:
        """Show a final message. `unfinished` is what the person has typed at the prompt so far;
        None if there is no prompt."""
        self.stop_progress()
        screen = self._console.file
        if unfinished is not None:
            screen.write(self._erase_sequence(PROMPT + unfinished))
        said = _BotMessage(text, markdown=markdown, private=private)
        self._console.print(said, highlight=False, crop=False)
        for button in buttons:
            self._console.print(Text(f"  {printable(button)}", "green"))
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


Screen = PlainScreen | LiveScreen


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
