"""`python -m tests.benchmarks.aws_many`: many records are deleted on AWS within its quotas, while
somebody else searches all the time. The fake AWS is in this process and answers at once."""

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from memory.errors import StoreUnavailable
from memory.knowledge.maintenance import Maintenance, Retention
from memory.records import Actor, Draft, Kind
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import NOON, turn
from tests.fakes.aws import Knobs
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.files import journal_in

ANN, BOB = Actor("u1"), Actor("u12")
TIMING = replace(FAST, search=1.35)


@dataclass(frozen=True)
class Deletion:
    """`lost` of the `asked` searches of somebody else found nothing."""

    records: int
    seconds: float
    calls: int
    throttled: int
    asked: int = 0
    lost: int = 0


async def delete(number: int) -> Deletion:
    """Delete so many records at once."""
    async with AsyncExitStack() as stack:
        here, store = await _full_store(stack, number)
        ids = [record.id for record in await store.records(ANN)]
        # The quotas count the calls of the last second.
        await asyncio.sleep(1)
        here.aws.calls.clear()
        begun, asked, lost = time.monotonic(), 0, 0
        deleting = asyncio.create_task(store.delete(ANN, ids))
        while not deleting.done():
            asked += 1
            try:
                lost += not await store.search(BOB, "birds", kinds=(Kind.FACT,))
            except StoreUnavailable:
                lost += 1
            await asyncio.sleep(0.1)
        await deleting
        return _result(here, number, begun, asked, lost)


async def tidy(number: int) -> Deletion:
    """Have maintenance delete so many records that are too old."""
    async with AsyncExitStack() as stack:
        here, store = await _full_store(stack, number)
        await store.add_turn(ANN, turn("t-1", "hello"))
        await store.extraction.flush(ANN)
        pool = stack.enter_context(ThreadPoolExecutor(1))
        journal = await stack.enter_async_context(journal_in(here.directory / "journal", pool))
        here.aws.calls.clear()
        begun, later = time.monotonic(), NOON + timedelta(days=30)
        runs = journal.maintenance
        removed = await Maintenance(store, runs, Retention(fact_days=1), lambda: later).run()
        assert removed.counts.total() >= number
        return _result(here, number, begun)


async def _full_store(stack: AsyncExitStack, number: int) -> tuple[World, AgentCoreStore]:
    directory = Path(stack.enter_context(TemporaryDirectory()))
    here = await stack.enter_async_context(world(directory, Knobs(quotas=True, thin_pages=True)))
    here.circuits = Circuits("AWS")
    store = await stack.enter_async_context(await here.store(TIMING))
    drafts = [Draft(Kind.FACT, f"I have seen bird {n}", NOON) for n in range(number)]
    for start in range(0, number, 500):
        await store.commit(ANN, drafts[start : start + 500])
    await store.commit(BOB, [Draft(Kind.FACT, "I like birds", NOON)])
    return here, store


def _result(here: World, number: int, begun: float, asked: int = 0, lost: int = 0) -> Deletion:
    calls = [call for call in here.aws.calls if call.operation != "RetrieveMemoryRecords"]
    throttled = sum(call.status == 429 for call in calls)
    return Deletion(number, time.monotonic() - begun, len(calls), throttled, asked, lost)


async def measure() -> list[Deletion]:
    return [await delete(number) for number in (60, 360, 1_000)] + [await tidy(3_000)]


def main() -> None:
    """The command."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for result in asyncio.run(measure()):
        print(result)


if __name__ == "__main__":
    main()
