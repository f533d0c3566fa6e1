"""What the tests of the channel share."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.botapi import BotApiServer


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    """A Bot API of its own for each test."""
    async with BotApiServer() as server:
        yield server
