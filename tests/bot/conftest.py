"""What the tests of the channel share."""

import io
import logging
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
import structlog

from bot.operations import logs
from tests.fakes.botapi import BotApiServer


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    """A Bot API of its own for each test."""
    async with BotApiServer() as server:
        yield server


@pytest.fixture
def everything_logged() -> Iterator[io.StringIO]:
    """The log as the program writes it at its most talkative."""
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level, hook = list(root.handlers), root.level, sys.excepthook
    logs.configure("debug", "json", stream=stream)
    yield stream
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
    root.setLevel(level)
    sys.excepthook = hook
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()
