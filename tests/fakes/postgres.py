"""A real PostgreSQL server for tests, from a Python package: one for each process that runs tests,
started when first needed."""

import atexit
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import psycopg

from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres_process import PostgresProcess


@cache
def server_url() -> str:
    """The address of the server. It ends with the process."""
    process = PostgresProcess()
    atexit.register(process.end)
    return process.url


@contextmanager
def postgres_server(schema: str = "") -> Iterator[PostgresServer]:
    """The server with a schema of its own, which is dropped at the end."""
    schema = schema or f"test_{uuid.uuid4().hex[:12]}"
    with ThreadPoolExecutor(4, "database") as pool:
        server = PostgresServer(server_url(), pool, schema=schema)
        try:
            yield server
        finally:
            server.close()
            with psycopg.connect(server_url(), autocommit=True) as connection:
                connection.execute(f'DROP SCHEMA "{schema}" CASCADE'.encode())
