"""Every way AWS fails is one clear line for the operator, and never words of a person."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind
from memory.stores.agentcore.calls.circuit import CircuitOpen, Circuits
from memory.stores.agentcore.calls.clients import DATA_SERVICE, AwsAccess, AwsCalls, make_client
from memory.stores.agentcore.store import AgentCoreStore
from tests.fakes.aws import (
    Fault,
    broken,
    denied,
    expired_credentials,
    throttled,
    wrong_clock,
    wrong_credentials,
)
from tests.fakes.aws.world import ENVIRONMENT, FAST, Machinery, machinery

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN = Actor("u1")


@pytest.fixture(scope="module")
def made() -> Iterator[Machinery]:
    with machinery() as made:
        yield made


@pytest.fixture(autouse=True)
def well(made: Machinery) -> None:
    """AWS is well when a test begins."""
    made.aws.faults.clear()


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (expired_credentials(), r"credentials have expired: renew them"),
        (wrong_credentials(), r"does not know these credentials: check"),
        (Fault(code="SignatureDoesNotMatch", status=403), r"secret access key is wrong"),
        (Fault(code="InvalidSignatureException", status=403), r"secret access key is wrong"),
        (wrong_clock(), r"clock is off by more than 5 minutes"),
        (denied("ListMemoryRecords"), r"bedrock-agentcore:ListMemoryRecords is not allowed"),
        (Fault(code="SubscriptionRequiredException", status=403), r"not subscribed"),
        (Fault(code="ServiceQuotaExceededException", status=402), r"quota.*used up"),
        (
            Fault(code="ResourceNotFoundException", status=404),
            r"does not exist in region us-east-1",
        ),
        (broken(), r"ServiceException \(500\)"),
        (Fault(cut=0), r"connection to AWS broke off"),
        (Fault(cut=5), r"connection to AWS broke off"),
    ],
    ids=lambda value: value.code or str(value) if isinstance(value, Fault) else "",
)
async def test_a_failure_says_what_it_is_and_how_to_mend_it(
    made: Machinery, tmp_path: Path, fault: Fault, line: str
) -> None:
    here = await made.world(tmp_path)
    async with await here.store() as store:
        made.aws.faults.add(fault)
        with pytest.raises(StoreUnavailable, match=line):
            await store.records(ANN, kinds=(Kind.FACT,))


async def test_an_answer_that_does_not_come_is_waited_for_briefly(
    made: Machinery, tmp_path: Path
) -> None:
    here = await made.world(tmp_path)
    access = AwsAccess("us-east-1", endpoint_url=made.aws.url, read_seconds=0.2)
    client = make_client(DATA_SERVICE, access, 2)
    made.aws.faults.add(Fault(delay=3))
    calls = AwsCalls(client, made.pool, Circuits("AWS"), here.memory.id)
    with pytest.raises(StoreUnavailable, match="ListActors: AWS did not answer in time"):
        await calls.ask("list_actors")
    client.close()


async def test_a_memory_that_does_not_exist_is_named(made: Machinery, tmp_path: Path) -> None:
    here = await made.world(tmp_path)
    calls = here.calls("gone-0123456789")
    async with await AgentCoreStore.open(calls, {}, here.open_outbox(), FAST) as store:
        with pytest.raises(StoreUnavailable, match=r"memory gone-0123456789 does not exist"):
            await store.records(ANN)


async def test_a_region_without_the_service_is_named(made: Machinery, tmp_path: Path) -> None:
    here = await made.world(tmp_path)
    access = AwsAccess(region="af-south-1", endpoint_url=made.aws.url)
    client = make_client(DATA_SERVICE, access, 2)
    calls = AwsCalls(client, made.pool, Circuits("AWS"), here.memory.id)
    with pytest.raises(StoreUnavailable, match="does not exist in this region"):
        await calls.ask("list_actors")
    client.close()


async def test_an_address_that_nobody_answers_says_to_check_network_and_region(
    made: Machinery,
) -> None:
    access = AwsAccess(region="af-south-1", endpoint_url="http://127.0.0.1:1")
    client = make_client(DATA_SERVICE, access, 2)
    calls = AwsCalls(client, made.pool, Circuits("AWS"), "bot-0123456789")
    with pytest.raises(StoreUnavailable, match=r"can't be reached in region af-south-1"):
        await calls.ask("list_actors")
    client.close()


async def test_missing_credentials_say_where_they_may_stand(made: Machinery) -> None:
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            environment.delenv(name)
        client = make_client(DATA_SERVICE, AwsAccess("us-east-1", endpoint_url=made.aws.url), 2)
    calls = AwsCalls(client, made.pool, Circuits("AWS"), "bot-0123456789")
    with pytest.raises(StoreUnavailable, match=r"no complete AWS credentials.*AWS_ACCESS_KEY_ID"):
        await calls.ask("list_actors")
    client.close()


def test_a_profile_that_is_not_there_is_named() -> None:
    with pytest.MonkeyPatch.context() as environment:
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        environment.setenv("AWS_CONFIG_FILE", os.devnull)
        with pytest.raises(StoreUnavailable, match=r"nobody.*check the AWS profile"):
            make_client(DATA_SERVICE, AwsAccess("us-east-1", profile="nobody"), 2)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(code="ValidationException", message="Value 'PLATYPUS' at 'text' is not allowed"),
        Fault(code="InvalidInputException", message="PLATYPUS"),
        throttled(),
        broken(),
    ],
    ids=["validation", "input", "throttled", "broken"],
)
async def test_no_words_of_a_person_stand_in_logs_or_errors(
    made: Machinery, tmp_path: Path, fault: Fault
) -> None:
    here = await made.world(tmp_path)
    async with await here.store() as store:
        made.aws.faults.add(fault)
        with capture_logs() as logs, pytest.raises(StoreUnavailable) as caught:
            await store.commit(ANN, [Draft(Kind.FACT, "PLATYPUS", NOON)])
        error: BaseException | None = caught.value
        while error:
            assert "PLATYPUS" not in str(error)
            error = error.__cause__
        assert "PLATYPUS" not in str(logs)


async def test_repeated_outages_stop_the_asking_until_aws_is_back(
    made: Machinery, tmp_path: Path
) -> None:
    now = [0.0]
    here = replace(
        await made.world(tmp_path),
        circuits=Circuits("AgentCore", failures=3, pause=30, clock=lambda: now[0]),
    )
    async with await here.store() as store:
        made.aws.faults.add(broken())
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await store.records(ANN, kinds=(Kind.FACT,))
        before = len(made.aws.calls)
        with pytest.raises(StoreUnavailable, match="ListMemoryRecords failed 3 times in a row"):
            await store.records(ANN, kinds=(Kind.FACT,))
        assert len(made.aws.calls) == before
        made.aws.faults.clear()
        now[0] = 31
        assert await store.records(ANN, kinds=(Kind.FACT,)) == []


async def test_an_operation_that_fails_stops_no_other_one(made: Machinery, tmp_path: Path) -> None:
    here = replace(await made.world(tmp_path), circuits=Circuits("AgentCore", failures=2))
    async with await here.store() as store:
        made.aws.faults.add(broken("ListMemoryRecords"))
        for _ in range(4):
            with pytest.raises(StoreUnavailable):
                await store.records(ANN, kinds=(Kind.FACT,))
            assert await store.search(ANN, "tea") == []
        before = here.count("ListMemoryRecords")
        with pytest.raises(CircuitOpen):
            await store.records(ANN, kinds=(Kind.FACT,))
        assert here.count("ListMemoryRecords") == before, "other answers keep its circuit open"


async def test_a_throttle_is_an_answer(made: Machinery, tmp_path: Path) -> None:
    here = replace(await made.world(tmp_path), circuits=Circuits("AgentCore", failures=2))
    async with await here.store() as store:
        made.aws.faults.add(throttled("RetrieveMemoryRecords", times=12))
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="ThrottledException"):
                await store.search(ANN, "tea", kinds=(Kind.FACT,))
        made.aws.faults.clear()
        assert await store.search(ANN, "tea") == []


async def test_what_is_throttled_for_a_while_is_asked_again(
    made: Machinery, tmp_path: Path
) -> None:
    here = await made.world(tmp_path)
    async with await here.store() as store:
        made.aws.faults.add(throttled("ListMemoryRecords", times=4))
        assert await store.records(ANN, kinds=(Kind.FACT,)) == []


async def test_a_refusal_of_one_action_does_not_stop_the_others(
    made: Machinery, tmp_path: Path
) -> None:
    here = replace(await made.world(tmp_path), circuits=Circuits("AgentCore", failures=2))
    async with await here.store() as store:
        made.aws.faults.add(denied("ListMemoryRecords"))
        for _ in range(4):
            with pytest.raises(StoreUnavailable):
                await store.records(ANN, kinds=(Kind.FACT,))
        assert await store.search(ANN, "tea") == []


async def test_a_burst_of_searches_is_served_by_one_client(made: Machinery, tmp_path: Path) -> None:
    here = await made.world(tmp_path)
    async with await here.store() as store:
        people = [Actor.person(n) for n in range(30)]
        found = await asyncio.gather(*(store.search(p, "tea") for p in people))
        assert found == [[]] * 30
