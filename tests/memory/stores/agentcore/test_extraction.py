"""How the store sees that AWS has learned from a session."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor, Role, Turn, Utterance
from memory.stores.agentcore.store import AgentCoreStore
from tests.fakes.aws import Fault, denied
from tests.fakes.aws.world import World, world

ANN, TWELVE = Actor("u1"), Actor("u12")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as here:
        yield here


@pytest.fixture
async def store(here: World) -> AsyncIterator[AgentCoreStore]:
    async with await here.store() as store:
        yield store


def now() -> datetime:
    return datetime.now(UTC)


def turn(turn_id: str, at: datetime, said: str = "I work at Acme Corp") -> Turn:
    reply = Utterance(Role.ASSISTANT, "I see.", at)
    return Turn(turn_id, "s-1", (Utterance(Role.USER, said, at), reply))


async def test_a_session_without_a_summary_is_not_extracted(
    here: World, store: AgentCoreStore
) -> None:
    here.aws.knobs.extraction_seconds = 3600
    said = turn("t-1", now())
    await store.add_turn(ANN, said)
    await store.extraction.flush(ANN)
    assert not await store.extraction.has_extracted(ANN, [said], now())
    assert not await store.extraction.has_extracted(ANN, [said], now() - timedelta(days=1))
    here.aws.set_clock(lambda: now().timestamp() + 3600)
    assert await store.extraction.has_extracted(ANN, [said], now())


async def test_a_session_whose_summary_lacks_the_last_turns_is_not_extracted(
    here: World, store: AgentCoreStore
) -> None:
    first = turn("t-1", now() - timedelta(hours=1))
    await store.add_turn(ANN, first)
    await store.extraction.flush(ANN)
    assert await store.records(ANN)
    here.aws.knobs.extraction_seconds = 3600
    second = turn("t-2", now(), "My dog is called Rex")
    await store.add_turn(ANN, second)
    await store.extraction.flush(ANN)
    assert not await store.extraction.has_extracted(ANN, [first, second], now())
    here.aws.set_clock(lambda: now().timestamp() + 7200)
    assert await store.extraction.has_extracted(ANN, [first, second], now())


async def test_a_summary_that_says_nothing_of_its_age_counts_after_a_while(
    here: World, store: AgentCoreStore
) -> None:
    first = turn("t-1", now())
    await store.add_turn(ANN, first)
    await store.extraction.flush(ANN)
    assert await store.records(ANN)
    later = turn("t-2", now() + timedelta(hours=1), "Thanks")
    assert not await store.extraction.has_extracted(ANN, [first, later], now())
    assert await store.extraction.has_extracted(ANN, [first, later], now() - timedelta(minutes=11))


async def test_another_persons_summary_of_the_same_session_says_nothing(
    here: World, store: AgentCoreStore
) -> None:
    here.aws.knobs.namespaces = "prefix"
    said = turn("t-1", now())
    await store.add_turn(TWELVE, said)
    await store.extraction.flush(TWELVE)
    assert not await store.extraction.has_extracted(ANN, [said], now())
    assert await store.extraction.has_extracted(TWELVE, [said], now())


async def test_turns_that_aws_does_not_take_are_not_extracted(
    here: World, store: AgentCoreStore
) -> None:
    said = [turn("t-1", now()), turn("t-2", now())]
    await store.add_turn(ANN, said[0])
    await store.extraction.flush(ANN)
    here.aws.faults.add(Fault("CreateEvent", None, "ValidationException", reason="CannotParse"))
    await store.add_turn(ANN, said[1])
    await store.extraction.flush(ANN)
    with pytest.raises(StoreUnavailable):
        await store.extraction.has_extracted(ANN, said, now() - timedelta(days=1))
    assert await store.extraction.has_extracted(ANN, said[:1], now())


async def test_a_session_with_a_failed_job_is_not_extracted(
    here: World, store: AgentCoreStore
) -> None:
    first = turn("t-1", now() - timedelta(minutes=1))
    await store.add_turn(ANN, first)
    await store.extraction.flush(ANN)
    assert await store.records(ANN)
    here.aws.knobs.extraction_fails = True
    second = turn("t-2", now(), "My dog is called Rex")
    await store.add_turn(ANN, second)
    await store.extraction.flush(ANN)
    assert await store.records(ANN)
    long_ago = now() - timedelta(hours=1)
    assert not await store.extraction.has_extracted(ANN, [first, second], long_ago)
    here.aws.faults.add(denied("ListMemoryExtractionJobs"))
    assert await store.extraction.has_extracted(ANN, [first, second], long_ago)
