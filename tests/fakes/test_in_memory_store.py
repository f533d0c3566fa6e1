"""The in-memory store keeps the contract, and searches as the SQLite store does."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory.records import Kind
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, NOON, LongTermMemoryContract, draft, turn
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.in_memory_store import InMemoryStore


@pytest.fixture
async def store() -> AsyncIterator[InMemoryStore]:
    opened = InMemoryStore()
    yield opened
    await opened.aclose()


class TestInMemoryStore(LongTermMemoryContract, MovingContract, RestoringContract):
    """See the contract."""


QUESTIONS = [
    "where do I work?",
    "what did I tell you about my job?",
    "when is my birthday",
    "thanks!",
    "what happened in March?",
    "the cello of my sister",
    "short answers",
]


async def test_the_fake_and_the_real_store_answer_alike(
    store: InMemoryStore, tmp_path: Path
) -> None:
    """Same records, same order, same relevance: a test on the fake tells the truth."""
    with ThreadPoolExecutor(1) as pool:
        real = SqliteStore(tmp_path, pool)
        for each in (store, real):
            await each.commit(
                ANN,
                [
                    draft("I work at Acme Corp"),
                    draft("My birthday is March 15"),
                    draft("Please keep answers short", Kind.PREFERENCE),
                ],
            )
            await each.add_turn(ANN, turn("t-1", "My sister plays the cello", "How lovely!"))
            await each.add_turn(ANN, turn("t-2", "She practises every evening", "At work too?"))
        for question in QUESTIONS:
            fake_hits = await store.search(ANN, question, kinds=tuple(Kind), now=NOON)
            real_hits = await real.search(ANN, question, kinds=tuple(Kind), now=NOON)
            assert fake_hits == real_hits, question
        await real.aclose()
