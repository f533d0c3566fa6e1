"""`mordecai migrate`: bring everything from SQLite files to a PostgreSQL server, or back."""

import asyncio
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from bot.errors import OperatorError
from bot.operations.process import only_process, operator_errors
from bot.people.accounts import USAGE_LAYOUT
from bot.people.guest_file import GuestFile
from bot.people.guest_tables import PEOPLE_LAYOUT, open_guest_book, read_book
from bot.people.guestbook import Book
from bot.settings import Settings
from bot.stores import postgres_needed
from bot.telegram.waiting import INBOX_LAYOUT
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.database import Database
from memory.stores.files import make_directory
from memory.stores.journal.journal import JOURNAL_LAYOUT
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.transfer.files import DataFiles, FileSource, FileTarget
from memory.stores.transfer.sections import Filled
from memory.stores.transfer.transfer import Step, is_there, survey, transfer

if TYPE_CHECKING:
    from memory.stores.postgres.inspection import ServerState

LAYOUTS = (JOURNAL_LAYOUT, INBOX_LAYOUT, USAGE_LAYOUT, OUTBOX_LAYOUT)
SCHEMA = "mordecai"
_GUESTS_FILE, _GUESTS_TABLE = "access.json", "guest"
#: Seconds between two lines about the memories.
_PAUSE = 5.0


def to_postgres(settings: Settings, *, dry_run: bool) -> None:
    """Bring everything from `data_dir` to `database_url`. A `dry_run` only looks for what would
    stop it. Raises OperatorError, NewerStore."""
    url, data = _url(settings), settings.data_dir
    with postgres_needed():
        from memory.stores.postgres.inspection import (
            check_fit,
            inspect_server,
            server_snapshot,
        )
        from memory.stores.postgres.server import PostgresServer
        from memory.stores.postgres.transfer import ServerSource, ServerTarget, check_empty
    if not data.is_dir():
        raise OperatorError(
            f"data_dir = {data}: there is no such directory: name another one with --data or "
            "MORDECAI_DATA_DIR"
        )
    report = _Report(dry_run=dry_run)
    with _careful(data) as stack:
        source = FileSource(DataFiles(data, LAYOUTS, PERSON_LAYOUT))
        book = GuestFile(data / _GUESTS_FILE).read()
        _refuse_workers(inspect_server(url, SCHEMA))
        with server_snapshot(url, SCHEMA) as connection:
            try:
                check_empty(connection, SCHEMA, LAYOUTS, [_GUESTS_TABLE])
            except Filled:
                if not is_there(source, ServerSource(connection, LAYOUTS, PERSON_LAYOUT)):
                    raise
                report.tell_there()
                return
            check_fit(connection, url, SCHEMA)
        if dry_run:
            report.tell_guests(book)
            survey(source, report.tell)
        else:
            threads = stack.enter_context(ThreadPoolExecutor(1, "database"))
            server = stack.enter_context(closing(PostgresServer(url, threads, schema=SCHEMA)))
            guests = server.open(PEOPLE_LAYOUT)
            target = ServerTarget(server, LAYOUTS, PERSON_LAYOUT, [_GUESTS_TABLE])
            asyncio.run(_write_guests(guests, book))
            report.tell_guests(book)
            transfer(source, target, report.tell)
    report.end(
        f"set MORDECAI_DATABASE_URL and start the workers. {data} is as it was: delete what is in "
        "it once you miss nothing, because what people let the bot forget from now on stays there"
    )


def to_sqlite(settings: Settings, *, dry_run: bool, while_running: bool = False) -> None:
    """Bring everything from `database_url` to `data_dir`. A `dry_run` only looks for what would
    stop it. Workers may run only if the operator says `while_running`: what they write after the
    beginning is missing then. Raises OperatorError, NewerStore."""
    url, data = _url(settings), settings.data_dir
    with postgres_needed():
        from memory.stores.postgres.database import PostgresConnection
        from memory.stores.postgres.inspection import inspect_server, server_snapshot
        from memory.stores.postgres.transfer import ServerSource
    report = _Report(dry_run=dry_run)
    if not dry_run:
        make_directory(data)
    with _careful(data) as stack:
        state = inspect_server(url, SCHEMA)
        if state.is_unfinished:
            raise OperatorError(
                f"database_url: schema {SCHEMA} is half filled: end that first with `mordecai "
                "migrate sqlite-to-postgres`"
            )
        if not while_running:
            _refuse_workers(state)
        _refuse_newer(state)
        files = DataFiles(data, LAYOUTS, PERSON_LAYOUT)
        connection = stack.enter_context(server_snapshot(url, SCHEMA))
        source = ServerSource(connection, LAYOUTS, PERSON_LAYOUT)
        try:
            files.check_empty([_GUESTS_FILE])
        except Filled:
            if not is_there(source, FileSource(files)):
                raise
            report.tell_there()
            return
        book = (
            read_book(PostgresConnection(connection))
            if PEOPLE_LAYOUT.name in state.layouts
            else Book()
        )
        report.tell_guests(book)
        if dry_run:
            survey(source, report.tell)
        else:
            target = FileTarget(files, [_GUESTS_FILE])
            GuestFile(data / _GUESTS_FILE).change(lambda _: (book, None))
            transfer(source, target, report.tell)
    if while_running:
        report.end(
            "keep it as a backup: it holds what was there at the beginning. Before a bot runs on "
            f"{data}, delete its inbox.sqlite, or what was answered since is answered twice; "
            "before it goes back to a server, see docs/scaling.md"
        )
    else:
        report.end(
            f"unset MORDECAI_DATABASE_URL and start the bot on {data}. The server's schema "
            f"{SCHEMA} is as it was: drop it once you miss nothing, because what people let the "
            "bot forget from now on stays in it"
        )


@contextmanager
def _careful(data: Path) -> Iterator[ExitStack]:
    """Files for this user alone, no other process on them, and errors for the operator."""
    os.umask(0o077)
    with operator_errors(), ExitStack() as stack:
        if data.is_dir():
            stack.enter_context(only_process(data, unfinished=True))
        yield stack


def _url(settings: Settings) -> str:
    if settings.database_url is None:
        raise OperatorError(
            "database_url is not set: name the PostgreSQL server with MORDECAI_DATABASE_URL, as "
            "postgresql://user:password@host/database"
        )
    return settings.database_url.get_secret_value()


def _refuse_workers(state: "ServerState") -> None:
    if state.workers:
        raise OperatorError(
            f"{_many(state.workers, 'worker')} of the bot use database_url: stop them first (one "
            "that was killed counts for some seconds more)"
        )


def _refuse_newer(state: "ServerState") -> None:
    """Raises OperatorError if the server holds what this version would leave behind."""
    from memory.stores.postgres.leases import LAYOUT as LANES_LAYOUT

    known = {
        layout.name: {migration.name for migration in layout.migrations}
        for layout in (*LAYOUTS, PERSON_LAYOUT, PEOPLE_LAYOUT)
    }
    held = {name: done for name, done in state.layouts.items() if name != LANES_LAYOUT.name}
    if newer := sorted(name for name in held if held[name].keys() - known.get(name, set())):
        raise OperatorError(
            f"database_url: schema {SCHEMA} was written by a newer version ({', '.join(newer)}): "
            "install that version or a later one"
        )


async def _write_guests(database: Database, book: Book) -> None:
    guests = await open_guest_book(database)
    await guests.change(lambda _: (book, None))


class _Report:
    """What the operator sees of it."""

    def __init__(self, *, dry_run: bool) -> None:
        self._console = Console(highlight=False)
        self._dry_run = dry_run
        self._rows = self._memories = self._unreadable = 0
        self._told_at = 0.0

    def tell_guests(self, book: Book) -> None:
        people = len(book.owners) + len(book.guests)
        self._print(f"access: {_many(people, 'person', 'people')}")
        if book.unreadable:
            self._leave_behind(len(book.unreadable), _GUESTS_FILE)

    def tell_there(self) -> None:
        self._print("nothing to do: everything is there already, and the same")

    def tell(self, step: Step) -> None:
        self._rows += step.rows
        if step.unreadable:
            self._leave_behind(step.unreadable, step.section.name)
        if step.section.actor is None:
            there = ", there already" if step.was_there else ""
            self._print(f"{step.section.name}: {_many(step.rows, 'row')}{there}")
            return
        self._memories += 1
        if step.number == step.of or time.monotonic() - self._told_at > _PAUSE:
            self._told_at = time.monotonic()
            all_memories = self._memories + step.of - step.number
            self._print(f"memories: {self._memories:,} of {all_memories:,}")

    def end(self, remedy: str) -> None:
        what = f"{_many(self._rows, 'row')} in all"
        if self._dry_run:
            self._print(f"nothing was changed: {what} can be moved; repeat without --dry-run")
        else:
            self._print(f"done: {what}, compared with where they came from. Now {remedy}")

    def _leave_behind(self, count: int, name: str) -> None:
        self._print(f"{name}: {_many(count, 'row')} can't be read and will stay behind")

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def _many(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
