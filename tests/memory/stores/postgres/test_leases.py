"""Several workers share actors: a real server, and a lease short enough to wait for its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import Context
from datetime import datetime

import psycopg
import pytest

from memory.errors import LeaseLost
from memory.leases import Leases, current_lease
from memory.records import Actor
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.server import PostgresServer
from tests.contracts.leases import ANN, BOB, LeasesContract
from tests.fakes.postgres import postgres_server, server_url

#: In seconds.
SHORT = 1.5
NOTES = Layout("notes", (Migration("notes", ("CREATE TABLE note (text TEXT)",)),))


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await true():
            await asyncio.sleep(0.05)


@asynccontextmanager
async def frozen(worker: PostgresLeases) -> AsyncIterator[None]:
    """The worker does nothing in the block, as a stopped process. (Its keeper is what acts.)"""
    assert worker._keeper
    worker._keeper.cancel()
    await asyncio.gather(worker._keeper, return_exceptions=True)
    yield
    worker._keeper = asyncio.create_task(worker._keep())


async def claims(worker: Leases, actor: Actor) -> bool:
    """Claim in a context of its own, as another process has."""

    async def claim() -> bool:
        return bool(await worker.claim([actor]))

    return await asyncio.create_task(claim(), context=Context())


async def lost(worker: Leases, actor: Actor) -> bool:
    return worker.held(actor) is None


class TestPostgres(LeasesContract):
    @pytest.fixture
    async def leases(self, server: PostgresServer) -> AsyncIterator[Leases]:
        async with PostgresLeases(server) as leases:
            yield leases


async def test_an_actor_is_at_one_worker_at_a_time(server):
    async with PostgresLeases(server) as one, PostgresLeases(server) as other:
        assert await one.claim([ANN]) == [ANN]
        assert await other.claim([ANN, BOB]) == [BOB]
        async with other.work_on(ANN) as ours:
            assert not ours
        assert await other.elsewhere([ANN, BOB]) == {ANN}
        await one.give_back()
        assert await other.claim([ANN]) == [ANN]


async def test_many_workers_that_claim_at_once_share_without_overlap(server):
    actors = [Actor(f"u{number}") for number in range(1, 101)]
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(PostgresLeases(server)) for _ in range(4)]
        shares = await asyncio.gather(*(worker.claim(actors) for worker in workers))
        assert sorted(a.id for share in shares for a in share) == sorted(a.id for a in actors)


async def test_two_blocks_that_begin_at_once_share_one_claim(server):
    async with PostgresLeases(server) as leases:

        async def work() -> int:
            async with leases.work_on(ANN) as ours:
                lease = current_lease.get()
                await asyncio.sleep(0.01)
                assert ours
                assert lease
                assert not lease.is_lost
                return lease.token

        assert len(set(await asyncio.gather(*(work() for _ in range(5))))) == 1


async def test_tokens_grow_with_every_claim_even_of_what_was_given_back(server):
    async with PostgresLeases(server) as one, PostgresLeases(server) as other:
        tokens = []
        for worker in (one, other, one):
            async with worker.work_on(ANN):
                lease = current_lease.get()
                assert lease
                tokens.append(lease.token)
        assert tokens == sorted(set(tokens))


async def test_a_renewed_lease_stays(server):
    async with PostgresLeases(server, SHORT) as one, PostgresLeases(server, SHORT) as other:
        await one.claim([ANN])
        for _ in range(8):
            await asyncio.sleep(SHORT / 4)
            assert not await claims(other, ANN)
        assert one.held(ANN)


async def test_a_frozen_worker_loses_its_leases_and_can_write_nothing_more(server):
    notes = server.open(NOTES)
    dropped: list[Actor] = []
    async with PostgresLeases(server, SHORT) as one, PostgresLeases(server, SHORT) as other:
        one.subscribe(dropped.append)
        async with one.work_on(ANN):
            stale = current_lease.get()
            await notes.write("INSERT INTO note VALUES ('mine')")
            async with frozen(one):
                await until(lambda: claims(other, ANN))
                lease = other.held(ANN)
                assert lease
                assert lease.inherited
                assert stale
                assert stale.is_lost
                with pytest.raises(LeaseLost):
                    await notes.write("INSERT INTO note VALUES ('stale')")
        current_lease.set(None)
        assert await notes.rows("SELECT text FROM note") == [("mine",)]
        assert not await claims(one, ANN)
        assert dropped[-1] == ANN
        # It goes on with others.
        await until(lambda: claims(one, BOB))


async def test_a_refused_write_tells_that_the_lease_is_lost(server):
    notes = server.open(NOTES)
    async with PostgresLeases(server) as one, PostgresLeases(server) as other, one.work_on(ANN):
        with psycopg.connect(server_url(), autocommit=True) as boss:
            boss.execute(f'UPDATE "{server.schema}".worker SET leased_until = now()'.encode())
        async with frozen(other):
            other._until = float("inf")
            assert await other.claim([ANN]) == [ANN]
        with pytest.raises(LeaseLost):
            await notes.write("INSERT INTO note VALUES ('stale')")
        assert one.held(ANN) is None


async def test_a_dead_worker_is_replaced_and_what_it_held_may_be_half_done(server):
    async with PostgresLeases(server, SHORT) as other:
        dead = PostgresLeases(server, SHORT)
        await dead._begin()
        await dead.claim([ANN])
        assert not await claims(other, ANN)
        await until(lambda: claims(other, ANN))
        lease = other.held(ANN)
        assert lease
        assert lease.inherited


async def test_an_orderly_end_gives_back_what_is_not_in_use_and_the_rest_with_its_block(server):
    async with PostgresLeases(server) as one, PostgresLeases(server) as other:
        await one.claim([ANN, BOB])
        async with one.work_on(BOB):
            await one.give_back()
            assert await other.claim([ANN, BOB]) == [ANN]
        assert await other.claim([BOB]) == [BOB]
        ann, bob = other.held(ANN), other.held(BOB)
        assert ann
        assert not ann.inherited
        assert bob
        assert not bob.inherited


async def test_what_was_cancelled_is_inherited_once_the_worker_has_ended(server):
    async with PostgresLeases(server) as other:
        async with PostgresLeases(server) as one:
            await one.claim([ANN])
            with pytest.raises(asyncio.CancelledError):
                async with one.work_on(ANN):
                    raise asyncio.CancelledError
            assert not await claims(other, ANN)
        assert await claims(other, ANN)
        lease = other.held(ANN)
        assert lease
        assert lease.inherited


async def test_workers_are_woken_by_what_is_stored_for_whom_no_other_holds(server):
    heard: list[Actor | None] = []

    async def hear() -> None:
        async for actor in leases.wake_ups():
            heard.append(actor)  # noqa: PERF401 - it never ends
        heard.append(BOB)

    async def heard_of(actor: Actor | None) -> bool:
        return actor in heard

    async with PostgresLeases(server) as leases:
        hearing = asyncio.create_task(hear())
        await until(lambda: heard_of(None))
        announced = f"u1003@other nonsense u1001@{leases.name} u1002"
        notes = server.open(NOTES)
        await notes.write("SELECT pg_notify(?, ?)", f"{server.schema}.wake_ups", announced)
        await until(lambda: heard_of(BOB))
        assert heard == [None, ANN, BOB]
        heard.clear()
        with psycopg.connect(server_url(), autocommit=True) as boss:
            boss.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        await until(lambda: heard_of(BOB))
        await hearing


async def test_a_lease_can_be_taken_by_force(server):
    notes = server.open(NOTES)
    async with PostgresLeases(server) as one, PostgresLeases(server) as other:
        async with one.work_on(ANN):
            async with other.work_on(ANN, by_force=True) as ours:
                assert ours
            with pytest.raises(LeaseLost):
                await notes.write("INSERT INTO note VALUES ('stale')")
        assert one.held(ANN) is None


async def test_who_lost_a_lease_by_force_hears_of_it(server):
    dropped: list[Actor] = []
    async with PostgresLeases(server, SHORT) as one, PostgresLeases(server) as other:
        await one.claim([ANN, BOB])
        one.subscribe(dropped.append)
        async with other.work_on(ANN, by_force=True):
            await until(lambda: lost(one, ANN))
        assert dropped == [ANN]
        assert one.held(BOB)


async def test_what_is_idle_is_given_back_and_dropped_from_memory(server):
    dropped: list[Actor] = []
    async with (
        PostgresLeases(server, SHORT, idle_seconds=0.1) as one,
        PostgresLeases(server) as two,
    ):
        one.subscribe(dropped.append)
        await one.claim([ANN, BOB])
        async with one.work_on(BOB):
            await until(lambda: claims(two, ANN))
            assert not await claims(two, BOB)
        assert dropped.count(ANN) == 2


async def test_a_lease_for_one_block_ends_with_it(server):
    async with PostgresLeases(server) as one, PostgresLeases(server) as other:
        async with (
            one.work_on(ANN),
            one.work_alone("maintenance"),
            other.work_alone("maintenance") as alone,
        ):
            assert not alone
        assert await claims(other, ANN)
        async with other.work_alone("maintenance") as alone:
            assert alone


async def test_a_claim_whose_answer_was_lost_is_made_again(server):
    async with PostgresLeases(server) as leases:
        await leases.claim([ANN])
        leases._held.clear()
        assert await leases.claim([ANN]) == [ANN]


async def test_a_lane_under_a_transaction_does_not_hold_up_other_claims(server):
    async with PostgresLeases(server, SHORT) as other:
        dead = PostgresLeases(server, SHORT)
        await dead._begin()
        await dead.claim([ANN, BOB])
        with psycopg.connect(server_url()) as stuck:
            stuck.execute(
                f'SELECT 1 FROM "{server.schema}".lane WHERE actor = %s FOR SHARE'.encode(),
                ("u1001",),
            )
            await until(lambda: claims(other, BOB))
            assert not await claims(other, ANN)


async def test_an_outage_longer_than_the_lease_loses_everything_until_it_ends(server):
    async with PostgresLeases(server, SHORT) as one:
        await one.claim([ANN])
        with psycopg.connect(server_url()) as boss:
            boss.execute(f'LOCK TABLE "{server.schema}".worker IN ACCESS EXCLUSIVE MODE'.encode())
            async with asyncio.timeout(30):
                while one.held(ANN):
                    await asyncio.sleep(0.05)
        await until(lambda: claims(one, ANN))


async def test_every_renewal_tells_the_database_time(server):
    told: list[datetime] = []
    async with PostgresLeases(server, 0.3, heard=told.append):
        async with asyncio.timeout(30):
            while len(told) < 3:
                await asyncio.sleep(0.05)
    assert told == sorted(told)
    assert all(now.tzinfo for now in told)


async def test_a_worker_knows_how_many_leases_it_holds(server):
    async with PostgresLeases(server) as worker, PostgresLeases(server) as other:
        await worker.claim([ANN, BOB])
        assert (len(worker), len(other)) == (2, 0)
        await worker.give_back()
        assert len(worker) == 0
