"""The memory on AWS: every way in which it can be unusable is one line with the remedy."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from bot.operations.doctor.aws import check_memory
from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.extraction import result_of
from bot.settings import Settings
from memory.records import Kind
from memory.stores.agentcore.events.jobs import FailedJob
from memory.stores.agentcore.setup import TEMPLATES
from tests.fakes.aws import (
    FakeAws,
    Fault,
    broken,
    denied,
    expired_credentials,
    inactive,
    throttled,
    wrong_clock,
    wrong_credentials,
)

FORMS = {
    Kind.FACT: "semanticMemoryStrategy",
    Kind.PREFERENCE: "userPreferenceMemoryStrategy",
    Kind.SUMMARY: "summaryMemoryStrategy",
}
CALLS = {
    "GetMemory",
    "RetrieveMemoryRecords",
    "ListMemoryRecords",
    "GetMemoryRecord",
    "ListActors",
    "ListSessions",
    "ListEvents",
    "CreateEvent",
    "DeleteEvent",
    "BatchCreateMemoryRecords",
    "BatchUpdateMemoryRecords",
    "BatchDeleteMemoryRecords",
    "ListMemoryExtractionJobs",
    "StartMemoryExtractionJob",
}


def create(aws: FakeAws, name: str = "MordecaiMemory", **templates: str | None) -> str:
    """A memory, by kind with another template, or none for None."""
    wanted = {kind: templates.get(kind.name, template) for kind, template in TEMPLATES.items()}
    client = boto3.client("bedrock-agentcore-control", "us-east-1", endpoint_url=aws.url)
    try:
        answer: dict[str, Any] = client.create_memory(
            name=name,
            eventExpiryDuration=30,
            memoryStrategies=[
                {FORMS[kind]: {"name": kind.value, "namespaceTemplates": [template]}}
                for kind, template in wanted.items()
                if template
            ],
        )
    finally:
        client.close()
    aws.calls.clear()
    return str(answer["memory"]["id"])


def settings(aws: FakeAws, memory_id: str | None = None, **others: Any) -> Settings:
    return Settings(
        memory_backend="agentcore",
        memory_id=memory_id,
        **{"aws_region": "us-east-1", "aws_endpoint_url": aws.url, **others},
    )


async def the_only(wanted: Settings, pool: ThreadPoolExecutor) -> CheckResult:
    (finding,) = await check_memory(wanted, pool)
    return finding


async def test_a_good_memory_is_three_lines_and_nothing_is_written(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    memory_id = create(aws)
    findings = await check_memory(settings(aws, memory_id), pool)
    assert [(f.subject, f.mark) for f in findings] == [
        ("memory", Mark.OK),
        ("strategies", Mark.OK),
        ("permissions", Mark.OK),
    ]
    assert all(template in findings[1].text for template in TEMPLATES.values())
    assert "CreateEvent" in findings[2].text
    assert set(aws.operations()) == CALLS
    held = aws.data().contents(memory_id)
    assert (held.log.sessions, held.log.events, held.shelf.records) == ({}, [], {})


async def test_our_own_extraction_needs_no_strategies_but_a_model(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    bare = create(aws, FACT=None, PREFERENCE=None, SUMMARY=None)
    wanted = settings(aws, bare, agentcore_extraction="mordecai", model="openai:gpt-4.1-mini")
    _, strategies, _ = await check_memory(wanted, pool)
    assert (strategies.mark, strategies.subject) == (Mark.OK, "strategies")
    assert "none needed" in strategies.text

    offline = wanted.model_copy(update={"model": None})
    _, strategies, _ = await check_memory(offline, pool)
    assert strategies.mark is Mark.WRONG
    assert "set model" in strategies.text

    refused, *_ = await check_memory(settings(aws, bare), pool)
    assert refused.mark is Mark.WRONG
    assert "`mordecai setup` adds it" in refused.text


async def test_a_memory_without_its_id_is_found_by_its_exact_name(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    create(aws, "MordecaiMemory_dev")
    absent = await the_only(settings(aws), pool)
    assert absent.mark is Mark.WARNING
    assert "mordecai setup" in absent.text
    memory_id = create(aws)
    findings = await check_memory(settings(aws), pool)
    assert memory_id in findings[0].text
    assert "memory_id" in findings[0].text
    assert "CreateMemory" not in aws.operations()


async def test_an_id_that_names_nothing_is_wrong(aws: FakeAws, pool: ThreadPoolExecutor):
    for memory_id in ("gone-0123456789", "my memory!"):
        finding = await the_only(settings(aws, memory_id), pool)
        assert finding.mark is Mark.WRONG
        assert memory_id in finding.text


async def test_a_memory_that_is_being_deleted_or_failed_is_wrong(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    memory_id = create(aws)
    aws.knobs.deletion_seconds = 600
    aws.control().delete_memory(memory_id)
    for named in (memory_id, None):
        finding, *_ = await check_memory(settings(aws, named), pool)
        assert finding.mark is Mark.WRONG
        assert "is being deleted" in finding.text
    aws.knobs.creation_failure = "KMS key is disabled"
    aws.control().forget()
    finding, *_ = await check_memory(settings(aws, create(aws)), pool)
    assert "KMS key is disabled" in finding.text


@pytest.mark.parametrize(
    ("templates", "words"),
    [
        ({"FACT": "/facts/{actorId}"}, "without a trailing slash"),
        ({"SUMMARY": "/s/{sessionId}/"}, "SUMMARIZATION"),
        ({"PREFERENCE": None}, "USER_PREFERENCE"),
    ],
)
async def test_a_memory_made_for_something_else_is_wrong_with_the_reason(
    aws: FakeAws, pool: ThreadPoolExecutor, templates: dict[str, Any], words: str
):
    finding, permissions = await check_memory(settings(aws, create(aws, **templates)), pool)
    assert finding.mark is Mark.WRONG
    assert words in finding.text
    assert permissions.mark is Mark.OK


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (expired_credentials(), "have expired"),
        (wrong_credentials(), "does not know these credentials"),
        (wrong_clock(), "clock is off"),
        (broken(), "AWS answered ServiceException"),
    ],
)
@pytest.mark.parametrize("named", [True, False])
async def test_what_keeps_us_out_altogether_is_one_line(
    aws: FakeAws, pool: ThreadPoolExecutor, fault: Any, words: str, named: bool
):
    memory_id = create(aws)
    aws.faults.add(fault)
    finding = await the_only(settings(aws, memory_id if named else None), pool)
    assert finding.mark is Mark.WRONG
    assert words in finding.text


async def test_missing_credentials_are_one_line(
    aws: FakeAws, pool: ThreadPoolExecutor, credentials: pytest.MonkeyPatch
):
    memory_id = create(aws)
    credentials.delenv("AWS_ACCESS_KEY_ID")
    finding = await the_only(settings(aws, memory_id), pool)
    assert finding.mark is Mark.WRONG
    assert "AWS_ACCESS_KEY_ID" in finding.text


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"aws_region": "eu-nowhere-1"}, "choose another one"),
        ({"aws_endpoint_url": "http://agentcore.eu-nowhere-1.invalid"}, "can't be reached"),
        ({"aws_endpoint_url": "http://127.0.0.1:1"}, "can't be reached"),
        ({"aws_region": None}, "specify a region"),
    ],
    ids=["no such service", "no such name", "nobody there", "no region"],
)
async def test_a_region_without_the_service_is_one_line(
    aws: FakeAws, pool: ThreadPoolExecutor, where: dict[str, Any], words: str
):
    finding = await the_only(settings(aws, create(aws), **where), pool)
    assert finding.mark is Mark.WRONG
    assert words in finding.text


@pytest.mark.parametrize("operation", sorted(CALLS - {"GetMemory"}))
async def test_each_missing_permission_names_its_action(
    aws: FakeAws, pool: ThreadPoolExecutor, operation: str
):
    memory_id = create(aws)
    aws.faults.add(denied(operation))
    *fine, finding = await check_memory(settings(aws, memory_id), pool)
    assert [f.mark for f in fine] == [Mark.OK, Mark.OK]
    assert finding.mark is Mark.WRONG
    assert f"bedrock-agentcore:{operation}" in finding.text


async def test_not_being_allowed_to_look_at_the_memory_hides_no_other_permission(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    memory_id = create(aws)
    for operation in ("GetMemory", "ListEvents", "RetrieveMemoryRecords"):
        aws.faults.add(denied(operation))
    findings = await check_memory(settings(aws, memory_id), pool)
    assert [f.subject for f in findings] == ["memory", "permissions", "permissions"]
    assert all(f.mark is Mark.WRONG for f in findings)


async def test_a_memory_that_aws_does_not_extract_from_needs_no_extraction_jobs(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    for operation in ("ListMemoryExtractionJobs", "StartMemoryExtractionJob"):
        aws.faults.add(denied(operation))
    ours = {"agentcore_extraction": "mordecai", "model": "openai:gpt-4.1-mini"}
    wanted = settings(aws, create(aws), **ours)
    *_, finding = await check_memory(wanted, pool)
    assert finding.mark is Mark.OK


@pytest.mark.parametrize(
    "fault",
    [
        inactive(),
        replace(inactive(), reason="FieldValidationFailed"),
        Fault(code="ValidationException", reason="ResourceConflict"),
        Fault(code="ValidationException"),
        broken(),
    ],
    ids=lambda fault: f"{fault.code} {fault.reason}",
)
@pytest.mark.parametrize("operation", ["RetrieveMemoryRecords", "GetMemoryRecord", "CreateEvent"])
async def test_a_data_plane_that_does_not_work_is_wrong(
    aws: FakeAws, pool: ThreadPoolExecutor, operation: str, fault: Fault
):
    memory_id = create(aws)
    aws.faults.add(replace(fault, operation=operation))
    *fine, finding = await check_memory(settings(aws, memory_id), pool)
    assert [f.mark for f in fine] == [Mark.OK, Mark.OK]
    assert (finding.subject, finding.mark) == ("data plane", Mark.WRONG)
    assert operation in finding.text


async def test_a_data_plane_that_is_behind_is_one_line(aws: FakeAws, pool: ThreadPoolExecutor):
    memory_id = create(aws)
    aws.knobs.activation_seconds = 3600
    *_, finding = await check_memory(settings(aws, memory_id), pool)
    assert finding.mark is Mark.WRONG
    assert "the memory is not active" in finding.text
    assert f"so do {len(CALLS) - 2} of {len(CALLS) - 2} others" in finding.text


async def test_failed_extraction_jobs_are_counted(aws: FakeAws, pool: ThreadPoolExecutor):
    memory_id = create(aws)
    aws.knobs.extraction_fails = True
    client = boto3.client("bedrock-agentcore", "us-east-1", endpoint_url=aws.url)
    client.create_event(
        memoryId=memory_id,
        actorId="u1",
        sessionId="s-1",
        eventTimestamp=datetime.now(UTC),
        payload=[{"conversational": {"role": "USER", "content": {"text": "I like tea"}}}],
    )
    client.close()
    *fine, finding = await check_memory(settings(aws, memory_id), pool)
    assert {f.mark for f in fine} == {Mark.OK}
    assert (finding.subject, finding.mark) == ("extraction", Mark.WARNING)
    assert f"3 failed jobs, the oldest since {datetime.now(UTC):%Y-%m-%d}" in finding.text
    assert "LTM_RATE_EXCEEDED: 3" in finding.text


def test_what_aws_has_failed_to_extract_for_days_is_wrong():
    now = datetime.now(UTC)
    millis = int((now - timedelta(days=3)).timestamp() * 1000)
    old = FailedJob("j1", "u1", "s-1", "facts-1", "LTM_RATE_EXCEEDED", (f"{millis:019d}#1",))
    finding = result_of([old, replace(old, id="j2", event_ids=())], now)
    assert finding.mark is Mark.WRONG
    assert "Service Quotas" in finding.text
    assert result_of([replace(old, event_ids=())], now).mark is Mark.WARNING


async def test_what_could_not_be_asked_is_a_warning(aws: FakeAws, pool: ThreadPoolExecutor):
    memory_id = create(aws)
    aws.faults.add(throttled("ListSessions"))
    *_, finding = await check_memory(settings(aws, memory_id), pool)
    assert finding.mark is Mark.WARNING
    assert finding.text.startswith("not checked: ListSessions")
