"""What AWS has word for word, for an export."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor, Kind, Place, Role, Speaker, Turn, Utterance
from memory.stores.agentcore.store import AgentCoreStore
from tests.fakes.aws import Knobs, denied, throttled
from tests.fakes.aws.world import World, world

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN, TWELVE, GROUP = Actor("u1"), Actor("u12"), Actor("g100")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    # A few rows a page: what follows must be asked for.
    async with world(tmp_path, Knobs(page_rows=2)) as here:
        yield here


@pytest.fixture
async def store(here: World) -> AsyncIterator[AgentCoreStore]:
    async with await here.store() as store:
        yield store


def turn(number: int, said: str, session: str = "s-1", speaker: Speaker | None = None) -> Turn:
    at = NOON + timedelta(minutes=number)
    user = Utterance(Role.USER, said, at, speaker)
    return Turn(f"t-{number}", session, (user, Utterance(Role.ASSISTANT, f"reply {number}", at)))


async def test_all_messages_come_in_the_order_they_were_said(store: AgentCoreStore) -> None:
    for number in range(7):
        session = "s-2" if number > 4 else "s-1"
        await store.add_turn(ANN, turn(number, f"number {number}", session))
    await store.extraction.flush(ANN)
    found = await store.all_messages(ANN)
    expected = [text for n in range(7) for text in (f"number {n}", f"reply {n}")]
    assert [message.text for message in found] == expected
    assert {message.kind for message in found} == {Kind.MESSAGE}
    first, second, *_ = found
    assert (first.role, second.role) == (Role.USER, Role.ASSISTANT)
    assert (first.created_at, first.session_id, first.turn_ids) == (NOON, "s-1", ("t-0",))
    assert len({message.id for message in found}) == len(found)


async def test_a_message_says_where_it_was_said(store: AgentCoreStore) -> None:
    await store.add_turn(ANN, replace(turn(1, "hello"), place=Place("telegram", -1001, 7)))
    await store.extraction.flush(ANN)
    assert (await store.all_messages(ANN))[0].place == Place("telegram", -1001, 7)


async def test_in_a_group_it_says_who_said_it(store: AgentCoreStore) -> None:
    await store.add_turn(GROUP, turn(1, "I bring: the tent", speaker=Speaker(7, "Ann")))
    await store.extraction.flush(GROUP)
    said, reply = await store.all_messages(GROUP)
    assert said.text == "I bring: the tent"
    assert said.speaker
    assert (said.speaker.id, said.speaker.name) == (7, "Ann")
    assert reply.speaker is None


async def test_a_message_of_one_person_with_a_colon_stays_as_it_is(store: AgentCoreStore) -> None:
    await store.add_turn(ANN, turn(1, "Note: call Bob"))
    await store.extraction.flush(ANN)
    said, _ = await store.all_messages(ANN)
    assert (said.text, said.speaker) == ("Note: call Bob", None)


async def test_nobody_gets_the_messages_of_another(store: AgentCoreStore) -> None:
    await store.add_turn(ANN, turn(1, "I am Ann"))
    await store.add_turn(TWELVE, turn(2, "I am Twelve"))
    for actor in (ANN, TWELVE):
        await store.extraction.flush(actor)
    assert [m.text for m in await store.all_messages(ANN)] == ["I am Ann", "reply 1"]
    assert [m.text for m in await store.all_messages(TWELVE)] == ["I am Twelve", "reply 2"]
    assert await store.all_messages(GROUP) == []


async def test_throttles_are_waited_out(here: World, store: AgentCoreStore) -> None:
    await store.add_turn(ANN, turn(1, "hello"))
    await store.extraction.flush(ANN)
    here.aws.faults.add(throttled("ListEvents", times=3))
    assert [m.text for m in await store.all_messages(ANN)] == ["hello", "reply 1"]


async def test_what_can_not_be_read_is_not_left_out_in_silence(
    here: World, store: AgentCoreStore
) -> None:
    await store.add_turn(ANN, turn(1, "hello"))
    await store.extraction.flush(ANN)
    here.aws.faults.add(denied("ListEvents"))
    with pytest.raises(StoreUnavailable, match="ListEvents"):
        await store.all_messages(ANN)


async def test_what_was_erased_is_not_in_it(store: AgentCoreStore) -> None:
    await store.add_turn(ANN, turn(1, "hello"))
    await store.extraction.flush(ANN)
    await store.erase(ANN)
    assert await store.all_messages(ANN) == []
