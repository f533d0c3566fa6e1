"""The backlog: what waits, and what is in quarantine."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.data import check_backlog
from memory.records import Actor, Place, Session
from memory.stores.journal.journal import SqlJournal
from tests.fakes.files import journal_in, look_at

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


async def ended(journal: SqlJournal, *ids: str) -> None:
    for id_ in ids:
        await journal.sessions.open(Session(id_, Actor("u1"), Place("telegram", 1), NOW, NOW))
        await journal.sessions.end(id_, "new", NOW)


def the_only(data: Path) -> CheckResult:
    (finding,) = check_backlog(look_at(data / "journal.sqlite"))
    return finding


async def test_sessions_that_wait_are_counted_while_the_bot_runs(tmp_path: Path, pool):
    async with journal_in(tmp_path / "journal.sqlite", pool) as journal:
        await ended(journal, "s1", "s2")
        finding = the_only(tmp_path)
        assert finding.mark is Mark.OK
        assert finding.text.startswith("2 ended")


async def test_sessions_in_quarantine_are_a_warning_with_its_remedy(tmp_path: Path, pool):
    async with journal_in(tmp_path / "journal.sqlite", pool) as journal:
        await ended(journal, "s1", "s2")
        (job, _) = await journal.jobs.due(NOW, 2)
        await journal.jobs.quarantine(job.session, NOW, "ExtractionFailed")
    finding = the_only(tmp_path)
    assert finding.mark is Mark.WARNING
    assert finding.text.startswith("1 ended conversations wait to be saved, 1 are in quarantine")
    assert "mordecai maintain --retry" in finding.text


def test_without_a_readable_journal_there_is_nothing_to_say(tmp_path: Path):
    assert check_backlog(look_at(tmp_path / "journal.sqlite")) == []
    (tmp_path / "journal.sqlite").write_bytes(b"no database at all" * 100)
    assert check_backlog(look_at(tmp_path / "journal.sqlite")) == []
    assert [file.name for file in tmp_path.iterdir()] == ["journal.sqlite"]
