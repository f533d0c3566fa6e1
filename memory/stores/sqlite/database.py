"""A SQLite file: how asyncio asks and changes it, and what is done when it can't be read."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from memory.errors import StoreUnavailable
from memory.stores.sqlite.copies import change_copies, change_copy, keep_copy
from memory.stores.sqlite.migrations import (
    Layout,
    check,
    is_damage,
    may_be_unreadable,
    migrate,
    transaction,
)
from memory.stores.sqlite.salvage import begin, find_unreadable, is_lost, salvage

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
        self.error = None
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

    def __init__(self, path: Path | str, layout: Layout, pool: Executor) -> None:
        """Open or create the file and migrate it. What can be read of a damaged file is taken into
        a new one. Raises NewerStore."""
        self._path, self._layout, self._pool = path, layout, pool
        self._waiting: list[_Call] = []
        self._running = False
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
        """Close the file."""
        await self._call(sqlite3.Connection.close, sqlite3.Connection.close)

    async def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run the work, which only reads, and return its result."""
        return await self._call(work, work, reads=True)

    async def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        return await self.ask(lambda connection: connection.execute(sql, values).fetchall())

    async def read(self, parse: Callable[[Any], T], sql: str, *values: object) -> list[T]:
        """What `parse` makes of the rows of a query. If it raises ValueError, TypeError or
        LookupError, what can't be read is set aside, and the query is repeated."""
        return await self.ask(
            lambda connection: [parse(row) for row in connection.execute(sql, values)]
        )

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
        """Run work that deletes for good: in the copies as well, and the write-ahead log, which
        holds deleted texts, is truncated."""

        def together(connection: sqlite3.Connection) -> None:
            change_copies(Path(self._path), partial(change_copy, work=work))
            _in_transaction(work, connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

        await self._call(together, together)

    async def keep_copy(self, generations: int) -> None:
        """Copy the file if it has changed since its newest copy, and delete all but so many
        copies."""
        path = Path(self._path)
        if self._path != ":memory:":
            await self.ask(
                lambda connection: keep_copy(connection, path, self._layout, generations)
            )

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
                    if call.error and self._mend(call.error):
                        call.run_alone(self._connection)

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


def _open(path: Path | str, layout: Layout) -> sqlite3.Connection:
    if path == ":memory:":
        return _connect(path, layout)
    file = Path(path)
    if is_lost(file):
        salvage(file, layout, "the file is empty or gone")
    elif not file.exists():
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
