"""Turns that AWS refuses: kept, seen, sent again, and in nobody's way."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.calls.errors import AwsFailure
from memory.stores.agentcore.events.backlog import Unfinished, outbox_backlog_in
from memory.stores.agentcore.events.outbox import Lane, Outbox, Outgoing
from memory.stores.agentcore.events.sender import EventSender, SendingPace
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, inactive
from tests.fakes.aws.world import World, world
from tests.fakes.files import look_at, outbox_in
from tests.memory.stores.agentcore.test_turns import said, turn

ANN = Actor("u1")
HERS, OTHERS = Lane("u1", "s-1"), Lane("u12", "s-1")
REFUSAL = Fault(
    "CreateEvent", 1, "ValidationException", message="no such place", reason="CannotParse"
)
PACE = SendingPace(spacing=0.0, first_retry=0.01, longest_retry=0.02, stuck=0.1, aside=0.1)


class Picky:
    """An AWS that takes all events but those of some turns."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.refuses: dict[str, AwsFailure] = {}

    async def send(self, event: Outgoing) -> str:
        if failure := self.refuses.get(event.turn_id):
            raise failure
        self.taken.append(event.turn_id)
        return f"0001#{event.turn_id}"


@pytest.fixture
def aws() -> Picky:
    return Picky()


@pytest.fixture
async def outbox(tmp_path: Path) -> AsyncIterator[Outbox]:
    outbox = await outbox_in(tmp_path / "outbox.sqlite")
    yield outbox
    await outbox.aclose()


@pytest.fixture
async def sender(outbox: Outbox, aws: Picky) -> AsyncIterator[EventSender]:
    sender = EventSender(outbox, aws.send, PACE)
    await sender.start()
    yield sender
    await sender.aclose()


async def put(outbox: Outbox, sender: EventSender, lane: Lane, *turn_ids: str) -> None:
    for turn_id in turn_ids:
        await outbox.put(lane, turn_id, [{"text": turn_id}])
    sender.wake(lane)


def failure(code: str = "ValidationException", *, inactive: bool = False) -> AwsFailure:
    return AwsFailure("CreateEvent: no", code, answered=True, inactive=inactive)


async def test_what_is_said_while_the_memory_is_not_active_arrives_in_order(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(inactive("CreateEvent"))
        async with await here.store() as store:
            for number in range(3):
                await store.add_turn(ANN, turn(f"t-{number}", f"number {number}"))
            await eventually(lambda: _refused(here, 3))
            assert await store.sending.refused() == 0
        async with await here.store() as store:
            here.aws.faults.clear()
            await store.extraction.flush(ANN)
        assert await said(here) == ["number 0", "number 1", "number 2"]


async def _refused(here: World, times: int) -> bool:
    return here.count("CreateEvent") >= times


async def test_what_was_refused_is_kept_and_sent_again_on_demand(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(REFUSAL)
        async with await here.store() as store:
            await store.add_turn(ANN, turn("t-1", "do not lose me"))
            await store.extraction.flush(ANN)
        async with await here.store() as store:
            assert await store.sending.refused() == 1
            backlog = outbox_backlog_in(look_at(here.outbox))
            assert backlog is not None
            assert backlog.refused.count == 1
            assert "no such place" in backlog.refused.why
            assert await store.sending.retry_refused() == 1
            await store.extraction.flush(ANN)
            assert await store.sending.refused() == 0
        assert await said(here) == ["do not lose me"]


async def test_no_age_removes_what_was_refused(tmp_path: Path) -> None:
    outbox = await outbox_in(tmp_path / "outbox.sqlite")
    await outbox.put(HERS, "t-1", [{"text": "do not lose me"}])
    event = await outbox.head(HERS, datetime.now(UTC))
    assert event is not None
    await outbox.note_failure(event, "no good", datetime.now(UTC), final=True)
    await outbox.aclose()
    with sqlite3.connect(tmp_path / "outbox.sqlite") as db:
        db.execute("UPDATE event SET changed_at = '2001-01-01T00:00:00+00:00'")
        db.execute("INSERT INTO sqlite_sequence VALUES ('event', 5000)")
    db.close()
    outbox = await outbox_in(tmp_path / "outbox.sqlite")
    assert await outbox.requeue() == 1
    found = await outbox.head(HERS, datetime.now(UTC))
    assert found is not None
    assert found.body == {"text": "do not lose me"}
    await outbox.aclose()


async def test_what_an_older_version_quarantined_gets_one_more_chance(tmp_path: Path) -> None:
    path = tmp_path / "outbox.sqlite"
    outbox = await outbox_in(path)
    await outbox.put(HERS, "t-1", [{"text": "do not lose me"}])
    await outbox.aclose()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE event SET state = 'refused'")
        db.execute("DELETE FROM migration WHERE name = 'what fails, and when to try again'")
        for column in ("failing_since", "why", "due_at"):
            db.execute(f"ALTER TABLE event DROP COLUMN {column}")
    db.close()
    outbox = await outbox_in(path)
    assert await outbox.head(HERS, datetime.now(UTC))
    await outbox.aclose()


async def test_a_poisonous_event_steps_aside_and_its_session_goes_on(
    outbox: Outbox, sender: EventSender, aws: Picky
) -> None:
    aws.refuses["t-1"] = failure()
    with capture_logs() as logs:
        await put(outbox, sender, HERS, "t-1", "t-2", "t-3")
        await sender.flush(ANN)
    assert aws.taken == ["t-2", "t-3"]
    assert await outbox.pending(ANN) == 1
    assert await sender.refused() == 0
    assert [line["turn"] for line in logs if line["event"] == "event_stepped_aside"] == ["t-1"]
    aws.refuses.clear()
    await eventually(lambda: _empty(outbox))
    assert aws.taken == ["t-2", "t-3", "t-1"]


async def _empty(outbox: Outbox) -> bool:
    return not await outbox.pending()


@pytest.mark.parametrize(
    "error", [failure("ServiceException"), failure(inactive=True)], ids=["broken", "inactive"]
)
async def test_what_may_hold_for_all_events_lets_one_step_aside_only_if_others_are_taken(
    outbox: Outbox, sender: EventSender, aws: Picky, error: AwsFailure
) -> None:
    aws.refuses["t-1"] = error
    await put(outbox, sender, HERS, "t-1", "t-2")
    await eventually(lambda: _fails_for(outbox, 0.3))
    assert aws.taken == []
    await put(outbox, sender, OTHERS, "t-9")
    await sender.flush(ANN)
    assert aws.taken == ["t-9", "t-2"]


async def _fails_for(outbox: Outbox, seconds: float) -> bool:
    event = await outbox.head(HERS, datetime.now(UTC))
    since = event.failing_since if event else None
    return since is not None and datetime.now(UTC) - since > timedelta(seconds=seconds)


async def test_a_leap_of_the_clock_hides_no_event(outbox: Outbox) -> None:
    await outbox.put(HERS, "t-1", [{}])
    event = await outbox.head(HERS, datetime.now(UTC))
    assert event is not None
    now = datetime.now(UTC)
    await outbox.note_failure(event, "no", now, now + timedelta(hours=1))
    assert await outbox.head(HERS, datetime.now(UTC)) is None
    await outbox.note_failure(event, "no", now, now + timedelta(days=400))
    assert await outbox.head(HERS, datetime.now(UTC))


async def test_the_backlog_counts_what_waits_and_what_was_refused(
    outbox: Outbox, tmp_path: Path
) -> None:
    path = tmp_path / "outbox.sqlite"
    assert outbox_backlog_in(look_at(tmp_path / "none.sqlite")) is None
    empty = outbox_backlog_in(look_at(path))
    assert empty is not None
    assert (empty.waiting, empty.refused) == (Unfinished(), Unfinished())
    for turn_id in ("t-1", "t-2", "t-3"):
        await outbox.put(HERS, turn_id, [{}])
    event = await outbox.head(HERS, datetime.now(UTC))
    assert event is not None
    await outbox.note_failure(event, "first words", datetime.now(UTC))
    await outbox.note_failure(
        replace(event, row=event.row + 1), "other words", datetime.now(UTC), final=True
    )
    backlog = outbox_backlog_in(look_at(path))
    assert backlog is not None
    assert (backlog.waiting.count, backlog.waiting.why) == (2, "first words")
    assert (backlog.refused.count, backlog.refused.why) == (1, "other words")
    assert backlog.waiting.since is not None


def test_a_file_that_is_no_outbox_is_named(tmp_path: Path) -> None:
    path = tmp_path / "outbox.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreUnavailable, match=r"outbox\.sqlite"):
        outbox_backlog_in(look_at(path))
