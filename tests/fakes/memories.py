"""A real memory without a disk, for tests of what stands on it."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from memory.conversation.live import SessionLimits
from memory.memory import Memory, MemoryOptions
from memory.understanding import Extractor, Understanding
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@asynccontextmanager
async def open_memory(
    limits: SessionLimits | None = None,
    extractor: Extractor | None = None,
    understanding: Understanding | None = None,
) -> AsyncIterator[Memory]:
    """A memory in which it is always noon."""
    # A slow machine must not turn into a memory without answers.
    options = MemoryOptions(limits=limits or SessionLimits(), memory_recall_timeout_seconds=30)
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(
                TemporaryStore(),
                journal,
                understanding or understood(extractor or EverySentence()),
                options,
                lambda: NOON,
            ) as memory,
        ):
            yield memory
