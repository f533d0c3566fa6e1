"""`mordecai migrate`: what the operator sees of it, and what stops it."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import psycopg
import pytest
from filelock import FileLock
from pydantic import SecretStr

from bot.errors import OperatorError
from bot.operations.doctor.database import check_database
from bot.operations.migrate import to_postgres, to_sqlite
from bot.operations.process import only_process
from bot.people.guest_file import GuestFile
from bot.people.guestbook import Book, Guest, Request
from bot.settings import Settings
from bot.stores import open_databases
from memory.errors import StoreUnavailable
from memory.stores.postgres.leases import LAYOUT as LANES_LAYOUT
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.server import PostgresServer
from memory.stores.transfer.files import SCRATCH, UNFINISHED
from tests.fakes.postgres import own_database, plain_url, postgres_server, server_url
from tests.memory.stores.transfer.contents import dump, random_data
from tests.memory.stores.transfer.test_files import everything_in

BOOK = Book(
    (Guest(1, "Anna"),),
    (Guest(2, "Boris", "2026-03-01"), Guest(3, "", "2026-03-02")),
    (Request("ABCD", 4, "Clara", "2026-03-01T12:00:00+00:00"),),
    (3,),
)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server("mordecai") as server:
        yield server


def on(data: Path, url: str = "") -> Settings:
    return Settings(data_dir=data, database_url=SecretStr(url or server_url()))


def test_everything_and_the_guests_go_there_and_back(
    tmp_path: Path, server: PostgresServer, capsys: pytest.CaptureFixture[str]
):
    there, back = random_data(tmp_path / "a", Random(1)), tmp_path / "b"
    GuestFile(tmp_path / "a" / "access.json").change(lambda _: (BOOK, None))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    printed = capsys.readouterr().out
    assert "access: 3 people\n" in printed
    assert "memories: 2 of 2\n" in printed
    assert "compared with where they came from. Now set MORDECAI_DATABASE_URL" in printed
    to_sqlite(on(back), dry_run=False)
    assert f"unset MORDECAI_DATABASE_URL and start the bot on {back}" in capsys.readouterr().out
    assert GuestFile(back / "access.json").read() == BOOK
    assert dump(replace(there, directory=back)) == dump(there)
    assert [path for path in back.rglob("*") if path.stat().st_mode & 0o077] == []


def test_a_dry_run_changes_nothing_and_says_what_would_move(
    tmp_path: Path, server: PostgresServer, capsys: pytest.CaptureFixture[str]
):
    random_data(tmp_path / "a", Random(2))
    before = everything_in(tmp_path / "a")
    to_postgres(on(tmp_path / "a"), dry_run=True)
    assert "nothing was changed" in capsys.readouterr().out
    with server.connection() as connection:
        tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'mordecai'"
        assert connection.execute(tables).fetchall() == []
    to_postgres(on(tmp_path / "a"), dry_run=False)
    capsys.readouterr()
    to_sqlite(on(tmp_path / "b"), dry_run=True)
    assert "nothing was changed" in capsys.readouterr().out
    assert not (tmp_path / "b").exists()
    assert everything_in(tmp_path / "a").items() >= before.items()


@pytest.mark.parametrize("prepare", ["", "CREATE SCHEMA mordecai"])
def test_a_dry_run_finds_the_rights_that_are_missing(tmp_path: Path, prepare: str):
    random_data(tmp_path / "a", Random(2), people=0)
    plain_url()
    with own_database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(prepare.encode())
        theirs = url.replace("//postgres:@", "//plain:@", 1)
        for dry_run in (True, False):
            with pytest.raises(OperatorError, match='ALTER SCHEMA mordecai OWNER TO "plain"'):
                to_postgres(on(tmp_path / "a", theirs), dry_run=dry_run)
        assert 'ALTER SCHEMA mordecai OWNER TO "plain"' in str(check_database(theirs))


def test_a_dry_run_finds_a_database_that_cant_hold_every_letter(tmp_path: Path):
    random_data(tmp_path / "a", Random(2), people=0)
    with own_database("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0") as url:
        for dry_run in (True, False):
            with pytest.raises(OperatorError, match="keeps texts as SQL_ASCII"):
                to_postgres(on(tmp_path / "a", url), dry_run=dry_run)
        assert "keeps texts as SQL_ASCII" in str(check_database(url))


def test_a_target_with_data_is_left_alone(tmp_path: Path, server: PostgresServer):
    random_data(tmp_path / "a", Random(3))
    random_data(tmp_path / "other", Random(4))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    for dry_run in (True, False):
        with pytest.raises(OperatorError, match="holds data already"):
            to_postgres(on(tmp_path / "other"), dry_run=dry_run)
        with pytest.raises(OperatorError, match=r"data already \(journal\.sqlite\).*--data"):
            to_sqlite(on(tmp_path / "other"), dry_run=dry_run)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "access.json").write_text("{}")
    with pytest.raises(OperatorError, match=r"data already \(access\.json\)"):
        to_sqlite(on(tmp_path / "b"), dry_run=False)


def test_a_run_that_was_killed_when_all_was_done_is_told_so_by_the_next(
    tmp_path: Path, server: PostgresServer, capsys: pytest.CaptureFixture[str]
):
    random_data(tmp_path / "a", Random(5))
    (tmp_path / "a" / "outbox.sqlite").unlink()
    for _ in range(2):
        to_postgres(on(tmp_path / "a"), dry_run=False)
    assert "nothing to do: everything is there already" in capsys.readouterr().out
    for _ in range(2):
        to_sqlite(on(tmp_path / "b"), dry_run=False)
    assert "nothing to do: everything is there already" in capsys.readouterr().out
    with server.connection() as connection:
        connection.execute("DELETE FROM usage")
    with pytest.raises(OperatorError, match="holds data already"):
        to_postgres(on(tmp_path / "a"), dry_run=False)


@pytest.mark.parametrize("layout", ["people", "journal", "of the future"])
def test_what_a_newer_version_has_added_is_not_left_behind(
    tmp_path: Path, server: PostgresServer, layout: str
):
    random_data(tmp_path / "a", Random(5), people=0)
    to_postgres(on(tmp_path / "a"), dry_run=False)
    with server.connection() as connection:
        connection.execute("INSERT INTO migration (layout, name) VALUES (%s, 'newer')", (layout,))
    for dry_run in (True, False):
        with pytest.raises(OperatorError, match=f"written by a newer version .{layout}"):
            to_sqlite(on(tmp_path / "b"), dry_run=dry_run)
    said = str(check_database(server_url()))
    assert (f"written by a newer version ({layout})" in said) is (layout != "of the future")


def test_the_doctor_knows_all_layouts_that_a_worker_needs(server: PostgresServer):
    server.open(LANES_LAYOUT)
    with server.connection() as connection:
        connection.execute("INSERT INTO migration (layout, name) VALUES ('lanes', 'newer')")
    assert "written by a newer version (lanes)" in str(check_database(server_url()))


def test_while_a_bot_runs_on_the_directory_nothing_is_moved(tmp_path: Path, server: PostgresServer):
    random_data(tmp_path / "a", Random(4), people=0)
    with FileLock(tmp_path / "a" / "lock"):
        for move in (to_postgres, to_sqlite):
            with pytest.raises(OperatorError, match="already running"):
                move(on(tmp_path / "a"), dry_run=True)


async def test_while_workers_run_nothing_is_moved_but_a_backup(
    tmp_path: Path, server: PostgresServer, capsys: pytest.CaptureFixture[str]
):
    await asyncio.to_thread(random_data, tmp_path / "a", Random(5))
    await asyncio.to_thread(to_postgres, on(tmp_path / "a"), dry_run=False)
    capsys.readouterr()
    async with PostgresLeases(server, 15.0, 1.0):
        with pytest.raises(OperatorError, match="1 worker of the bot use"):
            await asyncio.to_thread(to_sqlite, on(tmp_path / "b"), dry_run=False)
        await asyncio.to_thread(to_sqlite, on(tmp_path / "b"), dry_run=False, while_running=True)
    printed = capsys.readouterr().out
    assert "keep it as a backup" in printed
    assert "delete its inbox.sqlite" in printed
    assert "drop it" not in printed
    assert "unset" not in printed
    assert (tmp_path / "b" / "journal.sqlite").exists()


def test_nothing_starts_on_what_is_half_filled(tmp_path: Path, server: PostgresServer):
    (tmp_path / UNFINISHED).mkdir()
    with (
        pytest.raises(OperatorError, match="half filled: end it with `mordecai migrate postgres"),
        only_process(tmp_path),
    ):
        pass
    with server.connection() as connection:
        connection.execute("CREATE TABLE unfinished_transfer ()")
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(StoreUnavailable, match="half filled: end it with `mordecai migrate sqlite"),
        open_databases(on(tmp_path), pool),
    ):
        pass
    with pytest.raises(OperatorError, match="half filled"):
        to_sqlite(on(tmp_path / "b"), dry_run=False)


def test_what_a_killed_run_has_left_of_peoples_words_goes_with_the_next_start(tmp_path: Path):
    (tmp_path / SCRATCH).mkdir()
    (tmp_path / SCRATCH / "u1.sqlite").write_text("zanzibar")
    with only_process(tmp_path):
        assert not (tmp_path / SCRATCH).exists()


def test_without_a_server_or_a_directory_the_operator_hears_what_to_set(tmp_path: Path):
    with pytest.raises(OperatorError, match="MORDECAI_DATABASE_URL"):
        to_postgres(Settings(data_dir=tmp_path), dry_run=False)
    with pytest.raises(OperatorError, match="--data"):
        to_postgres(on(tmp_path / "nowhere"), dry_run=False)
    nobody = "postgresql://user:secret@127.0.0.1:1/nowhere"
    with pytest.raises(OperatorError, match="database_url") as told:
        to_postgres(Settings(data_dir=tmp_path, database_url=SecretStr(nobody)), dry_run=False)
    assert "secret" not in str(told.value)


def test_entries_of_guests_that_cannot_be_read_stay_behind(
    tmp_path: Path, server: PostgresServer, capsys: pytest.CaptureFixture[str]
):
    random_data(tmp_path / "a", Random(6), people=0)
    book = asdict(BOOK) | {"guests": [{"id": "zanzibar"}]}
    (tmp_path / "a" / "access.json").write_text(json.dumps(book))
    to_postgres(on(tmp_path / "a"), dry_run=False)
    printed = capsys.readouterr().out
    assert "access.json: 1 row can't be read and will stay behind" in printed
    assert "zanzibar" not in printed
