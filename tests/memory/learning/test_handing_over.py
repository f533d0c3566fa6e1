"""A store that extracts by itself: a session is saved once it has, and found in the journal until
then."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.conversation.live import SessionLimits
from memory.learning.endings import Ending, Outcome
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Kind, Place, Role, Session, Utterance
from tests.fakes.extracting_store import ExtractingStore
from tests.fakes.files import journal_in
from tests.fakes.understanding import understood

ANN, BOB = Actor("u1"), Actor("u12")
HOME, TOPIC = Place("telegram", 1), Place("telegram", 1, 7)
REX = "My dog is called Rex"


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 15, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class World:
    """A memory on a store that extracts by itself; opened again it is the next process."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock, self.store = path, Clock(), ExtractingStore()
        self.heard: list[str] = []

    @asynccontextmanager
    async def memory(self) -> AsyncIterator[Memory]:
        options = MemoryOptions(
            memory_recall_timeout_seconds=30,
            extraction_timeout_seconds=5,
            limits=SessionLimits(session_idle=timedelta(days=99)),
        )
        with ThreadPoolExecutor(2) as pool:
            async with (
                journal_in(self.path / "journal.sqlite", pool) as journal,
                Memory(self.store, journal, understood(), options, self.clock) as memory,
            ):
                memory.on_saved(self._hear)
                yield memory

    async def later(self, memory: Memory, **time: float) -> None:
        """Go on by so much time, and do what is due then."""
        self.clock.now += timedelta(**time)
        memory._jobs._work.look_again()
        await memory.settle()

    async def _hear(self, session: Session, changes: object) -> None:
        self.heard.append(session.id)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def tell(memory: Memory, *said: str, actor: Actor = ANN, place: Place = HOME) -> None:
    for text in said:
        now = memory.clock()
        turn = (Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "I see.", now))
        await memory.talk.record(actor, place, turn)


async def end(memory: Memory, actor: Actor = ANN, place: Place = HOME) -> Outcome:
    ending = await memory.talk.end(actor, place, "new")
    assert isinstance(ending, Ending)
    return await ending.wait(5)


async def recalled(memory: Memory, text: str, actor: Actor = ANN, place: Place = HOME) -> str:
    return (await memory.talk.recall(actor, place, text)).recalled


async def test_a_session_is_saved_once_the_store_has_learned_from_it(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        assert await end(memory) is Outcome.HANDED_OVER
        assert world.store.given == [REX]
        await world.later(memory, seconds=60)
        assert world.heard == [], "it has learned nothing yet"
        world.store.has_learned = True
        await world.later(memory, seconds=60)
        assert len(world.heard) == 1, "said once"
        await world.later(memory, days=1)
        assert len(world.heard) == 1
        assert (await memory.backlog()).waiting == 0


async def test_a_store_that_is_quick_has_saved_it_at_once(world: World) -> None:
    world.store.has_learned = True
    async with world.memory() as memory:
        await tell(memory, REX)
        assert await end(memory) is Outcome.SAVED
        assert world.heard == []


async def test_nothing_is_called_handed_over_while_the_store_is_away(world: World) -> None:
    world.store.away = True
    async with world.memory() as memory:
        await tell(memory, REX)
        assert await end(memory) is Outcome.LATER
        for _ in range(30):
            await world.later(memory, hours=1)
        backlog = await memory.backlog()
        assert (backlog.waiting, backlog.quarantined) == (1, 0), "being away is no failure of it"
        assert "Rex" in await recalled(memory, "What is my dog called?")
        world.store.away, world.store.has_learned = False, True
        await world.later(memory, hours=1)
        assert len(world.heard) == 1


async def test_what_was_said_in_the_last_session_is_known_at_once(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX, "I work at Acme Corp")
        await end(memory)
        assert REX in await recalled(memory, "What is my dog called?")
        assert [r.text for r in await memory.known.unlearned(ANN)] == [REX, "I work at Acme Corp"]
        hits = await memory.known.search(ANN, "dog", (Kind.FACT, Kind.MESSAGE))
        assert hits[0].record.text == REX
    async with world.memory() as memory:
        assert REX in await recalled(memory, "What is my dog called?"), "after a restart too"
        assert len(await memory.known.records(ANN, (Kind.MESSAGE,))) == 4


async def test_nobody_else_knows_it(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        await end(memory)
        assert await recalled(memory, "What is my dog called?", BOB) == ""
        assert await memory.known.unlearned(BOB) == []
        assert await memory.known.records(BOB, (Kind.MESSAGE,)) == []


async def test_it_is_known_in_another_topic_while_its_session_goes_on(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        assert REX in await recalled(memory, "What is my dog called?", place=TOPIC)
        assert await recalled(memory, "What is my dog called?") == "", "it is in the window here"
        assert await memory.known.unlearned(ANN) == [], "the session goes on"


async def test_nothing_of_a_private_session_is_found(world: World) -> None:
    async with world.memory() as memory:
        await memory.talk.begin_private(ANN, HOME)
        await tell(memory, REX)
        assert await recalled(memory, "What is my dog called?", place=TOPIC) == ""
        assert await memory.known.records(ANN, (Kind.MESSAGE,)) == []
        await memory.talk.end(ANN, HOME, "new")
        assert await memory.known.unlearned(ANN) == []
    assert world.store.given == []


async def test_once_it_is_learned_nothing_is_found_twice(world: World) -> None:
    world.store.has_learned = True
    async with world.memory() as memory:
        await tell(memory, REX)
        await end(memory)
        hits = await memory.known.search(ANN, "dog Rex", (Kind.SUMMARY, Kind.MESSAGE))
        assert [(hit.record.kind, hit.record.text) for hit in hits] == [(Kind.SUMMARY, REX)]
        assert await memory.known.unlearned(ANN) == []


async def test_what_was_learned_stands_for_the_message_that_says_the_same(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        await end(memory)
        await memory.known.remember(ANN, REX)
        hits = await memory.known.search(ANN, "dog Rex", (Kind.FACT, Kind.MESSAGE))
        assert [hit.record.kind for hit in hits if hit.record.text == REX] == [Kind.FACT]


async def test_forgetting_it_forgets_what_is_not_learned_yet(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX, "I work at Acme Corp")
        await end(memory)
        (message,) = [r for r in await memory.known.unlearned(ANN) if r.text == REX]
        gone = await memory.known.forget(ANN, message)
        assert await recalled(memory, "What is my dog called?") == ""
        assert [r.text for r in await memory.known.unlearned(ANN)] == ["I work at Acme Corp"]
        back = await memory.known.restore(ANN, gone)
        assert back.text == REX
        assert REX in await recalled(memory, "What is my dog called?")
        await memory.forget_all(ANN)
        assert await memory.known.unlearned(ANN) == []
        assert await recalled(memory, "What is my dog called?") == ""
        world.store.has_learned = True
        await world.later(memory, hours=1)
        assert world.heard == []
        assert await memory.known.records(ANN) == []


async def test_a_store_that_never_says_it_has_learned_is_not_asked_for_ever(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        await end(memory)
        for _ in range(24 * 4):
            await world.later(memory, hours=1)
        assert world.store.looks < 30
        assert (await memory.backlog()).waiting == 0
        assert world.heard == [], "nobody knows that it was saved"


async def test_the_store_is_asked_again_by_itself_within_seconds(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        await end(memory)
        loop = asyncio.get_running_loop()
        (again,) = [t for t in loop._scheduled if "look_again" in repr(t)]  # type: ignore[attr-defined]
        assert again.when() - loop.time() < 6


async def test_what_is_exported_has_what_the_store_does_not_show_yet(world: World) -> None:
    async with world.memory() as memory:
        await tell(memory, REX)
        exported = await memory.known.export(ANN)
        assert REX in exported.json.decode()
        assert REX in exported.markdown.decode()
