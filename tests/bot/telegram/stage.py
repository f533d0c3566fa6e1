"""A stage for tests: the channel over real HTTP against the strict server, with a real memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from telegram import Bot
from telegram.request import BaseRequest

from bot.assistant.assistant import Assistant
from bot.assistant.context import About
from bot.assistant.events import Conversing
from bot.assistant.greeting import Greeter, Greetings
from bot.commands.pages.panels import UNDO_SECONDS, Panels
from bot.people.access import Access
from bot.people.accounts import USAGE_LAYOUT, Accounts
from bot.people.people import QuotaLimits
from bot.telegram.channel import TelegramChannel
from bot.telegram.delivery.menu import publish_menus
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.media import Senses
from bot.telegram.options import ChannelOptions
from bot.telegram.sharing import SharedInbox
from bot.telegram.waiting import INBOX_LAYOUT
from memory.leases import ALONE, Leases
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Place, Role, Utterance
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.server import PostgresServer
from memory.understanding import Extractor
from tests.fakes.assistants import ABOUT, assistant_on
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.files import accounts_in, inbox_in, journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood


@dataclass
class Stage:
    """What a test acts on."""

    server: BotApiServer
    memory: Memory
    inbox: Inbox
    accounts: Accounts
    channel: TelegramChannel
    assistant: Assistant
    stop: asyncio.Event
    running: "asyncio.Task[None]"
    echo: Echo = field(default_factory=Echo)

    async def end(self) -> None:
        """Stop the bot the way a signal does, and wait until it has."""
        self.stop.set()
        await self.running


@dataclass
class _HasMenus:
    """A bot as `publish_menus` needs it, whose menus are there already."""

    id: int

    async def set_my_commands(self, *_: object, **__: object) -> bool:
        return True


@dataclass
class Kept:
    """Where a stage keeps what outlives it."""

    journal: SqlJournal
    inbox: Inbox
    accounts: Accounts
    leases: Leases = ALONE


@asynccontextmanager
async def kept_in_files(
    folder: Path, token: str, journal: Callable[[Path, Executor], SqlJournal]
) -> AsyncIterator[Kept]:
    with ThreadPoolExecutor(4) as pool:
        async with (
            journal(folder / "journal.sqlite", pool) as opened,
            inbox_in(folder / "inbox.sqlite", pool, "telegram", token) as inbox,
            accounts_in(folder / "usage.sqlite", pool) as accounts,
        ):
            yield Kept(opened, inbox, accounts)


@asynccontextmanager
async def kept_on(
    shared: PostgresServer, token: str, lease_seconds: float = 15.0
) -> AsyncIterator[Kept]:
    async with (
        PostgresLeases(shared, lease_seconds) as leases,
        SqlJournal(shared.open(JOURNAL_LAYOUT)) as journal,
        SharedInbox(shared.open(INBOX_LAYOUT), "telegram", token, leases) as inbox,
        Accounts(shared.open(USAGE_LAYOUT)) as accounts,
    ):
        yield Kept(journal, inbox, accounts, leases)


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
    store: TemporaryStore | None = None,
    greeter: Greeter | None = None,
    token: str | None = None,
    senses: Senses | None = None,
    request: BaseRequest | None = None,
    journal: Callable[[Path, Executor], SqlJournal] = journal_in,
    quotas: QuotaLimits | None = None,
    undo_seconds: float = UNDO_SECONDS,
    leaves_strangers: bool = True,
    first_start: bool = False,
    kept: AbstractAsyncContextManager[Kept] | None = None,
) -> AsyncIterator[Stage]:
    """A bot that listens to the server, and is stopped at the end. Its journal and inbox are in the
    folder or as `kept` says, so that a second stage on the same is a restart. `request` carries the
    bot's methods but getUpdates. Only a `first_start` publishes the menus, in two dozen calls."""
    echo = conversation if isinstance(conversation, Echo) else Echo()
    options = options or ChannelOptions(stop_seconds=5, poll_seconds=5)
    token = token or server.token
    async with kept or kept_in_files(folder, token, journal) as where:
        opened, inbox, accounts = where.journal, where.inbox, where.accounts
        async with Memory(
            store or TemporaryStore(),
            opened,
            understood(extractor),
            MemoryOptions(memory_enabled=about.memory_enabled),
            leases=where.leases,
        ) as memory:
            if not first_start:
                bot = cast(Bot, _HasMenus(server.world.bot["id"]))
                await publish_menus(bot, inbox.notes)
            channel = TelegramChannel(
                token, inbox, options, senses, base_url=server.root, request=request
            )
            assistant = assistant_on(
                channel,
                conversation or echo,
                memory,
                accounts,
                Panels(opened.panels, undo_seconds=undo_seconds),
                access=access,
                greetings=Greetings(memory, greeter),
                about=about,
                quotas=quotas,
                longest_text=options.longest_text,
                leaves_strangers=leaves_strangers,
            )
            where.leases.subscribe(assistant.drop)
            stop = asyncio.Event()
            running = asyncio.create_task(channel.run_until(assistant, stop))
            try:
                yield Stage(
                    server, memory, inbox, accounts, channel, assistant, stop, running, echo
                )
            finally:
                stop.set()
                await asyncio.gather(running, return_exceptions=True)


async def ask(server: BotApiServer, text: str, user_id: int = 1001) -> str:
    """Say something; the bot's next message."""
    before = len(server.sent(user_id))
    await server.user(user_id).says(text)
    return (await server.replies_to(user_id, before + 1))[before]


async def tell(on: Stage, text: str, user_id: int = 1001) -> None:
    """Have a turn on record, as the conversation leaves it."""
    now = datetime.now(UTC)
    said = (Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "I see.", now))
    place = Place("telegram", user_id)
    await on.memory.talk.record(Actor.person(user_id), place, said)
