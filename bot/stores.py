"""Opens what the settings name: databases, people, leases, the inbox and the memory's store."""

from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from datetime import datetime
from functools import partial
from typing import cast

import structlog

from bot.errors import OperatorError
from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.guest_tables import PEOPLE_LAYOUT, open_guest_book
from bot.people.languages import DatabaseLanguages, Languages
from bot.people.throttles import DatabaseThrottles
from bot.settings import Settings
from bot.telegram.delivery.holds import DatabaseHeldChats, HeldChats
from bot.telegram.intake.inbox import Inbox
from bot.telegram.sharing import SharedInbox
from bot.telegram.waiting import INBOX_LAYOUT
from memory.leases import ALONE, Leases
from memory.options import utc_now
from memory.ports import Store
from memory.stores.database import Databases
from memory.stores.records.store import TableStore
from memory.stores.sqlite.database import SqliteDatabases
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Embedder

_log = structlog.get_logger(__name__)


#: Threads for calls on PostgreSQL: each layout has one at work, for most of the time waiting.
_WAITING_THREADS = 8


@contextmanager
def open_databases(settings: Settings, pool: Executor) -> Iterator[Databases]:
    """The PostgreSQL server if there is one, or files whose calls the pool runs. Raises
    OperatorError, StoreUnavailable."""
    if settings.database_url is None:
        yield SqliteDatabases(settings.data_dir, pool)
        return
    with postgres_needed():
        from memory.stores.postgres.inspection import refuse_unfinished
        from memory.stores.postgres.server import PostgresServer
    url = settings.database_url.get_secret_value()
    connections = _WAITING_THREADS + settings.threads
    with (
        ThreadPoolExecutor(_WAITING_THREADS, "database") as threads,
        closing(PostgresServer(url, threads, connections=connections)) as server,
    ):
        refuse_unfinished(server)
        yield server


async def open_people(
    settings: Settings, databases: Databases, pool: Executor
) -> tuple[Access, HeldChats | None, Languages | None]:
    """Who may use the bot and how often; and what workers tell each other, if there are several.
    Raises StoreUnavailable, NewerStore."""
    mode, allowed, owners = AccessMode(settings.access), settings.allowed_users, settings.owners
    if settings.database_url is None:
        book = FileGuestBook(settings.data_dir / "access.json", pool)
        return Access(mode, allowed, book, owners=owners), None, None
    guests = await open_guest_book(databases.open(PEOPLE_LAYOUT))
    # Apart: guests are on the disk before anybody hears of them.
    others = databases.open(PEOPLE_LAYOUT)
    access = Access(mode, allowed, guests, DatabaseThrottles(others), owners=owners)
    return access, DatabaseHeldChats(others), DatabaseLanguages(others)


@contextmanager
def postgres_needed() -> Iterator[None]:
    """Import what needs the extra `postgres`. Raises OperatorError if it is not installed."""
    try:
        yield
    except ImportError as missing:
        raise OperatorError(
            "database_url needs a package that is not installed: install it with "
            "`.venv/bin/pip install 'mordecai-assistant[postgres]'`"
        ) from missing


#: The share of `lease_seconds` for which a worker that is gone keeps its leases.
_LEASED = 0.9


@asynccontextmanager
async def open_leases(
    settings: Settings, databases: Databases, heard: Callable[[datetime], None]
) -> AsyncIterator[Leases]:
    """The leases of this worker; all there are if no other shares its data. `heard` is told the
    database's time. Raises StoreUnavailable, NewerStore."""
    if settings.database_url is None:
        yield ALONE
        return
    from memory.stores.postgres.leases import PostgresLeases
    from memory.stores.postgres.server import PostgresServer

    server = cast(PostgresServer, databases)
    # Others look once a second for whom nobody works on: this leaves them the time.
    seconds = _LEASED * settings.lease_seconds
    async with PostgresLeases(server, seconds, heard=heard) as leases:
        yield leases


def open_inbox(databases: Databases, leases: Leases, channel: str, token: str) -> Inbox:
    """The inbox of a bot; raises StoreUnavailable, NewerStore."""
    database = databases.open(INBOX_LAYOUT)
    if leases is ALONE:
        return Inbox(database, channel, token)
    return SharedInbox(database, channel, token, leases)


@asynccontextmanager
async def open_store(
    settings: Settings,
    databases: Databases,
    pool: ThreadPoolExecutor,
    leases: Leases = ALONE,
    clock: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """The store of the long-term memory. Raises OperatorError, StoreUnavailable, NewerStore."""
    async with AsyncExitStack() as stack:
        if settings.memory_backend == "agentcore" and settings.memory_enabled:
            opened = _agentcore_store(settings, databases, leases, clock)
            yield await stack.enter_async_context(opened)
        else:
            yield await _embedded_store(settings, databases, pool, stack)


async def _embedded_store(
    settings: Settings, databases: Databases, pool: ThreadPoolExecutor, stack: AsyncExitStack
) -> Store:
    embedder: Embedder | None = None
    if settings.embedder and settings.memory_enabled:
        from bot.models.embedding.catalogue import embedder_of

        if configured := embedder_of(settings):
            embedder = await stack.enter_async_context(configured)
    on_files = isinstance(databases, SqliteDatabases)
    directory = settings.data_dir / "memory"
    store_of = partial(SqliteStore, directory, pool) if on_files else _on_server(databases, pool)
    store = store_of(
        relevance_decay=settings.relevance_decay,
        embedder=embedder,
        # Half of recall's time: if the embedder is late, the results by words are still in time.
        embedding_seconds=settings.memory_recall_timeout_seconds / 2,
    )
    stack.push_async_callback(store.aclose)
    return store


def _on_server(databases: Databases, pool: Executor) -> Callable[..., TableStore]:
    from memory.stores.postgres.records.store import PostgresStore
    from memory.stores.postgres.server import PostgresServer

    assert isinstance(databases, PostgresServer)  # noqa: S101 - for mypy
    if databases.is_above_row_security():
        _log.warning(
            "row_security_bypassed",
            key="database_url",
            effect="the server does not keep people's rows apart by itself: its user is a "
            "superuser or has BYPASSRLS",
            remedy="use a user of its own without these rights",
        )
    return partial(PostgresStore, databases, pool)


@asynccontextmanager
async def _agentcore_store(
    settings: Settings, databases: Databases, leases: Leases, clock: Callable[[], datetime]
) -> AsyncIterator[Store]:
    """The memory named by `memory_id`, or else found or created by `memory_name`. Raises
    OperatorError if nothing would be learned."""
    from bot.operations.aws import aws_access, wanted_memory, why_nothing_is_learned
    from memory.stores.agentcore.opening import AgentCoreOptions, agentcore_store
    from memory.stores.agentcore.store import Timing

    if why := why_nothing_is_learned(settings):
        raise OperatorError(why)
    # Shorter than recall's own deadline, so that recall can use what AWS returned by then.
    timing = Timing(search=0.9 * settings.memory_recall_timeout_seconds).by(clock)
    options = AgentCoreOptions(
        memory_id=settings.memory_id,
        wanted=wanted_memory(settings),
        access=aws_access(settings),
        connections=settings.aws_threads,
        timing=timing,
    )

    def report(progress: str) -> None:
        _log.info("agentcore_memory", progress=progress)

    with (
        # AWS calls that hang must not hold up files; what else is written into files must not hold
        # up the outbox, which replies wait for.
        ThreadPoolExecutor(settings.aws_threads, "aws") as pool,
        ThreadPoolExecutor(1, "outbox") as thread,
    ):
        if isinstance(databases, SqliteDatabases):
            databases = SqliteDatabases(settings.data_dir, thread)
        async with agentcore_store(options, databases, pool, report, leases) as store:
            yield store
