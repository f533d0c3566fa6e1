"""Memory as the conversation uses it: recall, record, end, forget, and back after a restart."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memory.conversation.live import SessionLimits
from memory.errors import Refusal, RefusedText, StoreUnavailable, UnknownRecord
from memory.learning.endings import Ending, Outcome
from memory.memory import Memory, MemoryOptions
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Change,
    ChangeKind,
    Choice,
    Draft,
    Hit,
    Kind,
    Place,
    Role,
    Session,
    Turn,
    Utterance,
)
from memory.understanding import Extraction, Reading
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

ANNA, BORIS = Actor("u1"), Actor("u12")
HOME, AWAY = Place("telegram", 1), Place("telegram", 12)


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


class FailingStore(TemporaryStore):
    """A store that answers nothing while `down`, and never while `hanging`."""

    down = False
    hanging = False

    async def _refuse(self) -> None:
        if self.hanging:
            await asyncio.Event().wait()
        if self.down:
            raise StoreUnavailable("told to be down")

    async def search(
        self,
        actor: Actor,
        query: str,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        limit: int = 10,
        min_relevance: float = 0.0,
        now: datetime | None = None,
    ) -> list[Hit]:
        await self._refuse()
        return await super().search(
            actor, query, kinds=kinds, limit=limit, min_relevance=min_relevance, now=now
        )

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        await self._refuse()
        return await super().add_turn(actor, *turns, on_disk=on_disk)


class World:
    """One data directory, one store, and as many processes on them as a test starts."""

    def __init__(self, path: Path, pool: ThreadPoolExecutor) -> None:
        self.path, self.pool = path, pool
        self.store = FailingStore()
        self.extractor = EverySentence()
        self.clock = Clock()
        self.saved: list[str] = []

    @asynccontextmanager
    async def process(self, **options: object) -> AsyncIterator[Memory]:
        limits = options.pop("limits", SessionLimits())
        settings = replace(MemoryOptions(limits=limits), **options)  # type: ignore[arg-type]
        async with journal_in(self.path / "journal.sqlite", self.pool) as journal:
            memory = Memory(self.store, journal, understood(self.extractor), settings, self.clock)
            memory.on_saved(self._on_saved)
            async with memory:
                yield memory

    async def _on_saved(self, session: Session, changes: tuple[Change, ...]) -> None:
        self.saved.append(session.id)

    async def talk(
        self, memory: Memory, *texts: str, actor: Actor = ANNA, place: Place = HOME
    ) -> Ending | None:
        ending = None
        for text in texts:
            await memory.talk.recall(actor, place, text)
            said = [
                Utterance(Role.USER, text, self.clock()),
                Utterance(Role.ASSISTANT, "ok", self.clock()),
            ]
            ending = await memory.talk.record(actor, place, said)
        return ending

    async def texts(self, memory: Memory, actor: Actor = ANNA) -> list[str]:
        return [r.text for r in await memory.known.records(actor, (Kind.FACT, Kind.PREFERENCE))]


@pytest.fixture
async def world(tmp_path: Path):
    with ThreadPoolExecutor(2) as pool:
        yield World(tmp_path, pool)


async def test_what_was_said_is_in_the_window_of_the_next_turn(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo", "I have a cat")
        history = await memory.talk.recall(ANNA, HOME, "and now?")
        assert [m.text for m in history.messages] == ["I live in Oslo", "ok", "I have a cat", "ok"]
        assert history.metadata.message_count == 4
        assert not history.metadata.has_long_term_context


async def test_an_ended_session_becomes_records_that_the_next_one_begins_with(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.SAVED
        assert await world.texts(memory) == ["I live in Oslo"]
        history = await memory.talk.recall(ANNA, HOME, "hello")
        assert history.messages == ()
        assert "I live in Oslo" in history.profile
        assert history.metadata.has_long_term_context


async def test_nobody_sees_anything_of_another_actor(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        await world.talk(memory, "I live in Bergen", actor=BORIS, place=AWAY)
        for actor, place in ((ANNA, HOME), (BORIS, AWAY)):
            ending = await memory.talk.end(actor, place, "new")
            assert ending is not None
            await ending.wait(5)
        assert await world.texts(memory, ANNA) == ["I live in Oslo"]
        assert await world.texts(memory, BORIS) == ["I live in Bergen"]
        history = await memory.talk.recall(BORIS, AWAY, "where do I live, in Oslo?")
        assert "Oslo" not in history.profile + history.recalled


async def test_an_open_session_goes_on_after_a_restart(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
    async with world.process() as memory:
        history = await memory.talk.recall(ANNA, HOME, "go on")
        assert [m.text for m in history.messages] == ["I live in Oslo", "ok"]


async def test_a_closed_session_never_comes_back_as_a_window(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        await memory.talk.end(ANNA, HOME, "new")
    async with world.process() as memory:
        assert (await memory.talk.recall(ANNA, HOME, "go on")).messages == ()


async def test_an_extraction_that_a_stop_interrupts_is_made_up_for_at_the_next_start(world: World):
    world.extractor.gate.clear()
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        await memory.talk.end(ANNA, HOME, "new")
        while not world.extractor.calls:
            await asyncio.sleep(0.01)
    world.extractor.gate.set()
    async with world.process() as memory:
        await memory.settle()
        assert await world.texts(memory) == ["I live in Oslo"]
        assert len(world.saved) == 1


async def test_a_failed_extraction_says_nothing_wrong_and_is_tried_again(world: World):
    world.extractor.failures = 1
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.LATER
        assert world.saved == []
        assert await world.texts(memory) == []
    world.clock.forward(minutes=1)
    async with world.process() as memory:
        await memory.settle()
        assert await world.texts(memory) == ["I live in Oslo"]
        assert len(world.saved) == 1, "said once it is so, though late"


async def test_extraction_that_takes_too_long_is_left_for_later(world: World):
    world.extractor.gate.clear()
    async with world.process(extraction_timeout_seconds=0.05) as memory:
        await world.talk(memory, "I live in Oslo")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.LATER
        assert await world.texts(memory) == []


async def test_the_observer_hears_of_what_nobody_waited_for(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        await memory.talk.end(ANNA, HOME, "idle")
        await memory.settle()
        assert len(world.saved) == 1


async def test_a_session_ends_at_its_number_of_messages(world: World):
    async with world.process(limits=SessionLimits(max_conversation_messages=4)) as memory:
        ending = await world.talk(memory, "I live in Oslo")
        assert ending is None
        ending = await world.talk(memory, "I have a cat")
        assert ending is not None
        assert await ending.wait(5) is Outcome.SAVED
        assert (await memory.talk.recall(ANNA, HOME, "hi")).messages == ()


async def test_a_message_after_long_silence_opens_a_new_session(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        world.clock.forward(hours=7)
        history = await memory.talk.recall(ANNA, HOME, "hello again")
        assert history.messages == ()
        await memory.settle()
        assert await world.texts(memory) == ["I live in Oslo"]


async def test_who_comes_back_after_long_silence_is_known_to_come_back(world: World):
    async with world.process() as memory:
        draft = Draft(Kind.SUMMARY, "Anna told of Oslo.", world.clock(), session_id="past")
        await world.store.commit(ANNA, [draft])
        world.clock.forward(hours=7)
        assert not (await memory.talk.recall(BORIS, AWAY, "hello")).metadata.reunion, "not known"
        assert (await memory.talk.recall(ANNA, HOME, "hello again")).metadata.reunion
        await world.talk(memory, "I am back")
        assert not (await memory.talk.recall(ANNA, HOME, "and now?")).metadata.reunion
        await memory.talk.end(ANNA, HOME, "new")
        assert not (await memory.talk.recall(ANNA, HOME, "at once")).metadata.reunion, "no silence"
    async with world.process(greeting=False) as memory:
        world.clock.forward(hours=7)
        assert not (await memory.talk.recall(ANNA, HOME, "hello again")).metadata.reunion


async def test_what_has_left_the_window_is_recalled_by_who_points_back(world: World):
    async with world.process(
        limits=SessionLimits(conversation_window_size=4, summary_turn_count=1)
    ) as memory:
        for said in ("My key is under the blue pot", "I like tea", "I like rain", "I like fog"):
            await world.talk(memory, said)
        await memory.settle()
        told = (
            await memory.talk.recall(ANNA, HOME, "what did I say earlier about the blue pot?")
        ).hits
        assert any("under the blue pot" in hit.record.text for hit in told)
        other = (await memory.talk.recall(ANNA, HOME, "a blue pot is pretty")).hits
        assert not any(hit.record.kind is Kind.MESSAGE for hit in other)


async def test_silence_ends_a_session_without_any_further_message(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
    world.clock.forward(hours=7)
    async with world.process(background_seconds=0.01) as memory:
        while not world.saved:
            await asyncio.sleep(0.01)
        assert await world.texts(memory) == ["I live in Oslo"]


async def test_the_memory_tidies_itself_up_once_a_day(world: World):
    async with world.process(background_seconds=0.01) as memory:
        old = (await memory.known.remember(ANNA, "I live in Oslo")).record
        moved = Draft(Kind.FACT, "I live in Bergen", world.clock(), supersedes=old.id)
        await world.store.commit(ANNA, [moved])
        assert len(await memory.known.records(ANNA, everything=True)) == 2
        world.clock.forward(days=400)
        async with asyncio.timeout(10):
            while len(await memory.known.records(ANNA, everything=True)) > 1:
                await asyncio.sleep(0.01)
        assert await world.texts(memory) == ["I live in Bergen"]


async def test_what_was_said_is_kept_with_its_place_and_both_sides(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo", place=Place("telegram", -5, 7))
        said, reply = json.loads((await memory.known.export(ANNA)).json)["messages"]
        assert (said["role"], reply["role"]) == ("user", "assistant")
        for message in (said, reply):
            assert message["place"] == {"channel": "telegram", "chat_id": -5, "topic_id": 7}
            assert message["session"]
            assert message["created_at"] == world.clock().isoformat()


async def test_ending_where_nothing_was_said_is_nothing(world: World):
    async with world.process() as memory:
        assert await memory.talk.end(ANNA, HOME, "new") is None
        await memory.talk.recall(ANNA, HOME, "hello")
        assert await memory.talk.end(ANNA, HOME, "new") is None


async def test_a_store_that_is_down_costs_recall_and_nothing_else(world: World):
    async with world.process() as memory:
        world.store.down = True
        await world.talk(memory, "I live in Oslo")
        history = await memory.talk.recall(ANNA, HOME, "where do I live?")
        assert [m.text for m in history.messages] == ["I live in Oslo", "ok"]
        world.store.down = False
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.SAVED
        found = await memory.known.search(ANNA, "Oslo", (Kind.MESSAGE,))
        assert found[0].record.text == "I live in Oslo", "the turn was made up for"


async def test_a_store_that_hangs_holds_a_reply_up_for_the_recall_deadline_at_most(world: World):
    async with world.process(memory_recall_timeout_seconds=0.05) as memory:
        world.store.hanging = True
        history = await memory.talk.recall(ANNA, HOME, "hello")
        assert history.recalled == ""


async def test_a_name_set_twice_leaves_one_current_name(world: World):
    async with world.process() as memory:
        assert await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis") == "Jarvis"
        assert await memory.choices.set(ANNA, Choice.AGENT_NAME, '"Friday"') == "Friday"
        assert await memory.choices.set(ANNA, Choice.AGENT_NAME, "Friday") == "Friday"
        assert (await memory.choices.read(ANNA)).agent_name == "Friday"
        assert (await memory.choices.read(BORIS)).agent_name is None
        assert await memory.known.records(ANNA, everything=True) == []


async def test_a_new_name_is_in_the_profile_of_the_running_session(world: World):
    async with world.process() as memory:
        await world.talk(memory, "hello")
        await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
        assert "Jarvis" in (await memory.talk.recall(ANNA, HOME, "who are you?")).profile


async def test_the_profile_stays_the_same_while_nothing_remembered_changes(world: World):
    async with world.process() as memory:
        await memory.known.remember(ANNA, "I live in Oslo")
        first = await memory.talk.recall(ANNA, HOME, "hello")
        world.clock.forward(days=0.2)
        await world.talk(memory, "something else")
        assert (await memory.talk.recall(ANNA, HOME, "and?")).profile == first.profile


async def test_remembering_the_same_twice_keeps_it_once(world: World):
    async with world.process() as memory:
        one = (await memory.known.remember(ANNA, "I live in Oslo")).record
        again = await memory.known.remember(ANNA, "i live  in Oslo.")
        assert (again.kind, again.before) == (ChangeKind.NOTED, one)
        assert [each.words for each in again.record.evidence] == [
            "I live in Oslo",
            "i live in Oslo.",
        ]
        assert await memory.known.records(ANNA) == [again.record]
        with pytest.raises(RefusedText):
            await memory.known.remember(ANNA, "  ")


async def test_a_question_is_no_memory(world: World):
    async with world.process() as memory:
        with pytest.raises(RefusedText) as refused:
            await memory.known.remember(ANNA, "what time is it")
        assert refused.value.reason is Refusal.QUESTION
        kept = (await memory.known.remember(ANNA, "who my doctor is: Dr. Smith")).record
        with pytest.raises(RefusedText):
            await memory.known.revise(ANNA, kept.short_id, "Who is my doctor?")


async def test_what_is_to_be_remembered_is_kept_as_extraction_keeps_it(world: World):
    async with world.process() as memory:
        annie = (await memory.known.remember(ANNA, "call me Annie")).record
        assert (annie.kind, annie.text, annie.slot) == (
            Kind.PREFERENCE,
            "Call me Annie",
            "nickname",
        )
        await memory.known.remember(ANNA, "I work at Acme")
        globex = (await memory.known.remember(ANNA, "I work at Globex")).record
        assert await memory.known.records(ANNA, (Kind.FACT,)) == [globex], "one employer at a time"
        other = (await memory.known.remember(ANNA, "The plumber comes on Mondays")).record
        assert (other.kind, other.slot) == (Kind.FACT, None)
        denied = (await memory.known.remember(ANNA, "I don't like olives")).record
        assert (denied.kind, denied.slot) == (Kind.PREFERENCE, None)


async def test_what_holds_beside_something_does_not_take_its_place(world: World):
    async with world.process() as memory:
        kept = [
            (await memory.known.remember(ANNA, text)).record
            for text in (
                "I work at Acme",
                "I also work at Globex",
                "My sister works at Initech",
                "My brother's name is Anton",
            )
        ]
        assert await memory.known.records(ANNA) == kept
        gone = (await memory.known.remember(ANNA, "I no longer work at Acme")).record
        assert await memory.known.records(ANNA) == [*kept, gone]


async def test_a_name_for_the_assistant_is_not_the_persons_own(world: World):
    async with world.process() as memory:
        assert await memory.remember(ANNA, "your name is Max") is None
        assert (await memory.choices.read(ANNA)).agent_name == "Max"
        assert await memory.known.records(ANNA) == []


@pytest.mark.parametrize(
    "text",
    [
        "Your name is Max. I live in Oslo",
        "your name is Max and my cat is ill",
        "I'll call you Max, the plumber comes on Mondays",
        "The plumber comes on Mondays, I call you Max",
    ],
)
async def test_what_is_said_beside_a_name_for_the_assistant_is_kept(world: World, text: str):
    async with world.process() as memory:
        kept = await memory.remember(ANNA, text)
        assert (await memory.choices.read(ANNA)).agent_name == "Max"
        assert kept is not None
        assert kept.record.text == text
        assert kept.record in await memory.known.records(ANNA, (Kind.FACT,))


async def test_forgetting_takes_ones_own_record_and_no_other(world: World):
    async with world.process() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        with pytest.raises(UnknownRecord):
            await memory.known.forget(BORIS, record.short_id)
        with pytest.raises(UnknownRecord):
            await memory.known.forget(ANNA, "nonsense id")
        gone = await memory.known.forget(ANNA, f" {record.short_id.upper()} ")
        assert gone.record.text == "I live in Oslo"
        assert await world.texts(memory) == []
        with pytest.raises(UnknownRecord):
            await memory.known.forget(ANNA, record.short_id)


async def test_a_forgotten_fact_is_found_nowhere_any_more(world: World):
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo", "I have a cat")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        await ending.wait(5)
        await world.talk(memory, "as I said, I live in Oslo", "I like tea")
        record = next(r for r in await memory.known.records(ANNA) if r.text == "I live in Oslo")
        await memory.known.forget(ANNA, record.short_id)
        assert "Oslo" not in str(await memory.known.export(ANNA))
        assert (
            await memory.known.search(ANNA, "Oslo", (Kind.MESSAGE, Kind.SUMMARY, Kind.FACT)) == []
        )
        history = await memory.talk.recall(ANNA, HOME, "where do I live?")
        assert [m.text for m in history.messages] == ["I like tea", "ok"]
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        await ending.wait(5)
        assert sorted(await world.texts(memory)) == ["I have a cat", "I like tea"]


async def test_a_turn_that_is_not_kept_stays_in_its_session_alone(world: World):
    async with world.process() as memory:
        await memory.talk.recall(ANNA, HOME, "forget that I live in Oslo")
        said = Utterance(Role.USER, "forget that I live in Oslo", world.clock())
        await memory.talk.record(ANNA, HOME, [said], kept=False)
        assert len((await memory.talk.recall(ANNA, HOME, "ok")).messages) == 1
        assert await memory.known.search(ANNA, "Oslo", (Kind.MESSAGE,)) == []
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.NOTHING
        assert await world.texts(memory) == []


async def test_forgetting_all_takes_records_turns_and_the_open_session(world: World):
    async with world.process() as memory:
        await memory.known.remember(ANNA, "I live in Oslo")
        await memory.known.remember(BORIS, "I live in Bergen")
        await world.talk(memory, "I have a cat")
        await memory.forget_all(ANNA)
        assert (await memory.talk.recall(ANNA, HOME, "cat")).messages == ()
        exported = json.loads((await memory.known.export(ANNA)).json)
        assert exported["facts"] == exported["messages"] == []
        assert await world.texts(memory, BORIS) == ["I live in Bergen"]


async def test_forgetting_all_while_extraction_runs_leaves_nothing_behind(world: World):
    world.extractor.gate.clear()
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        while not world.extractor.calls:
            await asyncio.sleep(0.01)
        await memory.forget_all(ANNA)
        world.extractor.gate.set()
        assert await ending.wait(5) is Outcome.NOTHING
        assert await world.texts(memory) == []


async def test_a_secret_reaches_no_file_and_stays_in_the_window_alone(world: World):
    async with world.process() as memory:
        await world.talk(memory, "my password is hunter2, and I live in Oslo")
        history = await memory.talk.recall(ANNA, HOME, "and?")
        assert "hunter2" in history.messages[0].text
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        await ending.wait(5)
        assert "hunter2" not in str(await memory.known.export(ANNA))
    assert b"hunter2" not in b"".join(p.read_bytes() for p in world.path.rglob("*") if p.is_file())


async def test_an_export_holds_everything_with_its_history(world: World):
    async with world.process() as memory:
        await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
        await memory.choices.set(ANNA, Choice.AGENT_NAME, "Friday")
        tea = (await memory.known.remember(ANNA, "I like tea", Kind.PREFERENCE)).record
        await memory.known.revise(ANNA, tea.short_id, "I like green tea")
        await world.talk(memory, "I live in Oslo")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        await ending.wait(5)
        exported = json.loads((await memory.known.export(ANNA)).json)
        assert exported["settings"]["agent_name"] == "Friday"
        assert [f["text"] for f in exported["facts"]] == ["I live in Oslo"]
        assert len(exported["preferences"]) == 2
        assert exported["preferences"][0]["superseded_at"] is not None
        assert [m["text"] for m in exported["messages"]] == ["I live in Oslo", "ok"]
        assert len(exported["summaries"]) == 1


async def test_with_memory_switched_off_nothing_outlives_the_window(world: World):
    async with world.process(memory_enabled=False) as memory:
        await world.talk(memory, "I live in Oslo")
        assert len((await memory.talk.recall(ANNA, HOME, "and?")).messages) == 2
        assert await memory.talk.end(ANNA, HOME, "new") is None
        with pytest.raises(RefusedText, match="memory_enabled"):
            await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
        assert await memory.known.search(ANNA, "Oslo") == []
    assert world.extractor.calls == 0


async def test_a_broken_extractor_breaks_no_other_extraction(world: World):
    class Broken(EverySentence):
        async def extract(self, reading: Reading) -> Extraction:
            if "bad" in reading.turns[0].said:
                raise ZeroDivisionError("a bug")
            return await super().extract(reading)

    world.extractor = Broken()
    async with world.process() as memory:
        await world.talk(memory, "bad luck")
        bad = await memory.talk.end(ANNA, HOME, "new")
        await world.talk(memory, "I live in Bergen", actor=BORIS, place=AWAY)
        good = await memory.talk.end(BORIS, AWAY, "new")
        assert bad is not None
        assert good is not None
        assert await bad.wait(5) is Outcome.LATER
        assert await good.wait(5) is Outcome.SAVED


async def test_statements_that_differ_in_a_number_are_all_kept(world: World):
    async with world.process() as memory:
        for said in (["I have 2 cats"], ["I have 3 cats", "I have 4 cats"]):
            await world.talk(memory, *said)
            ending = await memory.talk.end(ANNA, HOME, "new")
            assert ending is not None
            assert await ending.wait(5) is Outcome.SAVED
        assert await world.texts(memory) == ["I have 2 cats", "I have 3 cats", "I have 4 cats"]


async def test_what_is_forgotten_while_extraction_runs_is_in_no_record_and_no_summary(
    world: World,
):
    class Quoting(EverySentence):
        async def extract(self, reading: Reading) -> Extraction:
            extraction = await super().extract(reading)
            return replace(extraction, summary="; ".join(turn.said for turn in reading.turns))

    world.extractor = Quoting()
    async with world.process() as memory:
        record = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
        world.extractor.gate.clear()
        await world.talk(memory, "I work at Acme Corp", "I have a cat")
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending is not None
        while not world.extractor.calls:
            await asyncio.sleep(0.01)
        await memory.known.forget(ANNA, record.short_id)
        world.extractor.gate.set()
        assert await ending.wait(5) is Outcome.SAVED
        assert await world.texts(memory) == ["I have a cat"]
        assert "Acme" not in str(await memory.known.export(ANNA))


async def test_forgetting_all_while_extraction_runs_brings_no_message_back(world: World):
    world.extractor.gate.clear()
    async with world.process() as memory:
        await world.talk(memory, "I live in Oslo")
        await memory.talk.end(ANNA, HOME, "new")
        while not world.extractor.calls:
            await asyncio.sleep(0.01)
        await memory.forget_all(ANNA)
        world.extractor.gate.set()
        await memory.settle()
        assert "Oslo" not in str(await memory.known.export(ANNA))


async def test_what_was_said_is_dated_by_the_actors_own_calendar(world: World):
    async with world.process(time_zone=timezone(timedelta(hours=13))) as memory:
        await world.talk(memory, "I planted a cherry tree")
        world.clock.forward(hours=24)
        hits = await memory.known.search(ANNA, "What did I plant yesterday?", (Kind.MESSAGE,))
        assert [hit.record.created_at.isoformat() for hit in hits][:1] == [
            "2026-11-22T01:00:00+13:00"
        ]
        assert await memory.known.search(ANNA, "yesterday", (Kind.MESSAGE,))
        assert not await memory.known.search(ANNA, "two days ago", (Kind.MESSAGE,))


async def test_a_turn_recorded_twice_is_one_turn(world: World):
    async with world.process() as memory:
        said = [Utterance(Role.USER, "I live in Oslo", world.clock())]
        await memory.talk.record(ANNA, HOME, said, name="telegram:1:77")
        await memory.talk.record(ANNA, HOME, said, name="telegram:1:77")
        assert len((await memory.talk.recall(ANNA, HOME, "and?")).messages) == 1


async def test_a_change_that_is_broken_off_leaves_no_stale_profile(world: World):
    async with world.process() as memory:
        record = (await memory.known.remember(ANNA, "I live in Oslo")).record
        assert "Oslo" in (await memory.talk.recall(ANNA, HOME, "hi")).profile
        forgetting = asyncio.create_task(memory.known.forget(ANNA, record.short_id))
        while await memory.known.records(ANNA):
            await asyncio.sleep(0)
        forgetting.cancel()
        await asyncio.gather(forgetting, return_exceptions=True)
        assert "Oslo" not in (await memory.talk.recall(ANNA, HOME, "hi")).profile
