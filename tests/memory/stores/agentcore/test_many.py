"""Many records at once: deleted within AWS's quotas, and nobody else notices."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memory.background.waiting import Waiter, waited_for_by
from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import NOON
from tests.fakes.aws import Fault, broken, throttled
from tests.fakes.aws.world import FAST, world

ANN, BOB = Actor("u1"), Actor("u12")


async def write(store: AgentCoreStore, actor: Actor, number: int) -> list[str]:
    drafts = [Draft(Kind.FACT, f"I have seen bird {n}", NOON) for n in range(number)]
    return [record.id for record in await store.commit(actor, drafts)]


async def test_records_that_were_listed_are_deleted_without_reading_each(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        await write(store, ANN, 360)
        ids = [record.id for record in await store.records(ANN)]
        before = len(here.aws.calls)
        assert await store.delete(ANN, ids) == ids
        assert here.aws.operations()[before:] == ["BatchDeleteMemoryRecords"] * 4


async def test_after_a_restart_one_listing_tells_whose_they_are(tmp_path: Path):
    async with world(tmp_path) as here:
        async with await here.store() as store:
            ids = await write(store, ANN, 120)
            others = await write(store, BOB, 3)
        async with await here.store() as store:
            assert await store.delete(ANN, [*ids, *others]) == ids
            assert here.count("GetMemoryRecord") == len(others)
            assert len(await store.records(BOB)) == 3


async def test_nobody_elses_record_is_deleted_because_it_was_listed(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        ids = await write(store, ANN, 1)
        await store.records(ANN)
        assert await store.delete(BOB, ids) == []
        assert [record.id for record in await store.records(ANN)] == ids


async def test_batches_that_are_throttled_are_sent_again(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        ids = await write(store, ANN, 250)
        here.aws.faults.add(throttled("BatchDeleteMemoryRecords", times=4))
        assert await store.delete(ANN, ids) == ids
        assert await store.records(ANN) == []


async def test_a_batch_that_fails_stops_none_of_the_others(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        ids = await write(store, ANN, 250)
        here.aws.faults.add(broken("BatchDeleteMemoryRecords", times=2))
        with pytest.raises(StoreUnavailable, match="100 of 250"):
            await store.delete(ANN, ids)
        assert len(await store.records(ANN)) == 100


async def test_others_are_served_while_hundreds_are_deleted(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        ids = await write(store, ANN, 360)
        await write(store, BOB, 1)
        deleting = asyncio.create_task(store.delete(ANN, ids))
        while not deleting.done():
            assert await store.search(BOB, "bird")
            await asyncio.sleep(0.02)
        assert await deleting == ids


async def test_a_search_follows_empty_and_short_pages(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        await write(store, ANN, 8)
        here.aws.knobs.page_rows = 1
        assert len(await store.search(ANN, "bird", kinds=(Kind.FACT,), limit=5)) == 5


async def test_what_came_before_a_page_that_hangs_is_found(tmp_path: Path):
    timing = replace(FAST, search=0.5, writing=0.0)
    async with world(tmp_path) as here, await here.store(timing) as store:
        await write(store, ANN, 3)
        here.aws.knobs.page_rows = 1
        here.aws.faults.add(Fault("RetrieveMemoryRecords", times=1))
        here.aws.faults.add(Fault("RetrieveMemoryRecords", times=1, delay=60))
        assert len(await store.search(ANN, "bird", kinds=(Kind.FACT,))) == 1
        here.aws.stopping.set()


async def test_rows_of_others_push_out_nobodys_own(tmp_path: Path):
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.knobs.namespaces = "prefix"
        await write(store, ANN, 6)
        shelf = here.aws.data().contents(here.memory.id).shelf
        for number in range(60):
            shelf.add(
                {
                    "content": {"text": f"bird {number}"},
                    "namespaces": [f"/facts/{ANN.id}/deeper/"],
                    "timestamp": NOON,
                },
                0.0,
            )
        assert len(await store.search(ANN, "bird", kinds=(Kind.FACT,))) == 6
        before = here.count("RetrieveMemoryRecords")
        await store.search(ANN, "bird", kinds=(Kind.FACT,))
        assert here.count("RetrieveMemoryRecords") == before + 1, "once seen, it is expected"


async def test_what_nobody_waits_for_leaves_room_for_others(tmp_path: Path):
    clock = asyncio.get_running_loop().time
    async with world(tmp_path) as here, await here.store() as store:
        await write(store, ANN, 6)
        here.aws.knobs.page_rows = 1
        begun = clock()
        with waited_for_by(Waiter.NOBODY):
            reading = asyncio.create_task(store.records(ANN, kinds=(Kind.FACT,)))
            await asyncio.sleep(0)
        assert len(await store.records(ANN, kinds=(Kind.FACT,))) == 6
        assert not reading.done(), "others are not slowed down by it"
        assert len(await reading) == 6
        assert clock() - begun >= 0.5, "six lists, a tenth of a second apart"


async def test_a_person_waits_for_a_list_that_is_throttled(tmp_path: Path):
    async with world(tmp_path) as here, await here.store(replace(FAST, search=1.2)) as store:
        await write(store, ANN, 1)
        here.aws.faults.add(throttled("ListMemoryRecords", times=6))
        with waited_for_by(Waiter.PERSON):
            assert len(await store.records(ANN, kinds=(Kind.FACT,))) == 1
