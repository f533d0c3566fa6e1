"""What the tests of the channel share."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.openai_server import OpenAIServer


@pytest.fixture
async def model() -> AsyncIterator[OpenAIServer]:
    """A server with a model of its own for each test."""
    async with OpenAIServer() as server:
        yield server
