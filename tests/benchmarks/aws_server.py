"""The fake AWS in a process of its own, so that it does not take time from the bot's process; and
the store of the program on it."""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.records import LEARNED_KINDS, Actor, Hit, Kind
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import DATA_SERVICE, AwsAccess, AwsCalls, open_client
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.opening import agentcore_control
from memory.stores.agentcore.setup import Wanted, find_or_create
from memory.stores.agentcore.store import AgentCoreStore, Timing
from tests.benchmarks.wire import Wire
from tests.fakes.aws.world import ENVIRONMENT, silent
from tests.fakes.files import database_in

#: As the program has it by default: nine tenths of the recall's deadline.
TIMING = Timing(search=1.35)


class CountingStore(AgentCoreStore):
    """The program's store, which also counts the searches that it was asked for and those that
    came back before whoever asked gave up."""

    asked = 0
    answered = 0

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
        """See AgentCoreStore."""
        self.asked += 1
        found = await super().search(
            actor, query, kinds=kinds, limit=limit, min_relevance=min_relevance, now=now
        )
        self.answered += 1
        return found


@dataclass(frozen=True)
class OnAws:
    """The store, and what goes over its wire."""

    store: CountingStore
    wire: Wire


@asynccontextmanager
async def aws_process(delay_seconds: float) -> AsyncIterator[str]:
    """A fake AWS that thinks for so long before every answer; its address."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.aws", "--delay-seconds", str(delay_seconds)),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        said = (await process.stdout.readline()).decode()
        yield said.split()[-1]
    finally:
        process.terminate()
        await process.communicate()


@asynccontextmanager
async def store_on(url: str, directory: Path, threads: int) -> AsyncIterator[OnAws]:
    """A store with a new memory on the AWS at this address, put together as the program does, with
    so many threads and connections."""
    os.environ.update(ENVIRONMENT)
    access = AwsAccess(region="us-east-1", endpoint_url=url)
    with ThreadPoolExecutor(threads, "aws") as pool:
        async with agentcore_control(access, pool) as control:
            wanted = Wanted(f"bench_{secrets.token_hex(4)}")
            memory = await find_or_create(control, wanted, silent)
        with closing(await open_client(DATA_SERVICE, access, pool, threads)) as client:
            wire = Wire(client)
            calls = AwsCalls(client, pool, Circuits("AgentCore Memory"), memory.id)
            outbox = database_in(directory / "outbox.sqlite", OUTBOX_LAYOUT)
            async with await CountingStore.open(calls, memory.strategies, outbox, TIMING) as store:
                yield OnAws(store, wire)
