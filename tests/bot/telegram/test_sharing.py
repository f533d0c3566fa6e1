"""Two workers of one bot: two channels against one Bot API, on one PostgreSQL server."""

import asyncio
import inspect
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from bot.telegram.intake.webhook import WebhookOptions
from bot.telegram.options import ChannelOptions
from memory.records import Actor, Place, Role, Utterance
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.layout import Layout
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.server import PostgresServer
from tests.bot.telegram.stage import Stage, kept_on, stage
from tests.bot.telegram.streaming import CURSOR, options, shows
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer
from tests.fakes.postgres import postgres_server

OPTIONS = ChannelOptions(stop_seconds=5, poll_seconds=1)
#: In seconds.
SHORT = 1.5
ANN = Actor("u1001")


@pytest.fixture
def shared() -> Iterator[PostgresServer]:
    with postgres_server() as shared:
        yield shared


@asynccontextmanager
async def worker(
    server: BotApiServer,
    shared: PostgresServer,
    folder: Path,
    *,
    lease_seconds: float = 15.0,
    **how: Any,
) -> AsyncIterator[Stage]:
    kept = kept_on(shared, server.token, lease_seconds)
    how = {"options": OPTIONS, **how}
    async with stage(server, folder, kept=kept, **how) as on:
        await server.wait_for(lambda: on.channel.listening or on.running.done(), what="a start")
        yield on


def holder_of(actor: Actor, *workers: Stage) -> Stage:
    """The worker that has the lease."""
    [holder] = [on for on in workers if on.inbox.leases.held(actor)]
    return holder


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message["text"] for message in server.sent(chat_id)]


async def test_every_message_is_answered_once_by_one_of_the_workers(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    async with worker(server, shared, tmp_path) as one, worker(server, shared, tmp_path) as two:
        people = range(1001, 1013)
        for number in range(3):
            for user_id in people:
                await server.user(user_id).says(f"message {number}")
            for user_id in people:
                await server.replies_to(user_id, number + 1)
        await one.channel.settle()
        await two.channel.settle()
        for user_id in people:
            assert texts(server, user_id) == [f"you said: message {n}" for n in range(3)]
        heard = [{said.origin.place.chat_id for said in on.echo.heard} for on in (one, two)]
        assert not heard[0] & heard[1]
        assert all(heard)


async def until(true: Callable[[], Awaitable[object] | object]) -> None:
    async with asyncio.timeout(30):
        while True:
            result = true()
            if await result if inspect.isawaitable(result) else result:
                return
            await asyncio.sleep(0.02)


async def run_out(shared: PostgresServer, on: Stage) -> None:
    """The worker's lease is over, as after a freeze; it does not know yet."""
    rows = shared.open(Layout("none", ()))
    await rows.write(
        "UPDATE worker SET leased_until = now() - interval '1 second' WHERE name = ?",
        on.inbox.leases.name,
    )


async def test_a_worker_that_lost_its_lease_leaves_the_answer_to_another(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    slow = Echo()
    go_on = slow.hold("hi")
    async with worker(server, shared, tmp_path, lease_seconds=SHORT, conversation=slow) as one:
        await server.user(1001).says("hi")
        await server.wait_for(lambda: slow.heard)
        async with worker(server, shared, tmp_path, lease_seconds=SHORT) as two:
            await run_out(shared, one)
            await until(lambda: slow.cancelled)
            # It may be the next to claim.
            go_on.set()
            assert await server.replies_to(1001, 1) == ["you said: hi"]
            await server.user(1001).says("more")
            await server.replies_to(1001, 2)
            await two.channel.settle()
        assert texts(server, 1001) == ["you said: hi", "you said: more"]
        # It goes on with what it can get.
        await server.user(1001).says("again")
        assert (await server.replies_to(1001, 3))[2] == "you said: again"


async def test_a_frozen_worker_that_wakes_up_sends_nothing_more(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    slow = Echo()
    go_on = slow.hold("hi")
    async with worker(server, shared, tmp_path, lease_seconds=SHORT, conversation=slow) as one:
        await server.user(1001).says("hi")
        await server.wait_for(lambda: slow.heard)
        leases = one.inbox.leases
        assert isinstance(leases, PostgresLeases)
        assert leases._keeper
        # As if nothing of it ran, the clock aside.
        leases._keeper.cancel()
        async with worker(server, shared, tmp_path, lease_seconds=SHORT):
            assert await server.replies_to(1001, 1) == ["you said: hi"]
            go_on.set()
            await until(lambda: "hi" in slow.finished)
            leases._keeper = asyncio.create_task(leases._keep())
            await until(lambda: not one.inbox.open_count)
            await one.end()
        assert texts(server, 1001) == ["you said: hi"]


async def test_a_growing_reply_ends_without_a_word_when_its_lease_is_lost(
    server: BotApiServer,
    shared: PostgresServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    writer, how = Writer(), options()
    async with worker(server, shared, tmp_path, conversation=writer, options=how) as one:
        await server.user(1001).says("hi")
        writer.writes("Hello")
        await shows(server, f"Hello{CURSOR}")
        lease = one.inbox.leases.held(ANN)
        assert lease
        lease.lose()
        writer.writes(" and more")
        await how.clock.sleep(10)  # until it would be shown
        writer.finishes("Hello and more")
        await until(lambda: not one.inbox.open_count)
        assert texts(server, 1001) == [f"Hello{CURSOR}"], "another worker goes on with it"
    assert "preview_crashed" not in capsys.readouterr().out


async def test_stopping_ends_the_turn_under_way_and_leaves_the_rest_to_others_at_once(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    slow = Echo()
    go_on = slow.hold("one")
    async with worker(server, shared, tmp_path, conversation=slow) as one:
        await server.user(1001).says("one")
        await server.wait_for(lambda: slow.heard)
        await server.user(1002).says("hi")
        await server.replies_to(1002, 1)
        await server.user(1001).says("two")
        await server.wait_for(lambda: one.inbox.open_count == 2)
        async with worker(server, shared, tmp_path) as two:
            one.stop.set()
            await until(lambda: not one.inbox.leases.held(Actor("u1002")))
            # Nobody waits for the one under way, nor for the end of a lease.
            await server.user(1002).says("still there?")
            await server.replies_to(1002, 2)
            go_on.set()
            await one.running
            await server.replies_to(1001, 2)
            await two.channel.settle()
        assert texts(server, 1001) == ["you said: one", "you said: two"]
        assert slow.cancelled == []


async def test_what_a_stop_cuts_off_is_continued_by_another(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    writer = Writer()
    hasty = replace(OPTIONS, stop_seconds=0.2)
    async with AsyncExitStack() as ends:
        one = worker(server, shared, tmp_path, conversation=writer, options=hasty)
        await ends.enter_async_context(one)
        await server.user(1001).says("tell me")
        writer.writes("A story that is long enough to be shown.\n")
        await server.replies_to(1001, 1)
        async with worker(server, shared, tmp_path):
            await ends.aclose()
            # In the message that was begun.
            await server.wait_for(lambda: texts(server, 1001) == ["you said: tell me"])


async def test_another_worker_polls_when_the_poller_stops(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    async with worker(server, shared, tmp_path) as one, worker(server, shared, tmp_path) as two:
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        await one.end()
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        assert two.echo.heard
        assert two.channel.silent_seconds < 5


async def test_another_worker_polls_when_the_poller_lost_its_lease(
    server: BotApiServer,
    shared: PostgresServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with worker(server, shared, tmp_path, lease_seconds=SHORT) as one:
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        async with worker(server, shared, tmp_path, lease_seconds=SHORT) as two:
            await run_out(shared, one)
            for number in range(1, 6):
                await server.user(1001).says(f"{number}")
                assert (await server.replies_to(1001, number))[-1] == f"you said: {number}"
            await one.channel.settle()
            await two.channel.settle()
            assert len(texts(server, 1001)) == 5
    assert "another_copy_is_running" not in capsys.readouterr().out


async def test_a_group_that_becomes_a_supergroup_moves_although_its_chats_are_at_two_workers(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    hasty = replace(OPTIONS, stop_seconds=0.2)
    async with (
        worker(server, shared, tmp_path, options=hasty) as one,
        worker(server, shared, tmp_path, options=hasty) as two,
    ):
        old, new = Actor.group(-42), Actor.group(-1000042)
        assert await one.inbox.leases.claim([old])
        assert await two.inbox.leases.claim([new])
        place = Place("telegram", -42)
        said = Utterance(Role.USER, "We meet on Fridays", datetime.now(UTC))
        await one.memory.talk.record(old, place, (said,))
        await server.group(-42, kind="group").migrates(-1000042)
        sessions = SqlJournal(shared.open(JOURNAL_LAYOUT)).sessions
        await until(lambda: sessions.of(new))
        assert not await sessions.of(old)

        async def two_knows() -> bool:
            recent = await two.memory.talk.recent(new, Place("telegram", -1000042))
            return "We meet on Fridays" in str(recent)

        # Whoever had the new chat knows what was said in the old one.
        await until(two_knows)


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


async def test_by_webhook_each_update_is_answered_once_in_order_whichever_worker_gets_it(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    """Telegram brings every other update twice, to another worker the second time."""
    url, repeats = "https://bot.example.org/telegram/hook", cycle((False, True))
    hooks = [WebhookOptions(url, port=free_port(), secret="s3cret") for _ in range(2)]
    server.courier.gateways = [f"http://127.0.0.1:{hook.port}" for hook in hooks]
    server.courier.repeats = lambda: next(repeats)
    both = [replace(OPTIONS, webhook=hook) for hook in hooks]
    async with (
        worker(server, shared, tmp_path, options=both[0]) as one,
        worker(server, shared, tmp_path, options=both[1]) as two,
    ):
        people = range(1001, 1007)
        for number in range(4):
            for user_id in people:
                await server.user(user_id).says(f"message {number}")
        await server.wait_for(lambda: server.world.waiting == 0)
        await until(lambda: nothing_is_open(shared))
        await one.channel.settle()
        await two.channel.settle()
        for user_id in people:
            said = "\n".join(texts(server, user_id)).replace("you said: ", "")
            assert said.splitlines() == [f"message {number}" for number in range(4)]


async def nothing_is_open(shared: PostgresServer) -> bool:
    ((count,),) = await shared.open(Layout("none", ())).rows(
        "SELECT count(*) FROM inbound WHERE body IS NOT NULL"
    )
    return bool(count == 0)


async def test_a_worker_takes_no_more_people_than_it_can_answer(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    slow, narrow = Echo(), replace(OPTIONS, parallel_replies=2)
    holds = [slow.hold(f"hi {user_id}") for user_id in range(1001, 1006)]
    async with worker(server, shared, tmp_path, conversation=slow, options=narrow) as one:
        for user_id in range(1001, 1006):
            await server.user(user_id).says(f"hi {user_id}")
        await server.wait_for(lambda: len(slow.heard) == 2)
        async with worker(server, shared, tmp_path) as two:
            # The others are answered by somebody else.
            await server.wait_for(
                lambda: sum(bool(texts(server, n)) for n in range(1001, 1006)) == 3
            )
            assert len(slow.heard) == 2
            for hold in holds:
                hold.set()
            await one.channel.settle()
            await two.channel.settle()
        assert all(texts(server, n) == [f"you said: hi {n}"] for n in range(1001, 1006))


async def test_who_waits_for_telegram_keeps_nobody_else_waiting(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    narrow = replace(OPTIONS, parallel_replies=1, stop_seconds=0.2)
    async with worker(server, shared, tmp_path, options=narrow):
        server.fail("sendMessage", chat_id=1001, retry_after=60)
        await server.user(1001).says("hi")
        await server.wait_for(lambda: server.calls_of("sendMessage"))
        await server.user(1002).says("hi")
        assert await server.replies_to(1002, 1) == ["you said: hi"]


async def test_the_same_worker_answers_all_when_it_is_alone(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    narrow = replace(OPTIONS, parallel_replies=2)
    async with worker(server, shared, tmp_path, options=narrow):
        for user_id in range(1001, 1009):
            await server.user(user_id).says("hi")
        for user_id in range(1001, 1009):
            assert await server.replies_to(user_id, 1) == ["you said: hi"]


async def test_without_the_database_nothing_is_lost(
    server: BotApiServer, shared: PostgresServer, tmp_path: Path
) -> None:
    async with worker(server, shared, tmp_path, lease_seconds=SHORT) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        rows = shared.open(Layout("none", ()))
        await rows.write("ALTER TABLE worker RENAME TO away")
        await server.user(1001).says("two")
        await until(lambda: not on.inbox.leases.held(ANN))
        await rows.write("ALTER TABLE away RENAME TO worker")
        await until(lambda: "two" in on.echo.finished)
        await server.user(1001).says("three")
        await until(lambda: "three" in on.echo.finished)
        await on.channel.settle()
        assert texts(server, 1001) == ["you said: one", "you said: two", "you said: three"]
