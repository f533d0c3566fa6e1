"""Two things at once: what one task reads of the journal while another one changes it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.memory import Memory
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Kind,
    Place,
    Record,
    Role,
    RunningSummary,
    Utterance,
)
from memory.stores.journal.turns import SqlSummaries
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

ANNA, BORIS = Actor("u1"), Actor("u12")
HOME, AWAY = Place("telegram", 1), Place("telegram", 12)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Hesitant(SqlSummaries):
    """Reads summaries and hands them over when it is told to, once: `read` is set when it has
    them."""

    hesitant = False

    def hesitate(self) -> None:
        self.hesitant, self.read, self.gate = True, asyncio.Event(), asyncio.Event()

    async def of(self, session_id: str) -> list[RunningSummary]:
        found = await super().of(session_id)
        if self.hesitant:
            self.hesitant = False
            self.read.set()
            await self.gate.wait()
        return found


class Slow(TemporaryStore):
    """A store that does not get on with reading."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = 0

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        self.reading += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.reading -= 1
        return []


@asynccontextmanager
async def process(path: Path) -> AsyncIterator[tuple[Memory, Hesitant]]:
    with ThreadPoolExecutor(2) as pool:
        journal = journal_in(path / "journal.sqlite", pool)
        journal.summaries = summaries = Hesitant(journal.database)
        memory = Memory(TemporaryStore(), journal, understood(EverySentence()), clock=lambda: NOW)
        async with journal, memory:
            yield memory, summaries


async def says(memory: Memory, text: str, actor: Actor = ANNA, place: Place = HOME) -> None:
    await memory.talk.recall(actor, place, text)
    said = (Utterance(Role.USER, text, NOW), Utterance(Role.ASSISTANT, "ok", NOW))
    await memory.talk.record(actor, place, said)


async def test_forgetting_does_not_mind_who_begins_to_talk_meanwhile(tmp_path: Path) -> None:
    async with process(tmp_path) as (memory, summaries):
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await says(memory, "hello there")
        summaries.hesitate()
        forgetting = asyncio.create_task(memory.known.forget(ANNA, record.short_id))
        await summaries.read.wait()
        await says(memory, "hello", BORIS, AWAY)
        summaries.gate.set()
        await forgetting
        assert await memory.known.records(ANNA) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.forget_all(ANNA),
        lambda memory: memory.talk.end(ANNA, HOME, "new"),
    ],
    ids=["forgotten", "ended"],
)
async def test_a_session_that_is_being_read_does_not_outlive_its_end(
    tmp_path: Path, change: Callable[[Memory], Awaitable[object]]
) -> None:
    async with process(tmp_path) as (memory, _):
        await says(memory, "I robbed the Xanadu bank")
    async with process(tmp_path) as (memory, summaries):
        summaries.hesitate()
        looking = asyncio.create_task(memory.talk.session(ANNA, HOME))
        await summaries.read.wait()
        changing = asyncio.ensure_future(change(memory))
        # It may have to wait for who reads, or be done before: both are right.
        await asyncio.wait((changing,), timeout=0.2)
        summaries.gate.set()
        await asyncio.gather(looking, changing)
        assert await memory.talk.session(ANNA, HOME) is None
        assert (await memory.talk.recall(ANNA, HOME, "hello")).messages == ()
        await says(memory, "hello")
        assert len((await memory.talk.recall(ANNA, HOME, "hello")).messages) == 2


async def test_no_reading_outlives_the_memory_also_when_it_is_out_of_date(tmp_path: Path) -> None:
    store = Slow()
    with ThreadPoolExecutor(2) as pool:
        async with journal_in(tmp_path / "journal.sqlite", pool) as journal:
            async with Memory(
                store, journal, understood(EverySentence()), clock=lambda: NOW
            ) as memory:
                asking = asyncio.create_task(memory.talk.profile(ANNA))
                async with asyncio.timeout(10):
                    while not store.reading:
                        await asyncio.sleep(0.005)
                await memory.forget_all(ANNA)
            assert store.reading == 0
            await asyncio.gather(asking, return_exceptions=True)
