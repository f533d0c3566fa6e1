"""Counted by all workers together, by the database's clock."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from bot.people.guest_tables import PEOPLE_LAYOUT
from bot.people.throttles import _TAKE, DatabaseThrottles, RamThrottles, Rate, Throttles
from memory.stores.database import Connection
from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres import postgres_server

TWICE = Rate("hellos", 2, 3600.0)
SOON = Rate("hellos", 1, 0.05)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as one:
        yield one


@pytest.fixture(params=["ram", "postgres"])
async def throttles(request: pytest.FixtureRequest) -> AsyncIterator[Throttles]:
    if request.param == "ram":
        yield RamThrottles()
        return
    database = request.getfixturevalue("server").open(PEOPLE_LAYOUT)
    await database.write("DELETE FROM throttle")
    yield DatabaseThrottles(database)


async def test_it_happens_so_many_times_and_then_has_to_wait(throttles: Throttles) -> None:
    assert await throttles.wait(TWICE, "7") == 0
    assert [await throttles.take(TWICE, "7") for _ in range(2)] == [0, 0]
    assert 3500 < await throttles.take(TWICE, "7") <= 3600
    assert 3500 < await throttles.wait(TWICE, "7") <= 3600


async def test_each_subject_and_each_rate_counts_by_itself(throttles: Throttles) -> None:
    assert [await throttles.take(TWICE, "7") for _ in range(2)] == [0, 0]
    assert await throttles.take(TWICE, "8") == 0
    assert await throttles.take(Rate("cries", 1, 60.0), "7") == 0


async def test_a_stricter_rate_of_the_same_name_counts_what_was_counted(
    throttles: Throttles,
) -> None:
    assert await throttles.take(TWICE, "7") == 0
    assert await throttles.wait(TWICE, "7") == 0
    assert await throttles.wait(Rate(TWICE.name, 1, 1.0), "7") > 3500


async def test_time_restores_what_a_rate_allows(throttles: Throttles) -> None:
    assert await throttles.take(SOON) == 0
    async with asyncio.timeout(20):
        while await throttles.wait(SOON):
            await asyncio.sleep(0.01)
    assert await throttles.take(SOON) == 0


async def test_forgetting_lets_one_or_all_begin_anew(throttles: Throttles) -> None:
    once = Rate(TWICE.name, 1, 3600.0)
    for person in ("7", "8", "9"):
        assert await throttles.take(once, person) == 0
    await throttles.forget(once, "7")
    assert await throttles.take(once, "7") == 0
    assert await throttles.take(once, "8") > 0
    await throttles.forget(once)
    assert [await throttles.take(once, person) for person in ("8", "9")] == [0, 0]


async def test_workers_that_count_at_the_same_moment_count_together(
    server: PostgresServer,
) -> None:
    workers = [DatabaseThrottles(server.open(PEOPLE_LAYOUT)) for _ in range(4)]
    rate = Rate("messages", 7, 3600.0)
    waits = await asyncio.gather(*(worker.take(rate, "7") for worker in workers for _ in range(5)))
    assert waits.count(0) == 7


async def test_what_counts_no_more_is_deleted(server: PostgresServer) -> None:
    database = server.open(PEOPLE_LAYOUT)
    await database.write("DELETE FROM throttle")
    await DatabaseThrottles(database).take(Rate("old", 1, -1.0), "7")
    await DatabaseThrottles(database).take(TWICE, "7")
    assert await database.rows("SELECT name FROM throttle") == [(TWICE.name,)]


async def test_counting_a_message_waits_for_no_disk(server: PostgresServer) -> None:
    database = server.open(PEOPLE_LAYOUT)

    def work(db: Connection) -> list[Any]:
        db.execute(_TAKE, (TWICE.name, "7", TWICE.seconds, TWICE.times))
        return db.execute("SHOW synchronous_commit").fetchall()

    assert await database.change(work) == [("off",)]
    assert await database.rows("SHOW synchronous_commit") == [("on",)]
