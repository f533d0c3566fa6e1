"""A SQLite file: its migrations, transactions and damage, and how asyncio asks and changes it."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import structlog

from memory.errors import NewerStore, StoreUnavailable

_log = structlog.get_logger(__name__)

#: A database's own name, and what SQLite puts beside it.
COMPANIONS = ("", "-wal", "-shm", "-journal")

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
    for companion in COMPANIONS:
        part = path.with_name(path.name + companion)
        if part.exists():
            part.rename(kept.with_name(kept.name + companion))
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
    except BaseException:
        # A full disk makes SQLite roll back on its own; there is nothing left to roll back then.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


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


class Database:
    """One file, one call at a time, on the thread pool. Every method that touches the file raises
    StoreUnavailable if SQLite fails; nothing is written then."""

    def __init__(self, path: Path | str, migrations: tuple[Migration, ...], pool: Executor) -> None:
        """Open or create the file and migrate it. A damaged file is moved aside whole, with its
        name in the log, and a new one starts. Raises NewerStore."""
        self._path, self._pool = path, pool
        self._lock = threading.Lock()
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
        await self.ask(lambda connection: connection.close())

    async def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work and return its result."""

        def alone() -> T:
            with self._lock:
                return work(self._connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, alone)
        except sqlite3.Error as failure:
            raise StoreUnavailable(f"{self._path} failed: {failure}") from failure

    async def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        return await self.ask(lambda connection: connection.execute(sql, values).fetchall())

    async def write(self, sql: str, *values: object) -> int:
        """Run one statement. Returns the number of changed rows."""
        return await self.ask(lambda connection: connection.execute(sql, values).rowcount)

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work in one transaction."""

        def together(connection: sqlite3.Connection) -> T:
            with transaction(connection):
                return work(connection)

        return await self.ask(together)

    async def wipe(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run work that deletes for good: the write-ahead log, which holds deleted texts, is
        truncated as well, even if the caller is cancelled."""

        def together(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                work(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        await self.ask(together)


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
