"""A group that gets another id, on AWS: its records are copied, its events are deleted."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, denied, inactive
from tests.fakes.aws.world import world

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
OLD, NEW = Actor.group(-5), Actor.group(-1005)


def fact(text: str, minutes: int = 0) -> Draft:
    return Draft(Kind.FACT, text, NOON + timedelta(minutes=minutes), session_id="s-1")


async def test_what_aws_has_extracted_moves_and_the_events_go(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        said = "I live in Oslo. I prefer short answers."
        await store.add_turn(OLD, Turn("t-1", "s-1", (Utterance(Role.USER, said, NOON),)))
        await store.extraction.flush(OLD)
        before = await store.records(OLD)
        assert {record.kind for record in before} > {Kind.FACT}
        await store.move(OLD, NEW)
        after = await store.records(NEW)
        # As AWS has written them, also where that is JSON or XML.
        assert [(r.kind, r.text, r.session_id, r.topics) for r in after] == [
            (r.kind, r.text, r.session_id, r.topics) for r in before
        ]
        assert [r.created_at for r in after] == [r.created_at for r in before]
        assert await store.records(OLD) == []
        calls = here.calls()
        events = calls.rows("list_events", "events", actorId=OLD.id, sessionId="s-1")
        assert [event async for event in events] == []
        assert await store.pending() == 0


async def test_what_aws_has_not_taken_moves_too_refused_or_not(tmp_path: Path) -> None:
    reason = "FieldValidationFailed"
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(Fault("CreateEvent", 1, "ValidationException", reason=reason))
        here.aws.faults.add(inactive("CreateEvent"))
        for number in range(3):
            said = (Utterance(Role.USER, f"We know city number {number}", NOON),)
            await store.add_turn(OLD, Turn(f"t-{number}", "s-1", said))
        await eventually(lambda: _some_refused(store))
        async with asyncio.timeout(5):  # Nothing is under way: there is nothing to wait for.
            await store.move(OLD, NEW)
        assert await store.pending(NEW) == 2
        here.aws.faults.clear()
        assert await store.sending.retry_refused() == 1
        await store.extraction.flush(NEW)
        events = here.aws.data().contents(here.memory.id).log.events
        assert {event.messages[0][1] for event in events} == {
            f"We know city number {number}" for number in range(3)
        }
        assert {event.actor_id for event in events} == {NEW.id}


async def _some_refused(store: AgentCoreStore) -> bool:
    return await store.sending.refused() == 1


async def test_a_move_that_breaks_off_is_completed_without_a_second_copy(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.commit(OLD, [fact(f"We know city number {n}", n) for n in range(120)])
        here.aws.faults.add(denied("BatchDeleteMemoryRecords"))
        await store.move(OLD, NEW)  # The wish to delete the old ones is written down.
        assert len(await store.records(NEW)) == 120
        assert await store.records(OLD) == []  # AWS has them, and nobody sees them.
        shelf = here.aws.data().contents(here.memory.id).shelf
        assert len(shelf.records) == 240
        here.aws.faults.clear()
        tried = here.count("BatchDeleteMemoryRecords")
        await store.move(OLD, NEW)
        assert len(await store.records(NEW)) == 120
        assert await store.records(OLD) == []
        # Also those that a read came across are deleted together, a hundred at once.
        assert here.count("BatchDeleteMemoryRecords") - tried < 10


async def test_nothing_is_deleted_before_all_is_copied(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.commit(OLD, [fact("We live in Oslo")])
        here.aws.faults.add(denied("BatchCreateMemoryRecords"))
        with pytest.raises(StoreUnavailable):
            await store.move(OLD, NEW)
        assert [record.text for record in await store.records(OLD)] == ["We live in Oslo"]
