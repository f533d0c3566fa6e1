"""The PostgreSQL server: what is wrong with it, and what to do."""

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.data import check_backlog, check_disk
from bot.operations.doctor.database import (
    check_database,
    check_inbox,
    has_workers,
    look_of,
    server_results,
)
from bot.operations.doctor.outbox import check_outbox
from bot.settings import Settings
from bot.telegram.waiting import INBOX_LAYOUT
from memory.records import Place, Session
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.database import Look
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.postgres.inspection import ServerState, look_into_server
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.postgres.server import PostgresServer
from memory.stores.records.layout import PERSON_LAYOUT
from tests.contracts.long_term_memory import ANN, NOON, draft
from tests.fakes.postgres import plain_url, postgres_server, server_url

STATE = ServerState(180004, "mordecai", True, False, 0.0, {}, False, 0, 0)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server("mordecai") as server:
        yield server


def found(url: str = "") -> dict[str, CheckResult]:
    return {result.subject: result for result in check_database(url or server_url())}


def told(state: ServerState) -> dict[str, CheckResult]:
    return {result.subject: result for result in server_results(state)}


def look() -> Look:
    return partial(look_into_server, server_url(), "mordecai")


def test_a_server_that_no_bot_has_used_will_do(server: PostgresServer):
    fresh = found()
    assert fresh["database"].text == "PostgreSQL 18, as the user postgres"
    assert fresh["schema"].text == "mordecai will be made at the next start"
    assert "BYPASSRLS" in fresh["isolation"].text
    with server.connection() as connection:
        tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'mordecai'"
        assert connection.execute(tables).fetchall() == [], "looking makes nothing"


def test_a_user_without_rights_hears_what_to_grant(server: PostgresServer):
    plain = found(plain_url())
    assert "isolation" not in plain
    assert plain["schema"].mark is Mark.WRONG
    assert 'ALTER SCHEMA mordecai OWNER TO "plain"' in plain["schema"].text


async def test_workers_waiting_updates_and_unreadable_rows_are_told(server: PostgresServer):
    for layout in (JOURNAL_LAYOUT, PERSON_LAYOUT):
        server.open(layout)
    inbox = server.open(INBOX_LAYOUT)
    long_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    sql = "INSERT INTO inbound (source, update_id, body, received_at) VALUES ('a', ?, ?, ?)"
    await inbox.write(sql, 1, None, long_ago)
    (result,) = await asyncio.to_thread(check_inbox, look())
    assert result == CheckResult("inbox", Mark.OK, "0 updates wait for an answer")
    await inbox.write(sql, 2, "{}", long_ago)
    (result,) = await asyncio.to_thread(check_inbox, look())
    assert result.mark is Mark.WARNING
    assert "1 update waits for an answer, the oldest since" in result.text
    with ThreadPoolExecutor(1) as pool:
        store = PostgresStore(server, pool)
        await store.commit(ANN, [draft("I have a dog"), draft("I have a cat")])
        await store.aclose()
    with server.connection() as connection:
        connection.execute("UPDATE person_record SET created_at = 'zanzibar' WHERE row = 1")
    async with PostgresLeases(server, 15.0, 1.0):
        results = await asyncio.to_thread(found)
    assert results["workers"].text == "1 worker runs, with 0 leases"
    assert results["schema"].text == "mordecai is up to date"
    assert "1 row of the table mordecai.record can't be read" in results["rows"].text
    assert "zanzibar" not in str(results)


async def test_the_backlogs_are_read_from_the_server(server: PostgresServer):
    assert check_backlog(look()) == check_outbox(look()) == []
    journal, outbox = SqlJournal(server.open(JOURNAL_LAYOUT)), server.open(OUTBOX_LAYOUT)
    await journal.sessions.open(Session("s1", ANN, Place("telegram", 1), NOON, NOON))
    await journal.sessions.end("s1", "new", NOON)
    await outbox.write(
        "INSERT INTO event (actor, session, turn, part, changed_at, failing_since, why) "
        "VALUES ('u1', 's1', 't1', 0, ?1, ?1, 'CreateEvent: throttled')",
        NOON.isoformat(),
    )
    (backlog,) = await asyncio.to_thread(check_backlog, look())
    assert backlog.text == "1 ended conversations wait to be saved"
    (unsent,) = await asyncio.to_thread(check_outbox, look())
    assert "1 message since 2026-03-15 12:00 UTC (CreateEvent: throttled)" in unsent.text


def test_a_server_that_is_too_old_newer_half_filled_or_of_another_time_is_told():
    layouts = {"journal": {each.name: False for each in JOURNAL_LAYOUT.migrations}}
    state = replace(STATE, layouts=layouts)
    assert [result.mark for result in server_results(state)] == [Mark.OK] * 3
    assert told(replace(state, version=130004))["database"].mark is Mark.WRONG
    newer = {"journal": layouts["journal"] | {"of the future": False}}
    assert "newer version (journal)" in told(replace(state, layouts=newer))["schema"].text
    compatible = {"journal": layouts["journal"] | {"of the future": True}}
    assert told(replace(state, layouts=compatible))["schema"].mark is Mark.OK
    older = {"journal": {"sessions and turns": False}}
    assert "brought up to date" in told(replace(state, layouts=older))["schema"].text
    half = told(replace(state, is_unfinished=True))["schema"]
    assert half.mark is Mark.WRONG
    assert "mordecai migrate sqlite-to-postgres" in half.text
    ahead = told(replace(state, ahead=300.0))["clock"]
    assert ahead.text.startswith("this machine's is 5 minutes ahead of the server's")
    assert "behind" in told(replace(state, ahead=-300.0))["clock"].text


def test_a_server_that_cannot_be_reached_is_wrong_and_no_password_is_shown():
    (result,) = check_database("postgresql://user:secret@127.0.0.1:1/nowhere")
    assert result.mark is Mark.WRONG
    assert "database_url" in result.text
    assert "secret" not in result.text


def test_without_the_package_for_servers_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "memory.stores.postgres.inspection", None)
    settings = Settings(data_dir=tmp_path, database_url=SecretStr(server_url()))
    assert not has_workers(settings)
    assert check_backlog(look_of(settings, "journal")) == []
    assert check_inbox(look_of(settings, "inbox")) == []
    (result,) = check_database(server_url())
    assert result.mark is Mark.WRONG
    assert "pip install" in result.text


def test_doctor_names_files_that_a_server_has_replaced(tmp_path: Path):
    (tmp_path / "journal.sqlite").touch()
    (files,) = [
        r for r in check_disk(tmp_path, running=False, on_files=False) if "file" in r.subject
    ]
    assert files.mark is Mark.WARNING
    assert "journal.sqlite" in files.text
    assert "mordecai migrate" in files.text
