"""A SQLite file used from asyncio: how the journal and the inbox open, ask and change theirs."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

from memory.errors import NewerStore, StoreUnavailable
from memory.stores.sqlite.damage import is_damage, quarantine
from memory.stores.sqlite.schema import Migration, migrate, transaction

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
    StoreUnavailable when SQLite fails; nothing is written then."""

    def __init__(self, path: Path | str, migrations: tuple[Migration, ...], pool: Executor) -> None:
        """Open or create the file and bring it to the newest layout. A damaged one is set aside
        whole, with its name in the log, and a new one begins. Raises NewerStore."""
        self._path, self._pool = path, pool
        self._lock = threading.Lock()
        try:
            self._connection = _opened(path, migrations)
        except sqlite3.Error as failure:
            raise StoreUnavailable(
                f"{path} can't be opened ({failure}): check the disk, its space and its permissions"
            ) from failure

    def close(self) -> None:
        """Close the file, where no event loop runs."""
        self._connection.close()

    async def aclose(self) -> None:
        """Close the file."""
        await self.ask(lambda connection: connection.close())

    async def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What the work returns."""

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
        """Run one statement; the number of rows it changed."""
        return await self.ask(lambda connection: connection.execute(sql, values).rowcount)

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The work in one transaction."""

        def together(connection: sqlite3.Connection) -> T:
            with transaction(connection):
                return work(connection)

        return await self.ask(together)

    async def wipe(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Work that deletes what nobody may find again: the write-ahead log, which holds deleted
        texts, is cut as well, also if nobody waits for it any more."""

        def together(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                work(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        await self.ask(together)


def _opened(path: Path | str, migrations: tuple[Migration, ...]) -> sqlite3.Connection:
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
        return _opened(path, migrations)
    except NewerStore:
        connection.close()
        raise
    return connection


def _damage(verdict: str) -> sqlite3.DatabaseError:
    failure = sqlite3.DatabaseError(verdict)
    failure.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return failure
