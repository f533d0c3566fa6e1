"""The terminal for people: a real pseudo-terminal, keys pressed, the screen read."""

import asyncio
import os
import pty
import re
import signal
import sys
import termios
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.texts import texts_in

ENGLISH = texts_in("en")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[=>]")


class Person:
    """Someone in front of the program: sees its screen, presses keys."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int) -> None:
        self.process = process
        self._terminal = terminal
        self._seen = self.raw = ""
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
        self.raw += piece
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
        "tests.bot.terminal.program",
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
    person.types("/forget all\n")
    await person.sees("[1] Yes")
    await person.sees("you: ")
    person.types("2\n")
    await person.sees(f"bot: {ENGLISH.forget_all_kept}")
    await person.sees("you: ")
    person.types("\x04")
    assert await person.leaves() == 0


async def test_an_answer_grows_and_ctrl_c_stops_it_and_not_the_program(person: Person):
    await person.sees("you: ")
    person.types("wait\n")
    await person.sees("So far")
    await person.sees("typing…")
    person.process.send_signal(signal.SIGINT)
    await person.sees("bot: So far")
    await person.sees(f"bot: {ENGLISH.stopped}")
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
    assert person.raw.rfind("\x1b[?2004l") > person.raw.rfind("\x1b[?2004h"), "pasting, too"


async def test_what_was_typed_before_is_in_the_history(person: Person):
    await person.sees("you: ")
    person.types("first\n")
    await person.sees("bot: heard first")
    await person.sees("you: ")
    person.types("\x10\n")  # Ctrl-P: the line before
    await person.sees("bot: heard first")


async def test_the_history_is_forgotten_with_all_the_rest(person: Person):
    await person.sees("you: ")
    person.types("my secret\n")
    await person.sees("bot: heard my secret")
    await person.sees("you: ")
    person.types("/forget all\n")
    await person.sees("[1] Yes")
    await person.sees("you: ")
    person.types("1\n")
    await person.sees("bot: ")
    await person.sees("you: ")
    person.types("\x10\x10\x10\x10hello\n")
    await person.sees("bot: heard hello")


async def test_what_is_pasted_at_once_is_one_message(person: Person):
    await person.sees("you: ")
    person.types("\x1b[200~one\rtwo\rthree\x1b[201~")
    await person.sees("three")
    person.types(" four\n")
    await person.sees("bot: heard one / two / three four")
