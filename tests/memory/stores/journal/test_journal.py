"""The journal keeps sessions and turns through anything that ends the process."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import NewerStore, StoreUnavailable
from memory.journal import Backlog, Job
from memory.records import (
    Actor,
    Place,
    Role,
    RunningSummary,
    Session,
    Shift,
    Speaker,
    ToolUse,
    Turn,
    Utterance,
)
from memory.stores.database import Databases
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.journal.sessions import backlog_in
from memory.stores.sqlite.migrations import migrate
from tests.fakes.files import journal_in, look_at

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


Journals = Callable[[], SqlJournal]


@pytest.fixture
def journals(databases: Databases) -> Journals:
    """Opens the journal, again and again, as each start of the program does."""
    return lambda: SqlJournal(databases.open(JOURNAL_LAYOUT))


def session(id_: str = "s1", actor: Actor = ANNA, place: Place = HOME) -> Session:
    return Session(id_, actor, place, opened_at=NOW, last_at=NOW)


def turn(number: int = 1, session_id: str = "s1", text: str = "I live in Осло 🎉") -> Turn:
    at = NOW + timedelta(minutes=number)
    said = (
        Utterance(Role.USER, text, at, Speaker(7, "Anna")),
        Utterance(Role.ASSISTANT, "Noted.", at),
    )
    tools = (ToolUse("remember", "{}", "done"),)
    return Turn(f"{session_id}-t{number}", session_id, said, tools, place=HOME)


async def due(journal: SqlJournal, at: datetime = NOW, limit: int = 9) -> list[Job]:
    return await journal.jobs.due(at, limit)


async def unfinished(journal: SqlJournal, actor: Actor) -> list[str]:
    return [each.id for each in await journal.sessions.unfinished(actor)]


async def test_a_session_and_its_turns_come_back_whole_from_another_process(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn(1))
        await journal.turns.append("s1", turn(2))
    async with journals() as journal:
        found = await journal.sessions.find(ANNA, HOME)
        assert found is not None
        assert (found.id, found.message_count) == ("s1", 4)
        assert found.last_at == NOW + timedelta(minutes=2)
        assert await journal.turns.of("s1") == [turn(1), turn(2)]


async def test_a_speaker_keeps_the_id_and_former_turns_have_only_a_name(journals: Journals) -> None:
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn())
        (found,) = await journal.turns.of("s1")
        assert found.speaker is not None
        assert (found.speaker.id, found.speaker.name) == (7, "Anna")
        former = '"speaker": "Anna"'
        now = '"speaker": {"id": 7, "name": "Anna"}'
        await journal.database.write("UPDATE turn SET body = replace(body, ?, ?)", now, former)
        (found,) = await journal.turns.of("s1")
        assert found.speaker is not None
        assert (found.speaker.id, found.speaker.name) == (None, "Anna")


async def test_a_session_belongs_to_one_actor_in_one_place(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        assert await journal.sessions.find(BORIS, HOME) is None
        assert await journal.sessions.find(ANNA, Place("telegram", 2)) is None
        assert await journal.sessions.find(ANNA, Place("telegram", 1, topic_id=7)) is None
        assert await journal.sessions.find(ANNA, Place("terminal", 1)) is None


async def test_an_ended_session_is_a_job_until_it_is_done(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn())
        assert await journal.sessions.end("s1", "new", NOW)
        assert not await journal.sessions.end("s1", "new", NOW), "ended twice"
        assert await journal.sessions.find(ANNA, HOME) is None
        (job,) = await due(journal)
        assert (job.session.id, job.reason, job.attempts) == ("s1", "new", 0)
        assert await journal.jobs.backlog() == Backlog(1, 0)
        await journal.jobs.done("s1")
        assert await journal.jobs.backlog() == Backlog(0, 0)
        assert await journal.turns.of("s1") == []


async def test_a_failed_job_waits_for_its_next_time_and_counts_its_attempts(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.sessions.end("s1", "idle", NOW)
        await journal.jobs.retry(session(), NOW + timedelta(minutes=5), "TimeoutError")
        assert await due(journal) == []
        (job,) = await due(journal, NOW + timedelta(minutes=5))
        assert job.attempts == 1


async def test_only_an_ended_session_is_a_job_and_only_its_actor_s(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        assert not await journal.jobs.has(session())
        await journal.sessions.end("s1", "new", NOW)
        assert await journal.jobs.has(session())
        others = session(actor=BORIS)
        assert not await journal.jobs.has(others)
        await journal.jobs.retry(others, NOW, "TimeoutError")
        assert not await journal.jobs.quarantine(others, NOW, "TimeoutError")
        (job,) = await due(journal)
        assert job.attempts == 0
        await journal.jobs.done("s1")
        assert not await journal.jobs.has(session())


async def test_jobs_are_listed_oldest_first_and_no_more_than_asked_for(journals: Journals):
    async with journals() as journal:
        for number in range(5):
            await journal.sessions.open(session(f"s{number}"))
            await journal.sessions.end(f"s{number}", "new", NOW - timedelta(minutes=number))
        oldest_first = ["s4", "s3", "s2", "s1", "s0"]
        assert [job.session.id for job in await due(journal, limit=2)] == oldest_first[:2]
        assert [job.session.id for job in await due(journal)] == oldest_first


async def test_a_job_in_quarantine_keeps_its_turns_and_waits_to_be_requeued(path, pool):
    async with journal_in(path, pool) as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn())
        await journal.sessions.end("s1", "new", NOW)
        assert await journal.jobs.quarantine(session(), NOW, "ExtractionFailed")
        assert await journal.jobs.backlog() == Backlog(0, 1)
        assert backlog_in(look_at(path)) == Backlog(0, 1)
        assert await due(journal, NOW + timedelta(days=99)) == []
        assert await journal.turns.of("s1") == [turn()]
        assert await unfinished(journal, ANNA) == ["s1"], "it can be forgotten"
        assert await journal.jobs.requeue(NOW) == 1
        (job,) = await due(journal)
        assert job.attempts == 0
        assert await journal.jobs.requeue(NOW) == 0


async def test_it_is_remembered_when_the_memory_was_tidied_up(journals: Journals):
    async with journals() as journal:
        assert await journal.maintenance.last_maintenance() is None
        await journal.maintenance.note_maintenance(NOW)
        await journal.maintenance.note_maintenance(NOW + timedelta(days=1))
    async with journals() as journal:
        assert await journal.maintenance.last_maintenance() == NOW + timedelta(days=1)


def test_a_journal_of_a_former_layout_is_brought_up_to_date_with_all_it_holds(path, pool):
    with sqlite3.connect(path) as db:
        migrate(db, path, JOURNAL_LAYOUT.migrations[:1])
        db.execute(
            "INSERT INTO session (id, actor, channel, chat, opened_at, last_at, ended_at, due_at, "
            "reason) VALUES ('s1', 'u1', 'telegram', 1, ?1, ?1, ?1, ?1, 'new')",
            (NOW.isoformat(timespec="microseconds"),),
        )
    db.close()
    assert backlog_in(look_at(path)) is None, "looking changes nothing"

    async def look() -> None:
        async with journal_in(path, pool) as journal:
            (job,) = await due(journal)
            assert (job.session.id, job.session.place, job.attempts) == ("s1", HOME, 0)

    asyncio.run(look())


def test_a_journal_that_is_not_there_has_no_backlog_and_is_not_made(path):
    assert backlog_in(look_at(path)) is None
    assert not path.exists()


async def test_only_sessions_with_messages_fall_idle(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session("s1"))
        await journal.sessions.open(session("s2", BORIS))
        await journal.turns.append("s2", turn(1, "s2"))
        late = NOW + timedelta(hours=6)
        assert [s.id for s in await journal.sessions.idle_since(late)] == ["s2"]
        assert await journal.sessions.idle_since(NOW) == []


async def test_erasing_leaves_no_byte_of_the_texts_and_nothing_of_others_is_touched(path, pool):
    async with journal_in(path, pool) as journal:
        await journal.sessions.open(session("s1"))
        await journal.turns.append("s1", turn(1, text="my secret zanzibar plan"))
        await journal.sessions.open(session("s2", BORIS))
        await journal.turns.append("s2", turn(1, "s2", "my own madagascar plan"))
        await journal.erase(ANNA)
        assert await journal.sessions.find(ANNA, HOME) is None
        assert len(await journal.turns.of("s2")) == 1
        left = b"".join(p.read_bytes() for p in path.parent.iterdir())
        assert b"zanzibar" not in left
        assert b"madagascar" in left


async def test_a_turn_of_no_session_is_refused(journals: Journals):
    async with journals() as journal:
        with pytest.raises(StoreUnavailable):
            await journal.turns.append("nowhere", turn(1, "nowhere"))


async def test_a_journal_of_a_newer_version_is_refused_and_left_alone(path, pool):
    await journal_in(path, pool).aclose()
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO migration VALUES ('telepathy', '2030-01-01')")
    db.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore, match=r"newer version.*telepathy"):
        journal_in(path, pool)
    assert path.read_bytes() == before


async def test_a_damaged_journal_is_set_aside_whole_and_a_new_one_begins(path, pool):
    path.write_bytes(b"this is no database, but it may hold something dear" * 100)
    await journal_in(path, pool).aclose()
    (aside,) = path.parent.glob("journal.sqlite.damaged-*")
    assert aside.read_bytes().startswith(b"this is no database")


async def test_damage_in_the_middle_of_a_journal_is_noticed_at_its_opening(path, pool):
    await journal_in(path, pool).aclose()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE filler AS SELECT randomblob(900) AS x FROM "
                   "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
                   "SELECT i FROM n)")  # fmt: skip
    db.close()
    whole = path.read_bytes()
    middle = len(whole) - 2 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    await journal_in(path, pool).aclose()
    assert list(path.parent.glob("journal.sqlite.damaged-*"))


def test_a_journal_that_cant_be_opened_says_where_and_what_to_do(tmp_path, pool):
    (tmp_path / "nowhere").touch()
    with pytest.raises(StoreUnavailable, match=r"nowhere.*check the disk"):
        journal_in(tmp_path / "nowhere" / "journal.sqlite", pool)


# -- tiers ----------------------------------------------------------------------------------------


def summary(id_: str, *turns: int, fallback: bool = True, session_id: str = "s1") -> RunningSummary:
    ids = tuple(f"{session_id}-t{number}" for number in turns)
    return RunningSummary(
        id_, session_id, f"about {ids}", ids, NOW, NOW, fallback, "it began", 1 if fallback else 0
    )


async def filled(journal: SqlJournal, turns: int = 4) -> None:
    await journal.sessions.open(session())
    for number in range(1, turns + 1):
        await journal.turns.append("s1", turn(number))


async def test_what_leaves_the_window_and_what_stands_for_it_is_written_with_the_turn(
    journals: Journals,
):
    shift = Shift(("s1-t1", "s1-t2"), (), (summary("e1", 1, 2),))
    async with journals() as journal:
        await filled(journal, 2)
        assert await journal.turns.append("s1", turn(3), shift)
        assert not await journal.turns.append("s1", turn(3), Shift(("s1-t3",))), "and only with it"
    async with journals() as journal:
        assert await journal.turns.evicted_ids("s1") == ["s1-t1", "s1-t2"]
        assert await journal.summaries.of("s1") == [summary("e1", 1, 2)]


async def test_summaries_come_in_the_order_of_their_turns_whenever_they_were_written(
    journals: Journals,
):
    async with journals() as journal:
        await filled(journal)
        both = (summary("e2", 3, 4), summary("e1", 1, 2))
        await journal.turns.shift(Shift((), (), both))
        assert [s.id for s in await journal.summaries.of("s1")] == ["e1", "e2"]
        await journal.turns.shift(Shift((), both, (summary("e0", 1, 2, 3, 4),)))
        assert [s.id for s in await journal.summaries.of("s1")] == ["e0"]


async def test_a_fallback_waits_for_its_time_and_is_settled_once(journals: Journals):
    async with journals() as journal:
        await filled(journal)
        await journal.turns.shift(Shift((), (), (summary("e1", 1, 2), summary("e2", 3))))
        await journal.summaries.retry("e1", NOW + timedelta(minutes=1))
        assert [job.summary.id for job in await journal.summaries.fallbacks(NOW)] == ["e2"]
        assert [j.attempts for j in await journal.summaries.fallbacks(session_id="s1")] == [1, 0]
        assert await journal.summaries.fallbacks(session_id="another") == []
        assert await journal.summaries.complete("e2", "About boats.")
        again = await journal.summaries.complete("e2", "About boats, again.")
        assert not again, "it was made already"
        assert not await journal.summaries.complete("e9", "About nothing."), (
            "there is no such fallback"
        )
        made = (await journal.summaries.of("s1"))[1]
        assert (made.text, made.fallback, made.base) == ("About boats.", False, None)


async def test_an_ended_session_has_its_summaries_until_it_is_done_and_none_are_made(
    journals: Journals,
):
    async with journals() as journal:
        await filled(journal)
        await journal.turns.shift(Shift((), (), (summary("e1", 1, 2),)))
        await journal.sessions.end("s1", "new", NOW)
        assert await journal.summaries.fallbacks() == []
        assert len(await journal.summaries.of("s1")) == 1
        await journal.jobs.done("s1")
        assert await journal.summaries.of("s1") == []


async def test_dropped_turns_and_the_summaries_that_told_of_them_leave_no_byte(path, pool):
    told = replace(summary("e1", 1, 2), text="my secret zanzibar plan", base="and zanzibar")
    async with journal_in(path, pool) as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn(1, text="zanzibar"))
        await journal.turns.append("s1", turn(2), Shift(("s1-t1",), (), (told,)))
        await journal.turns.delete(["s1-t1"], [Shift((), (told,), (summary("e2", 2),))])
        assert [s.id for s in await journal.summaries.of("s1")] == ["e2"]
        left = b"".join(p.read_bytes() for p in path.parent.iterdir())
        assert b"zanzibar" not in left


# -- private sessions, and sessions that move -----------------------------------------------------


async def test_turns_that_were_dropped_go_back_to_where_they_were(journals: Journals):
    async with journals() as journal:
        await filled(journal)
        await journal.turns.shift(Shift(("s1-t1", "s1-t2", "s1-t3"), (), (summary("e1", 3),)))
        before = await journal.turns.of("s1")
        gone = [before[0], before[1], before[3]]
        await journal.turns.delete([turn.id for turn in gone])
        # It gets the number that the last one had.
        await journal.turns.append("s1", turn(5))
        assert await journal.turns.restore(ANNA, gone[1:]) == ["s1-t2", "s1-t4"]
        assert await journal.turns.restore(ANNA, gone) == ["s1-t1"]
        assert await journal.turns.of("s1") == [*before, turn(5)]
        assert await journal.turns.evicted_ids("s1") == ["s1-t3"], "the others are in the window"
        await journal.turns.append("s1", turn(6))
        await journal.turns.shift(Shift((), (), (summary("e0", 1), summary("e2", 4))))
        assert [s.id for s in await journal.summaries.of("s1")] == ["e0", "e1", "e2"]


async def test_turns_go_back_into_no_session_that_is_gone_or_another_s(journals: Journals):
    async with journals() as journal:
        await filled(journal, 2)
        await journal.turns.delete(["s1-t1", "s1-t2"])
        assert await journal.turns.restore(BORIS, [turn(1)]) == []
        assert await journal.turns.restore(ANNA, [turn(1, "s9")]) == []
        assert await journal.turns.of("s1") == []
        await journal.sessions.end("s1", "new", NOW)
        assert await journal.turns.restore(ANNA, [turn(1)]) == ["s1-t1"], "not extracted yet"
        await journal.jobs.done("s1")
        assert await journal.turns.restore(ANNA, [turn(2)]) == []


async def test_a_private_session_comes_back_private(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(replace(session(), private=True))
    async with journals() as journal:
        found = await journal.sessions.find(ANNA, HOME)
        assert found is not None
        assert found.private


async def test_what_is_discarded_is_gone_from_the_disk_and_no_job(path, pool):
    async with journal_in(path, pool) as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn(1, text="I robbed the Xanadu bank"))
        assert await journal.sessions.discard("s1")
        assert not await journal.sessions.discard("s1")
        assert await journal.sessions.find(ANNA, HOME) is None
        assert await due(journal) == []
        assert b"Xanadu" not in path.read_bytes()
        assert b"Xanadu" not in path.with_name(path.name + "-wal").read_bytes()


async def test_an_ended_session_is_not_discarded(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn())
        await journal.sessions.end("s1", "new", NOW)
        assert not await journal.sessions.discard("s1")
        assert [job.session.id for job in await due(journal)] == ["s1"]


OLD, NEW = Actor.group(-5), Actor.group(-1005)
THERE, HERE = Place("telegram", -5), Place("telegram", -1005)


async def test_sessions_move_with_their_turns_topics_and_jobs(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session("s1", OLD, THERE))
        await journal.turns.append("s1", turn(1))
        await journal.sessions.open(session("s2", OLD, Place("telegram", -5, 7)))
        await journal.sessions.open(session("s3", OLD, THERE))
        await journal.turns.append("s3", turn(1, "s3"))
        await journal.sessions.end("s3", "new", NOW)
        await journal.sessions.open(session("s4", ANNA))
        assert [job.session.actor for job in await due(journal)] == [OLD]
        for _ in range(2):  # done again, it changes nothing
            await journal.move(OLD, NEW, THERE, HERE)
        assert await unfinished(journal, OLD) == []
        one = await journal.sessions.find(NEW, HERE)
        seven = await journal.sessions.find(NEW, Place("telegram", -1005, 7))
        assert one is not None
        assert seven is not None
        assert (one.id, seven.id) == ("s1", "s2")
        assert [t.id for t in await journal.turns.of("s1")] == ["s1-t1"]
        assert not await journal.jobs.has(session("s3", OLD)), "it is no job of the old one's"
        assert [job.session.actor for job in await due(journal)] == [NEW]
        assert await journal.sessions.find(ANNA, HOME) is not None


async def test_where_both_have_an_open_session_the_older_one_ends(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session("s1", OLD, THERE))
        await journal.turns.append("s1", turn(1))
        await journal.sessions.open(session("s2", NEW, HERE))
        await journal.move(OLD, NEW, THERE, HERE)
        found = await journal.sessions.find(NEW, HERE)
        assert found is not None
        assert found.id == "s2"
        assert [s.id for s in await journal.sessions.of(NEW)] == ["s2"]
        later = NOW + timedelta(hours=1)
        assert [(j.session.id, j.reason) for j in await due(journal, later)] == [("s1", "moved")]


async def test_a_second_open_session_that_is_private_is_dropped(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(replace(session("s1", OLD, THERE), private=True))
        await journal.turns.append("s1", turn(1))
        await journal.sessions.open(session("s2", NEW, HERE))
        await journal.move(OLD, NEW, THERE, HERE)
        assert await unfinished(journal, NEW) == ["s2"]


async def test_a_turn_takes_the_place_of_others_all_or_nothing(journals: Journals) -> None:
    async with journals() as journal:
        await journal.sessions.open(session())
        for number in (1, 2, 3):
            await journal.turns.append("s1", turn(number))
        better = replace(turn(4), interrupted="cut")
        assert await journal.turns.append("s1", better, replaces=[turn(2), turn(3)])
        assert not await journal.turns.append("s1", better, replaces=[turn(2), turn(3)])
    async with journals() as journal:
        assert await journal.turns.of("s1") == [turn(1), better]
        found = await journal.sessions.find(ANNA, HOME)
        assert found is not None
        assert found.message_count == 4


async def test_a_turn_gets_other_words_where_it_stands(journals: Journals) -> None:
    async with journals() as journal:
        await journal.sessions.open(session())
        for number in (1, 2):
            await journal.turns.append("s1", turn(number))
        await journal.turns.rewrite(turn(1).reworded("I live in Rome"))
        first, second = await journal.turns.of("s1")
    assert [m.text for m in first.messages] == ["I live in Rome", "Noted."]
    assert second == turn(2)


async def test_a_job_that_waits_for_something_else_has_not_failed(journals: Journals):
    async with journals() as journal:
        await journal.sessions.open(session())
        await journal.turns.append("s1", turn())
        await journal.sessions.end("s1", "new", NOW)
        later = NOW + timedelta(minutes=5)
        await journal.jobs.retry(session(), later, None)
        assert await due(journal) == []
        (job,) = await due(journal, later)
        assert job.attempts == 0
        await journal.jobs.retry(session(), later, "ExtractionFailed")
        (job,) = await due(journal, later)
        assert job.attempts == 1
