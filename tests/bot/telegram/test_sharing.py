"""Two workers of one bot: two channels against one Bot API, on one PostgreSQL server."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.telegram.options import ChannelOptions
from memory.records import Actor
from memory.stores.postgres.server import PostgresServer
from tests.bot.telegram.stage import Stage, kept_on, stage
from tests.fakes.botapi import BotApiServer
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
