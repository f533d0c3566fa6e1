"""Whatever people do in whatever order, through crashes and restarts: no turn is lost or doubled,
nothing private or forgotten is left anywhere, and nobody has anything of anybody else."""

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memory.conversation.live import SessionLimits
from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Actor, Kind, Place, Role, Utterance
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.summarizers import Numbering
from tests.fakes.understanding import understood

T = TypeVar("T")

PEOPLE = (Actor("u1"), Actor("u12"))
PLACES = (Place("telegram", 1), Place("telegram", 1, 12))
#: Sessions end by their length, and turns leave windows, after a few turns.
LIMITS = SessionLimits(
    conversation_window_size=4, summary_turn_count=1, max_summaries=2, max_conversation_messages=10
)
QUICK = settings(
    max_examples=8,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)

people, places = st.sampled_from(PEOPLE), st.sampled_from(PLACES)


def word(number: int) -> str:
    """A word that nothing else holds, alike to no other."""
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return "".join(random.Random(number).choices(syllables, k=5))


class Expected:
    """What there must be of one actor, in words."""

    def __init__(self) -> None:
        #: What is archived: said to be kept, and not forgotten.
        self.archived: list[str] = []
        #: What was said in sessions that go on, by place; with what is not to be kept.
        self.open: dict[Place, list[str]] = {}
        #: What was said, to be kept, in sessions that are over.
        self.ended: list[str] = []
        self.private: set[Place] = set()
        self.unkept: set[str] = set()

    def ends(self, place: Place) -> set[str]:
        """The session there is over; what of it must be gone once the work is done."""
        said = self.open.pop(place, [])
        if place in self.private:
            self.private.discard(place)
            return set(said)
        self.ended += [text for text in said if text not in self.unkept]
        return set(said) & self.unkept

    def forgets(self, text: str) -> None:
        for texts in (self.archived, self.ended, *self.open.values()):
            if text in texts:
                texts.remove(text)


class AnyOrder(RuleBasedStateMachine):
    """A data directory, and one process after the other on it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.pool = ThreadPoolExecutor(2)
        self.runner = asyncio.Runner()
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        self.expected = {actor: Expected() for actor in PEOPLE}
        self.number = 0
        #: What was private or forgotten, and must be nowhere, not in one byte.
        self.gone: set[str] = set()
        #: What goes when the work that is under way is done.
        self.going: set[str] = set()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        self.now += timedelta(minutes=1)
        return self.runner.run(work)

    async def begin(self) -> None:
        self.store: Store = SqliteStore(self.path / "memory", self.pool)
        self.journal = journal_in(self.path / "journal.sqlite", self.pool)
        options = MemoryOptions(
            limits=LIMITS, memory_recall_timeout_seconds=30, extraction_timeout_seconds=30
        )
        self.memory = Memory(
            self.store,
            self.journal,
            understood(EverySentence(), Numbering()),
            options,
            lambda: self.now,
        )
        await self.memory.__aenter__()

    @initialize()
    def starts(self) -> None:
        self.run(self.begin())

    @asynccontextmanager
    async def at(self, actor: Actor) -> AsyncIterator[Memory]:
        """The memory that works on the actor."""
        yield self.memory

    # -- what happens -----------------------------------------------------------------------------

    @rule(actor=people, place=places, turns=st.integers(1, 4), again=st.booleans())
    def talks(self, actor: Actor, place: Place, turns: int, again: bool) -> None:
        for _ in range(turns):
            self.run(self.turn(actor, place, kept=self.number % 5 > 0, again=again))

    async def turn(self, actor: Actor, place: Place, kept: bool, again: bool) -> None:
        self.number += 1
        text, expected = f"I like {word(self.number)}", self.expected[actor]
        async with self.at(actor) as memory:
            history = await memory.talk.recall(actor, place, text)
        assert history.metadata.private == (place in expected.private)
        expected.open.setdefault(place, []).append(text)
        if place in expected.private:
            kept = True
        elif kept:
            expected.archived.append(text)
        else:
            expected.unkept.add(text)
        said = (Utterance(Role.USER, text, self.now), Utterance(Role.ASSISTANT, "I see", self.now))
        private = place in expected.private
        async with self.at(actor) as memory:
            for _ in range(1 + again):  # a process that was killed says it again
                ending = await memory.talk.record(
                    actor, place, said, name=text, kept=kept, private=private
                )
                if ending:
                    self.going |= expected.ends(place)

    @rule(actor=people, place=places, private=st.booleans())
    def begins_anew(self, actor: Actor, place: Place, private: bool) -> None:
        expected = self.expected[actor]
        gone = self.gone if place in expected.private else self.going
        self.run(self.begin_anew(actor, place, private=private))
        gone |= expected.ends(place)
        if private:
            expected.private.add(place)

    async def begin_anew(self, actor: Actor, place: Place, *, private: bool) -> None:
        async with self.at(actor) as memory:
            if private:
                await memory.talk.begin_private(actor, place)
            else:
                await memory.talk.end(actor, place, "new")

    @rule(actor=people, place=places)
    def sums_up(self, actor: Actor, place: Place) -> None:
        self.run(self.sum_up(actor, place))

    async def sum_up(self, actor: Actor, place: Place) -> None:
        async with self.at(actor) as memory:
            await memory.talk.summarize_now(actor, place)

    async def settle(self) -> None:
        await self.memory.settle()

    @rule()
    def works_off(self) -> None:
        self.run(self.settle())
        for actor, expected in self.expected.items():
            facts = self.run(self.texts(actor, Kind.FACT))
            assert Counter(facts) == Counter(expected.ended)
        self.gone |= self.going
        self.going = set()

    @rule(killed=st.booleans())
    def is_started_again(self, killed: bool) -> None:
        self.run(self.crash() if killed else self.restart())

    async def restart(self) -> None:
        await self.close()
        await self.begin()

    async def crash(self) -> None:
        """Nobody closes anything: whatever runs stops where it is, and RAM is gone."""
        doomed = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in doomed:
            task.cancel()
        await asyncio.gather(*doomed, return_exceptions=True)
        await self.journal.aclose()
        await self.store.aclose()
        await self.begin()

    async def close(self) -> None:
        await self.memory.__aexit__(None, None, None)
        await self.journal.aclose()
        await self.store.aclose()

    @rule(actor=people, which=st.integers(0, 99))
    def forgets_one(self, actor: Actor, which: int) -> None:
        self.run(self.forget_one(actor, which))

    async def forget_one(self, actor: Actor, which: int) -> None:
        async with self.at(actor) as memory:
            records = await memory.known.records(actor, (Kind.FACT,))
            if not records:
                return
            record = records[which % len(records)]
            await memory.known.forget(actor, record.short_id)
            self.expected[actor].forgets(record.text)
            self.gone.add(record.text)

    @rule(actor=people, which=st.integers(0, 99))
    def takes_a_deletion_back(self, actor: Actor, which: int) -> None:
        said = [text for texts in self.expected[actor].open.values() for text in texts]
        if said:
            self.run(self.there_and_back(actor, said[which % len(said)]))

    async def there_and_back(self, actor: Actor, text: str) -> None:
        """Forget what an open session says, and take that back: then all is as it was."""
        async with self.at(actor) as memory:
            record = (await memory.known.remember(actor, text)).record
            forgotten = await memory.known.forget(actor, record.short_id)
            assert [turn.said for turn in forgotten.turns] == [text]
            assert await memory.known.restore(actor, forgotten) == record
            assert await self.store.delete(actor, [record.id]) == [record.id]

    @rule(actor=people)
    def forgets_all(self, actor: Actor) -> None:
        self.run(self.forget_all(actor))
        old, self.expected[actor] = self.expected[actor], Expected()
        said = {text for texts in old.open.values() for text in texts}
        self.gone |= said | {*old.archived, *old.ended, *old.unkept}

    async def forget_all(self, actor: Actor) -> None:
        async with self.at(actor) as memory:
            await memory.forget_all(actor)

    # -- what holds at any time -------------------------------------------------------------------

    @invariant()
    def nothing_is_lost_or_doubled_or_mixed_up(self) -> None:
        for actor in PEOPLE:
            self.run(self.check(actor))

    async def check(self, actor: Actor) -> None:
        expected = self.expected[actor]
        assert sorted(await self.texts(actor, Kind.MESSAGE)) == sorted(expected.archived)
        facts = await self.texts(actor, Kind.FACT)
        assert Counter(facts) <= Counter(expected.ended)
        sessions = await self.journal.sessions.of(actor)
        turns = {session.place: await self.journal.turns.of(session.id) for session in sessions}
        said = {place: [turn.said for turn in there] for place, there in turns.items() if there}
        assert said == {place: texts for place, texts in expected.open.items() if texts}
        private = {session.place for session in sessions if session.private}
        assert private == expected.private
        async with self.at(actor) as memory:
            tiers = await memory.talk.tiers(actor)
        open_ids = {session.id for session in sessions}
        summed_up = [id_ for s in tiers.summaries if s.session_id in open_ids for id_ in s.turn_ids]
        placed = [*(turn.id for turn in tiers.active if turn.kept), *summed_up]
        assert Counter(placed) == Counter(t.id for there in turns.values() for t in there if t.kept)

    @invariant()
    def nothing_private_or_forgotten_is_left(self) -> None:
        kept = self.kept()
        assert not [text for text in self.gone if text.split()[-1].encode() in kept]

    def kept(self) -> bytes:
        """Everything that is kept of anybody."""
        files = [file for file in self.path.rglob("*") if file.is_file()]
        return b"".join(file.read_bytes() for file in files)

    async def texts(self, actor: Actor, kind: Kind) -> list[str]:
        """What the store has of the actor, without the assistant's own words."""
        records = await self.store.records(actor, kinds=(kind,), include_superseded=True)
        return [record.text for record in records if record.text != "I see"]

    def teardown(self) -> None:
        try:
            self.works_off()
            self.nothing_private_or_forgotten_is_left()
        finally:
            self.run(self.close())
            self.runner.close()
            self.pool.shutdown()
            self.folder.cleanup()


AnyOrder.TestCase.settings = QUICK
TestAnyOrder = AnyOrder.TestCase
