"""Extraction as a durable job: tried again, set aside, and never twice at once."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.background.locks import Locks
from memory.errors import StoreUnavailable
from memory.journal import Backlog, Job
from memory.learning.endings import Outcome
from memory.learning.jobs import ATTEMPTS, ExtractionJobs, ExtractionLimits
from memory.records import Actor, Change, Kind, Place, Role, Session, Turn, Utterance
from memory.stores.journal.sessions import SqlJobs
from memory.understanding import Extraction, Reading
from tests.fakes.extractors import EverySentence, learner
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore

ANNA, HOME = Actor("u1"), Place("telegram", 1)


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Jobs(SqlJobs):
    """Jobs of a journal that can be told to break."""

    broken: Exception | None = None
    looks = 0

    async def due(self, now: datetime, limit: int) -> list[Job]:
        self.looks += 1
        if self.broken:
            raise self.broken
        return await super().due(now, limit)

    async def retry(self, session: Session, next_at: datetime, error: str | None) -> None:
        if self.broken:
            raise self.broken
        await super().retry(session, next_at, error)


class Broken:
    """An extractor with a mistake in it."""

    calls = 0

    async def extract(self, reading: Reading) -> Extraction:
        self.calls += 1
        raise RuntimeError("a mistake")


class World:
    """A journal's file and a store, and as many loops on them as a test starts."""

    def __init__(self, path: Path, pool: ThreadPoolExecutor) -> None:
        self.path, self.pool = path, pool
        self.clock, self.store, self.extractor = Clock(), TemporaryStore(), EverySentence()
        self.journal = journal_in(path / "journal.sqlite", pool)
        self.journal.jobs = self.queue = Jobs(self.journal.database)

    def jobs(
        self, extractor: EverySentence | Broken | None = None, **changed: float
    ) -> ExtractionJobs:
        limits = replace(ExtractionLimits(attempts=3), **changed)  # type: ignore[arg-type]
        return ExtractionJobs(
            self.store,
            self.journal,
            learner(self.store, extractor or self.extractor, seconds=limits.seconds),
            Locks(),
            self.clock,
            limits,
        )

    async def ended(self, *ids: str) -> list[Session]:
        """Sessions that the journal has as ended, with a turn each."""
        sessions = [Session(id_, ANNA, HOME, self.clock(), self.clock()) for id_ in ids]
        for session in sessions:
            said = (Utterance(Role.USER, f"I like {session.id}", self.clock()),)
            await self.journal.sessions.open(session)
            await self.journal.turns.append(session.id, Turn(f"{session.id}-t", session.id, said))
            await self.journal.sessions.end(session.id, "new", self.clock())
        return sessions

    async def facts(self) -> list[str]:
        return [record.text for record in await self.store.records(ANNA, kinds=(Kind.FACT,))]

    async def until_tried(self, jobs: ExtractionJobs) -> None:
        """Go to when every retry is due, and have all of them tried."""
        self.clock.now += timedelta(hours=7)
        jobs.start()
        await jobs.settle()
        await jobs.aclose()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    with ThreadPoolExecutor(4) as pool:
        world = World(tmp_path, pool)
        yield world
        await world.journal.aclose()


@asynccontextmanager
async def running(jobs: ExtractionJobs) -> AsyncIterator[ExtractionJobs]:
    jobs.start()
    try:
        yield jobs
    finally:
        await jobs.aclose()


async def called(extractor: EverySentence, times: int) -> None:
    async with asyncio.timeout(10):
        while extractor.calls < times:
            await asyncio.sleep(0.005)


async def test_a_job_is_done_once_though_a_kill_came_between_its_records_and_its_end(world: World):
    (session,) = await world.ended("s1")
    learning = learner(world.store, world.extractor)
    turns = await world.journal.turns.of("s1")
    lesson = await learning.study(ANNA, turns)
    await learning.write(session, turns, lesson, world.clock())
    async with running(world.jobs()) as jobs:
        assert await jobs.enqueue(session).wait(10) is Outcome.SAVED
    assert world.extractor.calls == 1, "a second reading would put it into other words"
    assert await world.facts() == ["I like s1"]
    assert await world.journal.jobs.backlog() == Backlog(0, 0)


async def test_a_job_whose_try_fails_after_it_has_moved_counts_no_attempt(world: World):
    (session,) = await world.ended("s1")
    world.extractor.failures = 1
    world.extractor.gate.clear()
    async with running(world.jobs(attempts=1)) as jobs:
        ending = jobs.enqueue(session)
        await called(world.extractor, 1)
        await world.journal.move(ANNA, Actor("g2"), HOME, HOME)
        with capture_logs() as logs:
            world.extractor.gate.set()
            assert await ending.wait(10) is Outcome.LATER
            await jobs.settle()
    assert "session_quarantined" not in [line["event"] for line in logs]
    assert await world.facts() == []
    assert len(await world.store.records(Actor("g2"), kinds=(Kind.FACT,))) == 1


async def test_a_job_under_way_is_not_begun_again(world: World):
    await world.ended("s1")
    world.extractor.gate.clear()
    async with running(world.jobs()) as jobs:
        await called(world.extractor, 1)
        (other,) = await world.ended("s2")
        ending = jobs.enqueue(other)
        await called(world.extractor, 2)
        world.extractor.gate.set()
        assert await ending.wait(10) is Outcome.SAVED
        await jobs.settle()
    assert world.extractor.calls == 2
    assert sorted(await world.facts()) == ["I like s1", "I like s2"]


async def test_nobody_waits_for_a_session_that_was_erased_before_its_turn(world: World):
    (session,) = await world.ended("s1")
    jobs = world.jobs()
    ending = jobs.enqueue(session)
    await world.journal.erase(ANNA)
    async with running(jobs):
        assert await ending.wait(10) is Outcome.NOTHING
        await jobs.settle()
    assert world.extractor.calls == 0
    assert not jobs.endings.sessions()


async def test_a_job_that_a_stop_broke_off_begins_anew_at_the_next_start(world: World):
    await world.ended("s1")
    world.extractor.gate.clear()
    async with running(world.jobs()):
        await called(world.extractor, 1)
    world.extractor.gate.set()
    async with running(world.jobs()) as jobs:
        await jobs.settle()
    assert await world.facts() == ["I like s1"]


async def test_more_sessions_than_run_at_once_are_all_worked_off(world: World):
    await world.ended(*(f"s{n}" for n in range(9)))
    async with running(world.jobs(parallel=2)) as jobs:
        await jobs.settle()
    assert len(await world.facts()) == 9


@pytest.mark.parametrize("extractor", [EverySentence(failures=99), Broken()])
async def test_what_fails_every_time_is_set_aside_with_one_warning_and_all_its_turns(
    world: World, extractor: EverySentence | Broken
):
    await world.ended("s1")
    with capture_logs() as logs:
        for _ in range(6):
            await world.until_tried(world.jobs(extractor))
    assert extractor.calls == 3
    aside = [line for line in logs if line["event"] == "session_quarantined"]
    assert len(aside) == 1
    assert aside[0]["log_level"] == "warning"
    assert "maintain --retry" in aside[0]["remedy"]
    assert await world.journal.jobs.backlog() == Backlog(0, 1)
    assert len(await world.journal.turns.of("s1")) == 1


async def test_what_was_set_aside_is_saved_after_it_was_put_back(world: World):
    await world.ended("s1")
    world.extractor.failures = 3
    for _ in range(3):
        await world.until_tried(world.jobs())
    assert await world.journal.jobs.backlog() == Backlog(0, 1)
    assert await world.journal.jobs.requeue(world.clock()) == 1
    await world.until_tried(world.jobs())
    assert await world.facts() == ["I like s1"]
    assert await world.journal.jobs.backlog() == Backlog(0, 0)


async def test_a_try_that_takes_too_long_is_ended_and_saves_nothing(world: World):
    await world.ended("s1")
    world.extractor.gate.clear()
    async with running(world.jobs(seconds=0.05)) as jobs:
        await jobs.settle()
    assert await world.facts() == []
    assert await world.journal.jobs.backlog() == Backlog(1, 0)
    world.extractor.gate.set()
    await world.until_tried(world.jobs())
    assert await world.facts() == ["I like s1"]


@pytest.mark.parametrize("failure", [StoreUnavailable("away"), RuntimeError("a mistake")])
async def test_no_failure_of_the_journal_ends_the_loop(world: World, failure: Exception):
    world.queue.broken = failure
    async with running(world.jobs()) as jobs:
        await jobs.settle()
        (session,) = await world.ended("s1")
        world.queue.broken = None
        assert await jobs.enqueue(session).wait(10) is Outcome.SAVED


async def test_a_failure_that_can_not_even_be_written_down_costs_no_other_job(world: World):
    (session,) = await world.ended("s1")
    world.extractor.failures = 1
    world.extractor.gate.clear()
    async with running(world.jobs()) as jobs:
        ending = jobs.enqueue(session)
        await called(world.extractor, 1)
        world.queue.broken = RuntimeError("a mistake")
        world.extractor.gate.set()
        assert await ending.wait(10) is Outcome.LATER
        world.queue.broken = None
        (other,) = await world.ended("s2")
        assert await jobs.enqueue(other).wait(10) is Outcome.SAVED
    world.clock.now += timedelta(hours=1)
    async with running(world.jobs()) as jobs:
        await jobs.settle()
    assert sorted(await world.facts()) == ["I like s1", "I like s2"]


async def test_when_whoever_waits_is_broken_off_the_observer_hears(world: World):
    heard: list[str] = []

    async def hear(session: Session, changes: tuple[Change, ...]) -> None:
        heard.append(session.id)

    (session,) = await world.ended("s1")
    world.extractor.gate.clear()
    jobs = world.jobs()
    jobs.endings.subscribe(hear)
    async with running(jobs):
        waiting = asyncio.create_task(jobs.enqueue(session).wait(10))
        await called(world.extractor, 1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        world.extractor.gate.set()
        await jobs.settle()
    assert heard == ["s1"]


async def test_an_observer_that_fails_costs_nothing(world: World):
    async def fail(session: Session, changes: tuple[Change, ...]) -> None:
        raise RuntimeError("nobody listens")

    await world.ended("s1", "s2")
    jobs = world.jobs()
    jobs.endings.subscribe(fail)
    async with running(jobs):
        await jobs.settle()
    assert len(await world.facts()) == 2


def test_the_tries_of_one_session_outlast_a_night():
    pauses = [min(30 * 2**n, 6 * 3600) for n in range(ATTEMPTS - 1)]
    assert sum(pauses) > 12 * 3600
