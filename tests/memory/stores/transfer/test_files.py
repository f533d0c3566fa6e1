"""From one data directory to another: everything, and nothing else."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Actor
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.transfer.files import UNFINISHED, DataFiles, FileSource, FileTarget
from memory.stores.transfer.transfer import Step, survey, transfer
from tests.memory.stores.transfer.contents import (
    LAYOUTS,
    dump,
    random_data,
)


def everything_in(directory: Path) -> dict[Path, bytes]:
    """All files but the locks of SQLite."""
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def empty(directory: Path) -> DataFiles:
    return DataFiles(directory, LAYOUTS, PERSON_LAYOUT)


class Killed(Exception):
    """Stands for a kill: nothing of ours catches it."""


def killer(after: int) -> "list[Step]":
    """What is told of the steps, until it is killed."""

    class Steps(list[Step]):
        def append(self, step: Step) -> None:
            super().append(step)
            if len(self) == after:
                raise Killed

    return Steps()


def test_everything_arrives_as_it_was_and_the_source_stays_as_it_is(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(1)), empty(tmp_path / "b")
    before = everything_in(tmp_path / "a")
    steps: list[Step] = []
    transfer(FileSource(source), FileTarget(target), steps.append)
    assert dump(target) == dump(source)
    assert everything_in(tmp_path / "a") == before
    assert [step.number for step in steps] == list(range(1, steps[0].of + 1))
    assert not (tmp_path / "b" / UNFINISHED).exists()


@pytest.mark.parametrize("after", [1, 3, 6])
def test_after_a_kill_the_next_run_does_the_rest(tmp_path: Path, after: int):
    source, target = random_data(tmp_path / "a", Random(2)), empty(tmp_path / "b")
    with pytest.raises(Killed):
        transfer(FileSource(source), FileTarget(target), killer(after).append)
    assert (tmp_path / "b" / UNFINISHED).exists()
    steps: list[Step] = []
    transfer(FileSource(source), FileTarget(target), steps.append)
    assert dump(target) == dump(source)
    assert [step.was_there for step in steps] == [True] * after + [False] * (6 - after)


def test_a_run_killed_while_it_moved_the_files_is_ended_by_the_next(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(3)), empty(tmp_path / "b")
    with pytest.raises(Killed):
        transfer(FileSource(source), FileTarget(target), killer(6).append)
    drafts = tmp_path / "b" / UNFINISHED
    (drafts / "journal.sqlite").rename(tmp_path / "b" / "journal.sqlite")
    transfer(FileSource(source), FileTarget(target), lambda step: None)
    assert dump(target) == dump(source)
    assert not drafts.exists()


def test_what_has_changed_or_gone_at_the_source_meanwhile_does_so_at_the_target(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(4)), empty(tmp_path / "b")
    with pytest.raises(Killed):
        transfer(FileSource(source), FileTarget(target), killer(6).append)
    with closing(sqlite3.connect(tmp_path / "a" / "journal.sqlite")) as db, db:
        db.execute("DELETE FROM panel")
    gone = next(section for section in source.sections() if section.actor)
    source.path(gone).unlink()
    transfer(FileSource(source), FileTarget(target), lambda step: None)
    assert dump(target) == dump(source)
    assert not target.path(gone).exists()


def test_where_there_is_data_already_nothing_is_written(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(5)), random_data(tmp_path / "b", Random(6))
    before = everything_in(tmp_path / "b")
    with pytest.raises(StoreUnavailable, match="data already"):
        transfer(FileSource(source), FileTarget(target), lambda step: None)
    assert everything_in(tmp_path / "b") == before


def test_rows_that_cannot_be_read_stay_behind_and_are_counted(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(7)), empty(tmp_path / "b")
    with closing(sqlite3.connect(tmp_path / "a" / "journal.sqlite")) as db, db:
        db.execute("UPDATE turn SET body = 'zanzibar {' WHERE position = 0")
        db.execute("INSERT INTO note VALUES ('a', X'00')")
    before = everything_in(tmp_path / "a")
    steps: list[Step] = []
    survey(FileSource(source), steps.append)
    assert steps[0].unreadable == 2
    transfer(FileSource(source), FileTarget(target), steps.append)
    assert "zanzibar" not in str(dump(target))
    assert everything_in(tmp_path / "a") == before


def test_an_older_file_is_brought_up_to_date_on_the_way(tmp_path: Path):
    source, target = random_data(tmp_path / "a", Random(8)), empty(tmp_path / "b")
    with closing(sqlite3.connect(tmp_path / "a" / "journal.sqlite")) as db, db:
        db.execute("DROP TABLE panel")
        db.execute("DELETE FROM migration WHERE name = 'panels'")
    before = everything_in(tmp_path / "a")
    transfer(FileSource(source), FileTarget(target), lambda step: None)
    assert dump(target)["journal panel"] == []
    assert everything_in(tmp_path / "a") == before


def test_a_newer_file_a_damaged_one_and_one_that_is_gone_are_named(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(9))
    journal = tmp_path / "a" / "journal.sqlite"
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute("INSERT INTO migration VALUES ('of the future', '')")
    with pytest.raises(NewerStore, match=r"journal\.sqlite"):
        survey(FileSource(source), lambda step: None)
    journal.write_bytes(b"hello" * 1_000)
    with pytest.raises(StoreUnavailable, match=r"journal\.sqlite is damaged .*mordecai restore"):
        survey(FileSource(source), lambda step: None)
    journal.write_bytes(b"")
    with pytest.raises(StoreUnavailable, match=r"journal\.sqlite is damaged or gone"):
        survey(FileSource(source), lambda step: None)


def test_what_is_no_memory_is_left_alone(tmp_path: Path):
    source = random_data(tmp_path / "a", Random(10))
    (tmp_path / "a" / "memory" / "notes.sqlite").write_text("hello")
    names = [section.name for section in source.sections()]
    assert names[:4] == ["journal", "inbox", "usage", "outbox"]
    assert all(Actor(name) for name in names[4:])
