"""Several bots on one database, each a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from tests.benchmarks.killloop.lives import Life, Lives
from tests.e2e.command import environment
from tests.e2e.test_webhook import URL, free_port
from tests.fakes.botapi import BotApiServer
from tests.fakes.cut_wire import CutWire
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.postgres_process import PostgresProcess
from tests.fakes.shifted_clock import shifted_clock

#: After so many starts that fail in a row something is wrong.
_STARTS = 20


@dataclass
class Worker:
    """A bot that runs again and again, and its way to the database."""

    lives: Lives
    wire: CutWire

    @property
    def life(self) -> Life:
        """The run at hand."""
        return self.lives.all[-1]

    async def begin(self) -> None:
        """Start it, again if need be, as a supervisor does; return when it listens."""
        for _ in range(_STARTS):
            life = await self.lives.begin()
            if await self.lives.listens(life):
                return
            await self.lives.kill(life)
            if any(line.startswith("database_url: ") for line in life.log):
                life.failed = ""  # PostgreSQL was away, and the operator was told
            await asyncio.sleep(0.5)
        raise RuntimeError(f"{life} does not start: {life.log[-5:]}")

    async def cut_off(self, seconds: float) -> None:
        """Break its connections to the database, and let none through for so long."""
        self.life.blows.append(asyncio.get_running_loop().time())
        self.wire.cut()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.wire.mend()


@dataclass
class Fleet:
    """All workers, and the database that they share."""

    postgres: PostgresProcess
    workers: list[Worker] = field(default_factory=list)

    @property
    def lives(self) -> list[Life]:
        """All runs of all of them, in the order in which they began."""
        lives = chain.from_iterable(worker.lives.all for worker in self.workers)
        return sorted(lives, key=lambda life: life.began)

    async def begin(self) -> None:
        """Start all; return when they listen."""
        await asyncio.gather(*(worker.begin() for worker in self.workers))

    async def stop(self) -> None:
        """End all of them as an operator does."""
        await asyncio.gather(*(worker.lives.stop(worker.life) for worker in self.workers))


@asynccontextmanager
async def fleet(
    count: int, folder: Path, settings: Mapping[str, str], clocks: tuple[int, ...] = ()
) -> AsyncIterator[Fleet]:
    """So many workers, with a database of their own; they are not started yet. `clocks` says how
    many seconds those of the first ones are ahead."""
    postgres = await asyncio.to_thread(PostgresProcess)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, postgres.end)
        made = Fleet(postgres)
        for number in range(count):
            name = f"w{number + 1}"
            wire = stack.enter_context(CutWire(postgres.url))
            variables = {
                **settings,
                "MORDECAI_TELEGRAM_BASE_URL": f"{settings['MORDECAI_TELEGRAM_BASE_URL']}/{name}",
                "MORDECAI_DATA_DIR": str(folder / name),
                "MORDECAI_DATABASE_URL": wire.url,
            }
            if ahead := dict(enumerate(clocks)).get(number):
                variables |= shifted_clock(folder, ahead)
            lives = await stack.enter_async_context(aclosing(Lives(folder, variables, name)))
            made.workers.append(Worker(lives, wire))
        yield made


def settings_of(server: BotApiServer, model: OpenAIServer, lease: float) -> dict[str, str]:
    """What all workers have in common. Anybody may talk to them."""
    return environment(
        TELEGRAM_BOT_TOKEN=server.token,
        MORDECAI_TELEGRAM_BASE_URL=server.root,
        MORDECAI_MODEL="openai:any",
        MORDECAI_MODEL_BASE_URL=model.base_url,
        MORDECAI_MODEL_API_KEY=model.api_key,
        MORDECAI_ACCESS="open",
        MORDECAI_MESSAGES_PER_MINUTE="1000",
        MORDECAI_LEASE_SECONDS=f"{lease:g}",
    )


def listen_by_webhook(server: BotApiServer, made: Fleet) -> None:
    """Let Telegram call all workers in turn."""
    ports = [free_port() for _ in made.workers]
    server.courier.gateways = [f"http://127.0.0.1:{port}" for port in ports]
    for worker, port in zip(made.workers, ports, strict=True):
        worker.lives.variables |= {
            "MORDECAI_WEBHOOK_URL": URL,
            "MORDECAI_WEBHOOK_PORT": str(port),
            "MORDECAI_WEBHOOK_SECRET": "a-secret-that-all-workers-share",
        }
