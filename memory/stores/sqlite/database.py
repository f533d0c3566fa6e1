"""A SQLite file as a Database, and what is done when it can't be read."""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memory.errors import StoreUnavailable
from memory.stores.calls import CallQueue, QueuedCall, run_calls
from memory.stores.files import make_directory
from memory.stores.layout import Layout
from memory.stores.sqlite.copies import change_copies, change_copy, keep_copy
from memory.stores.sqlite.migrations import (
    check,
    is_damage,
    may_be_unreadable,
    migrate,
    transaction,
)
from memory.stores.sqlite.salvage import (
    begin,
    delete_quarantined,
    find_unreadable,
    is_lost,
    salvage,
)

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

_Call = QueuedCall[sqlite3.Connection]


class SqliteDatabases:
    """See Databases. One file a layout, in `directory`; in RAM if there is none."""

    def __init__(self, directory: Path | None, pool: Executor) -> None:
        self._directory, self._pool = directory, pool

    def open(self, layout: Layout) -> "SqliteDatabase":
        path = self._directory / f"{layout.name}.sqlite" if self._directory else ":memory:"
        return SqliteDatabase(path, layout, self._pool)


class SqliteDatabase:
    """See Database. One file, one call at a time, on the thread pool."""

    def __init__(self, path: Path | str, layout: Layout, pool: Executor) -> None:
        """Open or create the file and migrate it. What can be read of a damaged file is taken into
        a new one. Raises NewerStore."""
        self._path, self._layout = path, layout
        self._calls = CallQueue[sqlite3.Connection](pool, self._run)
        try:
            self._connection = _open(path, layout)
        except (sqlite3.Error, OSError) as failure:
            raise StoreUnavailable(
                f"{path} can't be opened ({failure}): check the disk, its space and its permissions"
            ) from failure

    def close(self) -> None:
        """Close the file without an event loop."""
        self._connection.close()

    async def aclose(self) -> None:
        await self._call(sqlite3.Connection.close)

    async def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._call(work, reads=True)

    async def rows(self, sql: str, *values: object) -> list[Any]:
        return await self.ask(lambda connection: connection.execute(sql, values).fetchall())

    async def read(self, parse: Callable[[Any], T], sql: str, *values: object) -> list[T]:
        """See Database. What can't be read is quarantined, and the query is repeated."""
        return await self.ask(
            lambda connection: [parse(row) for row in connection.execute(sql, values)]
        )

    async def write(self, sql: str, *values: object) -> int:
        # A statement alone is a transaction by itself.
        return await self._call(
            lambda connection: connection.execute(sql, values).rowcount, joins=True
        )

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """See Database. Neighbours share a transaction: if one of them fails, everything is undone
        and each runs again alone."""
        return await self._call(work, in_transaction=True, joins=True)

    async def wipe(
        self, work: Callable[[sqlite3.Connection], object], owner: str | None = None
    ) -> None:
        """See Database. The work is done in the copies as well, and the write-ahead log, which
        holds deleted texts, is truncated."""

        def delete(connection: sqlite3.Connection) -> None:
            work(connection)
            if owner is not None:
                delete_quarantined(connection, owner)

        def together(connection: sqlite3.Connection) -> None:
            change_copies(Path(self._path), partial(change_copy, work=delete))
            with transaction(connection):
                delete(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        await self._call(together)

    async def keep_copy(self, generations: int) -> None:
        path = Path(self._path)
        if self._path != ":memory:":
            await self.ask(
                lambda connection: keep_copy(connection, path, self._layout, generations)
            )

    async def _call(
        self,
        work: Callable[[sqlite3.Connection], T],
        *,
        in_transaction: bool = False,
        joins: bool = False,
        reads: bool = False,
    ) -> T:
        try:
            return await self._calls.put(
                work, in_transaction=in_transaction, joins=joins, reads=reads
            )
        except sqlite3.Error as failure:
            raise StoreUnavailable(f"{self._path} failed: {failure}") from failure

    def _run(self, calls: Sequence[_Call]) -> None:
        run_calls(calls, self._run_together, self._run_alone)

    def _run_together(self, calls: Sequence[_Call]) -> bool:
        """False, and nothing is written, if one of the calls fails."""
        try:
            with transaction(self._connection):
                results = [call.work(self._connection) for call in calls]
        except Exception:  # noqa: BLE001 - each call meets its own error when it runs alone
            return False
        for call, result in zip(calls, results, strict=True):
            call.result = result
        return True

    def _run_alone(self, call: _Call) -> None:
        call.attempt(self._attempt)
        if call.error and self._mend(call.error):
            call.attempt(self._attempt)

    def _attempt(self, call: _Call) -> Any:
        if not call.in_transaction:
            return call.work(self._connection)
        with transaction(self._connection):
            return call.work(self._connection)

    def _mend(self, error: Exception) -> bool:
        """Make the file readable if that is why a call failed; False if it is not."""
        path = Path(self._path)
        if self._path == ":memory:" or not may_be_unreadable(error):
            return False
        with suppress(sqlite3.Error, OSError):
            if find_unreadable(path, self._layout):
                self._connection.close()
                try:
                    salvage(path, self._layout, error)
                finally:
                    self._connection = _open(path, self._layout)
                return True
        return False


def _open(path: Path | str, layout: Layout) -> sqlite3.Connection:
    if path == ":memory:":
        return _connect(path, layout)
    file = Path(path)
    if is_lost(file):
        salvage(file, layout, "the file is empty or gone")
    elif not file.exists():
        make_directory(file.parent)
        begin(file, layout)
    try:
        return _connect(path, layout)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as failure:
        # Python can't make an error of what SQLite quotes from a damaged file.
        if isinstance(failure, sqlite3.DatabaseError) and not is_damage(failure):
            raise
        salvage(file, layout, failure)
    return _connect(path, layout)


def _connect(path: Path | str, layout: Layout) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}").fetchone()
        check(connection)
        migrate(connection, Path(path), layout.migrations)
    except BaseException:
        connection.close()
        raise
    return connection
