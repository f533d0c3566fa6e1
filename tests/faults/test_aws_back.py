"""AWS is back: what waited for it goes at once, however long it was away."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memory.background.waiting import Waiter, waited_for_by
from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.events.sender import SendingPace
from tests.contracts.long_term_memory import turn
from tests.fakes.aws import Fault
from tests.fakes.aws.world import FAST, world

ANN, BOB = Actor("u1"), Actor("u12")


async def test_events_go_as_soon_as_one_call_has_found_the_service_back(tmp_path: Path):
    pace = SendingPace(spacing=0.01, first_retry=3600, longest_retry=3600, look=0.02)
    async with asyncio.timeout(30), world(tmp_path) as here:
        here.circuits = Circuits("AWS", failures=1, pause=0.3)
        here.circuits.of("CreateEvent").note_failure("told to be away")
        async with await here.store(replace(FAST, pace=pace)) as store:
            for actor in (ANN, BOB):
                for number in range(3):
                    await store.add_turn(actor, turn(f"t-{number}", "hello"))
            await asyncio.gather(store.extraction.flush(ANN), store.extraction.flush(BOB))
        assert here.count("CreateEvent") == 6


async def test_the_first_read_finds_the_service_back(tmp_path: Path):
    async with asyncio.timeout(30), world(tmp_path) as here:
        here.circuits = Circuits("AWS", failures=1, pause=0.1)
        async with await here.store() as store:
            here.circuits.of("ListMemoryRecords").note_failure("told to be away")
            with pytest.raises(StoreUnavailable):
                await store.records(ANN)
            await asyncio.sleep(0.1)
            assert await store.records(ANN) == [], "all of its three lists"


async def test_a_trial_that_hangs_keeps_others_waiting_for_a_moment_only(tmp_path: Path):
    async with asyncio.timeout(30), world(tmp_path) as here:
        here.circuits = Circuits("AWS", failures=1, pause=0.1)
        async with await here.store(replace(FAST, search=0.2)) as store:
            here.circuits.of("ListMemoryRecords").note_failure("told to be away")
            await asyncio.sleep(0.1)
            here.aws.faults.add(Fault("ListMemoryRecords", delay=20))
            begun = asyncio.get_running_loop().time()
            with waited_for_by(Waiter.PERSON), pytest.raises(StoreUnavailable):
                await store.records(ANN)
            assert asyncio.get_running_loop().time() - begun < 2
        here.aws.stopping.set()
