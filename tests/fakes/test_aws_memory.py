"""The fake AgentCore Memory behaves as AWS is known to, where it matters and where it hurts."""

import subprocess
import sys
import urllib.error
import urllib.request
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.aws.asked import NOON, Aws

MEMORY = "m-0123456789"


# -- strictness


@pytest.mark.parametrize(
    ("operation", "params", "field"),
    [
        ("create_event", {"actorId": "-100123"}, "actorId"),
        ("create_event", {"actorId": "u1", "sessionId": "a:b"}, "sessionId"),
        ("list_events", {"actorId": "u1", "sessionId": "s", "maxResults": 101}, "maxResults"),
        ("list_memory_records", {"namespace": "/facts/{actorId}/"}, "namespace"),
        ("get_memory_record", {"memoryRecordId": "x" * 41}, "memoryRecordId"),
        ("list_actors", {"memoryId": "nonsense!!!!!"}, "memoryId"),
        (
            "retrieve_memory_records",
            {"namespace": "/facts/u1/", "searchCriteria": {"searchQuery": "x" * 10_001}},
            "searchQuery",
        ),
    ],
)
def test_what_the_service_model_forbids_is_refused(
    aws: Aws, operation: str, params: dict[str, Any], field: str
) -> None:
    given = {"memoryId": MEMORY, **params}
    if operation == "create_event":
        given = {"eventTimestamp": NOON, "payload": [], **given}
    with pytest.raises(ClientError, match=field) as caught:
        getattr(aws.data, operation)(**given)
    assert caught.value.response["Error"]["Code"] == "ValidationException"


@pytest.mark.parametrize("role", ["user", "SYSTEM"])
def test_a_role_that_is_none_of_awss_is_refused(aws: Aws, role: str) -> None:
    item = {"conversational": {"role": role, "content": {"text": "hi"}}}
    with pytest.raises(ClientError, match="enum"):
        aws.data.create_event(memoryId=MEMORY, actorId="u1", eventTimestamp=NOON, payload=[item])


def test_an_unknown_memory_is_not_found(aws: Aws) -> None:
    with pytest.raises(ClientError, match="ResourceNotFound"):
        aws.say(MEMORY, "hello")


def test_a_call_without_signature_is_refused(aws: Aws) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{aws.fake.url}/memories/")
    assert caught.value.code == 403
    caught.value.close()


# -- events


def test_events_come_newest_first_in_pages(aws: Aws) -> None:
    memory = aws.memory()
    for number in range(5):
        aws.say(memory, f"n{number}", eventTimestamp=NOON + timedelta(minutes=number))
    pages = aws.data.get_paginator("list_events").paginate(
        memoryId=memory, actorId="u1", sessionId="s-1", PaginationConfig={"PageSize": 2}
    )
    rows = [[event["payload"][0] for event in page["events"]] for page in pages]
    texts = [[p["conversational"]["content"]["text"] for p in page] for page in rows]
    assert texts == [["n4", "n3"], ["n2", "n1"], ["n0"]]


def test_payloads_can_be_left_out(aws: Aws) -> None:
    memory = aws.memory()
    aws.say(memory, "hello")
    where = {"memoryId": memory, "actorId": "u1", "sessionId": "s-1"}
    (event,) = aws.data.list_events(includePayloads=False, **where)["events"]
    assert "payload" not in event


def test_a_repeated_token_is_the_first_event_and_with_other_words_an_error(aws: Aws) -> None:
    memory = aws.memory()
    first = aws.say(memory, "hello", clientToken="t" * 40)
    assert aws.say(memory, "hello", clientToken="t" * 40) == first
    with pytest.raises(ClientError) as caught:
        aws.say(memory, "bye", clientToken="t" * 40)
    assert caught.value.response["reason"] == "IdempotentParameterMismatchException"


def test_sessions_stay_listed_when_their_events_are_gone(aws: Aws) -> None:
    memory = aws.memory()
    event = aws.say(memory, "hello")
    place = {"memoryId": memory, "actorId": "u1"}
    aws.data.delete_event(sessionId="s-1", eventId=event, **place)
    everything = aws.data.list_sessions(**place)["sessionSummaries"]
    filled = aws.data.list_sessions(filter={"eventFilter": "HAS_EVENTS"}, **place)
    assert [row["sessionId"] for row in everything] == ["s-1"]
    assert filled["sessionSummaries"] == []
    assert aws.data.list_actors(memoryId=memory)["actorSummaries"] == [{"actorId": "u1"}]


def test_events_are_filtered_by_metadata(aws: Aws) -> None:
    memory = aws.memory()
    aws.say(memory, "a", metadata={"mood": {"stringValue": "good"}})
    aws.say(memory, "b")
    rule = {"left": {"metadataKey": "mood"}, "operator": "EXISTS"}
    found = aws.data.list_events(
        memoryId=memory, actorId="u1", sessionId="s-1", filter={"eventMetadata": [rule]}
    )
    assert len(found["events"]) == 1


# -- namespaces


def test_exact_namespaces_match_themselves_alone(aws: Aws) -> None:
    memory = aws.memory()
    aws.write(memory, "ann", namespace="/facts/u1/")
    aws.write(memory, "bob", namespace="/facts/u12/")
    assert aws.texts(memory, namespace="/facts/u1/") == ["ann"]
    assert aws.texts(memory, namespace="/facts/") == []
    assert aws.texts(memory, namespacePath="/facts/") == ["bob", "ann"]
    assert aws.texts(memory, namespacePath="/facts/u1") == ["ann"]


def test_prefix_namespaces_leak_without_their_trailing_slash(aws: Aws) -> None:
    aws.fake.knobs.namespaces = "prefix"
    memory = aws.memory()
    aws.write(memory, "ann", namespace="/facts/u1/")
    aws.write(memory, "bob", namespace="/facts/u12/")
    assert aws.texts(memory, namespace="/facts/u1") == ["bob", "ann"]
    assert aws.texts(memory, namespace="/facts/u1/") == ["ann"]


def test_a_search_needs_one_namespace(aws: Aws) -> None:
    memory = aws.memory()
    for where in ({}, {"namespace": "/a/", "namespacePath": "/a/"}):
        with pytest.raises(ClientError, match="namespace"):
            aws.data.retrieve_memory_records(
                memoryId=memory, searchCriteria={"searchQuery": "x"}, **where
            )


# -- records


def test_search_gives_the_most_alike_first_and_something_always(aws: Aws) -> None:
    memory = aws.memory()
    aws.write(memory, "I like green tea", "My car is red")
    found = aws.data.retrieve_memory_records(
        memoryId=memory,
        namespace="/facts/u1/",
        searchCriteria={"searchQuery": "which tea is green", "topK": 2},
    )["memoryRecordSummaries"]
    assert [row["content"]["text"] for row in found] == ["I like green tea", "My car is red"]
    assert found[0]["score"] > found[1]["score"] > 0


def test_only_indexed_metadata_can_be_filtered(aws: Aws) -> None:
    memory = aws.memory()
    aws.write(memory, "tea", "car")

    def filtered(key: str) -> list[str]:
        right = {"metadataValue": {"stringValue": "tea"}}
        rule = {"left": {"metadataKey": key}, "operator": "EQUALS_TO", "right": right}
        return aws.texts(memory, namespace="/facts/u1/", metadataFilters=[rule])

    assert filtered("slot") == ["tea"]
    with pytest.raises(ClientError, match="not indexed"):
        filtered("colour")


def test_a_batch_is_2xx_though_records_fail(aws: Aws) -> None:
    memory = aws.memory()
    aws.fake.knobs.failed_records = 1
    assert len(aws.write(memory, "one", "two")) == 1
    unknown = f"mem-{'0' * 36}"
    answer = aws.data.batch_delete_memory_records(
        memoryId=memory, records=[{"memoryRecordId": unknown}]
    )
    assert [row["errorCode"] for row in answer["failedRecords"]] == [404]


def test_deletion_is_noticed_after_its_lag(aws: Aws) -> None:
    memory = aws.memory()
    aws.fake.knobs.deletion_seconds = 300
    (tea,) = aws.write(memory, "tea")
    aws.data.delete_memory_record(memoryId=memory, memoryRecordId=tea)
    assert aws.texts(memory, namespace="/facts/u1/") == ["tea"]
    aws.now += 301
    assert aws.texts(memory, namespace="/facts/u1/") == []


def test_a_record_is_changed_where_it_lies(aws: Aws) -> None:
    memory = aws.memory()
    (tea,) = aws.write(memory, "tea")
    change = {"memoryRecordId": tea, "timestamp": NOON, "content": {"text": "coffee"}}
    aws.data.batch_update_memory_records(memoryId=memory, records=[change])
    shown = aws.data.get_memory_record(memoryId=memory, memoryRecordId=tea)["memoryRecord"]
    assert shown["content"]["text"] == "coffee"
    assert shown["metadata"] == {"slot": {"stringValue": "tea"}}


# -- extraction


def test_what_is_said_becomes_records_after_the_delay(aws: Aws) -> None:
    aws.fake.knobs.extraction_seconds = 60
    memory = aws.memory()
    aws.say(memory, "I live in Oslo")
    assert aws.texts(memory, namespace="/facts/u1/") == []
    aws.now += 61
    assert aws.texts(memory, namespace="/facts/u1/") == ["I live in Oslo"]
    assert aws.texts(memory, namespace="/summaries/u1/s-1/") == ["A talk of 1 turns."]


def test_a_session_has_one_summary_that_grows(aws: Aws) -> None:
    memory = aws.memory()
    for text in ("one", "two"):
        aws.say(memory, text)
    assert aws.texts(memory, namespacePath="/summaries/u1/") == ["A talk of 2 turns."]


def test_what_is_said_before_the_strategies_are_ready_is_never_extracted(aws: Aws) -> None:
    aws.fake.knobs.strategy_seconds = 60
    memory = aws.memory()
    aws.say(memory, "too early")
    aws.now += 61
    aws.say(memory, "in time")
    assert aws.texts(memory, namespace="/facts/u1/") == ["in time"]


def test_an_event_may_ask_not_to_be_extracted(aws: Aws) -> None:
    memory = aws.memory()
    aws.say(memory, "I live in Oslo", extractionMode="SKIP")
    assert aws.texts(memory, namespacePath="/facts/") == []


def test_a_failed_extraction_is_a_job_that_can_be_started_again(aws: Aws) -> None:
    memory = aws.memory()
    aws.fake.knobs.extraction_fails = True
    aws.say(memory, "I live in Oslo")
    jobs = aws.data.list_memory_extraction_jobs(memoryId=memory)["jobs"]
    assert [job["failureReason"] for job in jobs] == 3 * ["LTM_RATE_EXCEEDED"]
    aws.fake.knobs.extraction_fails = False
    for job in jobs:
        again = {"jobId": job["jobID"]}
        aws.data.start_memory_extraction_job(memoryId=memory, extractionJob=again)
    assert aws.texts(memory, namespace="/facts/u1/") == ["I live in Oslo"]


# -- memories


def test_a_memory_comes_into_being_slowly_under_an_id_made_of_its_name(aws: Aws) -> None:
    aws.fake.knobs.creation_seconds = 60
    memory = aws.memory("bot_dev")
    assert memory.rpartition("-")[0] == "bot_dev"
    assert aws.control.get_memory(memoryId=memory)["memory"]["status"] == "CREATING"
    aws.now += 61
    assert aws.control.get_memory(memoryId=memory)["memory"]["status"] == "ACTIVE"
    with pytest.raises(ClientError, match="already exists"):
        aws.memory("bot_dev")


def test_every_call_is_in_the_log(aws: Aws) -> None:
    memory = aws.memory()
    aws.say(memory, "hello")
    assert aws.fake.operations() == ["CreateMemory", "CreateEvent"]
    assert aws.fake.calls[-1].params["actorId"] == "u1"
    assert aws.fake.calls[-1].status == 201


def test_it_runs_as_a_server_of_its_own() -> None:
    command = [sys.executable, "-m", "tests.fakes.aws", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("fake AWS on http://127.0.0.1:")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{line.split()[-1]}/memories/")
        assert caught.value.code == 403
        caught.value.close()
        server.terminate()
