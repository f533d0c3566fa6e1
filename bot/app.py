"""The composition root: settings in, a running bot out. It alone names concrete classes, except for
the stores' (`stores.py`) and those of what understands people (`understanding.py`).

One exit stack closes everything opened here, in reverse order. Imports that only some settings need
(AWS, OpenAI's library) are inside functions, because they take seconds."""

import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.assistant.assistant import Assistant
from bot.assistant.context import About, Channel, Context, Health
from bot.assistant.conversation import Conversation
from bot.assistant.files import FileKind, Transcriber
from bot.assistant.greeting import Greetings
from bot.commands.pages.panels import Panels
from bot.commands.table import Commands
from bot.errors import OperatorError
from bot.models.configured import open_models
from bot.models.sight import sight_of
from bot.models.writers import ModelGreeter
from bot.operations.health import heartbeat
from bot.operations.process import (
    collect_garbage_less_often,
    exit_on_sigterm,
    ignore_signals_at_exit,
    only_process,
    operator_errors,
    stop_event,
)
from bot.options import (
    channel_options,
    memory_options,
    persona_of,
    quota_limits,
    turn_limits,
)
from bot.people.access import Access, AccessMode
from bot.people.accounts import USAGE_LAYOUT, Accounts
from bot.people.languages import Languages
from bot.people.people import People, Quotas
from bot.people.personal import PersonalSettings
from bot.settings import Settings
from bot.stores import open_databases, open_inbox, open_leases, open_people, open_store
from bot.telegram.channel import TelegramChannel
from bot.telegram.intake.media import Senses
from bot.telegram.intake.receiving import Stalled
from bot.terminal import Terminal, TerminalChannel
from bot.texts import languages, texts_in
from bot.understanding import is_offline, notebook_model, understanding_of, warm_up
from memory.background.wall import WallClock
from memory.leases import ALONE, Leases
from memory.memory import Memory
from memory.panels import PanelRows
from memory.records import Actor
from memory.stores.database import Databases
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.sqlite.database import SqliteDatabases

#: The exit code that makes a supervisor restart the bot.
_RESTART = 1
#: Nobody tells the terminal the time, and people come back to it after months.
_LONGEST_BREAK = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the Telegram bot and the terminal chat both need."""

    memory: Memory
    panels: PanelRows
    conversation: Conversation
    accounts: Accounts
    about: About
    greetings: Greetings
    senses: Senses
    databases: Databases
    leases: Leases
    pool: ThreadPoolExecutor


async def run_telegram(settings: Settings) -> int:
    """Run the Telegram bot until SIGINT or SIGTERM; the exit code. Raises OperatorError,
    NewerStore."""
    token = settings.telegram_bot_token
    if token is None:
        raise OperatorError(
            "TELEGRAM_BOT_TOKEN is not set: put the token from @BotFather into the environment or "
            "a file .env, or chat in the terminal with `mordecai chat`"
        )
    data, secret, wall = settings.data_dir, token.get_secret_value(), WallClock()
    # The start can be interrupted: it takes minutes if it creates a memory on AWS.
    with operator_errors(), exit_on_sigterm(), ignore_signals_at_exit():
        async with (
            _parts(settings, wall) as parts,
            open_inbox(parts.databases, parts.leases, "telegram", secret) as inbox,
        ):
            access, held, languages = await open_people(settings, parts.databases, parts.pool)
            channel = TelegramChannel(
                secret,
                inbox,
                channel_options(settings, wall, held),
                parts.senses,
                base_url=settings.telegram_base_url,
            )
            assistant = _assistant(settings, parts, channel, access, languages)
            parts.leases.subscribe(assistant.drop)
            async with heartbeat(data, channel), AsyncExitStack() as stack:
                if settings.health_port is not None:
                    from bot.operations.endpoints import bot_endpoints

                    kept = inbox, parts.memory, parts.leases, parts.pool
                    await stack.enter_async_context(bot_endpoints(settings, channel, *kept))
                collect_garbage_less_often()
                try:
                    await channel.run_until(assistant, stop_event())
                except Stalled:
                    return _RESTART
    return 0


def _assistant(
    settings: Settings,
    parts: _Parts,
    channel: Channel,
    access: Access,
    languages: Languages | None = None,
) -> Assistant:
    people = People(
        access,
        Quotas(parts.accounts, quota_limits(settings), access, parts.memory.clock),
        PersonalSettings(parts.memory, languages=languages),
    )
    context = Context(
        parts.memory,
        people,
        parts.accounts,
        channel,
        parts.greetings,
        parts.about,
        texts_in("en"),
        Panels(parts.panels, parts.memory.clock),
        Health(datetime.now(UTC)),
    )
    leaves = settings.leave_strangers_groups
    return Assistant(parts.conversation, Commands(), context, leaves_strangers=leaves)


async def run_chat(settings: Settings, user_id: int) -> int:
    """Chat in this terminal until the input ends; returns the exit code. Raises OperatorError,
    NewerStore, and KeyboardInterrupt after Ctrl-C."""
    data = settings.data_dir
    with operator_errors(), exit_on_sigterm():
        async with (
            _parts(settings, WallClock(off=_LONGEST_BREAK)) as parts,
            open_inbox(parts.databases, ALONE, "terminal", "prompt") as inbox,
            parts.leases.work_on(Actor.person(user_id)) as is_ours,
        ):
            if not is_ours:
                raise OperatorError(
                    f"user_id {user_id}: this person talks with a worker on Telegram right now: "
                    "wait five minutes, or stop the worker"
                )
            about = f"Mordecai · {settings.model or 'a notebook, no language model'}"
            channel = TerminalChannel.on(
                sys.stdin.buffer,
                sys.stdout,
                user_id,
                inbox,
                about,
                streams=settings.streaming != "off",
            )
            access = Access(AccessMode.OPEN, owners=[user_id])
            assistant = _assistant(settings, parts, channel, access)

            async def settle() -> None:
                await parts.memory.settle()
                await assistant.people.notices.join()

            async with heartbeat(data, channel):
                await Terminal(channel, assistant, settle, data / "exports").run()
    return 0


@asynccontextmanager
async def _parts(settings: Settings, wall: WallClock) -> AsyncIterator[_Parts]:
    data = settings.data_dir
    # Checks the texts of every language: a faulty one must stop the start, not a reply.
    languages()
    # Other users of this machine can't read the files.
    os.umask(0o077)
    async with AsyncExitStack() as stack:
        stack.enter_context(only_process(data))
        files = stack.enter_context(ThreadPoolExecutor(settings.threads, "files"))
        # One thread for what every message writes: more would wait for Python's lock, not the disk.
        pool = stack.enter_context(ThreadPoolExecutor(1, "logs"))
        databases = stack.enter_context(open_databases(settings, pool))
        leases = await stack.enter_async_context(open_leases(settings, databases, wall.follow))
        kept = databases if settings.memory_enabled else SqliteDatabases(None, pool)
        journal = await stack.enter_async_context(SqlJournal(kept.open(JOURNAL_LAYOUT)))
        store = await stack.enter_async_context(
            open_store(settings, databases, files, leases, wall)
        )
        accounts = await stack.enter_async_context(Accounts(kept.open(USAGE_LAYOUT), wall))
        model = await stack.enter_async_context(open_models(settings, notebook_model))
        understanding = understanding_of(settings, model, accounts)
        files.submit(warm_up, understanding.rules)
        memory = await stack.enter_async_context(
            Memory(store, journal, understanding, memory_options(settings), wall, leases)
        )
        conversation = Conversation(
            model, memory, persona_of(settings), turn_limits(settings), accounts=accounts
        )
        offline = is_offline(settings)
        about = About(
            models=() if offline else (str(settings.model), *settings.fallback_models),
            memory_enabled=settings.memory_enabled,
            notices=settings.memory_notices,
        )
        greeter = None if offline else ModelGreeter(model, accounts)
        greetings = Greetings(memory, greeter, wanted=settings.greeting)
        transcriber: Transcriber | None = None
        if settings.transcriber:
            from bot.models.transcription import transcriber_of

            transcriber = await stack.enter_async_context(transcriber_of(settings))
        reads = frozenset() if offline else sight_of(model) | {FileKind.TEXT}
        senses = Senses(reads, transcriber)
        talk = memory, journal.panels, conversation, accounts, about, greetings, senses
        yield _Parts(*talk, databases, leases, pool)
