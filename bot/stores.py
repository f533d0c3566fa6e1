"""The store of the long-term memory that the settings name, opened."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from bot.errors import OperatorError
from bot.settings import Settings
from memory.ports import Store
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Embedder

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_store(settings: Settings, pool: ThreadPoolExecutor) -> AsyncIterator[Store]:
    async with AsyncExitStack() as stack:
        if settings.memory_backend == "agentcore" and settings.memory_enabled:
            yield await _agentcore_store(settings, stack)
        else:
            yield await _embedded_store(settings, pool, stack)


async def _embedded_store(
    settings: Settings, pool: ThreadPoolExecutor, stack: AsyncExitStack
) -> Store:
    embedder: Embedder | None = None
    if settings.embedder and settings.memory_enabled:
        from bot.models.embedding.catalogue import embedder_of

        if configured := embedder_of(settings):
            embedder = await stack.enter_async_context(configured)
    store = SqliteStore(
        settings.data_dir / "memory",
        pool,
        relevance_decay=settings.relevance_decay,
        embedder=embedder,
        # Half of recall's time: if the embedder is late, the results by words are still in time.
        embedding_seconds=settings.memory_recall_timeout_seconds / 2,
    )
    stack.push_async_callback(store.aclose)
    return store


async def _agentcore_store(settings: Settings, stack: AsyncExitStack) -> Store:
    """The memory named by `memory_id`, or else found or created by `memory_name`. Raises
    OperatorError if nothing would be learned."""
    from bot.operations.aws import aws_access, wanted_memory, why_nothing_is_learned
    from memory.stores.agentcore.opening import AgentCoreOptions, agentcore_store
    from memory.stores.agentcore.store import Timing

    if why := why_nothing_is_learned(settings):
        raise OperatorError(why)
    # AWS calls that hang must not hold up files.
    pool = stack.enter_context(ThreadPoolExecutor(settings.aws_threads, "aws"))
    options = AgentCoreOptions(
        settings.data_dir / "outbox.sqlite",
        memory_id=settings.memory_id,
        wanted=wanted_memory(settings),
        access=aws_access(settings),
        connections=settings.aws_threads,
        # Shorter than recall's own deadline, so that recall can use what AWS returned by then.
        timing=Timing(search=0.9 * settings.memory_recall_timeout_seconds),
    )
    return await stack.enter_async_context(
        agentcore_store(options, pool, lambda text: _log.info("agentcore_memory", progress=text))
    )
