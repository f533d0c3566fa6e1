"""From files to a PostgreSQL server and back: everything is as it was."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Kind
from memory.stores.postgres.inspection import refuse_unfinished, server_snapshot
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from memory.stores.postgres.transfer import ServerSource, ServerTarget
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.sqlite.store import SqliteStore
from memory.stores.transfer.files import DataFiles, FileSource, FileTarget
from memory.stores.transfer.transfer import Step, transfer
from tests.contracts.long_term_memory import draft
from tests.fakes.embedders import WordEmbedder
from tests.fakes.postgres import postgres_server, server_url
from tests.memory.stores.transfer.contents import LAYOUTS, dump, random_data
from tests.memory.stores.transfer.test_files import Killed, killer

Tell = Callable[[Step], None]


def say_nothing(step: Step) -> None: ...


def bring_there(source: DataFiles, server: PostgresServer, tell: Tell = say_nothing) -> None:
    transfer(FileSource(source), ServerTarget(server, LAYOUTS, PERSON_LAYOUT), tell)


def bring_back(
    server: PostgresServer, directory: Path, tell: Tell = lambda step: None
) -> DataFiles:
    target = DataFiles(directory, LAYOUTS, PERSON_LAYOUT)
    with server_snapshot(server_url(), server.schema) as connection:
        transfer(ServerSource(connection, LAYOUTS, PERSON_LAYOUT), FileTarget(target), tell)
    return target


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000))
def test_anything_survives_there_and_back(seed: int):
    with TemporaryDirectory() as directory, postgres_server() as server:
        there = random_data(Path(directory) / "a", Random(seed))
        bring_there(there, server)
        assert dump(bring_back(server, Path(directory) / "b")) == dump(there)


@pytest.mark.parametrize("after", [1, 3, 6])
def test_after_a_kill_the_next_run_does_the_rest(tmp_path: Path, after: int):
    source = random_data(tmp_path / "a", Random(after))
    with postgres_server() as server:
        with pytest.raises(Killed):
            bring_there(source, server, killer(after).append)
        with pytest.raises(StoreUnavailable, match="half filled: end it with `mordecai migrate"):
            refuse_unfinished(server)
        steps: list[Step] = []
        bring_there(source, server, steps.append)
        refuse_unfinished(server)
        assert [step.was_there for step in steps] == [True] * after + [False] * (6 - after)
        with pytest.raises(Killed):
            bring_back(server, tmp_path / "b", killer(after).append)
        assert dump(bring_back(server, tmp_path / "b")) == dump(source)


def test_what_has_changed_or_gone_at_the_source_meanwhile_does_so_at_the_server(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(4))
    with postgres_server() as server:
        with pytest.raises(Killed):
            bring_there(source, server, killer(6).append)
        gone, stays = [section for section in source.sections() if section.actor]
        source.path(gone).unlink()
        for path in (tmp_path / "a" / "journal.sqlite", source.path(stays)):
            with closing(sqlite3.connect(path)) as db, db:
                db.execute("DELETE FROM " + ("panel" if "journal" in path.name else "choice"))
        bring_there(source, server)
        with server.connection() as connection:
            left = connection.execute("SELECT DISTINCT actor FROM person_posting").fetchall()
        assert left == [(stays.name,)]
        assert dump(bring_back(server, tmp_path / "b")) == dump(source)


def test_if_the_server_goes_away_the_next_run_does_the_rest(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(9))
    with postgres_server() as server:

        def cut(step: Step) -> None:
            with psycopg.connect(server_url(), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = %s",
                    (server.schema,),
                )

        with pytest.raises(StoreUnavailable, match="database_url"):
            bring_there(source, server, cut)
        server.replace_broken()
        bring_there(source, server)
        with pytest.raises(StoreUnavailable, match="database_url"):
            bring_back(server, tmp_path / "b", cut)
        assert dump(bring_back(server, tmp_path / "b")) == dump(source)


def test_a_server_with_data_is_left_alone(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(5))
    with postgres_server() as server:
        bring_there(source, server)
        with pytest.raises(StoreUnavailable, match=r"holds data already \(session\).*DROP SCHEMA"):
            bring_there(source, server)
        refuse_unfinished(server)


def test_a_transfer_reads_one_moment_though_workers_write_meanwhile(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(6))
    with postgres_server() as server:
        bring_there(source, server)

        def write(step: Step) -> None:
            with server.connection() as connection:
                connection.execute("DELETE FROM usage")

        assert dump(bring_back(server, tmp_path / "b", write)) == dump(source)


def test_a_newer_and_an_older_schema_are_named(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(7), people=0)
    with postgres_server() as server:
        bring_there(source, server)
        with server.connection() as connection:
            connection.execute("DELETE FROM migration WHERE name = 'shares'")
        with pytest.raises(StoreUnavailable, match="usage is of an older version"):
            bring_back(server, tmp_path / "b")
        with server.connection() as connection:
            connection.execute("INSERT INTO migration VALUES ('usage', 'of the future')")
        with pytest.raises(NewerStore, match="of the future"):
            bring_back(server, tmp_path / "b")


def test_a_schema_that_no_bot_has_used_is_named(tmp_path: Path):
    with (
        postgres_server() as server,
        pytest.raises(StoreUnavailable, match="nothing to move"),
    ):
        bring_back(server, tmp_path / "b")


async def test_search_finds_the_same_and_new_records_go_on(tmp_path: Path):
    source = await asyncio.to_thread(random_data, tmp_path / "a", Random(8))
    actor = next(section.actor for section in source.sections() if section.actor)
    assert actor is not None
    with postgres_server() as server, ThreadPoolExecutor(1) as pool:
        files = SqliteStore(source.directory / "memory", pool, embedder=WordEmbedder())
        await files.commit(actor, [draft("My spaniel is called Rex")])
        await files.settle()
        await files.aclose()
        bring_there(source, server)
        found = []
        for store in (
            SqliteStore(source.directory / "memory", pool, embedder=WordEmbedder()),
            PostgresStore(server, pool, embedder=WordEmbedder()),
        ):
            hits = await store.search(actor, "what is my hound called?", kinds=tuple(Kind))
            (new,) = await store.commit(actor, [draft("I have a cat")])
            await store.settle()
            found.append((hits, new))
            await store.aclose()
        assert found[0][0]
        assert found[0] == found[1]
