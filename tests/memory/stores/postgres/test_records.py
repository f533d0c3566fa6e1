"""Long-term memory on a real PostgreSQL server."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.contracts.amending import AmendingContract
from tests.contracts.choices import ChoicesContract
from tests.contracts.long_term_memory import LongTermMemoryContract
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.postgres import postgres_server


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server() as opened:
        yield opened


@pytest.fixture
async def store(server: PostgresServer, pool: ThreadPoolExecutor) -> AsyncIterator[PostgresStore]:
    opened = PostgresStore(server, pool)
    yield opened
    await opened.aclose()


class TestPostgresStore(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract, ChoicesContract
):
    """See the contract."""
