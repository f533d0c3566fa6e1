"""A layout's tables on a real PostgreSQL server."""

import asyncio
import json

import psycopg
import pytest

from memory.errors import LeaseLost, NewerStore
from memory.leases import Lease, current_lease
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.dialect import statement_of
from tests.fakes.postgres import postgres_server, server_url

LAYOUT = Layout(
    "notes",
    (
        Migration(
            "notes",
            ("CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT, size INTEGER) WITHOUT ROWID",),
        ),
        Migration(
            "lanes",
            ("CREATE TABLE lane (actor TEXT PRIMARY KEY, token INTEGER NOT NULL) WITHOUT ROWID",),
        ),
    ),
)


def test_what_sqlite_writes_otherwise_is_translated():
    sql = "SELECT '?%' FROM note WHERE name NOT IN (SELECT value FROM json_each(?)) AND value IS ?"
    statement = statement_of(sql)
    assert statement.sql == (
        "SELECT '?%%' FROM note WHERE name <> ALL (%s) AND value IS NOT DISTINCT FROM %s"
    )
    assert statement.values([json.dumps(["a"]), None]) == [["a"], None]


def test_a_numbered_value_may_stand_twice():
    statement = statement_of("SELECT ?2, ?1, ?2")
    assert statement.values(["one", True]) == [1, "one", 1]


async def test_what_is_written_is_read_again():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        assert (
            await notes.write("INSERT INTO note VALUES (?, ?, ?)", "a", "with a \0 in it", 3) == 1
        )
        sql = "SELECT value, size FROM note WHERE name IN (SELECT value FROM json_each(?))"
        assert await notes.rows(sql, json.dumps(["a", "b"])) == [("with a  in it", 3)]


async def test_many_writes_at_once_are_all_kept():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        add = "INSERT INTO note VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        await asyncio.gather(*(notes.write(add, str(n), "x", n) for n in range(200)))
        assert await notes.rows("SELECT count(*) FROM note") == [(200,)]


async def test_a_call_that_fails_keeps_its_neighbours_from_nothing():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        add = "INSERT INTO note VALUES (?, ?, ?)"
        done = await asyncio.gather(
            *(notes.write(add, name, "x", 1) for name in ("a", "a", "b")), return_exceptions=True
        )
        assert [isinstance(each, Exception) for each in done] == [False, True, False]


async def test_nothing_is_written_under_a_lease_that_is_lost():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        await notes.write("INSERT INTO lane VALUES (?, ?)", "u1", 7)
        add = "INSERT INTO note VALUES (?, ?, ?)"
        current_lease.set(Lease("u1", 7))
        await notes.write(add, "a", "x", 1)
        current_lease.set(Lease("u1", 6))
        with pytest.raises(LeaseLost):
            await notes.write(add, "b", "x", 1)
        assert await notes.rows("SELECT name FROM note") == [("a",)]


async def test_nothing_is_written_under_a_lease_that_ran_out_and_nobody_has_claimed_since():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        await notes.write("INSERT INTO lane VALUES (?, ?)", "u1", 7)
        lease = Lease("u1", 7)
        current_lease.set(lease)
        lease.lose()
        with pytest.raises(LeaseLost):
            await notes.write("INSERT INTO note VALUES (?, ?, ?)", "a", "x", 1)
        assert await notes.rows("SELECT name FROM note") == []


async def test_a_newer_layout_is_refused():
    with postgres_server() as server:
        server.open(LAYOUT)
        with pytest.raises(NewerStore, match="lanes"):
            server.open(Layout("notes", LAYOUT.migrations[:1]))


async def test_a_second_start_migrates_nothing_again():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        await notes.write("INSERT INTO note VALUES ('a', 'x', 1)")
        assert await server.open(LAYOUT).rows("SELECT name FROM note") == [("a",)]


async def test_the_connection_may_break_between_calls():
    with postgres_server() as server:
        notes = server.open(LAYOUT)
        await notes.write("INSERT INTO note VALUES ('a', 'x', 1)")
        with psycopg.connect(server_url(), autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        await notes.write("INSERT INTO note VALUES ('b', 'x', 1)")
        assert len(await notes.rows("SELECT name FROM note")) == 2
