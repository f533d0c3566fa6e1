"""Access, limits and open questions at two workers of one bot."""

import asyncio
from pathlib import Path
from typing import Any

from bot.people.access import Access, AccessMode
from bot.people.guest_tables import PEOPLE_LAYOUT, open_guest_book
from bot.people.guestbook import add_guest
from bot.people.people import QuotaLimits
from bot.people.throttles import DatabaseThrottles
from memory.memory import utc_now
from memory.records import Actor
from memory.stores.postgres.server import PostgresServer
from tests.bot.commands.desk import ENGLISH
from tests.bot.telegram.test_sharing import shared, texts, worker
from tests.fakes.botapi import BotApiServer
from tests.fakes.temporary_store import TemporaryStore

__all__ = ["shared"]

ANNA, BORIS, VERA = 1001, 1002, 1003
ANN = Actor.person(ANNA)


async def access_on(shared: PostgresServer, **how: Any) -> Access:
    database = shared.open(PEOPLE_LAYOUT)
    guests = await open_guest_book(database)
    mode = how.pop("mode", AccessMode.PAIRING)
    return Access(mode, guests=guests, throttles=DatabaseThrottles(database), **how)


async def test_the_owner_pairs_once_and_a_guest_is_let_in_at_every_worker(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    first, second = await access_on(shared), await access_on(shared)
    code = first.pairing_code
    assert code == second.pairing_code
    async with (
        worker(server, shared, tmp_path, access=first) as one,
        worker(server, shared, tmp_path, access=second) as two,
    ):
        await server.user(ANNA).says(code or "")
        assert await server.replies_to(ANNA, 1) == [ENGLISH.paired]
        await server.user(BORIS).says("Hello")
        [refusal] = await server.replies_to(BORIS, 1)
        assert "/approve" in refusal
        [_, asked] = await server.replies_to(ANNA, 2)
        await server.user(ANNA).says(asked[asked.index("/approve") :].split("\n")[0].strip())
        await server.replies_to(BORIS, 2)
        assert texts(server, BORIS)[1] == ENGLISH.approved_you
        await server.user(BORIS).says("Hello again")
        assert (await server.replies_to(BORIS, 3))[2] == "you said: Hello again"
        assert [await on.assistant.people.access.admits(BORIS) for on in (one, two)] == [True, True]
        await server.user(VERA).says("Hello")
        await server.replies_to(VERA, 1)
        guests = await open_guest_book(shared.open(PEOPLE_LAYOUT))
        await guests.change(lambda book: add_guest(book, str(VERA), utc_now(), welcomed=False))
        await server.replies_to(VERA, 2)
        for on in (one, two):
            await on.assistant.people.access.take_guests_to_welcome()
            await on.channel.settle()
        assert texts(server, VERA)[1:] == [ENGLISH.approved_you], "told by one of them"


async def test_a_question_is_answered_at_the_next_worker(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    async with worker(server, shared, tmp_path, store=store) as one:
        await one.memory.known.remember(ANN, "I live in Oslo")
        await server.user(ANNA).says("/forget all")
        await server.replies_to(ANNA, 1)
        await one.channel.settle()
    async with worker(server, shared, tmp_path, store=store) as two:
        await server.user(ANNA).says("yes")
        await server.wait_for(lambda: texts(server, ANNA) == [ENGLISH.forget_all_done])
        await two.channel.settle()
        assert await two.memory.known.records(ANN) == []
        assert two.echo.heard == []


async def test_messages_at_both_workers_count_towards_one_limit(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    group, limits = server.group(-1000500), QuotaLimits(messages_per_minute=3)
    options: dict[str, Any] = {"quotas": limits}
    first = await access_on(shared, mode=AccessMode.OPEN)
    second = await access_on(shared, mode=AccessMode.OPEN)
    async with (
        worker(server, shared, tmp_path, access=first, **options) as one,
        worker(server, shared, tmp_path, access=second, **options) as two,
    ):
        anna = server.user(ANNA)
        for number in range(3):
            await anna.says(f"/ask {number}", group=group if number % 2 else None)
        await server.wait_for(lambda: len(one.echo.heard) + len(two.echo.heard) == 3)
        await anna.says("one more")
        await server.wait_for(lambda: any("at once" in text for text in texts(server, ANNA)))
        assert len(one.echo.heard) + len(two.echo.heard) == 3


async def test_a_deletion_can_be_undone_where_it_was_made(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    async with (
        worker(server, shared, tmp_path, store=store, lease_seconds=1.5) as one,
        worker(server, shared, tmp_path, store=store, lease_seconds=1.5),
    ):
        await one.memory.known.remember(ANN, "I live in Oslo")
        await server.user(ANNA).says("/forget f1")
        await server.replies_to(ANNA, 1)
        # Renewed many times meanwhile.
        await asyncio.sleep(3)
        [message] = server.sent(ANNA)
        await server.user(ANNA).presses(message, ENGLISH.button_undo)
        await server.wait_for(lambda: texts(server, ANNA)[0].startswith("Restored"))
        assert [record.text for record in await one.memory.known.records(ANN)] == ["I live in Oslo"]
