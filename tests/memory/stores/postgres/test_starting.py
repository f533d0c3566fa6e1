"""What an operator reads when the server can't be used, in one line; and starts side by side."""

import socket
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from memory.errors import NewerStore, StoreUnavailable
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres import own_database, postgres_server, server_url

FIRST = Migration("first", ("CREATE TABLE noted (text TEXT NOT NULL)",))
ADDED = Migration(
    "added", ("ALTER TABLE noted ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine'",), compatible=True
)
REMOVED = Migration("removed", ("ALTER TABLE noted DROP COLUMN text",))
OLD = Layout("notes", (FIRST,))


def complaint(url: str, schema: str = "mordecai") -> str:
    """What a start on this address says."""
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreUnavailable) as refused:
        PostgresServer(url, pool, schema=schema)
    said = str(refused.value)
    assert said.startswith("database_url")
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:pa@s3cret@db.example.org/bot",
        "postgresql://ann:pa/s3cret#pw@127.0.0.1:5432/bot",
        "postgresql://ann:s3cret/pa@127.0.0.1:5432/bot",
        "postgresql://ann:s3cret@h/bot?no=1",
        "postgresql://ann:s3cret%@h/bot",
        "postgresql://ann:s3cret\udcff@h/bot",
    ],
)
def test_an_address_that_cant_be_read_is_not_repeated(url: str):
    said = complaint(url)
    assert "write it as postgresql://user:password@host:5432/database" in said
    assert "s3cret" not in said


LONG = "s3cret" + "x" * 70


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:1/s3cret", ""),
        ("postgresql://s3cret", ""),
        ("postgresql:///s3cret", ""),
        (psycopg.conninfo.make_conninfo("", host="127.0.0.1", port=1, dbname="s3cret"), ""),
        ("postgresql://ann:1@127.0.0.1:1/bot?sslmode=s3cret", "127.0.0.1/bot"),
        ("postgresql://ann:1@127.0.0.1:1/bot?service=s3cret", "127.0.0.1/bot"),
        ("postgresql://ann:1@127.0.0.1:1/bot?connect_timeout=s3cret", "127.0.0.1/bot"),
        ("postgresql://ann:s3cret%2F%23%40s3cret@127.0.0.1:1/bot", "127.0.0.1/bot"),
    ],
)
def test_what_may_be_a_password_is_not_shown_wherever_it_stands(url: str, shown: str):
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreUnavailable) as refused:
        PostgresServer(url, pool)
    said = "".join(traceback.format_exception(refused.value))
    assert "can't use " + shown in said
    assert "s3cret" not in said


@pytest.mark.parametrize("name", ["user", "dbname", "options"])
@pytest.mark.parametrize("secret", ["s3cret", LONG])
def test_what_the_server_says_shows_no_password_either(
    name: str, secret: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PGUSER", "postgres")
    url = server_url().replace("//postgres:@", "//", 1) if name == "dbname" else server_url()
    value = f"-c {secret}=1" if name == "options" else secret
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreUnavailable) as refused:
        PostgresServer(psycopg.conninfo.make_conninfo(url, **{name: value}), pool)
    said = "".join(traceback.format_exception(refused.value))
    assert "can't use" in said
    assert "s3cret" not in said


def test_a_server_that_is_not_there_is_named_without_the_password():
    said = complaint("postgresql://ann:s3cret@127.0.0.1:1/bot")
    assert "can't use 127.0.0.1/bot" in said
    assert "refused" in said
    assert "check that the server runs, the address, the user and the password" in said
    assert "s3cret" not in said


def test_a_database_that_is_not_there_is_named():
    url = psycopg.conninfo.make_conninfo(server_url(), dbname="nowhere")
    said = complaint(url)
    assert 'database "nowhere" does not exist' in said
    assert "make the database with CREATE DATABASE" in said


def test_a_user_that_the_server_does_not_know_is_told_to_check_the_user():
    url = psycopg.conninfo.make_conninfo(server_url(), user="nobody", password="s3cret")
    assert complaint(url).endswith(": check the user and the password")


def test_too_many_connections_are_told_from_a_server_that_is_not_there():
    role = f"guest_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 0".encode())
    said = complaint(psycopg.conninfo.make_conninfo(server_url(), user=role))
    assert "raise the server's max_connections" in said
    assert "check that the server runs" not in said


def test_a_server_without_ssl_is_told_from_one_that_is_not_there():
    def refuse() -> None:
        wire, _ = listening.accept()
        with wire:
            wire.recv(8)
            wire.sendall(b"N")

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        answered = pool.submit(refuse)
        port = listening.getsockname()[1]
        said = complaint(f"postgresql://ann:s3cret@127.0.0.1:{port}/bot?sslmode=require")
        answered.result()
    assert "take sslmode out of the address" in said


def test_a_user_without_rights_is_told_what_an_administrator_has_to_do():
    role = f"guest_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN".encode())
    said = complaint(psycopg.conninfo.make_conninfo(server_url(), user=role), "theirs")
    assert "permission denied" in said
    assert "CREATE SCHEMA IF NOT EXISTS theirs" in said
    assert f'OWNER TO "{role}"' in said
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA theirs")
        said = _complaint_of_migration(role)
        connection.execute("DROP SCHEMA theirs CASCADE")
    assert "can't make or change the tables of schema theirs" in said
    assert f'ALTER SCHEMA theirs OWNER TO "{role}"' in said


def _complaint_of_migration(role: str) -> str:
    url = psycopg.conninfo.make_conninfo(server_url(), user=role)
    with (
        ThreadPoolExecutor(1) as pool,
        closing(PostgresServer(url, pool, schema="theirs")) as server,
        pytest.raises(StoreUnavailable) as refused,
    ):
        server.open(OLD)
    return str(refused.value)


def test_a_database_that_cant_hold_every_letter_is_refused():
    with own_database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0") as url:
        assert "keeps texts as LATIN1" in complaint(url)


def test_a_server_that_only_reads_is_refused():
    with own_database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            name = connection.info.dbname
            connection.execute(
                f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode()
            )
        said = complaint(url)
        assert "read-only" in said
        assert "name the primary server" in said


def test_a_server_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("memory.stores.postgres.server.OLDEST", 990000)
    assert "Mordecai needs 99 or newer: update the server" in complaint(server_url())


def test_a_full_disk_is_told_from_missing_rights():
    failing = "DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$"
    with (
        postgres_server() as server,
        pytest.raises(StoreUnavailable, match=r"no space left.*make room on the server's disk"),
    ):
        server.open(Layout("notes", (replace(FIRST, postgres=(failing,)),)))


def test_workers_that_start_together_make_the_tables_once():
    schema = f"test_{uuid.uuid4().hex[:12]}"

    def start() -> None:
        with (
            ThreadPoolExecutor(1) as pool,
            closing(PostgresServer(server_url(), pool, schema=schema)) as server,
        ):
            server.open(Layout("notes", (FIRST, ADDED)))

    with ThreadPoolExecutor(6) as starters:
        for started in [starters.submit(start) for _ in range(6)]:
            started.result()
    with psycopg.connect(server_url(), autocommit=True) as connection:
        names = connection.execute(f"SELECT name FROM {schema}.migration ORDER BY name".encode())
        assert names.fetchall() == [("added",), ("first",)]
        connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())


async def test_an_older_worker_goes_on_and_starts_beside_what_a_newer_one_has_added():
    with postgres_server() as server:
        running = server.open(OLD)
        newer = server.open(Layout("notes", (FIRST, ADDED)))
        started = server.open(OLD)
        for each in (running, newer, started):
            await each.write("INSERT INTO noted (text) VALUES ('x')")
        assert await newer.rows("SELECT mood FROM noted") == [("fine",)] * 3


def test_what_a_newer_one_has_removed_an_older_one_refuses_to_work_without():
    with postgres_server() as server:
        server.open(Layout("notes", (FIRST, ADDED, REMOVED)))
        with pytest.raises(NewerStore, match=r"layout notes has removed\): install that version"):
            server.open(OLD)
