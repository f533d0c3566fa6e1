"""A store that extracts by itself: what it learns of an ended session is in the next profile."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from memory.learning.endings import SummaryWatch
from memory.memory import MemoryOptions
from memory.records import Actor, Draft, Kind, Session
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault
from tests.fakes.aws.world import world
from tests.fakes.bots import open_bot, place_of
from tests.fakes.temporary_store import TemporaryStore

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN = Actor("u1")
ENDED = Session("s-1", ANN, place_of(ANN), NOON, NOON)


def summary(text: str, session_id: str = "s-1") -> Draft:
    return Draft(Kind.SUMMARY, text, NOON, session_id=session_id)


async def test_saved_is_told_before_the_summary_is_there_and_the_next_session_gets_it(
    tmp_path: Path,
):
    async with (
        world(tmp_path) as here,
        await here.store() as store,
        open_bot(
            store,
            tmp_path,
            MemoryOptions(memory_recall_timeout_seconds=30, extraction_timeout_seconds=20),
        ) as bot,
    ):
        here.aws.knobs.extraction_seconds = 3600
        await bot.hears(ANN, "I work at Acme Corp")
        ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
        assert ending is not None
        assert await ending.wait(15) == "saved"
        await bot.hears(ANN, "hello")
        early = await bot.memory.talk.recall(ANN, place_of(ANN), "hello")
        assert "Acme" not in early.profile

        here.aws.set_clock(lambda: datetime.now(UTC).timestamp() + 3600)

        async def known() -> bool:
            later = await bot.memory.talk.recall(ANN, place_of(ANN), "hello")
            return "Earlier conversations" in later.profile and "Acme" in later.profile

        await eventually(known)


async def test_every_new_summary_of_the_session_is_noticed_and_no_other_ones():
    store, changes = TemporaryStore(), list[Actor]()
    watch = SummaryWatch(store, changes.append, seconds=4.0)
    await store.commit(ANN, [summary("of another session", "s-0")])
    watch.begin(ENDED)
    await asyncio.sleep(0.2)
    assert changes == []
    await store.commit(ANN, [summary("the first half")])
    await eventually(lambda: _are(changes, 1))
    await store.commit(ANN, [summary("all of it")])
    await eventually(lambda: _are(changes, 2))
    await watch.aclose()


async def _are(changes: list[Actor], count: int) -> bool:
    return changes == [ANN] * count


async def test_a_store_that_is_away_for_a_moment_is_asked_again(tmp_path: Path):
    changes = list[Actor]()
    async with world(tmp_path) as here, await here.store() as store:
        await store.commit(ANN, [summary("all of it")])
        here.aws.faults.add(Fault("ListMemoryRecords", 2, "ServiceException", 500))
        watch = SummaryWatch(store, changes.append, seconds=2.0)
        watch.begin(ENDED)
        await eventually(lambda: _are(changes, 1))
        await watch.aclose()
