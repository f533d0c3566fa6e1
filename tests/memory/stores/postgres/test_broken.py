"""What happens when the server or the way to it breaks: nothing is lost, nothing is done twice."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest

from memory.errors import StoreUnavailable
from memory.stores.database import Connection
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.database import PostgresDatabase
from memory.stores.postgres.server import PostgresServer
from tests.fakes.cut_wire import CutWire
from tests.fakes.postgres import postgres_server

COUNTS = Layout(
    "counts",
    (
        Migration(
            "count", ("CREATE TABLE counted (n INTEGER NOT NULL)", "INSERT INTO counted VALUES (0)")
        ),
    ),
)
ADD = "UPDATE counted SET n = n + 1"


@pytest.fixture
def wire() -> Iterator[CutWire]:
    with CutWire() as wire:
        yield wire


@pytest.fixture
def server(wire: CutWire) -> Iterator[PostgresServer]:
    with postgres_server(url=wire.url) as server:
        yield server


@pytest.fixture
def counts(server: PostgresServer) -> PostgresDatabase:
    return server.open(COUNTS)


async def count(db: PostgresDatabase) -> int:
    ((number,),) = await db.rows("SELECT n FROM counted")
    return int(number)


@pytest.mark.parametrize("word", [b"BEGIN", b"UPDATE", b"COMMIT"])
@pytest.mark.parametrize("arrives", [False, True])
async def test_a_change_is_made_once_wherever_the_connection_breaks(
    counts: PostgresDatabase, wire: CutWire, word: bytes, arrives: bool
) -> None:
    wire.cut_at(word, arrives=arrives)
    assert await counts.write(ADD) == 1
    assert wire.was_cut
    assert await count(counts) == 1


async def test_changes_that_share_a_transaction_are_each_made_once(
    counts: PostgresDatabase, wire: CutWire
) -> None:
    wire.cut_at(b"COMMIT", arrives=True)
    done = await asyncio.gather(*(counts.write(ADD) for _ in range(20)))
    assert wire.was_cut
    assert done == [1] * 20
    assert await count(counts) == 20


async def test_what_is_read_is_read_again(counts: PostgresDatabase, wire: CutWire) -> None:
    for arrives in (False, True):
        wire.cut_at(b"SELECT n", arrives=arrives)
        assert await count(counts) == 0
        assert wire.was_cut


@pytest.mark.parametrize("word", [b"next", b"COMMIT"])
async def test_a_transaction_that_the_server_still_waits_for_is_ended(
    counts: PostgresDatabase, wire: CutWire, word: bytes
) -> None:
    """Otherwise it would keep the row locked that is written again."""

    def work(connection: Connection) -> None:
        connection.execute(ADD)
        connection.execute("SELECT 'next'")

    wire.cut_at(word, arrives=False, quietly=True)
    async with asyncio.timeout(10):
        await counts.change(work)
    assert await count(counts) == 1


async def test_while_the_server_is_away_calls_fail_soon_and_together_and_then_go_on(
    counts: PostgresDatabase, wire: CutWire
) -> None:
    wire.cut()
    before = time.monotonic()
    failed = await asyncio.gather(*(counts.write(ADD) for _ in range(50)), return_exceptions=True)
    assert all(isinstance(each, StoreUnavailable) for each in failed)
    assert time.monotonic() - before < 30, "not one after the other"
    with pytest.raises(StoreUnavailable, match="can't be reached"):
        await counts.rows("SELECT n FROM counted")
    before = time.monotonic()
    await asyncio.gather(*(count(counts) for _ in range(300)), return_exceptions=True)
    assert time.monotonic() - before < 30, "nor do those that only read"
    wire.mend()
    async with asyncio.timeout(30):
        while True:
            try:
                await counts.write(ADD)
            except StoreUnavailable:
                await asyncio.sleep(0.1)
            else:
                break
    assert await count(counts) == 1


async def test_a_call_waits_for_a_server_that_is_restarted(
    counts: PostgresDatabase, wire: CutWire
) -> None:
    wire.cut()
    writing = asyncio.create_task(counts.write(ADD))
    await asyncio.sleep(0.5)
    wire.mend()
    assert await writing == 1
    assert await count(counts) == 1


async def test_two_that_wait_for_each_other_both_get_through(
    server: PostgresServer, counts: PostgresDatabase
) -> None:
    await counts.write("CREATE TABLE pair (id TEXT PRIMARY KEY, n INTEGER)")
    await counts.write("INSERT INTO pair VALUES ('a', 0), ('b', 0)")
    begun = threading.Barrier(2)

    def work(connection: Connection, first: str, second: str) -> None:
        add = "UPDATE pair SET n = n + 1 WHERE id = ?"
        connection.execute(add, (first,))
        with suppress(threading.BrokenBarrierError):
            begun.wait(5)
        begun.abort()
        connection.execute(add, (second,))

    await asyncio.gather(
        counts.change(lambda connection: work(connection, "a", "b")),
        server.open(Layout("other", ())).change(lambda connection: work(connection, "b", "a")),
    )
    assert await counts.rows("SELECT n FROM pair") == [(2,), (2,)]


async def test_a_full_disk_is_said_and_nothing_is_written(counts: PostgresDatabase) -> None:
    await counts.write(
        """CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
        END $$"""
    )
    await counts.write("CREATE TRIGGER full_disk BEFORE UPDATE ON counted EXECUTE FUNCTION fill()")
    with pytest.raises(StoreUnavailable, match="could not extend file"):
        await counts.write(ADD)
    await counts.write("DROP TRIGGER full_disk ON counted")
    await counts.write(ADD)
    assert await count(counts) == 1


async def test_a_query_that_hangs_is_given_up(wire: CutWire) -> None:
    with postgres_server(url=f"{wire.url}&options=-c%20statement_timeout%3D200ms") as server:
        counts = server.open(COUNTS)
        with pytest.raises(StoreUnavailable, match="timeout"):
            await counts.rows("SELECT pg_sleep(60)")
        await counts.write(ADD)


async def test_what_a_failure_says_quotes_no_row(counts: PostgresDatabase) -> None:
    await counts.write("CREATE TABLE said (text TEXT CHECK (text <> 'a secret'))")
    with pytest.raises(StoreUnavailable) as failure:
        await counts.write("INSERT INTO said VALUES (?)", "a secret")
    assert "a secret" not in str(failure.value)


async def test_a_failure_that_is_swallowed_in_a_transaction_does_not_count_as_done(
    counts: PostgresDatabase,
) -> None:
    def work(connection: Connection) -> None:
        connection.execute(ADD)
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT 1 / 0")

    with pytest.raises(StoreUnavailable, match="undid"):
        await counts.change(work)
    assert await count(counts) == 0


async def test_after_the_end_calls_fail_like_any_other(counts: PostgresDatabase) -> None:
    counts._server.close()
    with pytest.raises(StoreUnavailable):
        await counts.write(ADD)
