"""A place at the terminal: the assistant on a memory in RAM, with the streams of a test."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Self

from rich.console import Console

from bot.assistant.assistant import Assistant
from bot.assistant.events import Conversing
from bot.commands.pages.panels import Panels
from bot.offline.understanding import by_rules
from bot.terminal import Terminal, TerminalChannel
from bot.terminal.channel import LineInbox, OpenLine
from bot.terminal.lines import PipedLines
from bot.terminal.screen import LiveScreen, PlainScreen
from memory.memory import Memory
from tests.fakes.assistants import assistant_on
from tests.fakes.conversing import Echo
from tests.fakes.files import accounts_in, inbox_in, journal_in
from tests.fakes.temporary_store import TemporaryStore

USER = 7


class Pipe:
    """Standard input that a test writes while the terminal reads."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.stdin, self._writing = os.fdopen(read, "rb"), os.fdopen(write, "wb", 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.ends()
        self.stdin.close()

    def types(self, text: str) -> None:
        self._writing.write(text.encode())

    def ends(self) -> None:
        self._writing.close()


class NoInbox:
    """An inbox that keeps nothing."""

    async def next_id(self) -> int:
        return 1

    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None: ...

    def claim(self, update_id: int) -> bool:
        return True

    async def find_open(self) -> Sequence[OpenLine]:
        return ()

    async def done(self, update_ids: Sequence[int]) -> None: ...

    async def erase(self, chat_id: int, before: int) -> None: ...

    async def scrub(self) -> None: ...


@dataclass
class Seat:
    """A terminal that is ready to run, and what a test looks at."""

    terminal: Terminal
    channel: TerminalChannel
    assistant: Assistant
    memory: Memory
    out: io.StringIO = field(default_factory=io.StringIO)

    @property
    def shown(self) -> str:
        """What stands on the screen."""
        return self.out.getvalue()

    async def run(self) -> None:
        """Run to the end of the input."""
        await asyncio.wait_for(self.terminal.run(), 60)

    async def sees(self, text: str) -> None:
        """Wait until the text is on the screen."""
        async with asyncio.timeout(60):
            while text not in self.shown:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def seat(
    stdin: bytes | BinaryIO,
    folder: Path,
    conversation: Conversing | None = None,
    *,
    live: bool = False,
    streams: bool = True,
    out: io.StringIO | None = None,
    inbox: LineInbox | None = None,
    settling: asyncio.Event | None = None,
) -> AsyncIterator[Seat]:
    """For a script, or a person with a `live` screen. `settling` holds up what is being saved."""
    out = out or io.StringIO()
    console = Console(file=out, width=80, force_terminal=live, color_system=None)
    screen = LiveScreen(console, "Mordecai") if live else PlainScreen(out)
    lines = PipedLines(io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin)

    def channel_on(kept: LineInbox) -> TerminalChannel:
        return TerminalChannel(USER, inbox or kept, lines, screen, streams=streams)

    async with seat_on(channel_on, folder, conversation or Echo(), settling) as ours:
        ours.out = out
        yield ours


@asynccontextmanager
async def seat_on(
    channel_on: Callable[[LineInbox], TerminalChannel],
    folder: Path,
    conversation: Conversing,
    settling: asyncio.Event | None = None,
) -> AsyncIterator[Seat]:
    """A seat on any channel. What is kept is in this folder: another seat on it is a restart."""
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(folder / "journal.sqlite", pool) as journal,
            inbox_in(folder / "inbox.sqlite", pool, "terminal", "prompt") as inbox,
            accounts_in(":memory:", pool) as accounts,
            Memory(TemporaryStore(), journal, by_rules()) as memory,
        ):
            channel = channel_on(inbox)
            assistant = assistant_on(
                channel, conversation, memory, accounts, Panels(journal.panels)
            )

            async def settle() -> None:
                if settling:
                    await settling.wait()
                await memory.settle()
                await assistant.people.notices.join()

            terminal = Terminal(channel, assistant, settle, folder / "exports")
            yield Seat(terminal, channel, assistant, memory)


async def script(lines: bytes, folder: Path, conversation: Conversing | None = None) -> str:
    """What a script with these lines reads."""
    async with seat(lines, folder, conversation) as ours:
        await ours.run()
        return ours.shown
