"""A conversation at the terminal, from the first line to the last."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

from rich.console import Console

from bot.telegram.formatting.marked import Marked
from bot.terminal.chat import Bubble, Chat
from bot.terminal.lines import KeyboardLines, Lines, PipedLines
from bot.terminal.request import TerminalRequest
from bot.terminal.screen import PROMPT, LiveScreen, PlainScreen, Screen

T = TypeVar("T")

Settle = Callable[[], Awaitable[None]]

_NO_SUCH_CHOICE = "Please choose a number from 1 to {last}, or write something else."
_EMPTY = "That message is empty, so there is nothing to answer. Please write something."
_NOT_UTF8 = (
    "That line is not valid UTF-8 text, so I could not read it and stored nothing. "
    "Please send it again as UTF-8."
)

#: What people type to leave a program, and to be helped by one.
_LEAVING = frozenset({"quit", "exit", "/quit", "/exit", ":q", ":q!", ":wq", "/q"})
_HELP = frozenset({"help", ":help"})


class _Doing(Enum):
    """What the terminal waits for; it decides what Ctrl-C means."""

    LISTENING = "for a line"
    ANSWERING = "for a reply"
    ENDING = "for a reply to be stopped, or for everything to be saved"


def is_interactive(stdin: BinaryIO | TextIO, stdout: TextIO) -> bool:
    """Whether a person sits at both ends. Otherwise replies are plain text for a script."""
    return stdin.isatty() and stdout.isatty()


class Terminal:
    """The channel between a person (or a script) and an Application that runs on `request`.

    `user_id` is the numeric Telegram id that the lines come from; files the bot sends go to
    `<data_dir>/exports`; updates are numbered from `first_update_id` on; `about` is the first line
    of the greeting. `stdin` yields bytes: `sys.stdin.buffer`, or a stream in memory."""

    def __init__(
        self,
        user_id: int,
        data_dir: Path,
        stdin: BinaryIO,
        stdout: TextIO,
        *,
        interactive: bool,
        first_update_id: int = 1,
        about: str = "Mordecai",
    ) -> None:
        self._chat = Chat(user_id, first_update_id)
        self.request = TerminalRequest(self._chat, data_dir / "exports")
        self._interactive = interactive
        self._screen: Screen = (
            LiveScreen(Console(file=stdout), about) if interactive else PlainScreen(stdout)
        )
        self._lines: Lines = (
            KeyboardLines(PROMPT) if interactive and stdin.isatty() else PipedLines(stdin)
        )
        self._doing = _Doing.ENDING
        self._listening: asyncio.Task[bytes | None] | None = None
        self._interrupted = False

    async def run(self, settle: Settle) -> None:
        """Talk until the input ends. The Application must be polling meanwhile.

        `settle` returns once everything taken so far is answered and saving was tried; no line is
        read before. Returns quietly when nobody reads the output any more. Raises
        KeyboardInterrupt after Ctrl-C; a second Ctrl-C does not wait for anything."""
        with self._catching_interrupts():
            try:
                self._screen.greet()
                await self._talk(settle)
            except BrokenPipeError:
                return
            finally:
                self._lines.close()
        if self._interrupted:
            raise KeyboardInterrupt

    async def _talk(self, settle: Settle) -> None:
        while (line := await self._next_line()) is not None:
            text = self._understood(line)
            if self._interactive and text and text.lower() in _LEAVING:
                break
            if text and (choices := self._chat.mistaken(text)):
                self._say(_NO_SUCH_CHOICE.format(last=choices))
            elif text:
                self._doing = _Doing.ANSWERING
                self._chat.enter(text)
                await self._settled(settle)
        else:
            self._screen.leave_line()
        self._doing = _Doing.ENDING
        await self._settled(settle, "saving…")

    async def _next_line(self) -> bytes | None:
        """The next line; meanwhile whatever the bot says of its own accord is shown."""
        self._doing = _Doing.LISTENING
        self._listening = asyncio.create_task(self._lines.next())
        try:
            return await self._watching(
                self._listening,
                lambda: self._screen.show(self._chat.take(), self._lines.unfinished),
            )
        except asyncio.CancelledError:
            if self._interrupted:
                return None
            raise

    def _understood(self, line: bytes) -> str | None:
        """The message in a line. If there is none, the person is told why."""
        try:
            text = line.decode().strip()
        except UnicodeDecodeError:
            self._say(_NOT_UTF8)
            return None
        if not text and not self._interactive:
            self._say(_EMPTY)
        return "/help" if text.lower() in _HELP else text

    def _say(self, text: str) -> None:
        self._screen.show([Bubble(Marked(text))])

    async def _settled(self, settle: Settle, activity: str | None = None) -> None:
        """Wait until all is answered and saved; then show it."""

        def watch() -> None:
            doing = activity or ("typing…" if self._chat.typing else None)
            self._screen.watch(self._chat.preview(), doing)

        async def work() -> None:
            while True:
                await self._chat.all_taken()
                await settle()
                if self._chat.drained:
                    return

        watch()
        try:
            await self._watching(asyncio.create_task(work()), watch)
        finally:
            self._screen.show(self._chat.take())

    async def _watching(self, task: asyncio.Task[T], on_change: Callable[[], None]) -> T:
        """The task's result; whenever the chat changes before, `on_change` is called."""
        change: asyncio.Task[Any] | None = None
        try:
            while not task.done():
                change = asyncio.create_task(self._chat.changed.wait())
                await asyncio.wait((task, change), return_when=asyncio.FIRST_COMPLETED)
                if change.done() and not task.done():
                    self._chat.changed.clear()
                    on_change()
            return await task
        finally:
            await _cancelled(task, change)

    # -- Ctrl-C -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _catching_interrupts(self) -> Iterator[None]:
        """While a person is at the keyboard Ctrl-C means: stop this reply; at the prompt, leave.
        Pressed again it ends everything at once."""
        if not self._interactive:
            yield
            return
        loop, running = asyncio.get_running_loop(), asyncio.current_task()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, self._interrupt, running)
        try:
            yield
        except asyncio.CancelledError:
            if not self._interrupted or running is None:
                raise
            running.uncancel()
            raise KeyboardInterrupt from None
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, running: asyncio.Task[Any] | None) -> None:
        if self._doing is _Doing.ANSWERING:
            self._chat.receive("/stop")
        elif self._doing is _Doing.LISTENING and self._listening:
            self._interrupted = True
            self._listening.cancel()
        elif running:
            self._interrupted = True
            running.cancel()
        self._doing = _Doing.ENDING


async def _cancelled(*tasks: asyncio.Task[Any] | None) -> None:
    waiting = [task for task in tasks if task and not task.done()]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
