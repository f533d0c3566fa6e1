"""What the person sees: plain text for scripts, or a live screen."""

from collections.abc import Sequence
from typing import Protocol, TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.style import Style
from rich.text import Text

from bot.telegram.formatting.marked import Marked
from bot.terminal.chat import Bubble
from bot.terminal.markup import printable, with_addresses

PROMPT = "you: "
_BOT = "bot: "
_BOT_STYLE = "bold magenta"
_STYLES = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strike",
    "spoiler": "dim",
    "code": "cyan",
    "pre": "cyan",
    "blockquote": "italic dim",
    "expandable_blockquote": "italic dim",
    "bot_command": "bold cyan",
    "url": "underline blue",
}


class Screen(Protocol):
    """Shows the bot's side of the chat."""

    def greet(self) -> None:
        """Say who is there and how to leave."""
        ...

    def watch(self, bubbles: Sequence[Bubble], activity: str | None) -> None:
        """Show what may still change, and what the bot is doing."""
        ...

    def show(self, bubbles: Sequence[Bubble], unfinished: str | None = None) -> None:
        """Show what is final. `unfinished` is what the person is typing meanwhile, if anything."""
        ...

    def leave_line(self) -> None:
        """What comes next begins on a line of its own: the person has left the prompt's."""
        ...


class PlainScreen:
    """Replies as plain text, each beginning with `bot: `."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def greet(self) -> None:
        """A script needs no greeting."""

    def watch(self, bubbles: Sequence[Bubble], activity: str | None) -> None:
        """A script sees replies when they are final."""

    def show(self, bubbles: Sequence[Bubble], unfinished: str | None = None) -> None:
        """Write and flush each reply, so that a reader gets it at once."""
        for bubble in bubbles:
            lines = [_BOT + with_addresses(bubble.content).text, *bubble.buttons]
            self._stdout.write(printable("\n".join(lines)) + "\n")
            self._stdout.flush()

    def leave_line(self) -> None:
        """A script has no prompt."""


class LiveScreen:
    """A conversation for a person: formatted, with a sign of life while the bot is busy."""

    def __init__(self, console: Console, about: str) -> None:
        self._console = console
        self._about = about
        self._live: Live | None = None

    def greet(self) -> None:
        """Two lines: who is there, and how to get on."""
        self._console.print(Text(printable(self._about), "bold"))
        self._console.print(Text("Type help for what I can do, quit or Ctrl-D to leave.", "dim"))

    def watch(self, bubbles: Sequence[Bubble], activity: str | None) -> None:
        """Keep the lower part of the screen up to date until `show`."""
        if self._live is None:
            self._live = Live(console=self._console, transient=True, refresh_per_second=8)
            self._live.start()
        busy = [Spinner("dots", Text(activity, "dim"))] if activity else []
        self._live.update(Group(*map(_rendered, bubbles), *busy), refresh=True)

    def show(self, bubbles: Sequence[Bubble], unfinished: str | None = None) -> None:
        """Print what is final above the prompt."""
        if self._live:
            self._live.stop()
            self._live = None
        if unfinished is not None and bubbles:
            self._console.file.write("\r\x1b[K")
        for bubble in bubbles:
            self._console.print(_rendered(bubble), highlight=False)
        if unfinished is not None and bubbles:
            self._console.file.write(PROMPT + unfinished)
        self._console.file.flush()

    def leave_line(self) -> None:
        """After Ctrl-C and Ctrl-D the cursor stands behind the prompt."""
        self._console.file.write("\n")


def _rendered(bubble: Bubble) -> RenderableType:
    said = Text.assemble((_BOT, _BOT_STYLE), _styled(bubble.content), overflow="fold")
    buttons = [Text(f"  {printable(button)}", "green") for button in bubble.buttons]
    return Group(said, *buttons)


def _styled(content: Marked) -> Text:
    content = with_addresses(content)
    text = Text(printable(content.text))
    for span in content.spans:
        if span.kind == "text_link":
            style = Style(underline=True, color="blue", link=span.detail)
            text.stylize(style, span.start, span.end)
        elif style_name := _STYLES.get(span.kind):
            text.stylize(style_name, span.start, span.end)
    return text
