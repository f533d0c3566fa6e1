"""Backups of a server as docs/scaling.md describes them: nothing is missing afterwards."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pydantic import SecretStr

from bot.operations.migrate import to_postgres, to_sqlite
from bot.settings import Settings
from memory.stores.postgres.server import PostgresServer
from memory.stores.transfer.files import DataFiles
from tests.fakes.postgres import plain_url, postgres_server, server_url
from tests.fakes.postgres_process import tool
from tests.memory.stores.transfer.contents import dump, random_data


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """As a user who has no more rights than needed."""
    with postgres_server("mordecai", url=plain_url()) as server:
        yield server


def on(data: Path) -> Settings:
    return Settings(data_dir=data, database_url=SecretStr(plain_url()))


def back(source: DataFiles, directory: Path) -> dict[str, object]:
    """What the server holds now."""
    to_sqlite(on(directory), dry_run=False)
    return dump(replace(source, directory=directory))


def run(name: str, *arguments: str) -> None:
    subprocess.run([tool(name), *arguments], check=True, capture_output=True)


def test_a_dump_brings_everything_back(tmp_path: Path, server: PostgresServer):
    source = random_data(tmp_path / "a", Random(1))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    file = str(tmp_path / "mordecai.dump")
    run("pg_dump", "--format=custom", "--schema=mordecai", f"--file={file}", server_url())
    run("psql", "--command=DROP SCHEMA mordecai CASCADE", server_url())
    run("pg_restore", "--exit-on-error", f"--dbname={server_url()}", file)
    assert back(source, tmp_path / "b") == dump(source)


def test_a_backup_as_files_brings_everything_back(tmp_path: Path, server: PostgresServer):
    source = random_data(tmp_path / "a", Random(2))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    to_sqlite(on(tmp_path / "backup"), dry_run=False, while_running=True)
    server.drop_schema()
    to_postgres(on(tmp_path / "backup"), dry_run=False)
    assert back(source, tmp_path / "b") == dump(source)


def test_a_dump_by_the_workers_role_fails_and_leaves_nobody_out_unnoticed(
    tmp_path: Path, server: PostgresServer
):
    random_data(tmp_path / "a", Random(3))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run("pg_dump", f"--schema={server.schema}", plain_url())
    assert b"row-level security" in refused.value.stderr
