"""Everything goes wrong at once, while people write."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.benchmarks.killloop.crowd import Crowd
from tests.benchmarks.killloop.mind import Mind
from tests.benchmarks.killloop.verdict import Verdict
from tests.benchmarks.killloop.weather import Weather
from tests.benchmarks.workers.fleet import Fleet, Worker, fleet, listen_by_webhook, settings_of
from tests.benchmarks.workers.ledger import Ledger
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import OpenAIServer

#: What happens to workers and PostgreSQL, and how often beside the others.
BLOWS = {"kill": 8, "stop": 3, "cut": 4, "freeze": 3, "restart": 2}
_SETTLING = 240.0
#: Of 100 updates that a webhook took, so many are brought once more.
_REPEATED = 10


@dataclass(frozen=True)
class Size:
    """How many workers, people and groups. People write for as long as there are `blows`, one in
    `pause` seconds on average. The leases' time, and by how much the workers' `clocks` are ahead,
    in seconds. `hurry` shortens the pauses between what people write."""

    blows: tuple[str, ...]
    workers: int = 4
    people: int = 200
    groups: int = 5
    pause: float = 5.0
    hurry: float = 0.25
    lease: float = 5.0
    clocks: tuple[int, ...] = (0, 30, -30)
    seed: int = 1
    webhook: bool = False


class Storm:
    """One run on one folder."""

    def __init__(self, size: Size, folder: Path) -> None:
        self._size, self._folder = size, folder
        self._dice = random.Random(f"{size.seed}/storm")
        self._blows: dict[str, Callable[[Worker], Awaitable[None]]] = {
            "kill": self._kill,
            "stop": self._stop,
            "freeze": self._freeze,
            "cut": self._cut,
            "restart": self._restart,
        }
        #: Those that no blow hits at the moment.
        self._up = asyncio.Queue[Worker]()

    async def run(self) -> Verdict:
        """Let it happen, and judge."""
        size, weather = self._size, Weather(self._size.seed)
        mind = Mind(size.seed, lambda: None)
        async with (
            BotApiServer() as server,
            OpenAIServer(decide=mind.decide) as model,
            fleet(
                size.workers, self._folder, settings_of(server, model, size.lease), size.clocks
            ) as workers,
        ):
            self._postgres = workers.postgres
            if size.webhook:
                listen_by_webhook(server, workers)
                server.courier.repeats = lambda: self._dice.uniform(0, 100) < _REPEATED
            crowd = Crowd(server, size.seed, lambda: None, size.hurry)
            crowd.gather(size.people, size.groups)
            await workers.begin()
            server.luck = weather
            ledger = Ledger(workers.postgres.url)
            async with _in_background(ledger.watch()), crowd.writing():
                await self._strike(workers)
                weather.bad = False
            left = await self._settle(crowd, ledger)
            await workers.stop()
            verdict = Verdict(server, crowd, workers.lives)
            verdict.result.faults, verdict.result.jobs_left = weather.faults.total(), left
            for chats in mind.mixed:
                verdict.count("mixed_requests", f"chats {', '.join(chats)}")
            for wrong in ledger.wrong:
                verdict.count("leases_wrong", wrong)
            async with _memory(workers.postgres.url) as memory:
                await verdict.reach(memory)
            return verdict

    async def _strike(self, workers: Fleet) -> None:
        """All blows, each at another worker than those that have not got over theirs."""
        for worker in workers.workers:
            self._up.put_nowait(worker)
        async with asyncio.TaskGroup() as blows:
            for name in self._size.blows:
                await asyncio.sleep(self._dice.expovariate(1 / self._size.pause))
                blows.create_task(self._hit(self._blows[name], await self._up.get()))
        await asyncio.sleep(self._size.pause)

    async def _hit(self, blow: Callable[[Worker], Awaitable[None]], worker: Worker) -> None:
        await blow(worker)
        self._up.put_nowait(worker)

    async def _kill(self, worker: Worker) -> None:
        await worker.lives.kill(worker.life)
        await worker.begin()

    async def _stop(self, worker: Worker) -> None:
        await worker.lives.stop(worker.life)
        await worker.begin()

    async def _freeze(self, worker: Worker) -> None:
        await worker.lives.freeze(worker.life, self._size.lease * 1.5)

    async def _cut(self, worker: Worker) -> None:
        await worker.cut_off(self._dice.choice((0.0, 1.0, self._size.lease * 1.5)))

    async def _restart(self, _: Worker) -> None:
        await asyncio.to_thread(self._postgres.stop)
        await asyncio.sleep(self._dice.uniform(0, 1))
        await asyncio.to_thread(self._postgres.start)

    async def _settle(self, crowd: Crowd, ledger: Ledger) -> int:
        """Everybody ends their conversation and says one thing more; then all is answered and
        saved. The number of sessions that were not."""
        await asyncio.gather(*(someone.takes_leave() for someone in crowd.everybody))
        updates, sessions, deadline = 1, 0, time.monotonic() + _SETTLING
        while (updates or sessions or crowd.server.world.waiting) and time.monotonic() < deadline:
            await asyncio.sleep(0.5)
            with suppress(psycopg.Error):
                updates, sessions = await asyncio.to_thread(ledger.waiting)
        return sessions


@asynccontextmanager
async def _memory(url: str) -> AsyncIterator[PostgresStore]:
    with ThreadPoolExecutor(2) as pool, closing(PostgresServer(url, pool)) as server:
        async with aclosing(PostgresStore(server, pool)) as memory:
            yield memory


@asynccontextmanager
async def _in_background(work: Awaitable[None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
