"""Long-term memory on a real PostgreSQL server, as a user without special rights."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import Lease, current_lease
from memory.records import Actor, Choice, Kind
from memory.stores.postgres.records.engine import reindex
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.contracts.amending import AmendingContract
from tests.contracts.choices import ChoicesContract
from tests.contracts.long_term_memory import (
    ANN,
    BOB,
    NOON,
    LongTermMemoryContract,
    draft,
    texts,
    turn,
)
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.postgres import postgres_server, server_url


@pytest.fixture
async def store(server: PostgresServer, pool: ThreadPoolExecutor) -> AsyncIterator[PostgresStore]:
    opened = PostgresStore(server, pool)
    yield opened
    await opened.aclose()


class TestPostgresStore(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract, ChoicesContract
):
    """See the contract."""


TABLES = ("record", "counter", "turn", "shelf", "entry", "posting", "choice")


class TestWalls:
    @pytest.fixture(autouse=True)
    async def known(self, store: PostgresStore) -> None:
        """Something is known of two people."""
        for actor, pet in ((ANN, "I have a dog"), (BOB, "I have a cat")):
            await store.add_turn(actor, turn("t-1", pet))
            await store.commit(actor, [draft(pet)])
            await store.choices.set(actor, Choice.LANGUAGE, "de", NOON)

    @pytest.mark.parametrize("table", TABLES)
    async def test_a_query_that_forgets_the_condition_sees_one_actor(
        self, server: PostgresServer, table: str
    ) -> None:
        with server.connection() as connection, connection.transaction():
            connection.execute("SELECT set_config('mordecai.actor', %s, true)", (ANN.id,))
            rows = connection.execute(f"SELECT actor FROM person_{table}".encode()).fetchall()
            assert set(rows) == {(ANN.id,)}

    @pytest.mark.parametrize("table", TABLES)
    async def test_a_query_for_nobody_sees_and_deletes_nothing(
        self, server: PostgresServer, store: PostgresStore, table: str
    ) -> None:
        for _ in range(2):  # where the setting was never made, and where it was
            with server.connection() as connection:
                for forgetful in ("SELECT actor FROM", "DELETE FROM"):
                    try:
                        cursor = connection.execute(f"{forgetful} person_{table}".encode())
                    except psycopg.Error:
                        continue
                    assert cursor.rowcount == 0
            assert len(await store.search(ANN, "dog")) == 1

    async def test_nobody_writes_a_row_of_somebody_else(self, server: PostgresServer) -> None:
        sql = "INSERT INTO person_choice (actor, name, value, moment) VALUES (%s, 'x', 'y', 0)"
        with server.connection() as connection, connection.transaction(force_rollback=True):
            connection.execute("SELECT set_config('mordecai.actor', %s, true)", (ANN.id,))
            with pytest.raises(psycopg.Error, match="row-level"):
                connection.execute(sql, (BOB.id,))

    async def test_even_a_superuser_reaches_one_actor_by_the_store(
        self, pool: ThreadPoolExecutor
    ) -> None:
        with postgres_server() as above:
            assert above.is_above_row_security()
            store = PostgresStore(above, pool)
            await store.commit(ANN, [draft("I have a dog")])
            await store.commit(BOB, [draft("I have a cat")])
            assert texts(await store.records(ANN)) == ["I have a dog"]
            await store.erase(ANN)
            assert texts(await store.records(BOB)) == ["I have a cat"]
            await store.aclose()

    async def test_a_plain_user_is_not_above_row_security(self, server: PostgresServer) -> None:
        assert not server.is_above_row_security()


class TestLeases:
    async def test_nothing_is_written_under_a_lease_that_is_lost(
        self, server: PostgresServer, store: PostgresStore
    ) -> None:
        with server.connection() as connection:
            connection.execute("CREATE TABLE lane (actor TEXT, token BIGINT, holder TEXT)")
            connection.execute("INSERT INTO lane VALUES ('u1', 7, 'me')")
        current_lease.set(Lease(ANN.id, 7))
        await store.commit(ANN, [draft("I have a dog")])
        current_lease.set(Lease(ANN.id, 6))
        for change in (
            store.commit(ANN, [draft("I have a cat")]),
            store.add_turn(ANN, turn("t-1", "I have a cow")),
            store.delete(ANN, ["f1"]),
            store.erase(ANN),
        ):
            with pytest.raises(LeaseLost):
                await change
        assert texts(await store.records(ANN, kinds=tuple(Kind))) == ["I have a dog"]

    async def test_writes_of_two_processes_at_once_get_ids_of_their_own(
        self, server: PostgresServer, store: PostgresStore, pool: ThreadPoolExecutor
    ) -> None:
        other = PostgresStore(server, pool)
        written = await asyncio.gather(
            *(
                each.commit(ANN, [draft(f"I have {n} dogs")])
                for n in range(9)
                for each in (store, other)
            )
        )
        await other.aclose()
        assert sorted(int(record.id[1:]) for (record,) in written) == list(range(1, 19))


async def test_words_are_indexed_again_when_texts_are_split_differently(
    server: PostgresServer, store: PostgresStore
) -> None:
    await store.add_turn(ANN, turn("t-1", "My sister plays the cello"))
    await store.commit(ANN, [draft("I have a dog"), draft("I live in Lisbon")])
    with server.connection() as connection:
        connection.execute("UPDATE person SET tokeniser = 'old'")
        with connection.transaction():
            connection.execute("SELECT set_config('mordecai.actor', %s, true)", (ANN.id,))
            connection.execute("UPDATE posting SET word = 'x' || word")
    assert texts(await store.search(ANN, "dog")) == ["I have a dog"]
    assert await store.search(ANN, "cello", kinds=(Kind.MESSAGE,))


async def test_the_index_is_made_of_rows_that_came_from_elsewhere(
    server: PostgresServer, store: PostgresStore
) -> None:
    await store.commit(ANN, [draft("I have a dog")])
    with server.connection() as connection, connection.transaction():
        connection.execute("SELECT set_config('mordecai.actor', %s, true)", (ANN.id,))
        for made in ("posting", "entry", "shelf"):
            connection.execute(f"DELETE FROM {made}".encode())
        reindex(connection, ANN)
    assert texts(await store.search(ANN, "dog")) == ["I have a dog"]


async def test_everybody_with_data_is_listed(store: PostgresStore) -> None:
    await store.commit(BOB, [draft("I have a cat")])
    await store.add_turn(ANN, turn("t-1", "I have a dog"))
    assert await store.actors() == [ANN, BOB]
    await store.erase(BOB)
    assert await store.actors() == [ANN]
    assert await store.records(Actor.person(77)) == []
    assert await store.actors() == [ANN]


async def test_a_call_that_fails_leaves_the_connection_as_it_was(
    server: PostgresServer, store: PostgresStore
) -> None:
    await store.commit(ANN, [draft("I have a dog")])
    with server.connection() as connection:
        connection.execute("ALTER VIEW posting RENAME TO away")
        try:
            for _ in range(20):
                with pytest.raises(StoreUnavailable, match="posting"):
                    await store.search(ANN, "dog")
        finally:
            connection.execute("ALTER VIEW away RENAME TO posting")
    assert texts(await store.records(ANN)) == ["I have a dog"]


async def test_the_server_may_end_connections_between_calls(store: PostgresStore) -> None:
    await store.commit(ANN, [draft("I have a dog")])
    for work in (
        lambda: store.search(ANN, "dog"),
        lambda: store.commit(ANN, [draft("I live in Lisbon")]),
        lambda: store.records(ANN),
    ):
        with psycopg.connect(server_url(), autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        assert await work()
    assert texts(await store.records(ANN)) == ["I have a dog", "I live in Lisbon"]
