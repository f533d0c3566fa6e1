"""A SQLite file: its migrations, transactions and damage, and how asyncio asks and changes it."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import structlog

from memory.errors import NewerStore, StoreUnavailable
from memory.stores.files import parts_of, sync_directory

_log = structlog.get_logger(__name__)

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
#: Extended codes have the primary one in their low byte.
_PRIMARY_CODE = 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """True if the file itself is damaged."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in _DAMAGED


def quarantine(path: Path, error: sqlite3.Error, effect: str) -> None:
    """Move a damaged file aside, whole: it may be repaired, and is never written to. It must not be
    open."""
    kept = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    for part in list(parts_of(path)):
        part.rename(path.with_name(part.name.replace(path.name, kept.name, 1)))
    sync_directory(path.parent)
    _log.error(
        "database_damaged",
        file=str(path),
        kept_as=str(kept),
        error=str(error),
        effect=effect,
        remedy="recover it with `.recover` in the sqlite3 shell",
    )


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a file's layout. Each runs once, in its own transaction, and is listed in the
    table `migration`. Neither names nor their order ever change: a new layout is a new migration at
    the end."""

    name: str
    statements: tuple[str, ...]


_LEDGER = """CREATE TABLE IF NOT EXISTS migration (
    name TEXT PRIMARY KEY, applied_at TEXT NOT NULL
) WITHOUT ROWID"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything inside together, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back on its own; there is nothing left to roll back then.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read everything inside as of one moment, whatever other processes write. The file is locked
    once instead of for every statement, which takes a tenth off a search."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # Damage found while reading may have ended it already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    migrations: tuple[Migration, ...],
) -> None:
    """Bring a file to the newest layout. Raises NewerStore if it has migrations that this version
    does not know."""
    ledger = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migration'")
    if ledger.fetchone() is None:
        with transaction(connection):
            connection.execute(_LEDGER)
    if len(_applied_names(connection, path, migrations)) == len(migrations):
        return
    for migration in migrations:
        with transaction(connection):
            # Asked again inside: another process may have been faster.
            if migration.name in _applied_names(connection, path, migrations):
                continue
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?)",
                (migration.name, datetime.now(UTC).isoformat()),
            )


def _applied_names(
    connection: sqlite3.Connection, path: Path, migrations: tuple[Migration, ...]
) -> set[str]:
    """The names of the migrations the file has been through."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migration")}
    unknown = sorted(applied - {migration.name for migration in migrations})
    if unknown:
        raise NewerStore(
            f"{path}: written by a newer version (its layout has {len(applied)} migrations, among "
            f"them {', '.join(unknown)}; this program knows {len(migrations)}). Install the "
            f"version that wrote it or a later one, or start with another data directory."
        )
    return applied


T = TypeVar("T")

_SETTINGS = (
    "busy_timeout = 5000",
    "journal_mode = WAL",
    # What is acknowledged to somebody must be on the disk by then, not only with the system.
    "synchronous = FULL",
    "foreign_keys = ON",
    # What is deleted must be gone from the file's pages too.
    "secure_delete = ON",
)


@dataclass(eq=False, slots=True)
class _Call:
    """Work on the file for somebody who awaits `answer`. If it `joins`, it may share a transaction
    with its neighbours; `alone` is how it runs without them. If it only `reads`, it is not done
    once nobody awaits the answer."""

    work: Callable[[sqlite3.Connection], Any]
    alone: Callable[[sqlite3.Connection], Any]
    answer: "asyncio.Future[Any]"
    joins: bool = False
    reads: bool = False
    result: Any = None
    error: Exception | None = None

    def run_alone(self, connection: sqlite3.Connection) -> None:
        try:
            self.result = self.alone(connection)
        except Exception as error:  # noqa: BLE001 - whoever awaits the answer gets it
            self.error = error

    def reply(self) -> None:
        if self.answer.done():
            return
        if self.error:
            self.answer.set_exception(self.error)
        else:
            self.answer.set_result(self.result)


class Database:
    """One file, one call at a time, on the thread pool. Calls that arrive while others run wait and
    then share one hop to a thread; writes among them that follow each other share one transaction,
    and so one wait for the disk. What was asked to be written is written even if the caller is
    cancelled. Every method that touches the file raises StoreUnavailable if SQLite fails; nothing
    is written then."""

    def __init__(self, path: Path | str, migrations: tuple[Migration, ...], pool: Executor) -> None:
        """Open or create the file and migrate it. A damaged file is moved aside whole, with its
        name in the log, and a new one starts. Raises NewerStore."""
        self._path, self._pool = path, pool
        self._waiting: list[_Call] = []
        self._running = False
        try:
            self._connection = _open(path, migrations)
        except sqlite3.Error as failure:
            raise StoreUnavailable(
                f"{path} can't be opened ({failure}): check the disk, its space and its permissions"
            ) from failure

    def close(self) -> None:
        """Close the file without an event loop."""
        self._connection.close()

    async def aclose(self) -> None:
        """Close the file."""
        await self._call(sqlite3.Connection.close, sqlite3.Connection.close)

    async def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work, which only reads, and return its result."""
        return await self._call(work, work, reads=True)

    async def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        return await self.ask(lambda connection: connection.execute(sql, values).fetchall())

    async def write(self, sql: str, *values: object) -> int:
        """Run one statement. Returns the number of changed rows."""

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(sql, values).rowcount

        # A statement alone is a transaction by itself.
        return await self._call(work, work, joins=True)

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work in one transaction. It must do nothing but change the file: if a neighbour
        in the transaction fails, everything is undone and each runs again alone."""
        return await self._call(work, partial(_in_transaction, work), joins=True)

    async def wipe(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run work that deletes for good: the write-ahead log, which holds deleted texts, is
        truncated as well."""

        def together(connection: sqlite3.Connection) -> None:
            _in_transaction(work, connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        await self._call(together, together)

    async def _call(
        self,
        work: Callable[[sqlite3.Connection], T],
        alone: Callable[[sqlite3.Connection], T],
        *,
        joins: bool = False,
        reads: bool = False,
    ) -> T:
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Call(work, alone, answer, joins, reads))
        self._begin()
        try:
            return await answer
        except sqlite3.Error as failure:
            raise StoreUnavailable(f"{self._path} failed: {failure}") from failure

    def _begin(self) -> None:
        """Hand what waits to a thread, unless one is at work."""
        if self._running or not self._waiting:
            return
        calls, self._waiting = self._waiting, []
        try:
            hop = asyncio.get_running_loop().run_in_executor(self._pool, self._run, calls)
        except RuntimeError as closed:  # the pool
            for call in calls:
                call.error = closed
                call.reply()
            return
        self._running = True
        hop.add_done_callback(partial(self._end, calls))

    def _end(self, calls: Sequence[_Call], hop: "asyncio.Future[None]") -> None:
        self._running = False
        self._begin()
        for call in calls:
            call.reply()

    def _run(self, calls: Sequence[_Call]) -> None:
        """In a thread: run the calls in order."""
        wanted = [call for call in calls if not (call.reads and call.answer.cancelled())]
        for joins, group in groupby(wanted, key=lambda call: call.joins):
            neighbours = list(group)
            if not (joins and len(neighbours) > 1 and self._write_together(neighbours)):
                for call in neighbours:
                    call.run_alone(self._connection)

    def _write_together(self, calls: Sequence[_Call]) -> bool:
        """False, and nothing is written, if one of the calls fails."""
        try:
            with transaction(self._connection):
                results = [call.work(self._connection) for call in calls]
        except Exception:  # noqa: BLE001 - each call meets its own error when it runs alone
            return False
        for call, result in zip(calls, results, strict=True):
            call.result = result
        return True


def _in_transaction(work: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> T:
    with transaction(connection):
        return work(connection)


def _open(path: Path | str, migrations: tuple[Migration, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}").fetchone()
        ((verdict,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
        if verdict != "ok":
            raise _damage(verdict)
        migrate(connection, Path(path), migrations)
    except sqlite3.DatabaseError as failure:
        connection.close()
        if not is_damage(failure):
            raise
        mode = Path(path).stat().st_mode
        quarantine(Path(path), failure, "a new file begins, with nothing in it")
        Path(path).touch(mode=mode & 0o777)
        return _open(path, migrations)
    except NewerStore:
        connection.close()
        raise
    return connection


def _damage(verdict: str) -> sqlite3.DatabaseError:
    failure = sqlite3.DatabaseError(verdict)
    failure.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return failure
