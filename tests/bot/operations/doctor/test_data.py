"""The data directory: what is missing, damaged, full or in use."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.data import check_disk, free_space, is_running
from memory.stores.transfer.files import UNFINISHED


def found(data: Path, *, running: bool = False) -> dict[str, CheckResult]:
    return {finding.subject: finding for finding in check_disk(data, running=running)}


def database(file: Path, rows: int = 2000) -> None:
    file.parent.mkdir(exist_ok=True)
    db = sqlite3.connect(file)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE note (text TEXT)")
    db.executemany("INSERT INTO note VALUES (?)", [(f"note {n} " * 9,) for n in range(rows)])
    db.commit()
    db.close()


def test_a_directory_that_is_not_there_yet_will_be_made(tmp_path: Path):
    (finding,) = check_disk(tmp_path / "a" / "b", running=False)
    assert finding.mark is Mark.OK
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"


def test_a_directory_that_cannot_be_made_is_wrong(tmp_path: Path):
    (tmp_path / "file").write_text("")
    (finding,) = check_disk(tmp_path / "file" / "data", running=False)
    assert finding.mark is Mark.WRONG
    assert "--data" in finding.text


def test_a_file_in_place_of_the_directory_is_wrong(tmp_path: Path):
    (tmp_path / "data").write_text("")
    (finding,) = check_disk(tmp_path / "data", running=False)
    assert finding.mark is Mark.WRONG
    assert "MORDECAI_DATA_DIR" in finding.text


def test_whole_files_are_fine_and_stay_as_they_were(tmp_path: Path):
    for name in ("journal.sqlite", "inbox.sqlite", "outbox.sqlite", "memory/u1.sqlite"):
        database(tmp_path / name)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    findings = found(tmp_path)
    assert {finding.mark for finding in findings.values()} <= {Mark.OK, Mark.WARNING}
    assert "journal.sqlite, inbox.sqlite, outbox.sqlite" in findings["files"].text
    assert findings["memories"].text.startswith("1 in ")
    after = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert after == before


@pytest.mark.parametrize("name", ["journal.sqlite", "inbox.sqlite", "outbox.sqlite"])
def test_a_damaged_database_is_named_with_what_to_do(tmp_path: Path, name: str):
    database(tmp_path / name)
    content = bytearray((tmp_path / name).read_bytes())
    content[4096 * 3 : 4096 * 8] = os.urandom(4096 * 5)
    (tmp_path / name).write_bytes(content)
    finding = found(tmp_path)["files"]
    assert finding.mark is Mark.WRONG
    assert name in finding.text
    assert "mordecai restore" in finding.text


def test_what_was_set_aside_or_cant_be_read_is_named(tmp_path: Path):
    database(tmp_path / "journal.sqlite")
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db, db:
        db.execute("CREATE TABLE unreadable (body TEXT)")
        db.execute("INSERT INTO unreadable VALUES ('?')")
    database(tmp_path / "memory" / "u1.sqlite")
    (tmp_path / "memory" / "u1.sqlite.damaged-20260101T000000.000000Z").touch()
    findings = found(tmp_path)
    assert findings["files"].mark is Mark.WARNING
    assert "1 rows of" in findings["files"].text
    assert "u1.sqlite.damaged-20260101T000000.000000Z" in findings["memories"].text


def test_a_file_that_was_emptied_is_wrong(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "u1.sqlite").touch()
    finding = found(tmp_path)["memories"]
    assert finding.mark is Mark.WRONG
    assert "empty" in finding.text


def test_a_directory_that_is_half_filled_is_wrong(tmp_path: Path):
    (tmp_path / UNFINISHED).mkdir()
    finding = found(tmp_path)["files"]
    assert finding.mark is Mark.WRONG
    assert "mordecai migrate postgres-to-sqlite" in finding.text


def test_a_damaged_guest_book_is_wrong(tmp_path: Path):
    (tmp_path / "access.json").write_text("{")
    assert found(tmp_path)["access"].mark is Mark.WRONG


def test_what_is_no_database_at_all_is_wrong(tmp_path: Path):
    (tmp_path / "journal.sqlite").write_text("hello " * 1000)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "u1.sqlite").write_text("hello")
    database(tmp_path / "memory" / "u2.sqlite")
    findings = found(tmp_path)
    assert findings["files"].mark is Mark.WRONG
    assert findings["memories"].mark is Mark.WRONG
    assert "u1.sqlite" in findings["memories"].text
    assert "u2.sqlite" not in findings["memories"].text


def test_a_held_lock_is_only_a_note_that_a_bot_is_running(tmp_path: Path):
    assert not is_running(tmp_path)
    with FileLock(tmp_path / "lock"):
        assert is_running(tmp_path)
        (tmp_path / "heartbeat").write_text(str(os.getpid()))
        finding = found(tmp_path, running=True)["process"]
        assert finding.mark is Mark.OK
    assert not is_running(tmp_path)


def test_a_bot_that_runs_and_hears_nothing_is_a_warning(tmp_path: Path):
    (tmp_path / "heartbeat").touch()
    os.utime(tmp_path / "heartbeat", (0, 0))
    finding = found(tmp_path, running=True)["process"]
    assert finding.mark is Mark.WARNING
    assert "heard nothing" in finding.text


@pytest.mark.parametrize(
    ("mib", "mark"), [(0, Mark.WRONG), (19, Mark.WRONG), (100, Mark.WARNING), (201, Mark.OK)]
)
def test_a_disk_that_fills_up_is_told_in_time(mib: int, mark: Mark):
    finding = free_space(mib * 1024 * 1024)
    assert finding.mark is mark
    assert f"{mib} MiB" in finding.text
