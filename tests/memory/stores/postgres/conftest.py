"""A server for the tests of people's memories, one schema a module."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres import empty_people, plain_url, postgres_server


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture(scope="module")
def schema() -> Iterator[PostgresServer]:
    with postgres_server(url=plain_url()) as opened:
        yield opened


@pytest.fixture
def server(schema: PostgresServer) -> Iterator[PostgresServer]:
    yield schema
    empty_people(schema)
