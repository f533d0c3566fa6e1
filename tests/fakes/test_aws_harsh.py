"""The fake can be as hard to live with as AWS is: late, in other words, and throttled."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from memory.stores.agentcore.calls.clients import DATA_SERVICE, AwsAccess, make_client
from tests.fakes.aws import Knobs, denied, hanging, inactive
from tests.fakes.aws.asked import NOON, Aws
from tests.fakes.aws.voice import third_person

FACTS = {"namespace": "/facts/u1/"}
LIKES = {"namespace": "/preferences/u1/"}
TALKS = {"namespacePath": "/summaries/u1/"}


def code_of(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


# -- what AWS makes of what is said


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("My dog is called Rex.", "The user's dog is called Rex"),
        ("I live in Oslo with my sister", "The user lives in Oslo with their sister"),
        ("I'm allergic to nuts", "The user is allergic to nuts"),
        ("I've been to Rome", "The user has been to Rome"),
        ("I don't like tea", "The user doesn't like tea"),
        ("I really like tea", "The user really likes tea"),
        ("I moved here when I was six", "The user moved here when they was six"),
        ("I watch birds and I study them", "The user watches birds and they study them"),
        ("tell me a joke", None),
    ],
)
def test_the_first_person_becomes_the_user(said: str, written: str | None) -> None:
    assert third_person(said) == written


def test_aws_writes_a_statement_as_a_fact_a_preference_and_a_summary(aws: Aws) -> None:
    aws.fake.knobs.voice = "aws"
    memory = aws.memory()
    aws.say(memory, "I prefer tea & cake. Is that odd?")
    assert aws.texts(memory, **FACTS) == ["The user prefers tea & cake"]
    (liking,) = map(json.loads, aws.texts(memory, **LIKES))
    assert liking["preference"] == "Prefers tea & cake"
    assert set(liking) == {"context", "preference", "categories"}
    (talk,) = aws.texts(memory, **TALKS)
    assert talk.startswith('<topic name="Prefers &amp; Cake">')
    assert "The user prefers tea &amp; cake." in talk


def test_what_was_asked_to_be_remembered_gets_a_twin(aws: Aws) -> None:
    aws.fake.knobs.voice = "aws"
    memory = aws.memory()
    aws.write(memory, "My locker code word is banana")
    aws.say(memory, "Remember that my locker code word is banana")
    assert aws.texts(memory, **FACTS) == [
        "The user's locker code word is banana",
        "My locker code word is banana",
    ]


def test_a_later_statement_takes_the_place_of_an_earlier_one_and_its_time(aws: Aws) -> None:
    aws.fake.knobs.voice = "aws"
    memory = aws.memory()
    aws.say(memory, "I live in Oslo")
    (first,) = aws.data.list_memory_records(memoryId=memory, **FACTS)["memoryRecordSummaries"]
    aws.now += 3600
    aws.say(memory, "I live in Bergen", eventTimestamp=NOON + timedelta(hours=1))
    (second,) = aws.data.list_memory_records(memoryId=memory, **FACTS)["memoryRecordSummaries"]
    assert second["content"]["text"] == "The user lives in Bergen"
    assert second["memoryRecordId"] == first["memoryRecordId"]
    assert second["createdAt"] == first["createdAt"]
    assert second["timestamp"] == first["timestamp"] + timedelta(hours=1)


def test_a_record_has_the_time_of_its_source_and_that_of_its_writing(aws: Aws) -> None:
    aws.fake.knobs.extraction_seconds = 200
    memory = aws.memory()
    aws.say(memory, "I live in Oslo")
    due = aws.now + 200
    aws.now += 4000
    (row,) = aws.data.list_memory_records(memoryId=memory, **FACTS)["memoryRecordSummaries"]
    assert row["timestamp"] == NOON
    assert abs(row["createdAt"] - datetime.fromtimestamp(due, UTC)) < timedelta(seconds=1)


def test_what_is_under_way_is_extracted_though_its_event_is_deleted(aws: Aws) -> None:
    aws.fake.knobs.extraction_seconds = 200
    memory = aws.memory()
    event = aws.say(memory, "I live in Oslo")
    aws.data.delete_event(memoryId=memory, actorId="u1", sessionId="s-1", eventId=event)
    aws.now += 201
    assert aws.texts(memory, **FACTS) == ["I live in Oslo"]


def test_a_summary_is_written_again_of_the_events_that_are_there(aws: Aws) -> None:
    aws.fake.knobs.voice = "aws"
    memory = aws.memory()
    event = aws.say(memory, "My dog is called Rex")
    aws.say(memory, "I live in Oslo", eventTimestamp=NOON + timedelta(minutes=1))
    (row,) = aws.data.list_memory_records(memoryId=memory, **TALKS)["memoryRecordSummaries"]
    assert "Rex" in row["content"]["text"]
    aws.data.delete_memory_record(memoryId=memory, memoryRecordId=row["memoryRecordId"])
    aws.say(memory, "I study law", eventTimestamp=NOON + timedelta(minutes=2))
    (again,) = aws.texts(memory, **TALKS)
    assert "Rex" in again
    aws.data.delete_event(memoryId=memory, actorId="u1", sessionId="s-1", eventId=event)
    aws.say(memory, "I sing", eventTimestamp=NOON + timedelta(minutes=3))
    (last,) = aws.texts(memory, **TALKS)
    assert "Rex" not in last
    assert "Oslo" in last


def test_each_strategy_fails_by_itself_and_takes_its_time_again(aws: Aws) -> None:
    aws.fake.knobs.extraction_seconds = 60
    aws.fake.knobs.extraction_fails = True
    memory = aws.memory()
    event = aws.say(memory, "I live in Oslo")
    aws.now += 61
    jobs = aws.data.list_memory_extraction_jobs(memoryId=memory)["jobs"]
    assert len({job["strategyId"] for job in jobs}) == 3
    assert {job["status"] for job in jobs} == {"FAILED"}
    assert jobs[0]["messages"]["messagesList"] == [{"eventId": event, "messageIndex": 0}]
    aws.fake.knobs.extraction_fails = False
    for job in jobs:
        again = {"jobId": job["jobID"]}
        aws.data.start_memory_extraction_job(memoryId=memory, extractionJob=again)
    assert aws.texts(memory, **FACTS) == []
    aws.now += 61
    assert aws.texts(memory, **FACTS) == ["I live in Oslo"]


# -- what AWS shows


def test_a_namespace_may_be_a_string_without_its_slash(aws: Aws) -> None:
    aws.fake.knobs.namespaces = "blind"
    memory = aws.memory()
    aws.write(memory, "ann", namespace="/facts/u1/")
    aws.write(memory, "bob", namespace="/facts/u12/")
    assert aws.texts(memory, **FACTS) == ["bob", "ann"]


def test_a_page_may_be_empty_or_short_though_more_follows(aws: Aws) -> None:
    aws.fake.knobs.thin_pages = True
    memory = aws.memory()
    aws.write(memory, *(f"n{number}" for number in range(9)))
    listed = aws.data.get_paginator("list_memory_records").paginate(
        memoryId=memory, PaginationConfig={"PageSize": 4}, **FACTS
    )
    found = aws.data.get_paginator("retrieve_memory_records").paginate(
        memoryId=memory,
        searchCriteria={"searchQuery": "n1", "topK": 9},
        PaginationConfig={"PageSize": 4},
        **FACTS,
    )
    for pages in (listed, found):
        assert [len(page["memoryRecordSummaries"]) for page in pages] == [0, 2, 4, 3]


def test_what_is_written_is_found_by_its_id_at_once_and_by_lists_later(aws: Aws) -> None:
    aws.fake.knobs.writing_seconds = 10
    memory = aws.memory()
    (tea,) = aws.write(memory, "tea")
    event = aws.say(memory, "hello")
    place = {"memoryId": memory, "actorId": "u1"}

    def counts() -> tuple[int, int, int]:
        sessions = aws.data.list_sessions(**place)["sessionSummaries"]
        events = aws.data.list_events(sessionId="s-1", **place)["events"]
        return len(aws.texts(memory, **FACTS)), len(sessions), len(events)

    assert aws.data.get_memory_record(memoryId=memory, memoryRecordId=tea)["memoryRecord"]
    assert aws.data.get_event(sessionId="s-1", eventId=event, **place)["event"]
    assert counts() == (0, 0, 0)
    aws.now += 11
    assert counts() == (2, 1, 1)


# -- what AWS refuses


def test_a_memory_that_is_active_may_not_be_so_for_its_data(aws: Aws) -> None:
    aws.fake.knobs.activation_seconds = 60
    memory = aws.memory()
    assert aws.control.get_memory(memoryId=memory)["memory"]["status"] == "ACTIVE"
    with pytest.raises(ClientError) as refused:
        aws.say(memory, "too early")
    assert refused.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "Memory status is not active, unable to process CreateEvent",
    }
    aws.now += 61
    assert aws.say(memory, "in time")
    aws.fake.faults.add(inactive("ListSessions"))
    with pytest.raises(ClientError, match="unable to process ListSessions"):
        aws.data.list_sessions(memoryId=memory, actorId="u1")


def test_more_calls_a_second_than_the_quota_are_throttled(aws: Aws) -> None:
    memory = aws.memory()
    (tea,) = aws.write(memory, "tea")
    aws.fake.knobs.quotas = True

    def ask() -> None:
        aws.data.get_memory_record(memoryId=memory, memoryRecordId=tea)

    for _ in range(20):
        ask()
    with pytest.raises(ClientError) as refused:
        ask()
    assert code_of(refused.value) == "ThrottledException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429
    assert aws.texts(memory, **FACTS) == ["tea"], "another operation has its own quota"
    aws.now += 1
    ask()


def test_a_session_has_a_quota_of_its_own(aws: Aws) -> None:
    aws.fake.knobs.quotas = True
    memory = aws.memory()
    for number in range(5):
        aws.say(memory, f"n{number}")
    with pytest.raises(ClientError, match="ThrottledException"):
        aws.say(memory, "one too many")
    aws.say(memory, "elsewhere", sessionId="s-2")


def test_a_message_has_at_most_so_many_bytes(aws: Aws) -> None:
    memory = aws.memory()
    with pytest.raises(ClientError, match="100 KB") as refused:
        aws.say(memory, "й" * 60_000)
    assert [field["name"] for field in refused.value.response["fieldList"]] == ["payload"]


def test_one_operation_may_be_denied(aws: Aws) -> None:
    memory = aws.memory()
    aws.fake.faults.add(denied("BatchDeleteMemoryRecords"))
    (tea,) = aws.write(memory, "tea")
    with pytest.raises(ClientError) as refused:
        aws.data.batch_delete_memory_records(memoryId=memory, records=[{"memoryRecordId": tea}])
    assert code_of(refused.value) == "AccessDeniedException"
    aws.data.delete_memory_record(memoryId=memory, memoryRecordId=tea)


def test_one_operation_may_hang_while_others_answer(aws: Aws) -> None:
    memory = aws.memory()
    aws.fake.faults.add(hanging("RetrieveMemoryRecords"))
    reach = AwsAccess("us-east-1", endpoint_url=aws.fake.url, attempts=1, read_seconds=0.2)
    client = make_client(DATA_SERVICE, reach, 1)
    with pytest.raises(ReadTimeoutError):
        client.retrieve_memory_records(
            memoryId=memory, searchCriteria={"searchQuery": "tea"}, **FACTS
        )
    client.close()
    assert aws.texts(memory, **FACTS) == []


def test_harsh_is_all_that_passes_by_itself() -> None:
    kind, harsh = Knobs(), Knobs.harsh()
    same = {name for name, value in vars(kind).items() if getattr(harsh, name) == value}
    assert same == {
        *("creation_failure", "strategies_fail", "extraction_fails"),
        *("failed_records", "page_rows"),
    }
