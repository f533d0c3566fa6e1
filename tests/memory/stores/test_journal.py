"""The journal keeps sessions and turns through anything that ends the process."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Actor, Message, Place, Role, Session, ToolUse, Turn
from memory.stores.journal import SqliteJournal

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANNA, BORIS = Actor("u1"), Actor("u12")
HOME = Place("telegram", 1)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def session(id_: str = "s1", actor: Actor = ANNA, place: Place = HOME) -> Session:
    return Session(id_, actor, place, opened_at=NOW, last_at=NOW)


def turn(number: int = 1, session_id: str = "s1", text: str = "I live in Осло 🎉") -> Turn:
    at = NOW + timedelta(minutes=number)
    said = (Message(Role.USER, text, at, "Anna"), Message(Role.ASSISTANT, "Noted.", at))
    return Turn(f"{session_id}-t{number}", session_id, said, (ToolUse("remember", "{}", "done"),))


async def test_a_session_and_its_turns_come_back_whole_from_another_process(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session())
        await journal.append("s1", turn(1))
        await journal.append("s1", turn(2))
    async with SqliteJournal(path, pool) as journal:
        found = await journal.open_session(ANNA, HOME)
        assert found is not None
        assert (found.id, found.message_count) == ("s1", 4)
        assert found.last_at == NOW + timedelta(minutes=2)
        assert await journal.turns("s1") == [turn(1), turn(2)]


async def test_a_session_belongs_to_one_actor_in_one_place(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session())
        assert await journal.open_session(BORIS, HOME) is None
        assert await journal.open_session(ANNA, Place("telegram", 2)) is None
        assert await journal.open_session(ANNA, Place("telegram", 1, topic_id=7)) is None
        assert await journal.open_session(ANNA, Place("terminal", 1)) is None


async def test_an_ended_session_is_a_job_until_it_is_done(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session())
        await journal.append("s1", turn())
        assert await journal.end("s1", "new", NOW)
        assert not await journal.end("s1", "new", NOW), "ended twice"
        assert await journal.open_session(ANNA, HOME) is None
        (job,) = await journal.jobs(NOW)
        assert (job.session.id, job.reason, job.attempts) == ("s1", "new", 0)
        assert await journal.backlog() == 1
        await journal.done("s1")
        assert await journal.jobs(NOW) == []
        assert await journal.turns("s1") == []


async def test_a_failed_job_waits_for_its_next_time_and_counts_its_attempts(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session())
        await journal.end("s1", "idle", NOW)
        await journal.retry("s1", NOW + timedelta(minutes=5), "TimeoutError")
        assert await journal.jobs(NOW) == []
        (job,) = await journal.jobs(NOW + timedelta(minutes=5))
        assert job.attempts == 1


async def test_only_sessions_with_messages_fall_idle(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session("s1"))
        await journal.start(session("s2", BORIS))
        await journal.append("s2", turn(1, "s2"))
        late = NOW + timedelta(hours=6)
        assert [s.id for s in await journal.idle_since(late)] == ["s2"]
        assert await journal.idle_since(NOW) == []


async def test_erasing_leaves_no_byte_of_the_texts_and_nothing_of_others_is_touched(path, pool):
    async with SqliteJournal(path, pool) as journal:
        await journal.start(session("s1"))
        await journal.append("s1", turn(1, text="my secret zanzibar plan"))
        await journal.start(session("s2", BORIS))
        await journal.append("s2", turn(1, "s2", "my own madagascar plan"))
        await journal.erase(ANNA)
        assert await journal.open_session(ANNA, HOME) is None
        assert len(await journal.turns("s2")) == 1
        left = b"".join(p.read_bytes() for p in path.parent.iterdir())
        assert b"zanzibar" not in left
        assert b"madagascar" in left


async def test_a_turn_of_no_session_is_refused(path, pool):
    async with SqliteJournal(path, pool) as journal:
        with pytest.raises(StoreUnavailable):
            await journal.append("nowhere", turn(1, "nowhere"))


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(path, pool):
    SqliteJournal(path, pool).close()
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO migration VALUES ('telepathy', '2030-01-01')")
    db.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore, match=r"newer version.*telepathy"):
        SqliteJournal(path, pool)
    assert path.read_bytes() == before


def test_a_damaged_journal_is_set_aside_whole_and_a_new_one_begins(path, pool):
    path.write_bytes(b"this is no database, but it may hold something dear" * 100)
    journal = SqliteJournal(path, pool)
    journal.close()
    (aside,) = path.parent.glob("journal.sqlite.damaged-*")
    assert aside.read_bytes().startswith(b"this is no database")


def test_damage_in_the_middle_of_a_journal_is_noticed_at_its_opening(path, pool):
    journal = SqliteJournal(path, pool)
    journal.close()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE filler AS SELECT randomblob(900) AS x FROM "
                   "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
                   "SELECT i FROM n)")  # fmt: skip
    db.close()
    whole = path.read_bytes()
    middle = len(whole) - 2 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    SqliteJournal(path, pool).close()
    assert list(path.parent.glob("journal.sqlite.damaged-*"))


def test_a_journal_that_cant_be_opened_says_where_and_what_to_do(tmp_path, pool):
    with pytest.raises(StoreUnavailable, match=r"nowhere.*check the disk"):
        SqliteJournal(tmp_path / "nowhere" / "journal.sqlite", pool)
