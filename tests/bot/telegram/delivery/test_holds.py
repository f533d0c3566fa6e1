"""Chats under a flood limit, at one worker and at several."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bot.clock import Clock
from bot.people.guest_tables import PEOPLE_LAYOUT
from bot.telegram.delivery.holds import DatabaseHeldChats, Holds
from memory.stores.database import Database
from tests.fakes.postgres import postgres_server

CHAT, OTHER = 1001, -100500


@pytest.fixture
def database() -> Iterator[Database]:
    with postgres_server() as server:
        yield server.open(PEOPLE_LAYOUT)


async def test_a_chat_is_held_until_its_own_time_and_no_shorter() -> None:
    holds = Holds(Clock())
    holds.note(CHAT, 1000)
    holds.note(CHAT, 1)
    assert 900 < holds.left(CHAT) <= 1000
    assert holds.left(OTHER) == 0


async def test_what_one_worker_was_told_all_respect(database: Database) -> None:
    here, there = (Holds(Clock(), DatabaseHeldChats(database)) for _ in range(2))
    looks = asyncio.create_task(there.keep_up(DatabaseHeldChats(database)))
    here.note(CHAT, 1000)
    async with asyncio.timeout(30):
        while not there.left(CHAT):
            await asyncio.sleep(0.01)
    assert 900 < there.left(CHAT) <= 1000
    assert there.left(OTHER) == 0
    looks.cancel()
    with suppress(asyncio.CancelledError):
        await looks


async def test_a_hold_outlives_the_worker_and_ends_by_the_databases_clock(
    database: Database,
) -> None:
    held = DatabaseHeldChats(database)
    await held.hold(CHAT, 1000)
    await held.hold(CHAT, 10)
    await held.hold(OTHER, -1)
    left = await DatabaseHeldChats(database).read()
    assert list(left) == [CHAT]
    assert 900 < left[CHAT] <= 1000
    await held.hold(7, 10)
    assert await database.rows("SELECT chat FROM flood_hold ORDER BY chat") == [(7,), (CHAT,)]
