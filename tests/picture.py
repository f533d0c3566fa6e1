"""Draws the chat of the README: two real runs of the installed command, as an SVG.

`python -m tests.picture docs/chat.svg`. What people type comes from here, what the bot answers from
the bot, without a model, in a directory of its own."""

import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

#: What is typed on the first day, and on another one.
_DAYS = (
    (
        "I'll call you Jarvis",
        "I work at Acme Corp, and my birthday is March 15",
        "I prefer short answers",
        "/new",
    ),
    (
        "what do you know about me?",
        "actually I work at Globex now",
        "/new",
        "where do I work?",
    ),
)
_WIDTH = 76


def main(target: Path) -> None:
    """Play both days and draw them."""
    console = Console(record=True, width=_WIDTH, file=sys.stderr)
    with tempfile.TemporaryDirectory() as data:
        for number, lines in enumerate(_DAYS):
            if number:
                console.print(
                    "\n… another day, another process\n", style="dim italic", justify="center"
                )
            for line, answer in zip(lines, _answers(lines, Path(data)), strict=True):
                console.print(Text.assemble(("you: ", "bold cyan"), line))
                console.print(Text.assemble(("bot: ", "bold green"), answer))
    console.save_svg(str(target), title="Mordecai", clear=False)
    # No fonts from elsewhere: the picture is to be drawn by whoever shows it.
    svg = target.read_text(encoding="utf-8")
    start, end = svg.index("@font-face"), svg.rindex("@font-face")
    end = svg.index("}", end) + 1
    target.write_text(svg[:start] + svg[end:].lstrip(), encoding="utf-8")


def _answers(lines: tuple[str, ...], data: Path) -> list[str]:
    """What the bot answers to each of these lines in one run of the command."""
    command: list[Path | str] = [Path(sys.executable).with_name("mordecai"), "chat", "--data", data]
    ran = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=120
    )
    return [answer.strip() for answer in ran.stdout.split("bot: ")[1:]]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
