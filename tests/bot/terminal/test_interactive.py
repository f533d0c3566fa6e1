"""The terminal for people: a real pseudo-terminal, keys pressed, the screen read."""

import asyncio
import io
import os
import pty
import re
import signal
import sys
import termios
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from bot.telegram.formatting.markdown import marked
from bot.telegram.formatting.marked import Marked
from bot.terminal.chat import Bubble
from bot.terminal.markup import from_html
from bot.terminal.screen import LiveScreen

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[=>]")


class Person:
    """Someone in front of the program: sees its screen, presses keys."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int) -> None:
        self.process = process
        self._terminal = terminal
        self._seen = ""
        os.set_blocking(terminal, False)

    async def sees(self, text: str) -> str:
        """Wait until the text is on the screen; what stood before it."""
        async with asyncio.timeout(60):
            while text not in self._seen:
                await self._look()
        before, _, self._seen = self._seen.partition(text)
        return before

    async def _look(self) -> None:
        try:
            piece = os.read(self._terminal, 65536).decode(errors="replace")
        except BlockingIOError:
            piece = ""
        self._seen = _ESCAPES.sub("", self._seen + piece)
        if not piece:
            await asyncio.sleep(0.02)

    def types(self, keys: str) -> None:
        """Press keys; Enter is a new line."""
        os.write(self._terminal, keys.encode())

    @property
    def sees_own_keys(self) -> bool:
        """Whether the terminal is in its usual mode, which repeats what is typed line by line."""
        usual = termios.ECHO | termios.ICANON
        return bool(termios.tcgetattr(self._terminal)[3] & usual == usual)

    async def leaves(self) -> int:
        """Wait for the end of the program; its exit code."""
        async with asyncio.timeout(60):
            while self.process.returncode is None:
                try:
                    await self._look()  # a full screen buffer would hold the program up
                except OSError:
                    await asyncio.sleep(0.02)
        return self.process.returncode


@pytest.fixture
async def person(tmp_path: Path) -> AsyncIterator[Person]:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bot.terminal.echo",
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    yield Person(process, ours)
    if process.returncode is None:
        process.kill()
        await process.wait()
    os.close(theirs)
    os.close(ours)


async def test_a_greeting_a_reply_and_a_clean_end(person: Person):
    await person.sees("Echo, no engine")
    await person.sees("Ctrl-D to leave")
    await person.sees("you: ")
    person.types("hello\n")
    await person.sees("bot: heard hello")
    await person.sees("you: ")
    person.types("\n")
    assert "bot:" not in await person.sees("you: "), "an empty line is no message"
    person.types("ask\n")
    await person.sees("[1] Yes")
    await person.sees("you: ")
    person.types("1\n")
    await person.sees("bot: pressed Yes")
    await person.sees("you: ")
    person.types("\x04")
    assert await person.leaves() == 0


async def test_typing_is_shown_and_ctrl_c_stops_the_reply_not_the_program(person: Person):
    await person.sees("you: ")
    person.types("wait\n")
    await person.sees("typing…")
    person.process.send_signal(signal.SIGINT)
    await person.sees("bot: stopped waiting")
    await person.sees("you: ")
    person.types("still there?\n")
    await person.sees("bot: heard still there?")


async def test_ctrl_c_at_the_prompt_leaves(person: Person):
    await person.sees("you: ")
    person.types("half a li")
    await person.sees("half a li")
    person.process.send_signal(signal.SIGINT)
    assert await person.leaves() == 130
    assert person.sees_own_keys, "the terminal is left as it was found"


async def test_what_was_typed_before_is_in_the_history(person: Person):
    await person.sees("you: ")
    person.types("first\n")
    await person.sees("bot: heard first")
    await person.sees("you: ")
    person.types("\x10\n")  # Ctrl-P: the line before
    await person.sees("bot: heard first")


async def test_ctrl_c_ends_a_script_that_waits_for_its_next_line():
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bot.terminal.echo",
        cwd=Path(__file__).resolve().parents[3],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(60):
        process.stdin.write(b"hello\n")
        assert await process.stdout.readline() == b"bot: heard hello\n"
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 130
    assert b"Fatal" not in err


def screen() -> tuple[LiveScreen, io.StringIO]:
    out = io.StringIO()
    return LiveScreen(Console(file=out), "Mordecai"), out


def test_markup_of_a_reply_is_not_taken_for_markup_of_the_screen():
    live, out = screen()
    live.show([Bubble(from_html("[bold]x[/bold] <b>y</b> :smile:"), ("[1] [red]Yes",))])
    assert out.getvalue() == "bot: [bold]x[/bold] y :smile:\n  [1] [red]Yes\n"


def test_what_comes_while_typing_leaves_the_unfinished_line_in_place():
    live, out = screen()
    live.show([Bubble(from_html("by the way"))], unfinished="half a li")
    assert out.getvalue() == "\r\x1b[Kbot: by the way\nyou: half a li"


def test_formatting_becomes_style():
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=80)
    live = LiveScreen(console, "Mordecai")
    live.show([Bubble(from_html('<b>bold</b> <a href="http://x">link</a>'))])
    assert "\x1b[1mbold\x1b[0m" in out.getvalue()
    assert "http://x" in out.getvalue()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo\n\n\nthree", ["bot: one", "two", "", "three"]),
        ("2 * 3 * 4, a_b_c, 1 < 2", ["bot: 2 * 3 * 4, a_b_c, 1 < 2"]),
        ("**bold**\nand `List<T>`", ["bot: bold", "and List<T>"]),
        ("Use List<String> *here*", ["bot: Use List<String> here"]),
        ("- one\n- two", ["bot: • one", "• two"]),
        ("<b>not html</b>\nat all", ["bot: <b>not html</b>", "at all"]),
        ("[*docs*](http://x)", ["bot: docs (http://x)"]),
    ],
)
def test_markdown_is_rendered_and_loses_no_word(text: str, lines: list[str]):
    out = io.StringIO()
    LiveScreen(Console(file=out, width=60), "Mordecai").show([Bubble(marked(text))])
    assert [line.rstrip() for line in out.getvalue().splitlines() if line.strip()] == [
        line for line in lines if line
    ]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_shown(text: str):
    LiveScreen(Console(file=io.StringIO()), "Mordecai").show([Bubble(Marked(text))])
