"""Sources of lines: a pipe, or a person at a keyboard. Both are read in a thread that never keeps
the process from ending."""

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

#: Maximum bytes of a line, so that a stream without line ends can't fill the RAM. Far more than the
#: assistant accepts.
_LONGEST_LINE = 1_000_000
_CHUNK = 65_536
#: Makes the terminal treat pasted text as typed text, as it does before readline reads.
_PLAIN_PASTE = "\x1b[?2004l"


class PipedLines:
    """The lines of a stream of bytes. A byte order mark at its start is dropped."""

    unfinished = ""

    def __init__(self, stream: BinaryIO) -> None:
        # Not the buffered stream: a thread waiting in it would hold its lock at exit.
        self._raw: RawIOBase | BinaryIO = getattr(stream, "raw", stream)
        self._buffer = bytearray()
        self._first = True
        self._ended = False

    async def next(self) -> bytes | None:
        """The next line, even if the last one has no line end; None at the end."""
        return await _run_in_thread(self._read_line)

    def forget(self) -> None:
        """A stream has no history."""

    def close(self) -> None:
        """The caller closes the stream."""

    def _read_line(self) -> bytes | None:
        while b"\n" not in self._buffer and not self._ended:
            self._read_chunk()
        if self._ended and not self._buffer:
            return None
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        if self._first:
            self._first, line = False, line.removeprefix(codecs.BOM_UTF8)
        return line.removesuffix(b"\r")

    def _read_chunk(self) -> None:
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
    """Lines typed by a person, with line editing and a history where the platform has them. Several
    lines pasted at once count as one.

    The history is not saved: it would keep what the person later asks to forget."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._readline = _import_optional("readline")
        if self._readline:
            # Python switches it off because its own prompt can't handle several lines at once.
            self._readline.parse_and_bind("set enable-bracketed-paste on")
        self._restore = _terminal_restorer()
        self._reading = False

    async def next(self) -> bytes | None:
        """The next line; None after Ctrl-D."""
        self._reading = True
        line = await _run_in_thread(self._read_line)
        self._reading = False
        return line

    @property
    def unfinished(self) -> str:
        """The text after the prompt."""
        return str(self._readline.get_line_buffer()) if self._readline else ""

    def forget(self) -> None:
        if self._readline:
            self._readline.clear_history()

    def close(self) -> None:
        """Restore the terminal, even if the thread is still waiting for a line."""
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


async def _run_in_thread(read: Callable[[], bytes | None]) -> bytes | None:
    """Call in a daemon thread: unlike a pool's thread, it does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes | None] = loop.create_future()

    def deliver(line: bytes | None) -> None:
        if not done.done():
            done.set_result(line)

    def run() -> None:
        line = read()
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing is waiting
            loop.call_soon_threadsafe(deliver, line)

    threading.Thread(target=run, name="lines", daemon=True).start()
    return await done


def _import_optional(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _terminal_restorer() -> Callable[[], None]:
    """A function that restores the current state of standard input's terminal."""
    termios = _import_optional("termios")
    if termios is None:
        return lambda: None
    try:
        before = termios.tcgetattr(0)
    except termios.error:
        return lambda: None
    return lambda: termios.tcsetattr(0, termios.TCSADRAIN, before)
