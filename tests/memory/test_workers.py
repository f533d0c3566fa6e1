"""Several workers on one PostgreSQL database, each a memory with leases of its own: what one of
them does in the background no other does as well, and none uses what another has changed since."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.background.wall import WallClock
from memory.conversation.live import SessionLimits
from memory.errors import LeaseLost, StoreUnavailable
from memory.knowledge.maintenance import Retention
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Choice, Kind, Place, Role, Utterance
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.fakes.extractors import EverySentence
from tests.fakes.postgres import postgres_server
from tests.fakes.summarizers import Numbering
from tests.fakes.understanding import understood

ANNA, BORIS = Actor("u1"), Actor("u12")
HOME = Place("telegram", 1)
#: Three turns fit, two leave at once.
LIMITS = SessionLimits(conversation_window_size=6, summary_turn_count=2)
#: In seconds: none runs out by itself, however slow the machine.
LEASE = 300.0


@dataclass
class Worker:
    """A worker, and what its extractor and its summarizer were asked."""

    memory: Memory
    leases: PostgresLeases
    extractor: EverySentence
    summarizer: Numbering

    async def say(self, *texts: str, actor: Actor = ANNA) -> None:
        """So many turns, as a lane holds them."""
        for text in texts:
            async with self.leases.work_on(actor) as ours:
                assert ours
                await self.memory.talk.recall(actor, HOME, text)
                now = self.memory.clock()
                said = Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "I see", now)
                await self.memory.talk.record(actor, HOME, said)

    async def window(self, actor: Actor = ANNA) -> list[str]:
        async with self.leases.work_on(actor) as ours:
            assert ours
            return [turn.said for turn in await self.memory.talk.recent(actor, HOME)]

    async def end(self, actor: Actor = ANNA) -> None:
        """Without waiting for what is learned."""
        async with self.leases.work_on(actor):
            await self.memory.talk.end(actor, HOME, "new")

    async def facts(self, actor: Actor = ANNA) -> list[str]:
        return [record.text for record in await self.memory.known.records(actor, (Kind.FACT,))]


class Shared:
    """A database, the time, and as many workers as a test starts."""

    def __init__(self, server: PostgresServer, pool: ThreadPoolExecutor) -> None:
        self.server, self.pool = server, pool
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    @asynccontextmanager
    async def worker(
        self, clock: Callable[[], datetime] | None = None, **options: object
    ) -> AsyncIterator[Worker]:
        """One that looks for work at once, and then every tenth of a second."""
        chosen = MemoryOptions(
            limits=LIMITS, memory_recall_timeout_seconds=30, background_seconds=0.1
        )
        heard = clock.follow if isinstance(clock, WallClock) else lambda now: None
        extractor, summarizer = EverySentence(), Numbering()
        store = PostgresStore(self.server, self.pool)
        async with (
            SqlJournal(self.server.open(JOURNAL_LAYOUT)) as journal,
            PostgresLeases(self.server, LEASE, heard=heard) as leases,
            Memory(
                store,
                journal,
                understood(extractor, summarizer),
                replace(chosen, **options),  # type: ignore[arg-type]
                clock or (lambda: self.now),
                leases,
            ) as memory,
        ):
            yield Worker(memory, leases, extractor, summarizer)
        await store.aclose()

    async def lose(self, worker: Worker) -> None:
        """End the leases of a worker that does not notice, as one that is frozen."""
        assert worker.leases._keeper
        worker.leases._keeper.cancel()
        await asyncio.gather(worker.leases._keeper, return_exceptions=True)
        with self.server.connection() as connection:
            connection.execute(
                "UPDATE worker SET leased_until = now() WHERE name = %s", (worker.leases.name,)
            )


@pytest.fixture
def shared() -> Iterator[Shared]:
    with postgres_server() as server, ThreadPoolExecutor(4, "records") as pool:
        yield Shared(server, pool)


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await true():
            await asyncio.sleep(0.05)


async def test_each_ended_session_is_extracted_by_one_worker(shared: Shared) -> None:
    people = [Actor.person(number) for number in range(1, 9)]
    async with shared.worker() as first:
        first.extractor.gate.clear()
        for actor in people:
            await first.say("I live in Oslo", actor=actor)
            await first.end(actor)
    async with shared.worker() as one, shared.worker() as other:

        async def all_learned() -> bool:
            return all([await one.facts(actor) for actor in people])

        await until(all_learned)
        assert (await one.memory.backlog()).waiting == 0
        assert one.extractor.calls + other.extractor.calls == len(people)


async def test_a_job_is_left_to_the_worker_that_has_its_actor_until_that_one_ends(
    shared: Shared,
) -> None:
    async with shared.worker() as other:
        async with shared.worker() as one:
            one.extractor.gate.clear()
            await one.leases.claim([ANNA])
            await one.say("I live in Oslo")
            await one.end()
            await other.memory.settle()
            other.memory._jobs._work.look_again()
            await other.memory.settle()
            assert other.extractor.calls == 0
        other.memory._jobs._work.look_again()

        async def learned() -> bool:
            return await other.facts() == ["I live in Oslo"]

        await until(learned)
        assert other.extractor.calls == 1


async def test_a_worker_that_loses_its_lease_while_it_learns_writes_nothing(
    shared: Shared,
) -> None:
    async with shared.worker() as frozen, shared.worker() as other:
        frozen.extractor.gate.clear()
        await frozen.say("I live in Oslo")
        await frozen.end()

        async def reading() -> bool:
            return frozen.extractor.calls == 1

        await until(reading)
        await shared.lose(frozen)
        await other.leases.claim([ANNA])
        frozen.extractor.gate.set()
        await frozen.memory.settle()
        assert await other.facts() == []
        (job,) = await other.memory._journal.jobs.due(shared.now, 9)
        assert job.attempts == 0, "it has not failed"
        other.memory._jobs._work.look_again()

        async def learned() -> bool:
            return await other.facts() == ["I live in Oslo"]

        await until(learned)


async def test_a_worker_uses_nothing_that_another_has_changed_since(shared: Shared) -> None:
    async with shared.worker() as one, shared.worker() as other:
        await one.say("I live in Oslo")
        async with one.leases.work_on(ANNA):
            await one.memory.choices.set(ANNA, Choice.LANGUAGE, "de")
        await other.say("I drink tea")
        async with other.leases.work_on(ANNA):
            assert (await other.memory.choices.read(ANNA)).language == "de"
            await other.memory.choices.set(ANNA, Choice.LANGUAGE, "fr")
            await other.memory.remember(ANNA, "My dog is called Rex")
        assert await one.window() == ["I live in Oslo", "I drink tea"]
        async with one.leases.work_on(ANNA):
            assert (await one.memory.choices.read(ANNA)).language == "fr"
            profile = await one.memory.talk.profile(ANNA)
        assert [record.text for record in profile.facts] == ["My dog is called Rex"]


async def test_what_a_worker_without_a_lease_still_does_is_refused(shared: Shared) -> None:
    async with shared.worker() as frozen, shared.worker() as other:
        async with frozen.leases.work_on(ANNA):
            await frozen.memory.talk.session_now(ANNA, HOME)
            await shared.lose(frozen)
            await other.say("I drink tea")
            said = (Utterance(Role.USER, "I live in Oslo", shared.now),)
            with pytest.raises(LeaseLost):
                await frozen.memory.talk.record(ANNA, HOME, said)
            with pytest.raises(LeaseLost):
                await frozen.memory.remember(ANNA, "My dog is called Rex")
            with pytest.raises(StoreUnavailable):
                await frozen.memory.forget_all(ANNA)
        assert await other.window() == ["I drink tea"]
        assert await other.facts() == []


async def test_an_idle_session_is_ended_by_one_worker(shared: Shared) -> None:
    async with shared.worker() as one, shared.worker() as other:
        await one.say("I live in Oslo")
        await other.say("I drink tea", actor=BORIS)
        shared.now += timedelta(days=1)

        async def learned() -> bool:
            return bool(await one.facts() and await one.facts(BORIS))

        await until(learned)
        assert one.extractor.calls + other.extractor.calls == 2


async def test_what_leaves_a_window_is_summed_up_once(shared: Shared) -> None:
    async with shared.worker() as one, shared.worker() as other:
        await one.say(*(f"I own thing {number}" for number in range(4)))
        other.memory._running.look_again()

        async def summed_up() -> bool:
            (summary,) = await one.memory._journal.summaries.of(session.id)
            return not summary.fallback

        (session,) = await one.memory._journal.sessions.of(ANNA)
        await until(summed_up)
        await asyncio.gather(one.memory.settle(), other.memory.settle())
        assert len(one.summarizer.calls) + len(other.summarizer.calls) == 1


async def test_the_daily_maintenance_is_done_by_one_worker_and_comes_back_to_who_was_busy(
    shared: Shared,
) -> None:
    people = [Actor.person(number) for number in range(1, 6)]
    async with shared.worker() as busy:
        for actor in people:
            await busy.memory.known.remember(actor, "I live in Oslo")
        await busy.leases.claim([ANNA])
        shared.now += timedelta(days=10)
        keeps = Retention(fact_days=5)
        async with shared.worker(retention=keeps) as one, shared.worker(retention=keeps) as other:
            for worker in (one, other):
                worker.memory._maintenance.returns = (0.1,) * 100

            async def all_but_one_gone() -> bool:
                return not any([await one.facts(actor) for actor in people if actor != ANNA])

            await until(all_but_one_gone)
            assert await busy.facts() == ["I live in Oslo"]
            await busy.leases.give_back()

            async def gone() -> bool:
                return not await one.facts()

            await until(gone)


async def test_of_two_choices_the_later_counts_though_its_worker_s_clock_is_behind(
    shared: Shared,
) -> None:
    def clock(off: timedelta) -> WallClock:
        return WallClock(lambda: datetime.now(UTC) + off)

    ahead, behind = clock(timedelta(seconds=30)), clock(timedelta(seconds=-30))
    async with shared.worker(ahead) as one, shared.worker(behind) as other:
        async with one.leases.work_on(ANNA):
            await one.memory.choices.set(ANNA, Choice.LANGUAGE, "de")
        async with other.leases.work_on(ANNA):
            await other.memory.choices.set(ANNA, Choice.LANGUAGE, "fr")
        async with one.leases.work_on(ANNA):
            assert (await one.memory.choices.read(ANNA)).language == "fr"
        # What the one puts off, the other finds due in time.
        await one.say("I live in Oslo")
        one.extractor.failures = other.extractor.failures = 1
        await one.end()

        async def tried() -> bool:
            return bool(one.extractor.calls + other.extractor.calls)

        await until(tried)
        await asyncio.gather(one.memory.settle(), other.memory.settle())
        in_a_minute = datetime.now(UTC) + timedelta(seconds=60)
        jobs = one.memory._journal.jobs
        assert not await jobs.due(in_a_minute - timedelta(seconds=50), 9)
        assert len(await jobs.due(in_a_minute, 9)) == 1


async def test_who_has_an_actor_moves_it_though_another_worker_has_the_new_one(
    shared: Shared,
) -> None:
    old, new = Actor.group(-5), Actor.group(-1005)
    here = Place("telegram", -5), Place("telegram", -1005)
    async with shared.worker() as one, shared.worker() as other:
        await one.memory.known.remember(old, "We meet on Mondays")
        await one.leases.claim([old])
        await other.leases.claim([new])
        await other.memory.known.remember(new, "We sing")
        with pytest.raises(StoreUnavailable, match="another worker"):
            await other.memory.move(old, new, *here)
        await one.memory.move(old, new, *here)
        assert sorted(await other.facts(new)) == ["We meet on Mondays", "We sing"]
