"""What people had erased is gone, stays gone whatever AWS makes of it later, and each part of it is
deleted even if others fail."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor, Choice, Choices, Draft, Kind, Role, Turn, Utterance
from memory.stores.agentcore.erasure import ErasingPace
from memory.stores.agentcore.events.backlog import outbox_backlog_in
from memory.stores.agentcore.store import AgentCoreStore
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, Knobs, broken, denied, throttled
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.files import look_at

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN, BOB = Actor("u1"), Actor("u12")

#: Leaves a test the time to do something before the second sweep.
UNHURRIED = replace(FAST, erasing=ErasingPace(pauses=(1.5,)))
#: Looks only when it is asked to.
BY_ITSELF = replace(FAST, erasing=ErasingPace(pauses=(3600.0,)))


def draft(text: str, kind: Kind = Kind.FACT, **more: Any) -> Draft:
    return Draft(kind, text, more.pop("created_at", NOON), session_id="s-1", **more)


def turn(text: str, number: int = 1, session: str = "s-1", at: datetime | None = None) -> Turn:
    said = Utterance(Role.USER, text, at or datetime.now(UTC))
    return Turn(f"t-{number}", session, (said,))


async def told(store: AgentCoreStore, *turns: Turn) -> None:
    """These turns are said, and AWS has them."""
    await store.add_turn(ANN, *turns)
    await store.extraction.flush(ANN)


def shelved(here: World, now: float | None = None) -> list[str]:
    """The texts that AWS holds."""
    shelf = here.aws.data().contents(here.memory.id).shelf
    return [record.text for record in shelf.found(now or time.time())]


async def test_erasing_pages_through_everything_and_deletes_in_hundreds(tmp_path: Path) -> None:
    async with world(tmp_path, Knobs(page_rows=40)) as here, await here.store() as store:
        await store.commit(ANN, [draft(f"fact {n}") for n in range(230)])
        await here.calls().ask("create_event", **_event("s-1"))
        await here.calls().ask("create_event", **_event("s-2"))
        await store.erase(ANN)
        assert await store.records(ANN, include_superseded=True) == []
        assert here.count("BatchDeleteMemoryRecords") == 3
        assert here.count("DeleteEvent") == 2


def _event(session: str) -> dict[str, Any]:
    item = {"conversational": {"role": "USER", "content": {"text": "I live in Oslo"}}}
    return {
        "actorId": ANN.id,
        "sessionId": session,
        "eventTimestamp": NOON,
        "payload": [item],
    }


async def test_erasing_goes_on_through_throttling(tmp_path: Path) -> None:
    async with world(tmp_path, attempts=1) as here, await here.store() as store:
        event = await here.calls().ask("create_event", **_event("s-1"))
        here.aws.faults.add(throttled("DeleteEvent", times=2))
        await store.erase(ANN)
        log = here.aws.data().contents(here.memory.id).log
        assert log.events[0].id == event["event"]["eventId"]
        assert log.events[0].gone_at is not None


async def test_what_could_not_be_erased_is_said_and_erased_later(tmp_path: Path) -> None:
    async with world(tmp_path, attempts=1) as here, await here.store() as store:
        await store.commit(ANN, [draft("I drink tea")])
        await here.calls().ask("create_event", **_event("s-1"))
        here.aws.knobs.failed_records = 1
        here.aws.faults.add(throttled("DeleteEvent", times=4))
        with pytest.raises(StoreUnavailable, match="not deleted 1 messages and 1 memories yet"):
            await store.erase(ANN)
        await eventually(lambda: _knows_nothing_of(store, ANN))


async def test_a_turn_on_its_way_is_caught_up_with_and_erased(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store(UNHURRIED) as store:
        here.aws.faults.add(Fault("CreateEvent", times=1, delay=0.5))
        said = Utterance(Role.USER, "I live in Oslo", NOON)
        await store.add_turn(ANN, Turn("t-1", "s-1", (said,)))
        await eventually(lambda: _met(here))
        await store.erase(ANN)
        (event,) = here.aws.data().contents(here.memory.id).log.events
        assert event.gone_at is not None


async def test_an_event_that_aws_lists_after_the_second_sweep_is_deleted_by_the_third(
    tmp_path: Path,
) -> None:
    now = [time.time()]
    knobs = Knobs(writing_seconds=400)
    in_turn = replace(FAST, erasing=ErasingPace(pauses=(0.1, 3.0, 3600.0)))
    async with (
        world(tmp_path, knobs, clock=lambda: now[0]) as here,
        await here.store(in_turn) as store,
    ):
        await here.calls().ask("create_event", **_event("s-1"))
        await store.erase(ANN)
        await eventually(lambda: _called(here, "ListSessions", 2))
        now[0] += 401
        (event,) = here.aws.data().contents(here.memory.id).log.events

        async def gone() -> bool:
            return event.gone_at is not None

        await eventually(gone)


async def _met(here: World) -> bool:
    return here.aws.faults.empty


async def test_what_was_asked_for_since_survives_the_second_sweep(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store(UNHURRIED) as store:
        await store.commit(ANN, [draft("I drink tea")])
        await store.erase(ANN)
        (kept,) = await store.commit(ANN, [draft("I drink coffee")])
        seen = here.count("ListSessions")
        await eventually(lambda: _called(here, "ListSessions", seen + 1))
        assert await store.records(ANN) == [kept]


async def _knows_nothing_of(store: AgentCoreStore, actor: Actor) -> bool:
    return await store.records(actor, include_superseded=True) == []


async def _called(here: World, operation: str, times: int) -> bool:
    return here.count(operation) >= times


@pytest.mark.parametrize("fault", [broken, throttled])
async def test_a_wish_to_be_forgotten_outlives_an_outage_and_a_restart(
    tmp_path: Path, fault: Callable[[], Fault]
) -> None:
    timing = replace(FAST, erasing=ErasingPace(pauses=(0.2,), patience=1.0))
    async with world(tmp_path) as here:
        async with await here.store(timing) as store:
            await store.commit(ANN, [draft("I drink tea")])
            here.aws.faults.add(fault())
            with pytest.raises(StoreUnavailable, match="not everything is deleted yet"):
                await store.erase(ANN)
        here.aws.faults.clear()
        async with await here.store() as store:
            await eventually(lambda: _knows_nothing_of(store, ANN))


# -- what extraction makes later ------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [20, 200, 86_400])
@pytest.mark.parametrize("restarts", [False, True])
async def test_what_is_extracted_after_everything_was_erased_is_never_shown_and_deleted(
    tmp_path: Path, seconds: float, restarts: bool
) -> None:
    now = [time.time()]
    knobs = Knobs(extraction_seconds=seconds, voice="aws")
    async with world(tmp_path, knobs, clock=lambda: now[0]) as here:
        async with await here.store(BY_ITSELF) as store:
            await told(store, turn("My dog is called Rex"), turn("I live in Oslo", 2))
            await store.erase(ANN)
            if not restarts:
                now[0] += seconds + 1
                await _stays_forgotten(here, store, now)
        if restarts:
            now[0] += seconds + 1
            async with await here.store(BY_ITSELF) as store:
                await _stays_forgotten(here, store, now)


async def _stays_forgotten(here: World, store: AgentCoreStore, now: list[float]) -> None:
    await here.calls().ask("list_actors")  # whatever call lets the fake do what is due
    assert len(shelved(here, now[0])) > 0
    assert await store.records(ANN, include_superseded=True) == []
    assert await store.search(ANN, "What is my dog called?") == []
    assert await store.choices.get(ANN) == Choices()

    async def gone() -> bool:
        return shelved(here, now[0]) == []

    await eventually(gone)  # reading was enough


async def test_what_is_extracted_later_is_deleted_though_nobody_reads(tmp_path: Path) -> None:
    now = [time.time()]
    knobs = Knobs(extraction_seconds=300)
    async with world(tmp_path, knobs, clock=lambda: now[0]) as here, await here.store() as store:
        await told(store, turn("I live in Oslo"))
        await store.erase(ANN)
        lists = here.count("ListMemoryRecords")
        await eventually(lambda: _called(here, "ListMemoryRecords", lists + 6))  # finds nothing
        now[0] += 301
        await here.calls().ask("list_actors")
        assert shelved(here, now[0]) != []

        async def gone() -> bool:
            return shelved(here, now[0]) == []

        await eventually(gone)


@pytest.mark.parametrize("voice", ["own", "aws"])
async def test_what_is_said_after_everything_was_erased_stays(tmp_path: Path, voice: Any) -> None:
    knobs = Knobs(voice=voice)
    async with world(tmp_path, knobs) as here, await here.store() as store:
        await told(store, turn("I live in Oslo"))
        await store.erase(ANN)
        # Channels tell the second, which may have begun before.
        await told(store, turn("I live in Rome", 2, "s-2", at=NOON))
        await store.commit(ANN, [draft("I drink tea")])
        await store.choices.set(ANN, Choice.LANGUAGE, "Italian", NOON)
        lists = here.count("ListMemoryRecords")
        await eventually(lambda: _called(here, "ListMemoryRecords", lists + 9))
        texts = " ".join(record.text for record in await store.records(ANN))
        assert "Rome" in texts
        assert "tea" in texts
        assert "Oslo" not in texts
        assert (await store.choices.get(ANN)).language == "Italian"


async def test_what_one_person_erased_hides_nothing_of_another(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(BOB, turn("I live in Oslo"))
        await store.erase(ANN)
        await eventually(lambda: _knows_something_of(store, BOB))


async def _knows_something_of(store: AgentCoreStore, actor: Actor) -> bool:
    return await store.records(actor) != []


async def test_a_moved_actor_does_not_come_back(tmp_path: Path) -> None:
    now = [time.time()]
    knobs = Knobs(extraction_seconds=60)
    async with (
        world(tmp_path, knobs, clock=lambda: now[0]) as here,
        await here.store(BY_ITSELF) as store,
    ):
        await store.commit(ANN, [draft("I drink tea")])
        await told(store, turn("I live in Oslo"))
        await store.move(ANN, BOB)
        now[0] += 61
        assert await store.records(ANN) == []
        assert [record.text for record in await store.records(BOB)] == ["I drink tea"]


async def test_an_erasure_is_dropped_once_nothing_can_come_back(tmp_path: Path) -> None:
    timing = replace(FAST, erasing=ErasingPace(pauses=(0.05,), event_life=0.3))
    async with world(tmp_path) as here, await here.store(timing) as store:
        await store.erase(ANN)
        assert store.erasing.remainder(ANN).until

        async def forgotten() -> bool:
            return store.erasing.remainder(ANN).until is None

        await eventually(forgotten)


# -- each part by itself --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation", ["DeleteEvent", "ListEvents", "ListSessions", "BatchDeleteMemoryRecords"]
)
async def test_what_is_allowed_is_erased_though_another_action_is_denied(
    tmp_path: Path, operation: str
) -> None:
    async with world(tmp_path, attempts=1) as here, await here.store() as store:
        await told(store, turn("I live in Oslo"), turn("I drink tea", 2, "s-2"))
        await store.commit(ANN, [draft("My car is red")])
        here.aws.faults.add(denied(operation))
        with pytest.raises(StoreUnavailable, match=f"bedrock-agentcore:{operation} is not allowed"):
            await store.erase(ANN)
        assert await store.records(ANN, include_superseded=True) == []
        records_are_kept = operation == "BatchDeleteMemoryRecords"
        assert (shelved(here) != []) == records_are_kept
        log = here.aws.data().contents(here.memory.id).log
        assert all((e.gone_at is None) != records_are_kept for e in log.events)
        left = store.erasing.remainder(ANN)
        assert (left.records, left.messages) == (records_are_kept, not records_are_kept)
        here.aws.faults.clear()

        async def gone() -> bool:
            return shelved(here) == [] and all(event.gone_at for event in log.events)

        await eventually(gone)
        await eventually(lambda: _nothing_left_of(store, ANN))


async def _nothing_left_of(store: AgentCoreStore, actor: Actor) -> bool:
    return not store.erasing.remainder(actor)


async def test_nobody_waits_for_a_long_erasure(tmp_path: Path) -> None:
    timing = replace(FAST, erasing=ErasingPace(pauses=(0.2,), patience=0.3))
    async with world(tmp_path) as here, await here.store(timing) as store:
        await told(store, *(turn(f"City {n} is large", n) for n in range(6)))
        started_at = time.monotonic()
        with pytest.raises(StoreUnavailable, match="still deleting"):
            await store.erase(ANN)
        assert time.monotonic() - started_at < 1
        assert (store.erasing.remainder(ANN)).messages
        assert shelved(here) == []
        await eventually(lambda: _nothing_left_of(store, ANN))
        assert here.count("DeleteEvent") == 6


async def test_an_erasure_of_a_clock_that_was_ahead_hides_nothing_new(tmp_path: Path) -> None:
    def tomorrow() -> datetime:
        return datetime.now(UTC) + timedelta(days=1)

    ahead = replace(FAST, erasing=ErasingPace(pauses=(0.2,), clock=tomorrow))
    async with world(tmp_path) as here:
        async with await here.store(ahead) as store:
            await store.erase(ANN)
        async with await here.store() as store:
            await store.commit(ANN, [draft("I drink tea")])
            assert len(await store.records(ANN)) == 1


async def test_what_keeps_an_erasure_from_ending_is_known_until_it_ends(tmp_path: Path) -> None:
    async with world(tmp_path, attempts=1) as here, await here.store() as store:
        await told(store, turn("I live in Oslo"))
        here.aws.faults.add(denied("DeleteEvent"))
        with pytest.raises(StoreUnavailable):
            await store.erase(ANN)
        await eventually(lambda: _unfinished(here, 1))
        backlog = outbox_backlog_in(look_at(here.outbox))
        assert backlog
        assert backlog.erasures.since
        assert "DeleteEvent" in backlog.erasures.why
        here.aws.faults.clear()
        await eventually(lambda: _unfinished(here, 0))


async def _unfinished(here: World, count: int) -> bool:
    backlog = outbox_backlog_in(look_at(here.outbox))
    return backlog is not None and backlog.erasures.count == count
