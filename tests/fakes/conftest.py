"""What the tests of the servers share."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.fakes.aws import FakeAws
from tests.fakes.aws.asked import Aws
from tests.fakes.aws.world import ENVIRONMENT
from tests.fakes.botapi import BotApiServer
from tests.fakes.extractors import EverySentence
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


@pytest.fixture
def aws() -> Iterator[Aws]:
    """A fake AWS whose time stands still unless a test moves it."""
    with pytest.MonkeyPatch.context() as environment, FakeAws(None, EverySentence()) as fake:
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        aws = Aws(fake)
        fake.set_clock(lambda: aws.now)
        yield aws
        aws.control.close()
        aws.data.close()
