"""From configuration to a running AgentCoreStore."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field

import structlog

from memory.errors import StoreUnavailable
from memory.leases import ALONE, Leases
from memory.records import Kind
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsAccess,
    AwsCalls,
    open_client,
)
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.setup import (
    AgentCoreMemory,
    Patience,
    UnusableMemory,
    Wanted,
    find_or_create,
    inspect,
    wait_for_data_plane,
    wait_until_ready,
)
from memory.stores.agentcore.store import AgentCoreStore, Timing
from memory.stores.agentcore.strategies import Strategies
from memory.stores.database import Databases

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AgentCoreOptions:
    """Which memory to use, and how. Without a `memory_id` the memory of the wanted name is found
    or created; with one, only `wanted.extracts` counts. `connections` should be the number of the
    pool's threads."""

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
        yield AwsCalls(client, pool, Circuits("AgentCore control"))


@asynccontextmanager
async def agentcore_store(
    options: AgentCoreOptions,
    databases: Databases,
    pool: Executor,
    progress: Callable[[str], None],
    leases: Leases = ALONE,
) -> AsyncIterator[AgentCoreStore]:
    """A store that runs until the block ends. The threads of its outbox are not of the pool, whose
    calls may hang.

    With a `memory_id` it starts even while AWS is away: turns wait in the outbox. Raises
    UnusableMemory for a memory that must not be used, StoreUnavailable if none could be found."""
    async with agentcore_control(options.access, pool) as control:
        memory = await _memory(control, options, progress, leases)
    service = DATA_SERVICE
    with closing(await open_client(service, options.access, pool, options.connections)) as client:
        calls = AwsCalls(client, pool, Circuits("AgentCore Memory"), memory.id)
        if options.memory_id is None:
            await wait_for_data_plane(calls, progress, options.patience)

        async def ask() -> Mapping[Kind, str]:
            async with agentcore_control(options.access, pool) as control:
                return (await inspect(control, memory.id)).strategies

        opened = AgentCoreStore.open(
            calls,
            Strategies(memory.strategies, ask if options.wanted.extracts else None),
            databases.open(OUTBOX_LAYOUT),
            options.timing.expiring(memory.event_days),
            extracts=options.wanted.extracts,
            leases=leases,
        )
        async with await opened as store:
            yield store


async def _memory(
    control: AwsCalls,
    options: AgentCoreOptions,
    progress: Callable[[str], None],
    leases: Leases,
) -> AgentCoreMemory:
    if options.memory_id is None:
        memory = await _find_alone(control, options, progress, leases)
        _log.info(
            "memory_found",
            memory_id=memory.id,
            advice="write this id into the configuration: the next start is faster and safer",
        )
        return memory
    try:
        return await wait_until_ready(
            control,
            options.memory_id,
            progress,
            options.patience,
            extracts=options.wanted.extracts,
        )
    except UnusableMemory:
        raise
    except StoreUnavailable as failure:
        _log.warning("memory_check_failed", memory_id=options.memory_id, error=str(failure))
        return AgentCoreMemory(options.memory_id, {})


async def _find_alone(
    control: AwsCalls, options: AgentCoreOptions, progress: Callable[[str], None], leases: Leases
) -> AgentCoreMemory:
    """Find or create the memory while no other worker does: each would create one."""
    while True:
        async with leases.work_alone("memory on AWS") as ours:
            if ours:
                return await find_or_create(control, options.wanted, progress, options.patience)
        progress("waiting for the worker that finds or creates the memory")
        await asyncio.sleep(options.patience.poll)
