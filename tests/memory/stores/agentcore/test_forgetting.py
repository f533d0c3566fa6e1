"""One thing that is forgotten is gone from everywhere: AWS's twins of it, summaries, events, the
open conversation, and what extraction makes of it afterwards."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.memory import MemoryOptions
from memory.records import LEARNED_KINDS, Actor, Kind, Record, Role
from memory.stores.agentcore.erasure import ErasingPace
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Knobs, denied
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.bots import Bot, open_bot, place_of

ANN, BOB = Actor("u1"), Actor("u12")
OPTIONS = MemoryOptions(memory_recall_timeout_seconds=30, extraction_timeout_seconds=20)
#: Looks only when it is asked to.
BY_ITSELF = replace(FAST, erasing=ErasingPace(pauses=(3600.0,)))


@pytest.fixture
def now() -> list[float]:
    """AWS's clock, which a test may put forward."""
    return [time.time()]


@pytest.fixture
async def here(tmp_path: Path, now: list[float]) -> AsyncIterator[World]:
    async with world(tmp_path, Knobs(voice="aws"), clock=lambda: now[0]) as here:
        yield here


@asynccontextmanager
async def start(here: World) -> AsyncIterator[tuple[Bot, AgentCoreStore]]:
    """One life of the program."""
    async with (
        await here.store(BY_ITSELF) as store,
        open_bot(store, here.directory, OPTIONS) as bot,
    ):
        yield bot, store


async def said(bot: Bot, store: AgentCoreStore, *texts: str) -> None:
    """Ann says this, and AWS has it."""
    for text in texts:
        await bot.hears(ANN, text)
    await store.extraction.flush(ANN)


async def known(bot: Bot, word: str) -> list[Record]:
    """What is known or was lately said with this word in it."""
    kinds = (*LEARNED_KINDS, Kind.MESSAGE)
    records = await bot.memory.known.records(ANN, kinds, everything=True)
    return [record for record in records if word in record.text.lower()]


async def the_record(bot: Bot, word: str, kind: Kind = Kind.FACT) -> Record:
    (record,) = [r for r in await bot.memory.known.records(ANN, (kind,)) if word in r.text.lower()]
    return record


def held(here: World, now: list[float], word: str) -> list[str]:
    """The records and events of AWS with this word in them."""
    contents = here.aws.data().contents(here.memory.id)
    events = [event for event in contents.log.events if event.gone_at is None]
    texts = [r.text for r in contents.shelf.found(now[0])]
    texts += [text for event in events for _, text in event.messages]
    return [text for text in texts if word in text.lower()]


# -- what is there --------------------------------------------------------------------------------


async def test_awss_twin_its_summary_and_its_event_go_with_a_memory(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "Remember that my bicycle is called Banana", "I live in Oslo")
        await bot.memory.remember(ANN, "My bicycle is called Banana")
        assert len(held(here, now, "banana")) == 5
        ours, *_ = await known(bot, "banana")
        await bot.memory.known.forget(ANN, ours)
        assert held(here, now, "banana") == []
        assert await known(bot, "banana") == []
        assert await known(bot, "oslo") != []


async def test_a_twin_that_aws_has_put_in_other_words_goes_as_well(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex")
        shelf = here.aws.data().contents(here.memory.id).shelf
        for record in shelf.found(now[0]):
            record.text = record.text.replace(
                "The user's dog is called", "The user has a dog named"
            )
        await bot.memory.remember(ANN, "My dog is called Rex")
        ours = next(r for r in await bot.memory.known.records(ANN, (Kind.FACT,)) if r.evidence)
        await bot.memory.known.forget(ANN, ours)
        assert held(here, now, "rex") == []


async def test_a_preference_goes_with_the_fact_of_the_same_words(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "I love liquorice")
        preference = next(
            r for r in await bot.memory.known.records(ANN, (Kind.FACT, Kind.PREFERENCE))
        )
        assert len(held(here, now, "liquorice")) == 4
        await bot.memory.known.forget(ANN, preference)
        assert held(here, now, "liquorice") == []


async def test_nothing_of_it_comes_back_with_the_next_message_of_the_conversation(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex", "I live in Oslo")
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        window = await bot.memory.talk.recent(ANN, place_of(ANN))
        assert "Rex" not in " ".join(turn.said for turn in window)
        await said(bot, store, "I drink tea")
        assert held(here, now, "rex") == []
        assert await known(bot, "rex") == []
        assert await known(bot, "tea") != []


async def test_what_was_said_in_an_ended_conversation_is_deleted_there(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex")
        ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
        assert ending is not None
        await ending.wait(15)
        await said(bot, store, "I live in Oslo")
    async with start(here) as (bot, store):
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        assert held(here, now, "rex") == []
        assert len(held(here, now, "oslo")) == 3
        assert await store.all_messages(ANN) != []


async def test_what_says_something_else_stays(here: World, now: list[float]) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My sister lives in Oslo", "I live in Oslo", "I work in Oslo")
        mine = next(
            r
            for r in await bot.memory.known.records(ANN, (Kind.FACT,))
            if "live" in r.text and "sister" not in r.text
        )
        await bot.memory.known.forget(ANN, mine)
        facts = [r.text for r in await bot.memory.known.records(ANN, (Kind.FACT,))]
        assert len(facts) == 2
        assert any("sister" in text for text in facts)
        assert any("work" in text for text in facts)


async def test_the_same_of_somebody_else_stays(here: World, now: list[float]) -> None:
    async with start(here) as (bot, store):
        await bot.hears(BOB, "My dog is called Rex")
        await said(bot, store, "My dog is called Rex")
        await eventually(lambda: _are_sent(store))
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        assert [r for r in await bot.memory.known.records(BOB) if "Rex" in r.text] != []


async def _are_sent(store: AgentCoreStore) -> bool:
    return not await store.pending()


# -- what comes later -----------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [20, 200, 86_400])
@pytest.mark.parametrize("restarts", [False, True])
async def test_what_is_extracted_after_it_was_forgotten_is_hidden_and_deleted(
    here: World, now: list[float], seconds: float, restarts: bool
) -> None:
    here.aws.knobs.extraction_seconds = seconds
    async with start(here) as (bot, store):
        await said(bot, store, "My bicycle is called Banana", "I live in Oslo")
        await bot.memory.remember(ANN, "My bicycle is called Banana")
        await bot.memory.known.forget(ANN, await the_record(bot, "banana"))
        if not restarts:
            await _comes_too_late(here, bot, now, seconds)
    if restarts:
        async with start(here) as (bot, store):
            await _comes_too_late(here, bot, now, seconds)


async def _comes_too_late(here: World, bot: Bot, now: list[float], seconds: float) -> None:
    now[0] += seconds + 1
    await here.calls().ask("list_actors")
    assert held(here, now, "banana") != []
    assert await known(bot, "banana") == []
    assert await bot.memory.known.search(ANN, "What is my bicycle called?") == []

    async def gone() -> bool:
        return held(here, now, "banana") == []

    await eventually(gone)
    assert held(here, now, "oslo") != []


async def test_the_late_summary_of_a_question_about_it_is_hidden_too(
    here: World, now: list[float]
) -> None:
    here.aws.knobs.extraction_seconds = 200
    async with start(here) as (bot, store):
        await bot.memory.remember(ANN, "My dog is called Rex")
        await said(bot, store, "What do you know about Rex?")
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        now[0] += 201
        assert [r for r in await known(bot, "rex") if r.kind is not Kind.MESSAGE] == []

        async def gone() -> bool:
            return not any("rex" in text.lower() for text in held(here, now, "rex"))

        await eventually(gone)


async def test_no_statement_of_a_forgotten_message_is_learned_late(
    here: World, now: list[float]
) -> None:
    here.aws.knobs.extraction_seconds = 200
    async with start(here) as (bot, store):
        await said(bot, store, "I keep bees in the garden. I also have a horse called Max.")
        await said(bot, store, "I live in Oslo")
        (message,) = [r for r in await known(bot, "bees") if r.kind is Kind.MESSAGE]
        await bot.memory.known.forget(ANN, message)
        now[0] += 300
        assert (await the_record(bot, "oslo")).text == "I live in Oslo"
        assert [*await known(bot, "bees"), *await known(bot, "max")] == []


async def test_what_is_said_again_afterwards_is_learned_again(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex")
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        await said(bot, store, "My dog is called Rex")
        assert (await the_record(bot, "rex")).text == "My dog is called Rex"


# -- what can't be done ---------------------------------------------------------------------------


async def test_what_is_not_deleted_is_told_with_its_last_day_and_is_not_shown(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex", "I live in Oslo")
        here.aws.faults.add(denied("DeleteEvent"))
        gone = await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        assert gone.remainder
        assert (gone.remainder.records, gone.remainder.messages) == (False, True)
        assert gone.remainder.until
        assert gone.remainder.until - datetime.now(UTC) > timedelta(days=6)
        await said(bot, store, "I drink tea")  # AWS writes the summary anew, with the old event
        assert await known(bot, "rex") == []
        assert [m for m in await store.all_messages(ANN) if "Rex" in m.text] == []


async def test_a_memory_that_could_not_be_deleted_is_not_half_forgotten(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex")
        record = await the_record(bot, "rex")
        here.aws.faults.add(denied("BatchDeleteMemoryRecords"))
        with pytest.raises(Exception, match="BatchDeleteMemoryRecords is not allowed"):
            await bot.memory.known.forget(ANN, record)
        assert await the_record(bot, "rex") == record
        assert here.count("DeleteEvent") == 0
    async with start(here) as (bot, store):
        assert await the_record(bot, "rex") == record


async def test_undo_brings_the_memory_back_and_the_turn_with_the_next_one(
    here: World, now: list[float]
) -> None:
    async with start(here) as (bot, store):
        await said(bot, store, "My dog is called Rex")
        gone = await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        assert held(here, now, "rex") == []
        restored = await bot.memory.known.restore(ANN, gone)
        assert await the_record(bot, "rex") == restored
        await said(bot, store, "I live in Oslo")
        assert [m for m in await store.all_messages(ANN) if "Rex" in m.text] != []
        assert (await the_record(bot, "rex")).text == restored.text


async def test_what_was_brought_back_and_forgotten_again_is_gone_after_a_restart_too(
    here: World,
) -> None:
    here.aws.knobs.deletion_seconds = 300
    async with start(here) as (bot, _):
        await bot.memory.known.remember(ANN, "My dog is called Rex")
        gone = await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        await bot.memory.known.restore(ANN, gone)
        await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
    async with start(here) as (bot, _):
        assert not await known(bot, "rex")


async def test_what_was_brought_back_is_there_once_after_a_restart(here: World) -> None:
    here.aws.knobs.deletion_seconds = 300
    async with start(here) as (bot, _):
        await bot.memory.known.remember(ANN, "My dog is called Rex")
        gone = await bot.memory.known.forget(ANN, await the_record(bot, "rex"))
        restored = await bot.memory.known.restore(ANN, gone)
    async with start(here) as (bot, store):
        assert [record.id for record in await store.records(ANN)] == [restored.id]


async def test_a_forgotten_request_to_remember_is_not_told_by_a_later_summary(
    here: World, now: list[float]
) -> None:
    # AWS still has the message when it sums up.
    here.aws.knobs.deletion_seconds, here.aws.knobs.extraction_seconds = 300, 60
    async with start(here) as (bot, store):
        here.aws.faults.add(denied("BatchCreateMemoryRecords"))
        await said(bot, store, "Please remember that my dog is called Rex")
        here.aws.faults.clear()
        (message,) = [r for r in await known(bot, "rex") if r.role is Role.USER]
        await bot.memory.known.forget(ANN, message)
        await said(bot, store, "I live in Oslo")
        now[0] += 61
        assert await known(bot, "oslo")
        assert not await known(bot, "rex")
