"""A SQLite file used from asyncio: what is to be wiped is gone, whoever still waits for that, and
what waits together is written together."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable
from memory.stores.layout import Layout, Migration
from memory.stores.sqlite.database import SqliteDatabase

LAYOUT = Layout("notes", (Migration("notes", ("CREATE TABLE note (text TEXT)",)),))


async def test_what_nobody_waits_for_any_more_is_wiped_all_the_same(tmp_path: Path) -> None:
    path, begun, go_on = tmp_path / "notes.sqlite", threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM note")
        begun.set()
        go_on.wait(30)

    def left() -> bytes:
        return b"".join(part.read_bytes() for part in tmp_path.iterdir())

    with ThreadPoolExecutor(2) as pool:
        database = SqliteDatabase(path, LAYOUT, pool)
        await database.write("INSERT INTO note VALUES (?)", "my secret zanzibar plan")
        assert b"zanzibar" in left()
        wiping = asyncio.create_task(database.wipe(work))
        await asyncio.to_thread(begun.wait, 30)
        wiping.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await wiping
        assert await database.rows("SELECT * FROM note") == []
        assert b"zanzibar" not in left()
        await database.aclose()


@asynccontextmanager
async def busy(path: Path) -> AsyncIterator[tuple[SqliteDatabase, Callable[[], None], list[str]]]:
    """A database that is at work until it is let go, and the statements it runs then."""
    go_on, statements = threading.Event(), list[str]()

    def work(connection: sqlite3.Connection) -> None:
        go_on.wait(30)
        connection.set_trace_callback(statements.append)

    with ThreadPoolExecutor(2) as pool:
        database = SqliteDatabase(path, LAYOUT, pool)
        working = asyncio.create_task(database.ask(work))
        await asyncio.sleep(0)
        try:
            yield database, go_on.set, statements
        finally:
            go_on.set()
            await working
            await database.aclose()


def note(text: str) -> Callable[[sqlite3.Connection], int]:
    return lambda db: db.execute("INSERT INTO note VALUES (?)", (text,)).rowcount


async def test_writes_that_wait_together_wait_for_the_disk_once(tmp_path: Path) -> None:
    async with busy(tmp_path / "notes.sqlite") as (database, go_on, statements):
        waiting = asyncio.gather(
            database.change(note("one")),
            database.write("INSERT INTO note VALUES ('two')"),
            database.change(note("three")),
        )
        await asyncio.sleep(0)
        go_on()
        assert list(await waiting) == [1, 1, 1]
        assert statements.count("COMMIT") == 1
        assert await database.rows("SELECT text FROM note") == [("one",), ("two",), ("three",)]


async def test_a_write_that_fails_takes_no_neighbour_along(tmp_path: Path) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        note("half")(connection)
        connection.execute("INSERT INTO missing VALUES (1)")

    async with busy(tmp_path / "notes.sqlite") as (database, go_on, _):
        waiting = asyncio.gather(
            database.change(note("one")),
            database.change(fail),
            database.change(note("three")),
            return_exceptions=True,
        )
        await asyncio.sleep(0)
        go_on()
        first, failure, third = await waiting
        assert (first, third) == (1, 1)
        assert isinstance(failure, StoreUnavailable)
        assert "no such table" in str(failure)
        assert await database.rows("SELECT text FROM note") == [("one",), ("three",)]


async def test_who_reads_between_two_writes_sees_the_first(tmp_path: Path) -> None:
    async with busy(tmp_path / "notes.sqlite") as (database, go_on, _):
        waiting = asyncio.gather(
            database.change(note("one")),
            database.rows("SELECT text FROM note"),
            database.change(note("two")),
        )
        await asyncio.sleep(0)
        go_on()
        assert list(await waiting) == [1, [("one",)], 1]


async def test_what_was_asked_to_be_written_is_written_though_nobody_waits_for_it(
    tmp_path: Path,
) -> None:
    async with busy(tmp_path / "notes.sqlite") as (database, go_on, statements):
        waiting = [
            asyncio.create_task(work)
            for work in (
                database.change(note("one")),
                database.rows("SELECT 'nobody reads this'"),
                database.write("INSERT INTO note VALUES ('two')"),
                database.wipe(note("three")),
            )
        ]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        go_on()
        assert await database.rows("SELECT text FROM note") == [("one",), ("two",), ("three",)]
        assert not [statement for statement in statements if "nobody" in statement]


async def test_what_fails_at_its_commit_is_undone_and_holds_up_nobody(tmp_path: Path) -> None:
    layout = (
        Migration(
            "families",
            (
                "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
                "CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY "
                "DEFERRED)",
            ),
        ),
    )
    with ThreadPoolExecutor(1) as pool:
        database = SqliteDatabase(tmp_path / "families.sqlite", Layout("families", layout), pool)
        with pytest.raises(StoreUnavailable, match="FOREIGN KEY"):
            await database.change(lambda db: db.execute("INSERT INTO child VALUES (1)"))
        assert await database.write("INSERT INTO parent VALUES (2)") == 1
        assert await database.rows("SELECT * FROM child") == []
        await database.aclose()


async def test_a_pool_that_is_closed_leaves_nobody_waiting(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        database = SqliteDatabase(tmp_path / "notes.sqlite", LAYOUT, pool)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await database.rows("SELECT text FROM note")
    database.close()
