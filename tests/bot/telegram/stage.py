"""A stage for tests: the channel over real HTTP against the strict server, with a real memory."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.replies import Conversing
from bot.telegram import About, Access, AccessMode, ChannelOptions, Inbox, TelegramChannel
from memory.language import RuleExtractor
from memory.ports import Extractor
from memory.service import Memory, MemoryOptions
from memory.stores.inmemory import InMemoryStore
from memory.stores.journal import SqliteJournal
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo

ABOUT = About("Mordecai", "I run without a language model.", memory_enabled=True)


@dataclass
class Stage:
    """What a test acts on."""

    server: BotApiServer
    memory: Memory
    inbox: Inbox
    channel: TelegramChannel
    stop: asyncio.Event
    running: "asyncio.Task[None]"
    echo: Echo = field(default_factory=Echo)

    async def end(self) -> None:
        """Stop the bot the way a signal does, and wait until it has."""
        self.stop.set()
        await self.running


@asynccontextmanager
async def stage(
    server: BotApiServer,
    folder: Path,
    *,
    conversation: Conversing | None = None,
    access: Access | None = None,
    options: ChannelOptions | None = None,
    about: About = ABOUT,
    extractor: Extractor | None = None,
    store: InMemoryStore | None = None,
) -> AsyncIterator[Stage]:
    """A bot that listens to the server, and is stopped at the end. Its journal and inbox are in the
    folder, so that a second stage on the same folder is a restart."""
    echo = conversation if isinstance(conversation, Echo) else Echo()
    options = options or ChannelOptions(stop_seconds=5, poll_seconds=5)
    with ThreadPoolExecutor(4) as pool:
        async with (
            SqliteJournal(folder / "journal.sqlite", pool) as journal,
            Inbox(folder / "inbox.sqlite", pool, "telegram", server.token) as inbox,
            Memory(
                store or InMemoryStore(),
                journal,
                extractor or RuleExtractor(),
                MemoryOptions(enabled=about.memory_enabled),
            ) as memory,
            TelegramChannel(
                server.token,
                conversation or echo,
                memory,
                access or Access(AccessMode.OPEN),
                inbox,
                about,
                base_url=server.root,
                options=options,
            ) as channel,
        ):
            stop = asyncio.Event()
            running = asyncio.create_task(channel.run_until(stop))
            try:
                yield Stage(server, memory, inbox, channel, stop, running, echo)
            finally:
                stop.set()
                await asyncio.gather(running, return_exceptions=True)
