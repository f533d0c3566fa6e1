"""Where lines come from: a pipe, or a person at a keyboard. Both read in a thread of their own that
never keeps the process from ending."""

import asyncio
import codecs
import contextlib
import importlib
import sys
import threading
from collections.abc import Callable
from io import RawIOBase
from types import ModuleType
from typing import BinaryIO

#: A line is cut off here, so that a stream without line ends can't fill the memory. Far above what
#: the assistant accepts.
_LONGEST_LINE = 1_000_000
_CHUNK = 65_536
#: Has the terminal hand over what is pasted like what is typed, as it does before readline reads.
_PLAIN_PASTE = "\x1b[?2004l"


class PipedLines:
    """The lines of a stream of bytes. A byte order mark at its start is dropped."""

    unfinished = ""

    def __init__(self, stream: BinaryIO) -> None:
        # Beneath the buffer: a thread that waits in there would hold its lock at exit.
        self._raw: RawIOBase | BinaryIO = getattr(stream, "raw", stream)
        self._buffer = bytearray()
        self._first = True
        self._ended = False

    async def next(self) -> bytes | None:
        """The next line; a last one without a line end counts."""
        return await _in_thread(self._read_line)

    def forget(self) -> None:
        """A stream has no history."""

    def close(self) -> None:
        """The stream is its owner's to close."""

    def _read_line(self) -> bytes | None:
        while b"\n" not in self._buffer and not self._ended:
            self._fill()
        if self._ended and not self._buffer:
            return None
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        if self._first:
            self._first, line = False, line.removeprefix(codecs.BOM_UTF8)
        return line.removesuffix(b"\r")

    def _fill(self) -> None:
        try:
            chunk = self._raw.read(_CHUNK)
        except OSError:
            chunk = None  # the other end is gone
        self._ended = not chunk
        line_end = (chunk or b"").find(b"\n")
        room = max(_LONGEST_LINE - len(self._buffer), 0)
        if line_end < 0:
            self._buffer += (chunk or b"")[:room]
        else:
            self._buffer += (chunk or b"")[: min(line_end, room)] + (chunk or b"")[line_end:]


class KeyboardLines:
    """What a person types, with line editing and a history where the platform has them. Several
    lines that are pasted at once are one.

    The history ends with the process: it would keep what the person later asks to forget."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._readline = _module("readline")
        if self._readline:
            # Python switches it off, as its own prompt could not do with several lines at once.
            self._readline.parse_and_bind("set enable-bracketed-paste on")
        self._restore = _terminal_state()
        self._reading = False

    async def next(self) -> bytes | None:
        """The next line; None after Ctrl-D."""
        self._reading = True
        line = await _in_thread(self._read_line)
        self._reading = False
        return line

    @property
    def unfinished(self) -> str:
        """What stands after the prompt."""
        return str(self._readline.get_line_buffer()) if self._readline else ""

    def forget(self) -> None:
        if self._readline:
            self._readline.clear_history()

    def close(self) -> None:
        """Give the terminal back as it was, even though the thread may still wait for a line."""
        if self._reading:
            self._restore()
            if self._readline:
                sys.stdout.write(_PLAIN_PASTE)
                sys.stdout.flush()

    def _read_line(self) -> bytes | None:
        try:
            return input(self._prompt).encode("utf-8", "surrogateescape")
        except EOFError:
            return None
        except UnicodeDecodeError as error:
            return bytes(error.object)


Lines = PipedLines | KeyboardLines


async def _in_thread(read: Callable[[], bytes | None]) -> bytes | None:
    """Call in a daemon thread: unlike one of a pool, it is not waited for when the process ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes | None] = loop.create_future()

    def deliver(line: bytes | None) -> None:
        if not done.done():
            done.set_result(line)

    def run() -> None:
        line = read()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, line)

    threading.Thread(target=run, name="lines", daemon=True).start()
    return await done


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _terminal_state() -> Callable[[], None]:
    """How to bring standard input's terminal back to how it is now."""
    termios = _module("termios")
    if termios is None:
        return lambda: None
    try:
        before = termios.tcgetattr(0)
    except termios.error:
        return lambda: None
    return lambda: termios.tcsetattr(0, termios.TCSADRAIN, before)
