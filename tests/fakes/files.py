"""What is kept in a database, opened in a SQLite file of any name, or in RAM (`:memory:`)."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

from bot.people.accounts import USAGE_LAYOUT, Accounts
from bot.telegram.intake.inbox import Inbox
from bot.telegram.waiting import INBOX_LAYOUT
from memory.memory import utc_now
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.events.outbox import Outbox
from memory.stores.database import Look
from memory.stores.files import look_into
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.layout import Layout
from memory.stores.sqlite.database import SqliteDatabase


def journal_in(path: Path | str, pool: Executor) -> SqlJournal:
    return SqlJournal(SqliteDatabase(path, JOURNAL_LAYOUT, pool))


def inbox_in(path: Path, pool: Executor, channel: str, token: str) -> Inbox:
    return Inbox(SqliteDatabase(path, INBOX_LAYOUT, pool), channel, token)


def accounts_in(
    path: Path | str, pool: Executor, clock: Callable[[], datetime] = utc_now
) -> Accounts:
    return Accounts(SqliteDatabase(path, USAGE_LAYOUT, pool), clock)


async def outbox_in(path: Path) -> Outbox:
    return await Outbox.open(database_in(path, OUTBOX_LAYOUT))


def database_in(path: Path, layout: Layout) -> SqliteDatabase:
    """A database with a thread of its own, which ends when nobody has it any more."""
    return SqliteDatabase(path, layout, ThreadPoolExecutor(1, "file"))


def look_at(path: Path) -> Look:
    """A look into a file that may be in use."""
    return partial(look_into, path)
