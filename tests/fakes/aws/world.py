"""An AgentCoreStore on a fake AWS of its own, put together as the program does it."""

import os
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsAccess,
    AwsCalls,
    make_client,
)
from memory.stores.agentcore.erasure import ErasingPace
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.events.sender import SendingPace
from memory.stores.agentcore.setup import (
    AgentCoreMemory,
    Patience,
    Wanted,
    find_or_create,
    wait_for_data_plane,
)
from memory.stores.agentcore.store import AgentCoreStore, Timing
from memory.stores.database import Database
from memory.understanding import Extractor
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.plane import Clock
from tests.fakes.aws.server import FakeAws
from tests.fakes.files import database_in

#: No machine's own configuration plays a part, and nobody is asked over the network.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}

#: As fast as it goes.
FAST = Timing(
    search=5.0,
    erasing=ErasingPace(pauses=(0.2,)),
    pace=SendingPace(spacing=0.01, first_retry=0.02, longest_retry=0.1),
)


@dataclass
class World:
    """One fake AWS with a memory in it, clients of ours, and whatever was opened on them."""

    aws: FakeAws
    directory: Path
    pool: Executor
    control: AwsCalls
    memory: AgentCoreMemory
    client: Any
    circuits: Circuits = field(default_factory=lambda: Circuits("AgentCore", failures=1000))

    @property
    def outbox(self) -> Path:
        """The file of the outbox."""
        return self.directory / "outbox.sqlite"

    def open_outbox(self) -> Database:
        return database_in(self.outbox, OUTBOX_LAYOUT)

    def calls(self, memory_id: str | None = None) -> AwsCalls:
        """The data plane of the memory."""
        return AwsCalls(self.client, self.pool, self.circuits, memory_id or self.memory.id)

    async def store(self, timing: Timing = FAST, *, extracts: bool = True) -> AgentCoreStore:
        """A store on the outbox's file, as a start of the program makes it."""
        strategies = self.memory.strategies
        return await AgentCoreStore.open(
            self.calls(), strategies, self.open_outbox(), timing, extracts=extracts
        )

    def count(self, operation: str) -> int:
        """How often an operation was called."""
        return self.aws.operations().count(operation)


@dataclass(frozen=True)
class Machinery:
    """A running fake AWS and clients of ours to it; slow to make, so it may serve many tests."""

    aws: FakeAws
    pool: Executor
    control: AwsCalls
    client: Any

    async def world(self, directory: Path, wanted: Wanted | None = None) -> World:
        """A new memory on it, as setup makes one."""
        wanted = wanted or Wanted(f"mordecai_{secrets.token_hex(4)}")
        # GetMemory has its quota too.
        pause = 0.1 if self.aws.knobs.quotas else 0.01
        patience = Patience(10, pause)
        memory = await find_or_create(self.control, wanted, silent, patience)
        world = World(self.aws, directory, self.pool, self.control, memory, self.client)
        if self.aws.knobs.activation_seconds:
            await wait_for_data_plane(world.calls(), silent, patience)
        return world


@contextmanager
def machinery(
    knobs: Knobs | None = None,
    extractor: Extractor | None = None,
    clock: Clock = time.time,
    **access: Any,
) -> Iterator[Machinery]:
    """Start it, and stop it."""
    with (
        pytest.MonkeyPatch.context() as environment,
        ThreadPoolExecutor(8, thread_name_prefix="aws") as pool,
        FakeAws(knobs, extractor, clock) as aws,
    ):
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        reach = AwsAccess(region="us-east-1", endpoint_url=aws.url, **access)
        control_client = make_client(CONTROL_SERVICE, reach, 2)
        client = make_client(DATA_SERVICE, reach, 8)
        try:
            control = AwsCalls(control_client, pool, Circuits("AgentCore setup", failures=1000))
            yield Machinery(aws, pool, control, client)
        finally:
            client.close()
            control_client.close()


@asynccontextmanager
async def world(
    directory: Path,
    knobs: Knobs | None = None,
    extractor: Extractor | None = None,
    clock: Clock = time.time,
    wanted: Wanted | None = None,
    **access: Any,
) -> AsyncIterator[World]:
    """A fake AWS for one test, with a memory in it."""
    with machinery(knobs, extractor, clock, **access) as made:
        yield await made.world(directory, wanted)


def silent(_: str) -> None:
    """Nobody wants to know."""
