"""A conversation longer than its window: what leaves it is summed up, and comes back after a
restart."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.conversation.live import SessionLimits
from memory.conversation.talk import ConversationHistory
from memory.learning.endings import Outcome
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Kind, Place, Role, Utterance
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.summarizers import Numbering
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

ANNA, BORIS = Actor("u1"), Actor("u12")
HOME, AWAY = Place("telegram", 1), Place("telegram", 12)
#: Three turns fit, two leave at once.
LIMITS = SessionLimits(
    conversation_window_size=6, summary_turn_count=2, max_conversation_messages=1000
)


class World:
    """One data directory, one store, and as many processes on them as a test starts."""

    def __init__(self, path: Path, pool: ThreadPoolExecutor) -> None:
        self.path, self.pool = path, pool
        self.store = TemporaryStore()
        self.summarizer = Numbering()
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        self.said = 0

    @asynccontextmanager
    async def process(
        self, limits: SessionLimits = LIMITS, *, enabled: bool = True, seconds: float = 30
    ) -> AsyncIterator[Memory]:
        options = MemoryOptions(
            memory_enabled=enabled,
            limits=limits,
            memory_recall_timeout_seconds=30,
            extraction_timeout_seconds=seconds,
        )
        async with (
            journal_in(self.path / "journal.sqlite", self.pool) as journal,
            Memory(
                self.store,
                journal,
                understood(EverySentence(), self.summarizer),
                options,
                lambda: self.now,
            ) as memory,
        ):
            yield memory

    async def say(
        self, memory: Memory, text: str, *, kept: bool = True, actor: Actor = ANNA
    ) -> ConversationHistory:
        """One turn; what the model would have seen."""
        place = HOME if actor == ANNA else AWAY
        history = await memory.talk.recall(actor, place, text)
        said = (Utterance(Role.USER, text, self.now), Utterance(Role.ASSISTANT, "I see", self.now))
        await memory.talk.record(actor, place, said, kept=kept)
        return history

    async def talk(self, memory: Memory, turns: int) -> list[ConversationHistory]:
        """So many turns about numbered things."""
        seen = []
        for _ in range(turns):
            self.said += 1
            seen.append(await self.say(memory, f"I own thing {self.said}"))
        return seen


@pytest.fixture
async def world(tmp_path: Path):
    with ThreadPoolExecutor(2) as pool:
        yield World(tmp_path, pool)


def things(*numbers: int) -> str:
    return ", ".join(f"I own thing {number}" for number in numbers)


async def test_what_leaves_the_window_is_summed_up_in_the_background(world: World):
    async with world.process() as memory:
        await world.talk(memory, 4)
        await memory.settle()
        tiers = await memory.talk.tiers(ANNA)
        assert [turn.said for turn in tiers.active] == ["I own thing 3", "I own thing 4"]
        (summary,) = tiers.summaries
        assert summary.text == f"Summed up: {things(1, 2)}"
        assert not summary.fallback
        history = await memory.talk.recall(ANNA, HOME, "and now?")
        assert things(1, 2) in history.earlier
        assert [m.text for m in history.messages if m.role is Role.USER] == [
            "I own thing 3",
            "I own thing 4",
        ]


async def test_until_the_summary_is_there_a_fallback_stands_in_and_no_turn_waits(world: World):
    world.summarizer.gate.clear()
    async with world.process() as memory:
        await world.talk(memory, 4)
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert summary.fallback
        history = await memory.talk.recall(ANNA, HOME, "and now?")
        assert "I own thing 1" in history.earlier
        world.summarizer.gate.set()
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert not summary.fallback


async def test_a_summarizer_that_failed_is_asked_again_and_not_before_its_time(world: World):
    world.summarizer.failures = 1
    async with world.process() as memory:
        await world.talk(memory, 4)
        await memory.settle()
        assert (await memory.talk.tiers(ANNA)).summaries[0].fallback
    async with world.process() as memory:
        await memory.settle()
        assert len(world.summarizer.calls) == 1, "the pause outlives a restart"
    world.now += timedelta(seconds=31)
    async with world.process() as memory:
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert summary.text == f"Summed up: {things(1, 2)}"
        assert len(world.summarizer.calls) == 2


async def test_a_summarizer_that_hangs_is_given_up_and_the_fallback_stays(world: World):
    world.summarizer.gate.clear()
    async with world.process(seconds=0.05) as memory:
        await world.talk(memory, 4)
        await memory.settle()
        assert (await memory.talk.tiers(ANNA)).summaries[0].fallback


async def test_a_restart_brings_window_and_summaries_back_and_sums_nothing_up_again(world: World):
    async with world.process() as memory:
        for _ in range(9):
            await world.talk(memory, 1)
            await memory.settle()
        before = await memory.talk.tiers(ANNA)
        seen = await memory.talk.recall(ANNA, HOME, "and now?")
    calls = len(world.summarizer.calls)
    async with world.process() as memory:
        await memory.settle()
        assert await memory.talk.tiers(ANNA) == before
        again = await memory.talk.recall(ANNA, HOME, "and now?")
        assert (again.messages, again.earlier) == (seen.messages, seen.earlier)
        assert len(world.summarizer.calls) == calls
        await world.talk(memory, 1)
        assert [t.said for t in (await memory.talk.tiers(ANNA)).active][-1] == "I own thing 10"


async def test_a_smaller_window_after_a_restart_sums_up_what_no_longer_fits(world: World):
    async with world.process(SessionLimits(conversation_window_size=20)) as memory:
        await world.talk(memory, 9)
    async with world.process() as memory:
        history = await memory.talk.recall(ANNA, HOME, "and now?")
        assert len(history.messages) <= 6
        assert "I own thing 1" in history.earlier
        await memory.settle()
        assert not any(s.fallback for s in (await memory.talk.tiers(ANNA)).summaries)


async def test_there_are_at_most_three_and_the_oldest_goes_on_growing(world: World):
    async with world.process() as memory:
        for _ in range(12):
            await world.talk(memory, 1)
            await memory.settle()
        summaries = (await memory.talk.tiers(ANNA)).summaries
        assert len(summaries) == 3
        assert summaries[0].text == f"Summed up: {things(1, 2)} {things(3, 4)} {things(5, 6)}"
        assert [len(s.turn_ids) for s in summaries] == [6, 2, 2]
        assert world.summarizer.calls[-2][1] is not None, "it went on from its own earlier one"


async def test_a_summary_is_cut_to_its_tokens_and_its_secrets_are_masked(world: World):
    class Talkative(Numbering):
        async def summarize(self, *given: object, **named: object) -> str:
            return "my password is hunter2 and " + "so on " * 500

    world.summarizer = Talkative()
    async with world.process() as memory:
        await world.talk(memory, 4)
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert "hunter2" not in summary.text
        assert memory.tokens.count(summary.text) <= 200


async def test_summaries_are_made_of_masked_words(world: World):
    world.summarizer.gate.clear()
    async with world.process() as memory:
        await world.say(memory, "my password is hunter2")
        await world.talk(memory, 3)
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert "hunter2" not in summary.text
        assert "password" in summary.text
        world.summarizer.gate.set()
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert "hunter2" not in summary.text
        assert "password" in summary.text


async def test_a_turn_that_is_not_kept_gets_into_no_summary(world: World):
    async with world.process() as memory:
        await world.say(memory, "forget my zanzibar plan", kept=False)
        await world.talk(memory, 3)
        await memory.settle()
        tiers = await memory.talk.tiers(ANNA)
        assert len(tiers.active) == 2, "it has left"
        assert [s.text for s in tiers.summaries] == [f"Summed up: {things(1)}"]


async def test_the_block_changes_in_one_turn_of_two_at_most_however_late_summaries_come(
    world: World,
):
    """Two turns leave at once here: in between, not even a better text changes the beginning."""
    async with world.process() as memory:
        world.summarizer.gate.clear()
        seen = await world.talk(memory, 4)
        seen += await world.talk(memory, 1)
        world.summarizer.gate.set()
        await memory.settle()
        seen.append(await memory.talk.recall(ANNA, HOME, "and now?"))
        assert seen[4].earlier == seen[5].earlier != ""
        world.now += timedelta(minutes=6)
        cold = await memory.talk.recall(ANNA, HOME, "and now?")
        assert "Summed up:" in cold.earlier, "no cache has the beginning any more"


async def test_when_the_profile_changes_a_batch_leaves_at_once_as_the_beginning_is_new_anyway(
    world: World,
):
    async with world.process() as memory:
        await world.talk(memory, 3)
        await memory.known.remember(ANNA, "I keep bees")
        history = await memory.talk.recall(ANNA, HOME, "and now?")
        assert "I keep bees" in history.profile
        assert [t.said for t in (await memory.talk.tiers(ANNA)).active] == ["I own thing 3"]
        assert "I own thing 1" in history.earlier
        assert len(history.messages) == 2
        again = await memory.talk.recall(ANNA, HOME, "and now?")
        assert (again.messages, again.profile) == (history.messages, history.profile)


async def test_the_end_of_a_session_takes_its_summaries_along(world: World):
    async with world.process() as memory:
        await world.talk(memory, 6)
        await memory.settle()
        ending = await memory.talk.end(ANNA, HOME, "new")
        assert ending
        assert await ending.wait(10) is Outcome.SAVED
        history = await memory.talk.recall(ANNA, HOME, "hello")
        assert history.earlier == ""
        tiers = await memory.talk.tiers(ANNA)
        assert (tiers.active, tiers.summaries) == ((), ())
        (final,) = await memory.known.records(ANNA, (Kind.SUMMARY,))
        assert {turn.summary_id for turn in tiers.archived} == {final.id}
        assert len(tiers.archived) == 6


async def test_an_archived_turn_and_its_running_summary_name_each_other(world: World):
    async with world.process() as memory:
        await world.talk(memory, 4)
        tiers = await memory.talk.tiers(ANNA)
        (summary,) = tiers.summaries
        assert [turn.id for turn in tiers.archived] == list(summary.turn_ids)
        assert {turn.summary_id for turn in tiers.archived} == {summary.id}
        assert [m.text for m in tiers.archived[0].messages] == ["I own thing 1", "I see"]
        assert (await memory.talk.tiers(BORIS)).archived == ()


# -- summed up on request -------------------------------------------------------------------------


async def test_a_conversation_is_summed_up_on_request_but_for_its_last_turns(world: World):
    async with world.process() as memory:
        assert await memory.talk.summarize_now(ANNA, HOME) == ()
        await world.talk(memory, 3)
        (summary,) = await memory.talk.summarize_now(ANNA, HOME)
        assert summary.text == f"Summed up: {things(1)}"
        assert len((await memory.talk.tiers(ANNA)).active) == 2
        assert "I own thing 1" in (await memory.talk.recall(ANNA, HOME, "and now?")).earlier
        assert await memory.talk.summarize_now(ANNA, HOME) == (summary,), "once is enough"


async def test_on_request_the_fallback_serves_if_the_summarizer_fails(world: World):
    world.summarizer.failures = 1
    async with world.process() as memory:
        await world.talk(memory, 3)
        (summary,) = await memory.talk.summarize_now(ANNA, HOME)
        assert summary.fallback
        assert "I own thing 1" in summary.text
        (summary,) = await memory.talk.summarize_now(ANNA, HOME)
        assert not summary.fallback, "who asks again does not wait for the pause to end"


async def test_whoever_asks_twice_at_once_gets_the_summary_twice(world: World):
    async with world.process() as memory:
        await world.talk(memory, 3)
        asked = [memory.talk.summarize_now(ANNA, HOME), memory.talk.summarize_now(ANNA, HOME)]
        one, other = await asyncio.gather(*asked)
        assert one == other
        assert not one[0].fallback
    assert len(world.summarizer.calls) == 1


async def test_a_session_that_ends_before_its_turn_is_not_summed_up(world: World):
    world.summarizer.gate.clear()
    with capture_logs() as logs:
        async with world.process() as memory:
            people = [Actor(f"u{number}") for number in range(1, 6)]
            for actor in people:  # one more than are summed up at once
                for number in range(4):
                    await world.say(memory, f"I own thing {number}", actor=actor)
            async with asyncio.timeout(10):
                while len(memory._running._work.tasks) < 5 or len(world.summarizer.calls) < 4:
                    await asyncio.sleep(0.005)
            ending = await memory.talk.end(people[-1], AWAY, "new")
            assert ending
            assert await ending.wait(10) is Outcome.SAVED
            world.summarizer.gate.set()
            await memory.settle()
    assert len(world.summarizer.calls) == 4
    assert "running_summary_failed" not in [line["event"] for line in logs]


# -- forgetting -----------------------------------------------------------------------------------


async def test_what_is_forgotten_is_in_no_summary_and_the_other_turns_still_are(world: World):
    async with world.process() as memory:
        await world.say(memory, "I work at Acme Corp")
        await world.talk(memory, 3)
        await memory.settle()
        assert "Acme" in (await memory.talk.tiers(ANNA)).summaries[0].text
        record = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
        await memory.known.forget(ANNA, record.short_id)
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert summary.text == f"Summed up: {things(1)}"
        assert "Acme" not in (await memory.talk.recall(ANNA, HOME, "and now?")).earlier
    left = b"".join(p.read_bytes() for p in world.path.iterdir() if p.is_file())
    assert b"Acme" not in left


async def test_a_summarizer_under_way_does_not_bring_back_what_was_forgotten(world: World):
    world.summarizer.gate.clear()
    async with world.process() as memory:
        await world.say(memory, "I work at Acme Corp")
        await world.talk(memory, 3)
        await asyncio.wait_for(world.summarizer.under_way.wait(), 10)
        record = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
        await memory.known.forget(ANNA, record.short_id)
        world.summarizer.gate.set()
        await memory.settle()
        (summary,) = (await memory.talk.tiers(ANNA)).summaries
        assert summary.text == f"Summed up: {things(1)}"


async def test_forgetting_everything_leaves_no_summary_of_ones_own_and_those_of_others(
    world: World,
):
    world.summarizer.gate.clear()
    async with world.process() as memory:
        for actor in (ANNA, BORIS):
            for number in range(4):
                await world.say(memory, f"I own thing {number} of {actor.id}", actor=actor)
        await asyncio.wait_for(world.summarizer.under_way.wait(), 10)
        await memory.forget_all(ANNA)
        world.summarizer.gate.set()
        await memory.settle()
        assert (await memory.talk.tiers(ANNA)).summaries == ()
        assert len((await memory.talk.tiers(BORIS)).summaries) == 1


async def test_with_memory_off_nothing_outlives_the_window(world: World):
    async with world.process(enabled=False) as memory:
        await world.talk(memory, 6)
        assert (await memory.talk.recall(ANNA, HOME, "and now?")).earlier == ""
        assert (await memory.talk.tiers(ANNA)).summaries == ()
    assert world.summarizer.calls == []
