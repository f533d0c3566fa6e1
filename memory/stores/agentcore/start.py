"""From configuration to a running AgentCoreStore, and back to closed connections."""

from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.circuit import Circuit
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsAccess,
    AwsCalls,
    open_client,
)
from memory.stores.agentcore.setup import (
    AgentCoreMemory,
    Patience,
    UnusableMemory,
    Wanted,
    find_or_create,
    wait_until_ready,
)
from memory.stores.agentcore.store import AgentCoreStore, Timing

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AgentCoreOptions:
    """Which memory to use, and how. Without a `memory_id` the memory of the wanted name is found
    or created. `connections` is best the number of the pool's threads."""

    outbox: Path
    memory_id: str | None = None
    wanted: Wanted = field(default_factory=lambda: Wanted("mordecai"))
    access: AwsAccess = field(default_factory=AwsAccess)
    connections: int = 16
    timing: Timing = field(default_factory=Timing)
    patience: Patience = field(default_factory=Patience)


@asynccontextmanager
async def agentcore_control(access: AwsAccess, pool: Executor) -> AsyncIterator[AwsCalls]:
    """The control plane, for as long as it is needed. Raises StoreUnavailable."""
    with closing(await open_client(CONTROL_SERVICE, access, pool, 1)) as client:
        yield AwsCalls(client, pool, Circuit("AgentCore control"))


@asynccontextmanager
async def agentcore_store(
    options: AgentCoreOptions, pool: Executor, progress: Callable[[str], None]
) -> AsyncIterator[AgentCoreStore]:
    """A store that runs until the block ends.

    With a `memory_id`, AWS being away is no reason not to start: turns wait in the outbox. Raises
    UnusableMemory for a memory that must not be used, StoreUnavailable if none could be found."""
    async with agentcore_control(options.access, pool) as control:
        memory = await _memory(control, options, progress)
    service = DATA_SERVICE
    with closing(await open_client(service, options.access, pool, options.connections)) as client:
        calls = AwsCalls(client, pool, Circuit("AgentCore Memory"), memory.id)
        opened = AgentCoreStore.open(calls, memory.strategies, options.outbox, options.timing)
        async with await opened as store:
            yield store


async def _memory(
    control: AwsCalls, options: AgentCoreOptions, progress: Callable[[str], None]
) -> AgentCoreMemory:
    if options.memory_id is None:
        memory = await find_or_create(control, options.wanted, progress, options.patience)
        _log.info(
            "memory_found",
            memory_id=memory.id,
            advice="write this id into the configuration: the next start is faster and safer",
        )
        return memory
    try:
        return await wait_until_ready(control, options.memory_id, progress, options.patience)
    except UnusableMemory:
        raise
    except StoreUnavailable as failure:
        _log.warning("memory_check_failed", memory_id=options.memory_id, error=str(failure))
        return AgentCoreMemory(options.memory_id, {})
