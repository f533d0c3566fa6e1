"""Several workers with one memory on AWS and the rest on PostgreSQL: each thing is sent, searched
for and started once, and what one of them erased no other shows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
from memory.stores.agentcore.calls.clients import AwsAccess
from memory.stores.agentcore.erasure import ErasingPace
from memory.stores.agentcore.events.jobs import JobsPace, failed_jobs
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.opening import AgentCoreOptions, agentcore_store
from memory.stores.agentcore.setup import Patience, Wanted
from memory.stores.agentcore.store import AgentCoreStore, Timing
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.server import PostgresServer
from memory.traces import Traces
from tests.fakes.aws import Knobs, broken
from tests.fakes.aws.world import FAST, World, silent, world
from tests.fakes.postgres import postgres_server

ANN, BOB = Actor("u1"), Actor("u12")

#: Looks every tenth of a second for what others have left.
SOON = replace(
    FAST,
    pace=replace(FAST.pace, revisit=0.1),
    erasing=ErasingPace(pauses=(0.3, 3600.0), longest_rest=0.1),
)


@dataclass
class Worker:
    store: AgentCoreStore
    leases: PostgresLeases


@dataclass
class Shared:
    """A memory on AWS, a database, and as many workers as a test starts."""

    here: World
    server: PostgresServer

    @asynccontextmanager
    async def worker(self, timing: Timing = SOON) -> AsyncIterator[Worker]:
        async with AsyncExitStack() as stack:
            leases = await stack.enter_async_context(PostgresLeases(self.server, 300.0))
            opened = await AgentCoreStore.open(
                self.here.calls(),
                self.here.memory.strategies,
                self.server.open(OUTBOX_LAYOUT),
                timing,
                leases=leases,
            )
            store = await stack.enter_async_context(opened)
            leases.subscribe(store.drop)
            yield Worker(store, leases)

    def heard(self) -> list[str]:
        """What AWS has been told, in the order of telling."""
        log = self.here.aws.data().contents(self.here.memory.id).log
        return [event.payload[0]["conversational"]["content"]["text"] for event in log.events]


@asynccontextmanager
async def shared(directory: Path, knobs: Knobs | None = None) -> AsyncIterator[Shared]:
    with postgres_server() as server:
        async with world(directory, knobs, attempts=1) as here:
            yield Shared(here, server)


def turn(number: int, actor: Actor = ANN) -> Turn:
    said = Utterance(Role.USER, f"I own thing {number}", datetime.now(UTC))
    return Turn(f"{actor.id}-{number}", f"s-{actor.id}", (said,))


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await true():
            await asyncio.sleep(0.05)


async def test_the_events_of_a_session_are_sent_once_and_in_order_whoever_sends_them(
    tmp_path: Path,
) -> None:
    async with shared(tmp_path) as all_of_it, all_of_it.worker() as other:
        all_of_it.here.aws.faults.add(broken("CreateEvent"))
        async with all_of_it.worker() as one, one.leases.work_on(ANN):
            for number in range(5):
                await one.store.add_turn(ANN, turn(number))
            await asyncio.sleep(0.3)  # the other one may look, and may not send
        all_of_it.here.aws.faults.clear()

        async def sent() -> bool:
            return not await other.store.pending()

        await until(sent)
        assert all_of_it.heard() == [f"I own thing {number}" for number in range(5)]
        calls = all_of_it.here.count("CreateEvent")
        async with other.leases.work_on(ANN):
            await other.store.add_turn(ANN, turn(5))
            await other.store.extraction.flush(ANN)
        assert all_of_it.here.count("CreateEvent") == calls + 1


@pytest.mark.parametrize("everything", [True, False])
async def test_what_one_worker_erased_another_does_not_show(
    tmp_path: Path, everything: bool
) -> None:
    # AWS goes on showing what was deleted for five minutes.
    knobs = Knobs(deletion_seconds=300)
    async with (
        shared(tmp_path, knobs) as all_of_it,
        all_of_it.worker() as one,
        all_of_it.worker() as other,
    ):
        async with other.leases.work_on(ANN):
            (kept,) = await other.store.commit(ANN, [Draft(Kind.FACT, "I drink tea", _now())])
            assert await other.store.records(ANN) == [kept]
        async with one.leases.work_on(ANN):
            if everything:
                await one.store.erase(ANN)
            else:
                traces = Traces(("I drink tea",), (), ())
                async with one.store.erasing.forgetting(ANN, [kept.id], traces):
                    await one.store.delete(ANN, [kept.id])
        async with other.leases.work_on(ANN):
            assert await other.store.records(ANN, include_superseded=True) == []
            assert await other.store.search(ANN, "What do I drink?") == []


async def test_each_sweep_is_made_by_one_worker(tmp_path: Path) -> None:
    async with (
        shared(tmp_path) as all_of_it,
        all_of_it.worker() as one,
        all_of_it.worker(),
    ):
        async with one.leases.work_on(ANN):
            await one.store.erase(ANN)

        async def swept_again() -> bool:
            return all_of_it.here.count("ListSessions") >= 2

        await until(swept_again)
        await asyncio.sleep(0.5)
        assert all_of_it.here.count("ListSessions") == 2


async def test_a_failed_job_is_started_by_one_worker(tmp_path: Path) -> None:
    knobs = Knobs(extraction_fails=True)
    hurried = replace(SOON, jobs=JobsPace(first=0.2, every=0.2, tries=1))
    async with shared(tmp_path, knobs) as all_of_it:
        async with all_of_it.worker() as one, one.leases.work_on(ANN):
            await one.store.add_turn(ANN, turn(1))
            await one.store.extraction.flush(ANN)
        failed = len(await failed_jobs(all_of_it.here.calls()))
        assert failed
        async with all_of_it.worker(hurried), all_of_it.worker(hurried):

            async def started() -> bool:
                return all_of_it.here.count("StartMemoryExtractionJob") >= failed

            await until(started)
            await asyncio.sleep(0.6)
            assert all_of_it.here.count("StartMemoryExtractionJob") == failed


async def test_workers_that_start_together_create_one_memory(tmp_path: Path) -> None:
    async with shared(tmp_path) as all_of_it:
        access = AwsAccess(region="us-east-1", endpoint_url=all_of_it.here.aws.url)
        options = AgentCoreOptions(None, Wanted("fresh"), access, 4, FAST, Patience(10, 0.05))

        async def start() -> None:
            async with (
                PostgresLeases(all_of_it.server, 300.0) as leases,
                agentcore_store(
                    options, all_of_it.server, all_of_it.here.pool, silent, leases
                ) as store,
            ):
                await store.records(ANN)

        await asyncio.gather(start(), start(), start())
        assert all_of_it.here.count("CreateMemory") == 2, "this one, and the test's own"


def _now() -> datetime:
    return datetime.now(UTC)
