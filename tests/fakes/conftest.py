"""What the tests of the Bot API server share."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.fakes.botapi import BotApiServer
from tests.fakes.plain_bot import PlainBot


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    """A Bot API of its own for each test."""
    async with BotApiServer() as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who can ask it."""
    async with httpx.AsyncClient(timeout=20) as client:
        yield client


@pytest.fixture
def bot(server: BotApiServer, http: httpx.AsyncClient) -> PlainBot:
    """The server's bot."""
    return PlainBot(server, http)
