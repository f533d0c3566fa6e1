"""Turns on their way to AWS: one event each, in order, never lost, never twice."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.records import Actor, Place, Role, Speaker, Turn, Utterance
from memory.stores.agentcore.events.outbox import Lane, Outgoing, SentEvent
from memory.stores.agentcore.events.sender import (
    MAX_MESSAGE_BYTES,
    EventSender,
    SendingPace,
    cut_bytes,
    event_bodies,
)
from memory.stores.agentcore.store import AgentCoreStore, Timing
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, broken, expired_credentials, inactive, throttled
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.files import outbox_in

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN, BOB, GROUP = Actor("u1"), Actor("u12"), Actor("g100")


def turn(turn_id: str, said: str = "I live in Oslo", session: str = "s-1") -> Turn:
    reply = Utterance(Role.ASSISTANT, "I see.", NOON)
    return Turn(turn_id, session, (Utterance(Role.USER, said, NOON), reply))


async def events(here: World, actor: Actor = ANN, session: str = "s-1") -> list[dict[str, Any]]:
    """What AWS has of a session, in the order it arrived."""
    rows = here.calls().rows("list_events", "events", actorId=actor.id, sessionId=session)
    return sorted([row async for row in rows], key=lambda row: row["eventId"])


async def said(here: World, actor: Actor = ANN, session: str = "s-1") -> list[str]:
    """The users' words that AWS has, in the order of arrival."""
    data = here.aws.data().contents(here.memory.id)
    return [
        event.messages[0][1]
        for event in data.log.events
        if (event.actor_id, event.session_id) == (actor.id, session)
    ]


async def test_a_turn_is_one_event_with_both_sides(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, turn("t-1"))
        await store.extraction.flush(ANN)
        (event,) = await events(here)
        parts = [part["conversational"] for part in event["payload"]]
        assert [(p["role"], p["content"]["text"]) for p in parts] == [
            ("USER", "I live in Oslo"),
            ("ASSISTANT", "I see."),
        ]
        assert event["eventTimestamp"] == NOON
        assert here.count("CreateEvent") == 1
    outbox = await outbox_in(here.outbox)
    assert await outbox.events_of(ANN, ["t-1"]) == [SentEvent("t-1", "s-1", event["eventId"])]
    await outbox.aclose()


async def test_an_event_knows_its_turn_and_where_that_was_said(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, replace(turn("t-1"), place=Place("telegram", -1001, 7)))
        await store.add_turn(ANN, replace(turn("t-2"), place=Place("terminal", 1)))
        await store.add_turn(ANN, turn("t-3"))
        await store.extraction.flush(ANN)
        told = [event.get("metadata") or {} for event in await events(here)]
        assert [{key: value["stringValue"] for key, value in one.items()} for one in told] == [
            {"turn": "t-1", "channel": "telegram", "chat": "-1001", "topic": "7"},
            {"turn": "t-2", "channel": "terminal", "chat": "1"},
            {"turn": "t-3"},
        ]


async def test_what_was_said_is_extracted_into_facts_and_a_summary(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, turn("t-1", "I work at Acme Corp"))
        await store.extraction.flush(ANN)
        found = await store.records(ANN)
        assert any("Acme" in record.text for record in found)


async def test_the_turns_of_a_session_arrive_in_order(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(throttled("CreateEvent", times=3))
        for number in range(6):
            await store.add_turn(ANN, turn(f"t-{number}", f"number {number}"))
        await store.extraction.flush(ANN)
        assert await said(here) == [f"number {number}" for number in range(6)]


async def test_a_session_is_sent_at_less_than_five_events_a_second(tmp_path: Path) -> None:
    assert 1 / SendingPace().spacing < 5
    pace = SendingPace(spacing=0.1)
    async with world(tmp_path) as here, await here.store(Timing(pace=pace)) as store:
        start = time.monotonic()
        for number in range(4):
            await store.add_turn(ANN, turn(f"t-{number}"))
        await store.extraction.flush(ANN)
        assert time.monotonic() - start >= 0.3


async def test_handing_a_turn_in_again_is_no_second_event(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, turn("t-1"))
        await store.extraction.flush(ANN)
        await store.add_turn(ANN, turn("t-1"), turn("t-2"))
        await store.extraction.flush(ANN)
        assert len(await events(here)) == 2


async def test_an_answer_that_got_lost_is_no_second_event(tmp_path: Path) -> None:
    async with world(tmp_path, attempts=1) as here, await here.store() as store:
        here.aws.faults.add(Fault("CreateEvent", times=2, cut=0))
        await store.add_turn(ANN, turn("t-1"))
        await store.extraction.flush(ANN)
        assert here.count("CreateEvent") == 3
        assert len(await events(here)) == 1


async def test_another_process_that_lost_its_memory_of_sending_makes_no_second_event(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here:
        for _ in range(2):
            async with await here.store() as store:
                await store.add_turn(ANN, turn("t-1"))
                await store.extraction.flush(ANN)
            for file in tmp_path.glob("outbox*"):
                file.unlink()
        assert here.count("CreateEvent") == 2
        assert len(await events(here)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        throttled("CreateEvent"),
        broken("CreateEvent"),
        expired_credentials(),
        Fault("CreateEvent", code="AccessDeniedException", status=403),
        Fault("CreateEvent", cut=20),
        inactive("CreateEvent"),
        replace(inactive("CreateEvent"), reason="FieldValidationFailed"),
        Fault("CreateEvent", code="ValidationException", reason="ResourceConflict"),
        Fault("CreateEvent", code="ValidationException", message="for a reason of tomorrow"),
        Fault("CreateEvent", code="InvalidInputException"),
        Fault("CreateEvent", code="RetryableConflictException", status=409),
    ],
    ids=lambda fault: f"{fault.code or 'cut off'} {fault.reason or ''}",
)
async def test_what_aws_does_not_take_is_sent_once_it_does(tmp_path: Path, fault: Fault) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(fault)
        await store.add_turn(ANN, turn("t-1", "first"))
        await store.add_turn(ANN, turn("t-2", "second"))
        await eventually(lambda: _called(here, "CreateEvent", 3))
        assert await store.pending(ANN) == 2
        here.aws.faults.clear()
        await store.extraction.flush(ANN)
        assert await said(here) == ["first", "second"]


async def _called(here: World, operation: str, times: int) -> bool:
    return here.count(operation) >= times


async def test_what_was_not_sent_is_sent_after_a_restart(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(broken())
        async with await here.store() as store:
            for number in range(3):
                await store.add_turn(ANN, turn(f"t-{number}", f"number {number}"))
            await store.add_turn(BOB, turn("t-1", "his"))
        here.aws.faults.clear()
        async with await here.store() as store:
            await asyncio.gather(store.extraction.flush(ANN), store.extraction.flush(BOB))
            assert await said(here) == ["number 0", "number 1", "number 2"]
            assert await said(here, BOB) == ["his"]


async def test_a_turn_that_aws_refuses_for_good_does_not_block_the_next(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        words, reason = "bad text: PLATYPUS", "FieldValidationFailed"
        refusal = Fault("CreateEvent", 1, "ValidationException", 400, words, reason=reason)
        here.aws.faults.add(refusal)
        with capture_logs() as logs:
            await store.add_turn(ANN, turn("t-1", "PLATYPUS"))
            await store.add_turn(ANN, turn("t-2", "fine"))
            await store.extraction.flush(ANN)
        assert await said(here) == ["fine"]
        (line,) = [entry for entry in logs if entry["event"] == "event_quarantined"]
        assert (line["turn"], line["quarantined"]) == ("t-1", 1)
        assert "PLATYPUS" not in str(logs)


async def test_an_outage_is_one_line_in_the_log(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(broken())
        with capture_logs() as logs:
            for session in ("s-1", "s-2", "s-3"):
                await store.add_turn(ANN, turn("t-1", session=session))
            await eventually(lambda: _called(here, "CreateEvent", 12))
        assert [entry["event"] for entry in logs].count("events_waiting") == 1


async def test_a_hanging_session_does_not_hold_up_another_persons(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(Fault("CreateEvent", times=1, delay=30))
        await store.add_turn(ANN, turn("t-1"))
        await eventually(lambda: _hangs(here))
        await store.add_turn(BOB, turn("t-1"))
        async with asyncio.timeout(10):
            await store.extraction.flush(BOB)
        assert await store.pending(ANN) == 1
        here.aws.stopping.set()


async def _hangs(here: World) -> bool:
    """Whether the one fault has been met."""
    return here.aws.faults.empty


async def test_writing_a_turn_down_waits_for_no_thread_that_aws_holds(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(Fault(delay=30))
        stuck = [asyncio.create_task(store.records(BOB)) for _ in range(8)]
        await asyncio.sleep(0.2)
        async with asyncio.timeout(5):
            await store.add_turn(ANN, turn("t-1"))
        here.aws.stopping.set()
        await asyncio.gather(*stuck, return_exceptions=True)


async def test_of_a_person_who_is_forgotten_only_what_is_under_way_still_goes_out(
    tmp_path: Path,
) -> None:
    begun, answered, sent = asyncio.Event(), asyncio.Event(), list[str]()

    async def send(event: Outgoing) -> str:
        begun.set()
        await answered.wait()
        sent.append(event.turn_id)
        return "0001#1"

    outbox = await outbox_in(tmp_path / "outbox.sqlite")
    sender = EventSender(outbox, send, SendingPace(spacing=0.0))
    await sender.start()
    for number in range(3):
        await outbox.put(Lane(ANN.id, "s-1"), f"t-{number}", [{"text": "tea"}])
    sender.wake(Lane(ANN.id, "s-1"))
    await begun.wait()
    dropping = asyncio.create_task(sender.drop(ANN))
    await asyncio.sleep(0)
    answered.set()
    await dropping
    assert sent == ["t-0"]
    await sender.aclose()
    await outbox.aclose()


async def test_in_a_group_the_speaker_is_told_to_extraction(tmp_path: Path) -> None:
    message = Utterance(Role.USER, "I bring the tent", NOON, speaker=Speaker(7, "Ann\nB."))
    (body,) = event_bodies(GROUP, Turn("t-1", "s-1", (message,)))
    assert body["payload"][0]["conversational"]["content"]["text"] == "Ann B.: I bring the tent"
    assert body["place"] == {"turn": "t-1", "speaker": "7"}
    (body,) = event_bodies(ANN, Turn("t-1", "s-1", (message,)))
    assert body["payload"][0]["conversational"]["content"]["text"] == "I bring the tent"


async def test_a_very_long_burst_becomes_several_events(tmp_path: Path) -> None:
    messages = tuple(
        Utterance(Role.USER, f"line {n}", NOON + timedelta(seconds=n)) for n in range(250)
    )
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, Turn("t-1", "s-1", messages))
        await store.extraction.flush(ANN)
        assert [len(event["payload"]) for event in await events(here)] == [100, 100, 50]


async def test_a_text_longer_than_aws_takes_is_cut_and_sent(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, turn("t-1", "й" * 80_000))
        await store.extraction.flush(ANN)
        assert await said(here) == ["й" * (MAX_MESSAGE_BYTES // 2)]


async def test_a_turn_without_words_is_not_sent(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, Turn("t-1", "s-1", (Utterance(Role.USER, " \n", NOON),)))
        assert await store.pending(ANN) == 0
        assert here.count("CreateEvent") == 0


async def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        store: AgentCoreStore = await here.store(FAST)
        await store.aclose()
        await store.aclose()


@settings(deadline=None)
@given(st.text(st.characters(codec=None)), st.integers(1, 50))
def test_a_cut_text_fits_is_whole_characters_and_the_beginning(text: str, limit: int) -> None:
    short = cut_bytes(text, limit)
    assert len(short.encode()) <= limit
    clean = text.encode("utf-8", "replace").decode()
    assert clean.startswith(short)
    rest = clean[len(short) :]
    assert not rest or len((short + rest[0]).encode()) > limit


def test_nothing_of_an_interrupted_answer_is_told_to_extraction() -> None:
    asked = Utterance(Role.USER, "I live in Oslo", NOON)
    broken = Utterance(Role.ASSISTANT, "You live in Ro", NOON)
    (body,) = event_bodies(ANN, Turn("t-1", "s-1", (asked, broken), interrupted="cut"))
    assert [item["conversational"]["role"] for item in body["payload"]] == ["USER"]
    assert event_bodies(ANN, Turn("t-2", "s-1", (broken,), interrupted="cut")) == []
