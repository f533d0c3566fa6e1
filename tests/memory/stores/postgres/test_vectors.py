"""Search by meaning on a PostgreSQL server."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.leases import Lease, current_lease
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.contracts.amending import AmendingContract
from tests.contracts.long_term_memory import ANN, BOB, LongTermMemoryContract, draft, texts
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.embedders import WordEmbedder

PET = "I walk my spaniel before breakfast"
PET_QUESTION = "Which quadruped lives here?"


@pytest.fixture
async def store(server: PostgresServer, pool: ThreadPoolExecutor) -> AsyncIterator[PostgresStore]:
    opened = PostgresStore(server, pool, embedder=WordEmbedder(), embedding_seconds=30)
    yield opened
    await opened.aclose()


class TestPostgresStoreWithEmbedder(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract
):
    """See the contract."""


async def test_what_shares_no_word_with_the_question_is_found_by_its_meaning(
    store: PostgresStore,
) -> None:
    await store.commit(ANN, [draft("My desk is by the window"), draft(PET)])
    await store.commit(BOB, [draft("I walk my hound")])
    await store.settle()
    (hit,) = await store.search(ANN, PET_QUESTION, min_relevance=0.2)
    assert hit.record.text == PET


async def test_another_models_vectors_replace_the_first_ones(
    server: PostgresServer, pool: ThreadPoolExecutor, store: PostgresStore
) -> None:
    await store.commit(ANN, [draft(PET)])
    await store.settle()
    other = PostgresStore(server, pool, embedder=WordEmbedder("words-2"), embedding_seconds=30)
    await other.search(ANN, PET_QUESTION)
    await other.settle()
    assert texts(await other.search(ANN, PET_QUESTION, min_relevance=0.2)) == [PET]
    await other.aclose()
    with server.connection() as connection, connection.transaction():
        connection.execute("SELECT set_config('mordecai.actor', %s, true)", (ANN.id,))
        assert connection.execute("SELECT count(*) FROM vector").fetchone() == (1,)


async def test_vectors_are_made_though_the_lease_under_which_they_were_wanted_is_over(
    server: PostgresServer, store: PostgresStore
) -> None:
    with server.connection() as connection:
        connection.execute("CREATE TABLE lane (actor TEXT, token BIGINT)")
        connection.execute("INSERT INTO lane VALUES ('u1', 7)")

    async def work() -> None:
        current_lease.set(Lease(ANN.id, 6))
        await store.search(ANN, PET_QUESTION)

    await store.commit(ANN, [draft(PET)])
    await asyncio.create_task(work())
    await store.settle()
    assert texts(await store.search(ANN, PET_QUESTION, min_relevance=0.2)) == [PET]


async def test_what_another_worker_wrote_gets_its_vectors_here_once_the_lease_has_moved(
    server: PostgresServer, pool: ThreadPoolExecutor, store: PostgresStore
) -> None:
    await store.commit(ANN, [draft("My desk is by the window")])
    await store.settle()
    other = PostgresStore(server, pool)
    await other.commit(ANN, [draft(PET)])
    await other.aclose()
    store.drop(ANN)
    await store.search(ANN, PET_QUESTION)
    await store.settle()
    assert texts(await store.search(ANN, PET_QUESTION, min_relevance=0.2)) == [PET]
