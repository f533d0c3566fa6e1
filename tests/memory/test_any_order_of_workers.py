"""The same lives while people go from worker to worker: see test_any_order."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Actor
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.records.store import PostgresStore
from tests.fakes.extractors import EverySentence
from tests.fakes.postgres import postgres_server
from tests.fakes.summarizers import Numbering
from tests.fakes.understanding import understood
from tests.memory.test_any_order import LIMITS, PEOPLE, PLACES, AnyOrder


@dataclass(frozen=True)
class Worker:
    memory: Memory
    leases: PostgresLeases


class AnyOrderOfWorkers(AnyOrder):
    """Two workers on one database. Each keeps the people it had last, with what it has of them in
    RAM, until they go to the other one, which they do half of the time."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.server = self.stack.enter_context(postgres_server())
        self.workers: list[Worker] = []
        self.place_of, self.visits = dict.fromkeys(PEOPLE, 0), 0

    async def begin(self) -> None:
        self.store: Store = PostgresStore(self.server, self.pool)
        self.journal = SqlJournal(self.server.open(JOURNAL_LAYOUT))
        self.workers = [await self.begin_worker() for _ in range(2)]

    async def begin_worker(self) -> Worker:
        leases = PostgresLeases(self.server, 300.0)
        options = MemoryOptions(
            limits=LIMITS, memory_recall_timeout_seconds=30, extraction_timeout_seconds=30
        )
        understanding = understood(EverySentence(), Numbering())
        memory = Memory(self.store, self.journal, understanding, options, lambda: self.now, leases)
        await leases.__aenter__()
        await memory.__aenter__()
        return Worker(memory, leases)

    @asynccontextmanager
    async def at(self, actor: Actor) -> AsyncIterator[Memory]:
        self.visits += 1
        if random.Random(self.visits).random() < 0.5:
            self.place_of[actor] = 1 - self.place_of[actor]
        here = self.workers[self.place_of[actor]]
        there = self.workers[1 - self.place_of[actor]]
        async with asyncio.timeout(30):
            while not await here.leases.claim([actor]):
                # What still runs there in the background comes to its end.
                await there.leases.give_back()
                await asyncio.sleep(0.01)
        # Else it would keep nobody any more.
        there.leases._ending = False
        async with here.leases.work_on(actor) as ours:
            assert ours
            yield here.memory

    def one_worker_is_started_again(self, which: int) -> None:
        self.run(self.replace_worker(which))

    async def replace_worker(self, which: int) -> None:
        await self.end_worker(self.workers[which])
        self.workers[which] = await self.begin_worker()

    async def end_worker(self, worker: Worker) -> None:
        await worker.memory.__aexit__(None, None, None)
        await worker.leases.__aexit__(None, None, None)

    async def settle(self) -> None:
        for _ in range(2):  # what one of them had left to the other is free by then
            for worker in self.workers:
                worker.memory._jobs._work.look_again()
                await worker.memory.settle()

    async def restart(self) -> None:
        await self.close()
        await self.begin()

    async def crash(self) -> None:
        doomed = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in doomed:
            task.cancel()
        await asyncio.gather(*doomed, return_exceptions=True)
        with self.server.connection() as connection:
            connection.execute("UPDATE worker SET leased_until = now()")
        await self.begin()

    async def close(self) -> None:
        for worker in self.workers:
            await self.end_worker(worker)
        await self.journal.aclose()
        await self.store.aclose()

    def kept(self) -> bytes:
        with self.server.connection() as connection:
            tables = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
            ).fetchall()
            rows = [
                connection.execute(f"SELECT t::text FROM {table} AS t".encode()).fetchall()
                for (table,) in tables
            ]
        return "\n".join(text for found in rows for (text,) in found).encode()

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.stack.close()


def test_people_who_go_from_worker_to_worker_live_as_at_one() -> None:
    lives, chance = AnyOrderOfWorkers(), random.Random(1)
    try:
        lives.starts()
        for _ in range(40):
            actor, place, sure = chance.choice(PEOPLE), chance.choice(PLACES), chance.random() < 0.5
            which = chance.randrange(100)
            happens: list[Callable[[], None]] = [
                *[partial(lives.talks, actor, place, 1 + which % 3, again=sure)] * 4,
                partial(lives.begins_anew, actor, place, private=sure),
                partial(lives.sums_up, actor, place),
                lives.works_off,
                partial(lives.is_started_again, killed=sure),
                partial(lives.one_worker_is_started_again, which % 2),
                partial(lives.forgets_one, actor, which),
                partial(lives.takes_a_deletion_back, actor, which),
                partial(lives.forgets_all, actor),
            ]
            chance.choice(happens)()
            lives.nothing_is_lost_or_doubled_or_mixed_up()
            lives.nothing_private_or_forgotten_is_left()
    finally:
        lives.teardown()
