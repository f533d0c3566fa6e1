"""A deletion says beforehand what it takes along, and can be taken back whole."""

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.offline.understanding import by_rules
from memory.conversation.live import SessionLimits
from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.memory import Memory
from memory.options import MemoryOptions
from memory.ports import Store
from memory.records import Actor, Draft, Evidence, Kind, Place, Record, Role, Shift, Turn, Utterance
from memory.stores.journal.turns import SqlTurns
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = Actor("u1"), Actor("u12")
HOME = Place("telegram", 1)
EVERYTHING = tuple(Kind)


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Life:
    """A data directory, a clock that never stands still, and somebody who talks."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, NOON

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    @asynccontextmanager
    async def memory(
        self, store: Store | None = None, limits: SessionLimits | None = None
    ) -> AsyncIterator[Memory]:
        options = MemoryOptions(limits=limits or SessionLimits(), memory_recall_timeout_seconds=30)
        with ThreadPoolExecutor(2) as pool:
            own = SqliteStore(self.path / "memory", pool)
            journal = journal_in(self.path / "journal.sqlite", pool)
            async with (
                journal,
                Memory(store or own, journal, by_rules(), options, self.clock) as memory,
            ):
                yield memory
            await own.aclose()

    async def say(self, memory: Memory, *texts: str, kept: bool = True) -> None:
        for text in texts:
            await memory.talk.recall(ANNA, HOME, text)
            said = (Utterance(Role.USER, text, self.clock()), _reply(self.clock()))
            await memory.talk.record(ANNA, HOME, said, kept=kept)

    async def end(self, memory: Memory) -> None:
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        await ending.wait(30)

    @property
    def bytes(self) -> bytes:
        return b"".join(p.read_bytes() for p in self.path.rglob("*") if p.is_file())


def employer(text: str, at: datetime = NOON) -> Draft:
    return Draft(Kind.FACT, text, at, slot="employer")


def _reply(at: datetime) -> Utterance:
    return Utterance(Role.ASSISTANT, "ok", at)


@pytest.fixture
def life(tmp_path: Path) -> Life:
    return Life(tmp_path)


async def window(memory: Memory) -> list[str]:
    return [m.text for m in (await memory.talk.recall(ANNA, HOME, "and now?")).messages]


async def everything(memory: Memory) -> list[Record]:
    return await memory.known.records(ANNA, EVERYTHING, everything=True)


async def the_record(memory: Memory, text: str) -> Record:
    return next(r for r in await memory.known.records(ANNA, (Kind.FACT,)) if r.text == text)


async def test_all_that_a_deletion_took_along_comes_back_as_it_was(life: Life) -> None:
    async with life.memory() as memory:
        await life.say(memory, "I live in Oslo", "I have a cat")
        await life.end(memory)
        await life.say(memory, "as I said, I live in Oslo", "I like tea")
        before, shown = await everything(memory), await window(memory)
        assert b"Oslo" in life.bytes
        record = await the_record(memory, "I live in Oslo")
        come_from = await memory.known.evidence(ANNA, record)
        assert [each.words for each in come_from] == ["I live in Oslo"]

        forgotten = await memory.known.forget(ANNA, record.short_id)
        assert b"Oslo" not in life.bytes, "the only copy is in RAM"
        assert "Oslo" not in str(await everything(memory))
        assert await window(memory) == ["I like tea", "ok"]

        assert await memory.known.restore(ANNA, forgotten) == record
        assert await everything(memory) == before
        assert await window(memory) == shown
        assert await memory.known.evidence(ANNA, record) == come_from
        assert b"Oslo" in life.bytes
        found = await memory.known.search(ANNA, "where do I live?")
        assert "I live in Oslo" in [hit.record.text for hit in found]
    async with life.memory() as memory:
        assert await window(memory) == shown, "also for the next process"


async def test_a_look_ahead_changes_nothing_and_is_what_happens(life: Life) -> None:
    async with life.memory() as memory:
        await life.say(memory, "I live in Oslo")
        await life.end(memory)
        await life.say(memory, "I live in Oslo, you know")
        before, shown = await everything(memory), await window(memory)
        record = await the_record(memory, "I live in Oslo")
        doomed = await memory.known.would_forget(ANNA, record.short_id)
        assert await everything(memory) == before
        assert await window(memory) == shown
        # One of the ended session, and one of the open one, which is archived as well.
        assert doomed.statements == 2
        assert doomed.is_repeated, "the answers"
        assert [summary.kind for summary in doomed.summaries] == [Kind.SUMMARY]
        assert await memory.known.forget(ANNA, record.short_id) == doomed


async def test_where_nothing_goes_along_nothing_is_counted(life: Life) -> None:
    async with life.memory() as memory:
        await life.say(memory, "I have a cat")
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        doomed = await memory.known.would_forget(ANNA, record.short_id)
        assert doomed == Forgotten(ANNA, record)
        assert doomed.statements == 0
        assert not doomed.is_repeated
        with pytest.raises(UnknownRecord):
            await memory.known.would_forget(BORIS, record.short_id)


async def test_a_turn_comes_back_before_what_was_said_after_it(life: Life) -> None:
    async with life.memory() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I have a cat", "I live in Oslo")
        forgotten = await memory.known.forget(ANNA, record.short_id)
        await life.say(memory, "I like tea")
        await memory.known.restore(ANNA, forgotten)
        told = ["I have a cat", "ok", "I live in Oslo", "ok", "I like tea", "ok"]
        assert await window(memory) == told
    async with life.memory() as memory:
        assert await window(memory) == told


async def test_taking_back_twice_doubles_nothing(life: Life) -> None:
    async with life.memory() as memory:
        await life.say(memory, "I live in Oslo")
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        before, shown = await everything(memory), await window(memory)
        forgotten = await memory.known.forget(ANNA, record.short_id)
        for _ in range(2):
            assert await memory.known.restore(ANNA, forgotten) == record
        assert await everything(memory) == before
        assert await window(memory) == shown


async def test_a_turn_that_had_left_the_window_is_in_it_again(life: Life) -> None:
    limits = SessionLimits(conversation_window_size=4, summary_turn_count=1)
    async with life.memory(limits=limits) as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I live in Oslo", "I have a cat", "I like tea", "I own a boat")
        await memory.settle()
        assert "Oslo" in str((await memory.talk.tiers(ANNA)).summaries)
        forgotten = await memory.known.forget(ANNA, record.short_id)
        await memory.settle()
        assert "Oslo" not in str(await memory.talk.tiers(ANNA))
        await memory.known.restore(ANNA, forgotten)
        assert "I live in Oslo" in [
            message.text
            for turn in (await memory.talk.tiers(ANNA)).active
            for message in turn.messages
        ]
        await life.say(memory, "I grow mint")
        await memory.settle()
        assert "Oslo" in (await memory.talk.recall(ANNA, HOME, "and now?")).earlier


async def test_what_is_said_in_secret_is_back_in_ram_and_masked_on_the_disk(life: Life) -> None:
    said = "I live in Oslo and my password is hunter2hunter2"
    async with life.memory() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, said)
        forgotten = await memory.known.forget(ANNA, record.short_id)
        await memory.known.restore(ANNA, forgotten)
        assert (await window(memory))[0] == said
    assert b"hunter2hunter2" not in life.bytes


async def test_a_session_that_is_extracted_by_now_is_not_opened_again(life: Life) -> None:
    async with life.memory() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I live in Oslo", "I have a cat")
        forgotten = await memory.known.forget(ANNA, record.short_id)
        await life.end(memory)
        await memory.known.restore(ANNA, forgotten)
        assert await window(memory) == []
        archived = await memory.known.records(ANNA, (Kind.MESSAGE,))
        assert "I live in Oslo" in [message.text for message in archived]


async def test_nobody_takes_back_what_another_one_deleted(life: Life) -> None:
    async with life.memory() as memory:
        await memory.known.remember(BORIS, "I am a spy")
        mine = (await memory.known.remember(ANNA, "I live in Oslo")).record
        forgotten = await memory.known.forget(ANNA, mine.short_id)
        with pytest.raises(UnknownRecord):
            await memory.known.restore(BORIS, forgotten)
        assert [r.text for r in await memory.known.records(BORIS)] == ["I am a spy"]


async def test_nothing_comes_back_after_everything_was_forgotten(life: Life) -> None:
    async with life.memory() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I live in Oslo")
        forgotten = await memory.known.forget(ANNA, record.short_id)
        await memory.forget_all(ANNA)
        with pytest.raises(UnknownRecord):
            await memory.known.restore(ANNA, forgotten)
        assert await everything(memory) == []
    assert b"Oslo" not in life.bytes


async def test_a_question_with_a_newer_answer_keeps_it(life: Life) -> None:
    store = TemporaryStore()
    async with life.memory(store) as memory:
        (old,) = await store.commit(ANNA, [employer("I work at Acme")])
        forgotten = await memory.known.forget(ANNA, old.short_id)
        life.now += timedelta(days=1)
        await store.commit(ANNA, [employer("I work at Initech", life.now)])
        again = await memory.known.restore(ANNA, forgotten)
        assert again.id == old.id
        assert not again.current


class Failing(TemporaryStore):
    """A store that is away when told so."""

    away = False

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        if self.away:
            raise StoreUnavailable("no")
        return await super().delete(actor, record_ids)

    async def restore(self, actor: Actor, records: object) -> list[Record]:
        if self.away:
            raise StoreUnavailable("no")
        return await super().restore(actor, records)  # type: ignore[arg-type]


async def test_what_was_broken_off_is_completed_by_doing_it_again(life: Life) -> None:
    store = Failing()
    async with life.memory(store) as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I live in Oslo")
        forgotten = await memory.known.forget(ANNA, record.short_id)
        store.away = True
        with pytest.raises(StoreUnavailable):
            await memory.known.restore(ANNA, forgotten)
        store.away = False
        assert await memory.known.restore(ANNA, forgotten) == record
        assert await window(memory) == ["I live in Oslo", "ok"]


async def test_what_could_not_be_deleted_is_still_there_with_its_turns(life: Life) -> None:
    store = Failing()
    limits = SessionLimits(conversation_window_size=4, summary_turn_count=1)
    async with life.memory(store, limits) as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "I live in Oslo", "I have a cat", "I like tea")
        await memory.settle()
        before = await everything(memory)
        store.away = True
        with pytest.raises(StoreUnavailable):
            await memory.known.forget(ANNA, record.short_id)
        store.away = False
        assert await everything(memory) == before
        active = (await memory.talk.tiers(ANNA)).active
        assert active[0].messages[0].text == "I live in Oslo", "in its place"
        gone = await memory.known.forget(ANNA, record.short_id)
        assert [turn.messages[0].text for turn in gone.turns] == ["I live in Oslo"]
        assert "I live in Oslo" not in await window(memory)


class Breaking(SqlTurns):
    """Turns that can be read, but not changed, when told so."""

    full = False

    async def delete(self, turn_ids: Sequence[str], shifts: Sequence[Shift] = ()) -> None:
        if self.full:
            raise StoreUnavailable("the disk is full")
        await super().delete(turn_ids, shifts)


async def test_what_could_not_be_withheld_is_there_once(life: Life) -> None:
    with ThreadPoolExecutor(2) as pool:
        journal = journal_in(life.path / "journal.sqlite", pool)
        journal.turns = turns = Breaking(journal.database)
        memory = Memory(TemporaryStore(), journal, by_rules(), MemoryOptions(), life.clock)
        async with journal, memory:
            record = (await memory.known.remember(ANNA, "I live in Oslo")).record
            await life.say(memory, "I live in Oslo")
            turns.full = True
            with pytest.raises(StoreUnavailable):
                await memory.known.forget(ANNA, record.short_id)
            assert await window(memory) == ["I live in Oslo", "ok"]
            assert [r.text for r in await memory.known.records(ANNA)] == ["I live in Oslo"]


async def test_what_was_said_again_meanwhile_does_not_stand_there_twice(life: Life) -> None:
    async with life.memory() as memory:
        first = (await memory.known.remember(ANNA, "I have a cat called Tom")).record
        forgotten = await memory.known.forget(ANNA, first.short_id)
        again = (await memory.known.remember(ANNA, "I have a cat called Tom")).record
        assert not (await memory.known.restore(ANNA, forgotten)).current
        assert await memory.known.records(ANNA) == [again]


async def test_earlier_wordings_and_other_evidence_go_along_and_come_back(life: Life) -> None:
    async with life.memory() as memory:
        store = memory._store
        told = Evidence("t-1", "julia lives in oslo, and rex is my dog", NOON)
        again = Evidence("t-9", "rex barks", NOON + timedelta(hours=1))
        said = (Utterance(Role.USER, told.words, NOON), _reply(NOON))
        await store.add_turn(ANNA, Turn("t-1", "s-1", said))
        (old,) = await store.commit(
            ANNA, [Draft(Kind.FACT, "Julia lives in Oslo", NOON, evidence=(told,))]
        )
        (new, dog) = await store.commit(
            ANNA,
            [
                Draft(Kind.FACT, "Julia lives in Lima", NOON, supersedes=old.id),
                Draft(
                    Kind.FACT,
                    "I have a dog, Rex",
                    NOON,
                    turn_ids=("t-1", "t-9"),
                    evidence=(told, again),
                ),
            ],
        )
        before = await everything(memory)
        forgotten = await memory.known.forget(ANNA, new.short_id)
        assert [record.id for record in forgotten.history] == [old.id]
        (left,) = await everything(memory)
        assert (left.id, left.evidence, left.turn_ids) == (dog.id, (again,), ("t-9",))
        for word in (b"Julia", b"julia", b"Oslo", b"oslo", b"Lima", b"lima"):
            assert word not in life.bytes
        for _ in range(2):
            await memory.known.restore(ANNA, forgotten)
            after = await everything(memory)
            assert [replace(each, turn_ids=()) for each in after] == [
                replace(each, turn_ids=()) for each in before
            ]


async def test_a_turn_that_goes_nowhere_else_is_counted_as_well(life: Life) -> None:
    async with life.memory() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        await life.say(memory, "forget that I live in Oslo", kept=False)
        doomed = await memory.known.would_forget(ANNA, record.short_id)
        assert (doomed.messages, doomed.statements) == ((), 1)
        assert [turn.kept for turn in doomed.turns] == [False]
