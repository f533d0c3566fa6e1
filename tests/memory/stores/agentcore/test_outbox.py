"""The outbox: what is in it survives everything but being sent, refused or erased."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.erased import Erasure, Fingerprint, Trace
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.agentcore.events.outbox import Lane, Outbox, SentEvent
from memory.stores.database import Databases
from tests.fakes.files import outbox_in

ANN, BOB = Actor("u1"), Actor("u12")
HERS, HIS = Lane("u1", "s-1"), Lane("u12", "s-1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "outbox.sqlite"


@pytest.fixture
async def outbox(databases: Databases) -> AsyncIterator[Outbox]:
    outbox = await Outbox.open(databases.open(OUTBOX_LAYOUT))
    yield outbox
    await outbox.aclose()


async def drain(outbox: Outbox, lane: Lane) -> list[object]:
    """Send everything in a lane; what it said."""
    said = []
    while event := await outbox.head(lane, datetime.now(UTC)):
        said.append(event.body["text"])
        await outbox.mark_sent(event, None)
    return said


async def test_events_come_out_in_the_order_they_were_put(outbox: Outbox) -> None:
    for number in range(3):
        await outbox.put(HERS, f"t-{number}", [{"text": number}])
    assert await drain(outbox, HERS) == [0, 1, 2]


async def test_one_session_does_not_stand_behind_another(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{"text": "hers"}])
    await outbox.put(HIS, "t-1", [{"text": "his"}])
    assert await drain(outbox, HIS) == ["his"]
    assert await outbox.pending(ANN) == 1
    assert await outbox.pending() == 1


async def test_a_turn_put_twice_waits_once(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{"text": "a"}, {"text": "b"}])
    await outbox.put(HERS, "t-1", [{"text": "a"}, {"text": "b"}])
    assert await drain(outbox, HERS) == ["a", "b"]


async def test_a_turn_that_was_sent_is_not_sent_again(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{"text": "a"}])
    await drain(outbox, HERS)
    await outbox.put(HERS, "t-1", [{"text": "a"}])
    assert await outbox.head(HERS, datetime.now(UTC)) is None


async def test_a_turn_names_its_events_at_aws_after_a_restart(databases: Databases) -> None:
    outbox = await Outbox.open(databases.open(OUTBOX_LAYOUT))
    await outbox.put(HERS, "t-1", [{"text": "a"}, {"text": "b"}])
    await outbox.put(HERS, "t-2", [{"text": "c"}])
    await outbox.put(HIS, "t-1", [{"text": "his"}])
    for lane, names in ((HERS, ["0001#a", "0002#b", None]), (HIS, ["0003#c"])):
        for name in names:
            event = await outbox.head(lane, datetime.now(UTC))
            assert event is not None
            await outbox.mark_sent(event, name)
    await outbox.aclose()
    outbox = await Outbox.open(databases.open(OUTBOX_LAYOUT))
    assert await outbox.events_of(ANN, ["t-1", "t-2", "t-3"]) == [
        SentEvent("t-1", "s-1", "0001#a"),
        SentEvent("t-1", "s-1", "0002#b"),
    ]
    await outbox.aclose()


async def test_what_waits_is_still_there_after_the_process_was_killed(databases: Databases) -> None:
    killed = await Outbox.open(databases.open(OUTBOX_LAYOUT))
    await killed.put(HERS, "t-1", [{"text": "do not lose me"}])
    survivor = await Outbox.open(databases.open(OUTBOX_LAYOUT))  # the first one was never closed
    assert await survivor.lanes() == [HERS]
    assert await drain(survivor, HERS) == ["do not lose me"]
    await survivor.aclose()
    await killed.aclose()


async def test_what_was_put_for_somebody_whose_id_changes_is_theirs_once(outbox: Outbox) -> None:
    for lane in (HERS, HIS):
        await outbox.put(lane, "t-1", [{"text": lane.actor_id}])
    await outbox.put(HERS, "t-2", [{"text": "hers alone"}], ours=True)
    await outbox.move(ANN, BOB)
    assert await outbox.ours(BOB, ["t-1", "t-2"]) == {"t-2"}
    assert await outbox.pending(ANN) == 1, "it would be there twice"
    assert await drain(outbox, HIS) == ["u12", "hers alone"]


async def test_what_fails_waits_aside_and_is_due_again_at_its_time(outbox: Outbox) -> None:
    now = datetime.now(UTC)
    await outbox.put(HERS, "t-1", [{"text": "later"}])
    event = await outbox.head(HERS, now)
    assert event is not None
    later = now + timedelta(hours=1)
    for _ in range(2):
        await outbox.note_failure(event, "slow", now, later)
    assert await outbox.head(HERS, now) is None
    assert (await outbox.pending(ANN), await outbox.pending(ANN, aside=False)) == (1, 0)
    again = await outbox.head(HERS, later + timedelta(seconds=1))
    assert again is not None
    assert again.failing_since == now
    assert await outbox.requeue() == 0
    assert await drain(outbox, HERS) == ["later"]


async def test_how_often_a_job_was_tried_is_known_until_it_is_forgotten(outbox: Outbox) -> None:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    for tries in (1, 2):
        await outbox.note_try("job-1", tries, at)
    assert await outbox.tries(["job-1", "job-2"]) == {"job-1": (2, at)}
    await outbox.forget_tries()
    assert await outbox.tries(["job-1"]) == {}


async def test_a_turn_can_be_withdrawn_before_it_is_sent_and_put_again_after(
    outbox: Outbox,
) -> None:
    await outbox.put(HERS, "t-1", [{"text": "a"}])
    assert await outbox.has_unsent(ANN, ["t-1"])
    await outbox.withdraw(ANN, ["t-1"])
    assert not await outbox.has_unsent(ANN, ["t-1"])
    await outbox.put(HERS, "t-1", [{"text": "b"}])
    await drain(outbox, HERS)
    await outbox.withdraw(ANN, ["t-1"], sent=True)
    await outbox.put(HERS, "t-1", [{"text": "c"}])
    event = await outbox.head(HERS, datetime.now(UTC))
    assert event is not None
    await outbox.mark_sent(event, "0001#c")
    assert await outbox.turns_of(ANN, ["0001#c"]) == {"0001#c": "t-1"}


async def test_what_aws_refuses_does_not_block_what_follows(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{"text": "poison"}])
    await outbox.put(HERS, "t-2", [{"text": "fine"}])
    poison = await outbox.head(HERS, datetime.now(UTC))
    assert poison is not None
    await outbox.note_failure(poison, "no good", datetime.now(UTC), final=True)
    assert await outbox.count_refused() == 1
    assert await drain(outbox, HERS) == ["fine"]


async def test_no_text_that_was_sent_or_erased_stays_in_the_file(path: Path) -> None:
    outbox = await outbox_in(path)
    await outbox.put(HERS, "t-1", [{"text": "PLATYPUS"}])
    await drain(outbox, HERS)
    await outbox.put(HERS, "t-2", [{"text": "AARDVARK"}])
    await outbox.add_erasure(_erasure(datetime.now(UTC)))
    files = list(path.parent.iterdir())
    kept = b"".join(file.read_bytes() for file in files)
    assert b"PLATYPUS" not in kept
    assert b"AARDVARK" not in kept
    await outbox.aclose()


async def test_erasing_one_actor_leaves_the_others_alone(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{"text": "hers"}])
    await outbox.put(HIS, "t-1", [{"text": "his"}])
    await outbox.add_erasure(_erasure(datetime.now(UTC)))
    assert await outbox.pending(ANN) == 0
    assert await outbox.pending(BOB) == 1


def _erasure(asked_at: datetime, *statements: str) -> Erasure:
    trace = Trace(Fingerprint.of(statements), frozenset({"mem-1"})) if statements else None
    return Erasure(ANN, asked_at, asked_at, trace)


async def test_erasing_everything_replaces_what_was_erased_before(outbox: Outbox) -> None:
    await outbox.add_erasure(_erasure(datetime(2026, 1, 1, tzinfo=UTC), "I drink tea"))
    await outbox.add_erasure(_erasure(datetime(2026, 1, 2, tzinfo=UTC)))
    second = await outbox.add_erasure(_erasure(datetime(2026, 1, 3, tzinfo=UTC)))
    assert await outbox.erasures(ANN) == [second]
    await outbox.drop_erasure(second)
    assert await outbox.erasures(ANN) == []


async def test_the_state_of_an_erasure_is_kept(outbox: Outbox) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    erasure = await outbox.add_erasure(_erasure(noon, "I drink tea"))
    swept = replace(erasure, sweeps=3, next_sweep=noon + timedelta(days=1), pending=False)
    await outbox.note_sweep(swept)
    assert await outbox.erasures(ANN) == [swept]


async def test_no_word_of_what_is_forgotten_stands_in_the_file(path: Path) -> None:
    outbox = await outbox_in(path)
    await outbox.add_erasure(_erasure(datetime.now(UTC), "My platypus is called Aardvark"))
    kept = b"".join(file.read_bytes() for file in path.parent.iterdir()).lower()
    assert b"platypus" not in kept
    assert b"aardvark" not in kept
    await outbox.aclose()


async def test_an_erasure_that_an_older_version_had_not_finished_goes_on(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE erasure (actor TEXT PRIMARY KEY, asked_at TEXT) WITHOUT ROWID")
        db.execute("INSERT INTO erasure VALUES ('u1', '2026-01-01T12:00:00+00:00')")
    db.close()
    outbox = await outbox_in(path)
    (erasure,) = await outbox.erasures(ANN)
    assert (erasure.actor, erasure.asked_at) == (ANN, datetime(2026, 1, 1, 12, tzinfo=UTC))
    assert erasure.pending
    await outbox.aclose()


async def test_only_the_owner_can_read_the_file(path: Path) -> None:
    outbox = await outbox_in(path)
    await outbox.put(HERS, "t-1", [{"text": "private"}])
    assert path.stat().st_mode & 0o077 == 0
    await outbox.aclose()


async def test_a_damaged_file_is_set_aside_and_a_new_one_begun(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this was never a database" * 100)
    outbox = await outbox_in(path)
    await outbox.put(HERS, "t-1", [{"text": "goes on"}])
    assert await drain(outbox, HERS) == ["goes on"]
    assert [p.name for p in path.parent.glob("*.damaged-*")]
    await outbox.aclose()


async def test_the_file_that_takes_the_place_of_a_damaged_one_is_as_private(path: Path) -> None:
    path.parent.mkdir()
    path.touch(mode=0o600)
    path.write_bytes(b"this was never a database" * 100)
    outbox = await outbox_in(path)
    assert path.stat().st_mode & 0o077 == 0
    await outbox.aclose()


async def test_a_file_of_a_newer_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at TEXT)")
        db.execute("INSERT INTO migration VALUES ('of tomorrow', '2030-01-01')")
    db.close()
    with pytest.raises(NewerStore, match="of tomorrow"):
        await outbox_in(path)


async def test_what_waits_in_a_file_of_before_there_were_migrations_is_kept(path: Path) -> None:
    outbox = await outbox_in(path)
    await outbox.put(HERS, "t-1", [{"text": "do not lose me"}])
    await outbox.aclose()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE migration")
        db.execute("DROP TABLE job")
        db.execute("DROP TABLE erased")
        for column in ("event_id", "ours", "failing_since", "why", "due_at"):
            db.execute(f"ALTER TABLE event DROP COLUMN {column}")
    db.close()
    outbox = await outbox_in(path)
    assert await drain(outbox, HERS) == ["do not lose me"]
    await outbox.aclose()


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="outbox"):
        await outbox_in(tmp_path / "file" / "outbox.sqlite")
