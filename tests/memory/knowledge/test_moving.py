"""A group that gets another id takes along all that is known of it, wherever that breaks off."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Choice, Kind, Place, Role, Utterance
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.sqlite.database import SqliteDatabases
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.extractors import EverySentence
from tests.fakes.memories import NOON
from tests.fakes.understanding import understood

OLD, NEW = Actor.group(-5), Actor.group(-1005)
THERE, HERE = Place("telegram", -5), Place("telegram", -1005)


class Breaking(SqlJournal):
    """A journal that fails when sessions are to be moved."""

    broken = False

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        if self.broken:
            raise StoreUnavailable("told to fail")
        await super().move(actor, to, place, to_place)


@asynccontextmanager
async def process(
    folder: Path, *, broken: bool = False, extractor: EverySentence | None = None
) -> AsyncIterator[Memory]:
    extractor = extractor or EverySentence()
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(folder / "memory", pool)
        async with Breaking(SqliteDatabases(folder, pool).open(JOURNAL_LAYOUT)) as journal:
            journal.broken = broken
            options = MemoryOptions(memory_recall_timeout_seconds=30)
            async with Memory(
                store, journal, understood(extractor), options, lambda: NOON
            ) as memory:
                yield memory
        await store.aclose()


async def says(memory: Memory, text: str, actor: Actor = OLD, place: Place = THERE) -> None:
    await memory.talk.recall(actor, place, text)
    said = (Utterance(Role.USER, text, NOON), Utterance(Role.ASSISTANT, "ok", NOON))
    await memory.talk.record(actor, place, said)


async def window(memory: Memory, actor: Actor, place: Place) -> list[str]:
    history = await memory.talk.recall(actor, place, "?")
    return [message.text for message in history.messages]


async def facts(memory: Memory, actor: Actor) -> list[str]:
    return [record.text for record in await memory.known.records(actor, (Kind.FACT,))]


async def test_the_session_goes_on_under_the_new_id(tmp_path: Path) -> None:
    async with process(tmp_path) as memory:
        await memory.known.remember(OLD, "We play chess")
        await memory.choices.set(OLD, Choice.AGENT_NAME, "Max")
        await says(memory, "We meet in Oslo")
        await memory.move(OLD, NEW, THERE, HERE)
        assert await window(memory, NEW, HERE) == ["We meet in Oslo", "ok"]
        assert (await memory.choices.read(NEW)).agent_name == "Max"
        assert (await memory.choices.read(OLD)).agent_name is None
        assert await window(memory, OLD, THERE) == []
        await says(memory, "At noon", NEW, HERE)
        ending = await memory.talk.end(NEW, HERE, "new")
        assert ending is not None
        await ending.wait(5)
        assert await facts(memory, NEW) == ["We play chess", "We meet in Oslo", "At noon"]
        assert await memory.known.records(OLD, tuple(Kind), everything=True) == []


async def test_a_private_conversation_stays_private(tmp_path: Path) -> None:
    async with process(tmp_path) as memory:
        await memory.talk.begin_private(OLD, THERE)
        await says(memory, "We robbed a bank")
        await memory.move(OLD, NEW, THERE, HERE)
        history = await memory.talk.recall(NEW, HERE, "?")
        assert history.metadata.private
        assert [message.text for message in history.messages] == ["We robbed a bank", "ok"]


async def test_what_was_broken_off_is_completed_by_doing_it_again(tmp_path: Path) -> None:
    async with process(tmp_path, broken=True) as memory:
        await memory.known.remember(OLD, "We play chess")
        await says(memory, "We meet in Oslo")
        with pytest.raises(StoreUnavailable):
            await memory.move(OLD, NEW, THERE, HERE)
        # Until then it goes on as it was: something is remembered under the old id again.
        await says(memory, "At noon")
    async with process(tmp_path) as memory:
        for _ in range(2):
            await memory.move(OLD, NEW, THERE, HERE)
        assert await window(memory, NEW, HERE) == ["We meet in Oslo", "ok", "At noon", "ok"]
        await memory.talk.end(NEW, HERE, "new")
        await memory.settle()
        assert await facts(memory, NEW) == ["We play chess", "We meet in Oslo", "At noon"]
        assert await memory.known.records(OLD, tuple(Kind), everything=True) == []
        messages = await memory.known.records(NEW, (Kind.MESSAGE,))
        assert [m.text for m in messages if m.text != "ok"] == ["We meet in Oslo", "At noon"]


async def test_to_itself_nothing_moves(tmp_path: Path) -> None:
    async with process(tmp_path) as memory:
        await memory.known.remember(OLD, "We play chess")
        await memory.move(OLD, OLD, THERE, THERE)
        assert await facts(memory, OLD) == ["We play chess"]


async def test_an_extraction_under_way_begins_anew_for_the_new_actor(tmp_path: Path) -> None:
    extractor = EverySentence()
    async with process(tmp_path, extractor=extractor) as memory:
        # It has read the turns, and has not answered yet.
        extractor.gate.clear()
        await says(memory, "We meet in Oslo")
        await memory.talk.end(OLD, THERE, "new")
        while not extractor.calls:
            await asyncio.sleep(0)
        await memory.move(OLD, NEW, THERE, HERE)
        extractor.gate.set()
        await memory.settle()
        assert await facts(memory, NEW) == ["We meet in Oslo"]
        assert await memory.known.records(OLD, tuple(Kind), everything=True) == []
