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


@cache
def plain_url() -> str:
    """The address of the server for a user with no more rights than needed: no superuser, who is
    above row-level security."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE plain LOGIN")
        connection.execute("GRANT CREATE ON DATABASE postgres TO plain")
    return server_url().replace("//postgres:@", "//plain:@", 1)


@contextmanager
def own_database(options: str = "") -> Iterator[str]:
    """The address of a new database, which is dropped at the end."""
    name = f"made_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {options}".encode())
        yield server_url().replace("/postgres?", f"/{name}?", 1)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def all_rows(url: str) -> str:
    """Everything that stands in the tables of a database's schema `mordecai`."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema = 'mordecai' AND table_type = 'BASE TABLE'"
        ).fetchall()
        return "\n".join(
            str(row)
            for (table,) in tables
            for (row,) in connection.execute(f"SELECT it::text FROM mordecai.{table} it".encode())
        )


@contextmanager
def postgres_server(schema: str = "", *, url: str = "") -> Iterator[PostgresServer]:
    """The server with a schema of its own, which is dropped at the end; by way of another `url` if
    there is one."""
    schema = schema or f"test_{uuid.uuid4().hex[:12]}"
    with ThreadPoolExecutor(4, "database") as pool:
        server = PostgresServer(url or server_url(), pool, schema=schema)
        try:
            yield server
        finally:
            server.close()
            with psycopg.connect(server_url(), autocommit=True) as connection:
                connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


def empty_people(server: PostgresServer) -> None:
    """Delete everybody's memories, and the leases."""
    with server.connection() as connection:
        connection.execute("DROP TABLE IF EXISTS lane")
        tables = connection.execute(
            "SELECT string_agg(oid::regclass::text, ', ') FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = to_regnamespace(%s) AND relname ~ '^person'",
            (server.schema,),
        ).fetchone()
        if tables and tables[0]:
            connection.execute(f"TRUNCATE {tables[0]}".encode())
