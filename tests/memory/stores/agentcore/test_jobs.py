"""Failed extraction jobs of AWS: started again with patience, never for what was erased."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.erased import Erasure, Fingerprint, Trace
from memory.stores.agentcore.events.jobs import FailedJob, FailedJobs, JobsPace, failed_jobs
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, denied, throttled
from tests.fakes.aws.world import FAST, Machinery, World, machinery
from tests.fakes.files import outbox_in
from tests.memory.stores.agentcore.test_turns import turn

ANN, BOB = Actor("u1"), Actor("u12")
HOUR = timedelta(hours=1)


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def made() -> Iterator[Machinery]:
    with machinery() as made:
        yield made


@pytest.fixture
async def here(made: Machinery, tmp_path: Path) -> World:
    """A memory from which AWS can't extract until it is told otherwise."""
    made.aws.faults.clear()
    made.aws.calls.clear()
    made.aws.knobs.extraction_fails = True
    return await made.world(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def tell(here: World, actor: Actor, *turn_ids: str) -> None:
    """Say something of which AWS learns nothing."""
    async with await here.store() as store:
        for turn_id in turn_ids:
            await store.add_turn(actor, turn(turn_id, f"I work at {turn_id} Corp"))
        await store.extraction.flush(actor)
    # The fake extracts when it is asked for something.
    assert await failed_jobs(here.calls())


async def restart(here: World, clock: Clock, **pace: int) -> int:
    """One round, in a process of its own."""
    outbox = await outbox_in(here.outbox)
    try:
        jobs = FailedJobs(here.calls(), outbox, JobsPace(clock=clock, **pace))
        return await jobs.restart()
    finally:
        await outbox.aclose()


async def known(here: World, actor: Actor) -> str:
    async with await here.store() as store:
        return " ".join(record.text for record in await store.records(actor))


async def test_what_failed_is_listed_with_its_reason(here: World) -> None:
    await tell(here, ANN, "Acme")
    before = datetime.now(UTC)
    jobs = await failed_jobs(here.calls())
    assert len(jobs) == 3
    for job in jobs:
        assert (job.actor_id, job.session_id) == ("u1", "s-1")
        assert job.reason == "LTM_RATE_EXCEEDED"
        assert job.since is not None
        assert before - HOUR < job.since < before


def test_an_event_id_without_a_time_gives_no_date() -> None:
    for ids in ((), ("x#1",), ("9" * 40 + "#1",)):
        assert FailedJob("j", "u1", "s", "strategy", "why", ids).since is None


async def test_a_failed_job_is_started_again_and_its_words_are_known(
    here: World, clock: Clock
) -> None:
    await tell(here, ANN, "Acme", "Initech")
    here.aws.knobs.extraction_fails = False
    with capture_logs() as logs:
        assert await restart(here, clock) == 6
    (line,) = [entry for entry in logs if entry["event"] == "extraction_jobs_failed"]
    assert (line["failed"], line["started"], line["given_up"]) == (6, 6, 0)
    assert line["reasons"] == {"LTM_RATE_EXCEEDED": 6}
    assert await failed_jobs(here.calls()) == []
    assert "Acme" in await known(here, ANN)
    assert "Initech" in await known(here, ANN)


async def test_a_store_starts_them_by_itself(here: World) -> None:
    await tell(here, ANN, "Acme")
    here.aws.knobs.extraction_fails = False
    async with await here.store(replace(FAST, jobs=JobsPace(first=0.1, every=0.1))):
        await eventually(lambda: _none_failed(here))
    assert "Acme" in await known(here, ANN)


async def _none_failed(here: World) -> bool:
    return not await failed_jobs(here.calls())


async def test_a_store_that_learns_by_itself_asks_for_no_jobs(here: World) -> None:
    timing = replace(FAST, jobs=JobsPace(first=0.0))
    async with await here.store(timing, extracts=False) as store:
        await asyncio.sleep(0.1)
        assert await store.records(ANN) == []
    assert here.count("ListMemoryExtractionJobs") == 0


async def test_pauses_between_tries_grow_and_tries_end_even_across_restarts(
    here: World, clock: Clock
) -> None:
    await tell(here, ANN, "Acme")
    begun, tried = clock.now, []
    for hours in (0, 1, 2, 3, 6, 7, 14, 15, 30, 31, 62, 63, 100):
        clock.now = begun + hours * HOUR
        if await restart(here, clock):
            tried.append(hours)
    assert tried == [0, 1, 3, 7, 15, 31]
    async with await here.store() as store:
        assert await store.extraction.retry_failed() == 3
    assert await restart(here, clock) == 3


async def test_a_round_starts_no_more_than_aws_can_take(here: World, clock: Clock) -> None:
    await tell(here, ANN, "Acme", "Initech")
    here.aws.knobs.extraction_fails = False
    assert await restart(here, clock, at_once=4) == 4
    assert await restart(here, clock, at_once=4) == 2


async def test_a_job_of_erased_words_is_never_started_again(here: World, clock: Clock) -> None:
    await tell(here, ANN, "Acme")
    await tell(here, BOB, "Initech")
    async with await here.store() as store:
        await store.erase(ANN)
    await tell(here, ANN, "Hooli")
    here.aws.knobs.extraction_fails = False
    assert await restart(here, clock) == 6
    assert "Acme" not in await known(here, ANN)
    assert "Hooli" in await known(here, ANN)
    assert "Initech" in await known(here, BOB)


async def test_a_job_with_a_forgotten_turn_is_never_started_again(
    here: World, clock: Clock
) -> None:
    await tell(here, ANN, "Acme", "Initech")
    now = datetime.now(UTC)
    trace = Trace(Fingerprint.of(["I work at Acme Corp"]), turns=frozenset({"Acme"}))
    outbox = await outbox_in(here.outbox)
    await outbox.add_erasure(Erasure(ANN, now, now, trace))
    await outbox.aclose()
    here.aws.knobs.extraction_fails = False
    assert await restart(here, clock) == 3
    assert len(await failed_jobs(here.calls())) == 3
    assert "Initech" in await known(here, ANN)


async def test_jobs_of_another_program_in_the_memory_are_left_alone(
    here: World, clock: Clock
) -> None:
    await here.calls().ask(
        "create_event",
        actorId="somebody",
        sessionId="s-1",
        eventTimestamp=datetime.now(UTC),
        payload=[{"conversational": {"role": "USER", "content": {"text": "I like tea"}}}],
    )
    assert len(await failed_jobs(here.calls())) == 3
    assert await restart(here, clock) == 0


async def test_a_job_that_is_gone_by_then_stops_no_other(here: World, clock: Clock) -> None:
    await tell(here, ANN, "Acme")
    gone = Fault("StartMemoryExtractionJob", 1, "ResourceNotFoundException", 404)
    here.aws.faults.add(gone)
    assert await restart(here, clock) == 2


async def test_a_throttled_start_is_made_again(here: World, clock: Clock) -> None:
    await tell(here, ANN, "Acme")
    here.aws.faults.add(throttled("StartMemoryExtractionJob", 1))
    assert await restart(here, clock) == 3


async def test_a_missing_permission_is_named_and_disturbs_nothing(here: World) -> None:
    here.aws.faults.add(denied("ListMemoryExtractionJobs"))
    calls = AwsCalls(here.client, here.pool, Circuits("AgentCore"), here.memory.id)
    with pytest.raises(StoreUnavailable, match="add the action to their IAM policy"):
        await failed_jobs(calls)
    with capture_logs() as logs:
        async with await here.store(replace(FAST, jobs=JobsPace(first=0.0))):
            await eventually(lambda: _logged(logs))
    assert "bedrock-agentcore:ListMemoryExtractionJobs" in str(logs)


async def _logged(logs: Sequence[object]) -> bool:
    return "extraction_jobs_not_started" in str(logs)
