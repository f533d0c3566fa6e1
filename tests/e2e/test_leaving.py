"""How a person leaves the chat: at a real terminal, with the keys and words that people use, and
under `make` as in the README. Ctrl-C reaches everything in the foreground, as it does there."""

import asyncio
import os
import pty
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.command import COMMAND, PATIENCE, chat, environment

GOODBYE = "Goodbye! We can pick up here next time."
CTRL_C, CTRL_D = "\x03", "\x04"
_ROOT = Path(__file__).resolve().parents[2]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]")
#: Puts a program into the foreground of the terminal that is its standard input.
_FOREGROUND = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Sitting:
    """A person at a terminal in front of a program."""

    def __init__(self, process: asyncio.subprocess.Process, terminal: int) -> None:
        self.process, self._terminal = process, terminal
        self.seen, self._read = "", 0
        os.set_blocking(terminal, False)

    async def sees(self, text: str) -> None:
        """Read the screen on until the text is there."""
        async with asyncio.timeout(PATIENCE):
            while (there := self.seen.find(text, self._read)) < 0:
                await self._look()
        self._read = there + len(text)

    def types(self, keys: str) -> None:
        """Press keys. It is the terminal that makes a signal of Ctrl-C."""
        os.write(self._terminal, keys.encode())

    async def leaves(self) -> int:
        """Read to the end; the exit code, negative if a signal was it."""
        async with asyncio.timeout(PATIENCE):
            while self.process.returncode is None:
                await self._look()
        await self._look()
        return self.process.returncode

    async def _look(self) -> None:
        try:
            piece = os.read(self._terminal, 65536).decode(errors="replace")
        except OSError:  # nothing there yet, or nobody has the terminal open any more
            piece = ""
        self.seen = _ESCAPES.sub("", self.seen + piece)
        if not piece:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def sitting(*arguments: str | Path, cwd: Path, **variables: str) -> AsyncIterator[Sitting]:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _FOREGROUND, *arguments,
        cwd=cwd,
        env=environment(TERM="xterm", COLUMNS="80", **variables),
        stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Sitting(process, ours)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(ours)


def last_line(seen: str) -> str:
    return seen.replace("\r", "\n").strip().splitlines()[-1].strip()


@pytest.mark.parametrize("leaving", [CTRL_D, "Quit\n", "half a li" + CTRL_C])
async def test_every_way_out_ends_with_a_goodbye_and_keeps_what_was_said(
    tmp_path: Path, leaving: str
):
    async with sitting(COMMAND, "chat", "--data", "data", cwd=tmp_path) as person:
        await person.sees("quit or Ctrl-D to leave")
        await person.sees("you: ")
        person.types("I work at Acme Corp\n")
        await person.sees("Kept.")
        await person.sees("you: ")
        person.types(leaving)
        assert await person.leaves() == 0
    assert last_line(person.seen) == GOODBYE
    assert person.seen.count("Goodbye") == 1
    later = await chat(tmp_path / "data", "what do you know about me?", user=1)
    assert "Acme Corp" in later.replies[0], "the conversation goes on"


async def test_where_nothing_is_kept_the_goodbye_promises_nothing(tmp_path: Path):
    async with sitting(COMMAND, cwd=tmp_path, MORDECAI_MEMORY_ENABLED="false") as person:
        await person.sees("you: ")
        person.types(CTRL_D)
        assert await person.leaves() == 0
    assert last_line(person.seen) == "Goodbye!"


async def test_the_bare_word_help_shows_the_help(tmp_path: Path):
    async with sitting(COMMAND, cwd=tmp_path) as person:
        await person.sees("you: ")
        person.types("help\n")
        await person.sees("/remember")


@pytest.mark.parametrize(("leaving", "code"), [(CTRL_C, -signal.SIGINT), (CTRL_D, 0)])
async def test_under_make_the_goodbye_is_the_last_word(tmp_path: Path, leaving: str, code: int):
    make = shutil.which("make")
    if make is None:
        pytest.skip("there is no make here")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copyfile(_ROOT / name, tmp_path / name)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/mordecai").symlink_to(COMMAND)
    (tmp_path / ".venv/ready").touch()
    async with sitting(make, "run", cwd=tmp_path, PYTHON=sys.executable) as person:
        await person.sees("you: ")
        person.types(leaving)
        # Make ends itself by the signal that it got, and says nothing.
        assert await person.leaves() == code
    assert last_line(person.seen) == GOODBYE
    assert "make" not in person.seen
