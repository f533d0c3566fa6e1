"""A memory for the tools to act on."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.offline.understanding import by_rules
from memory.memory import Memory
from tests.fakes.extracting_store import ExtractingStore
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(TemporaryStore(), journal, by_rules()) as memory,
        ):
            yield memory


@pytest.fixture
async def slow() -> AsyncIterator[Memory]:
    """A memory that has not learned from what has been said yet."""
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(ExtractingStore(), journal, by_rules()) as memory,
        ):
            yield memory
