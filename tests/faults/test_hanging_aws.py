"""AWS does not answer: whoever is not the one it does not answer notices nothing.

A call hangs until the test lets it go, so nothing here depends on how fast the machine is: what
must not wait for the call is finished while the call is still under way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.assistant.greeting import Greetings
from memory.errors import StoreUnavailable
from memory.knowledge.lookup import find_meant
from memory.learning.endings import Outcome
from memory.memory import MemoryOptions
from memory.records import Actor, Kind
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.bots import Bot, open_bot, place_of

ANN, BOB = Actor("u1"), Actor("u12")

#: Longer than any test: only the test itself ends the waiting.
FOREVER = 60.0
#: What one recall asks of AWS: the three lists of the profile, and two searches.
CALLS_OF_A_RECALL = 5
#: The threads of the world's pool.
THREADS = 8


@asynccontextmanager
async def bot_on_aws(
    directory: Path, recall_seconds: float = FOREVER
) -> AsyncIterator[tuple[World, AgentCoreStore, Bot]]:
    """A bot whose calls to AWS give up only when the test is over."""
    options = MemoryOptions(memory_recall_timeout_seconds=recall_seconds)
    timing = replace(FAST, search=recall_seconds)
    async with (
        asyncio.timeout(FOREVER),
        world(directory, read_seconds=2 * FOREVER) as here,
        await here.store(timing) as store,
        open_bot(store, directory, options) as bot,
    ):
        try:
            yield here, store, bot
        finally:
            here.aws.stopping.set()


async def hang(here: World, calls: int) -> None:
    """Have the next so many calls hang; use before they are made."""
    here.aws.faults.add(Fault(times=calls, delay=FOREVER))


async def all_hang(here: World) -> None:
    """Return when every call that was to hang does."""

    async def met() -> bool:
        return here.aws.faults.empty

    await eventually(met)


async def test_a_turn_is_answered_while_another_persons_calls_hang(tmp_path: Path):
    async with bot_on_aws(tmp_path) as (here, store, bot):
        await bot.hears(BOB, "I work at Globex")
        await store.extraction.flush(BOB)
        await hang(here, CALLS_OF_A_RECALL)
        anns = asyncio.create_task(bot.hears(ANN, "hello"))
        await all_hang(here)

        assert "Globex" in await bot.hears(BOB, "where do I work?")
        await store.extraction.flush(BOB)
        assert not anns.done(), "her calls still hang"

        here.aws.stopping.set()
        assert await anns


async def test_the_event_loop_turns_while_calls_hang(tmp_path: Path):
    async with bot_on_aws(tmp_path) as (here, _, bot):
        await hang(here, CALLS_OF_A_RECALL)
        anns = asyncio.create_task(bot.hears(ANN, "hello"))
        await all_hang(here)
        for _ in range(1000):
            await asyncio.sleep(0)
        assert not anns.done(), "a thousand rounds of the loop within one call"
        here.aws.stopping.set()
        await anns


async def test_with_every_thread_of_aws_hanging_turns_are_answered_and_written_down(
    tmp_path: Path,
):
    async with bot_on_aws(tmp_path, recall_seconds=0.2) as (here, store, bot):
        await hang(here, THREADS)
        stuck = [
            asyncio.create_task(store.records(ANN, kinds=(Kind.FACT,))) for _ in range(THREADS)
        ]
        await all_hang(here)

        assert await bot.hears(BOB, "I live in Lima") == "Kept."
        assert await bot.hears(BOB, "I work at Globex") == "Kept."
        assert "can't reach my memory" in await bot.hears(BOB, "where do I live?")
        ending = await bot.memory.talk.end(BOB, place_of(BOB), "new")
        assert ending is not None
        assert await ending.wait(0.1) is Outcome.LATER
        assert await store.pending(BOB) == 3, "all turns are safe on disk"
        assert not any(task.done() for task in stuck), "every thread still hangs"

        here.aws.stopping.set()
        assert await ending.wait(FOREVER) is Outcome.SAVED
        await asyncio.gather(*stuck)


async def test_whoever_asks_the_memory_is_answered_soon_while_every_call_hangs(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.3) as (here, _, bot):
        known, choices, now = bot.memory.known, bot.memory.choices, bot.memory.clock()
        here.aws.faults.add(Fault(delay=FOREVER))
        asked = {
            "/memory": known.records(ANN),
            "/forget f1": known.would_forget(ANN, "f1"),
            "/forget words": find_meant(known, ANN, "where I work", now, 5),
            "/search": known.search(ANN, "where I work"),
            "/about": known.about(ANN, "Clara"),
            "/remember": known.remember(ANN, "I live in Oslo"),
            "/name": choices.read(ANN),
            "/export": known.export(ANN),
        }
        for what, reading in asked.items():
            async with asyncio.timeout(2):
                with pytest.raises(StoreUnavailable):
                    await reading
            assert what


async def test_an_export_is_given_up_when_the_messages_hang(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.3) as (here, store, bot):
        await bot.hears(ANN, "I live in Oslo")
        await store.extraction.flush(ANN)
        here.aws.faults.add(Fault("ListEvents", delay=FOREVER))
        async with asyncio.timeout(5):
            with pytest.raises(StoreUnavailable):
                await bot.memory.known.export(ANN)


async def test_a_greeting_does_not_wait_for_a_memory_that_hangs(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.3) as (here, _, bot):
        here.aws.faults.add(Fault(delay=FOREVER))
        async with asyncio.timeout(2):
            assert await Greetings(bot.memory, patience=FOREVER).sentence(ANN, "{topics}") is None


async def test_a_long_list_may_take_its_time_as_long_as_aws_answers(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.5) as (here, _, bot):
        for place in ("Oslo", "Lima", "Rome"):
            await bot.memory.known.remember(ANN, f"I have been to {place}")
        here.aws.knobs.page_rows = 1
        here.aws.faults.add(Fault("ListMemoryRecords", times=3, delay=0.3))
        assert len(await bot.memory.known.records(ANN, (Kind.FACT,))) == 3


async def test_calls_that_hang_do_not_pile_up(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.1) as (here, _, _):
        here.circuits = Circuits("AWS", failures=3, silence=0.2)
        async with await here.store(replace(FAST, search=0.1)) as store:
            here.aws.calls.clear()
            here.aws.faults.add(Fault("RetrieveMemoryRecords", delay=FOREVER))
            for _ in range(10):
                with pytest.raises(StoreUnavailable):
                    await store.search(BOB, "where do I work?", kinds=(Kind.FACT,))
                await store.records(BOB, kinds=(Kind.FACT,))
            here.aws.stopping.set()
            await asyncio.sleep(0.2)
            assert 3 <= here.count("RetrieveMemoryRecords") <= 5, "of ten"
            assert here.count("ListMemoryRecords") == 10


async def test_events_of_one_person_arrive_while_another_persons_event_hangs(tmp_path: Path):
    async with bot_on_aws(tmp_path) as (here, store, bot):
        here.aws.faults.add(Fault("CreateEvent", times=1, delay=FOREVER))
        await bot.hears(ANN, "I live in Oslo")
        await all_hang(here)

        await bot.hears(BOB, "I live in Lima")
        await store.extraction.flush(BOB)
        assert any("Lima" in record.text for record in await store.records(BOB))
        assert await store.pending(ANN) == 1, "hers still hangs"


async def test_a_profile_that_comes_too_late_for_one_turn_is_there_for_the_next(tmp_path: Path):
    async with bot_on_aws(tmp_path, recall_seconds=0.5) as (here, _, bot):
        await bot.memory.known.remember(ANN, "I prefer tea", Kind.PREFERENCE)
        here.aws.faults.add(Fault("ListMemoryRecords", times=4, delay=1.0))
        first = await bot.memory.talk.recall(ANN, place_of(ANN), "hello")
        assert not first.profile
        await bot.memory.talk.profile(ANN)
        second = await bot.memory.talk.recall(ANN, place_of(ANN), "hello again")
        assert "I prefer tea" in (second.profile or "")
        assert here.count("ListMemoryRecords") == 2 + 3 + 1, (
            "for the preference, one profile, the choices"
        )
