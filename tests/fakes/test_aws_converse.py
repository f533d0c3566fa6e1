"""The fake's model streams as Bedrock does: frame by frame, and broken in all its ways."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, EventStreamError
from urllib3.exceptions import ProtocolError

from memory.stores.agentcore.calls.clients import AwsAccess, make_client
from tests.fakes.aws import Completion, FakeAws, ToolCall, throttled
from tests.fakes.aws.world import ENVIRONMENT

MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
TOOL = {"toolSpec": {"name": "remember", "inputSchema": {"json": {"type": "object"}}}}


@pytest.fixture(scope="module")
def aws() -> Iterator[FakeAws]:
    with FakeAws() as aws:
        yield aws


@pytest.fixture(scope="module")
def client(aws: FakeAws) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as environment:
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        client = make_client("bedrock-runtime", AwsAccess("us-east-1", endpoint_url=aws.url), 2)
    yield client
    client.close()


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}]}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def stream(client: Any, **request: Any) -> list[dict[str, Any]]:
    asked = {"messages": [user("hello")], **request}
    events = client.converse_stream(modelId=MODEL, **asked)["stream"]
    try:
        return list(events)
    finally:
        # A stream that breaks keeps its connection until somebody lets go of it.
        events.close()


def told(events: list[dict[str, Any]]) -> str:
    deltas = [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
    return "".join(delta.get("text", "") for delta in deltas)


def test_a_reply_comes_whole(aws: FakeAws, client: Any) -> None:
    aws.model.say("Hello there, Ann.")
    answer = client.converse(modelId=MODEL, messages=[user("hello")])
    assert answer["output"]["message"]["content"] == [{"text": "Hello there, Ann."}]
    assert answer["stopReason"] == "end_turn"


def test_a_reply_comes_word_by_word(aws: FakeAws, client: Any) -> None:
    aws.model.say("the cat and the dog")
    events = stream(client)
    assert [next(iter(e)) for e in events[:2]] == ["messageStart", "contentBlockDelta"]
    assert told(events) == "the cat and the dog"
    assert events[-2]["messageStop"]["stopReason"] == "end_turn"
    assert events[-1]["metadata"]["usage"]["outputTokens"] > 0


def test_a_tool_call_comes_in_pieces_of_its_json(aws: FakeAws, client: Any) -> None:
    aws.model.say(Completion(tools=(ToolCall("remember", {"text": "I live in Oslo"}),)))
    events = stream(client, toolConfig={"tools": [TOOL]})
    deltas = [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
    assert "".join(d["toolUse"]["input"] for d in deltas) == '{"text": "I live in Oslo"}'
    assert len(deltas) == 2
    assert events[-2]["messageStop"]["stopReason"] == "tool_use"


def test_without_a_script_it_says_what_it_heard(client: Any) -> None:
    assert told(stream(client, messages=[user("good morning")])) == "I heard: good morning"


def test_a_cut_connection_is_an_error_of_the_transport(aws: FakeAws, client: Any) -> None:
    aws.model.say(Completion("one two three", breaks_after=2))
    with pytest.raises(ProtocolError):
        stream(client)


def test_a_stream_may_end_without_a_stop_reason(aws: FakeAws, client: Any) -> None:
    aws.model.say(Completion("one two three", stop=""))
    assert not any("messageStop" in event for event in stream(client))


def test_throttling_in_mid_stream_is_an_in_band_exception(aws: FakeAws, client: Any) -> None:
    aws.model.say(Completion("one two three", breaks_after=2, error="throttlingException"))
    with pytest.raises(EventStreamError) as caught:
        stream(client)
    assert caught.value.response["Error"]["Code"] == "throttlingException"


def test_a_refusal_before_the_stream_is_an_ordinary_error(aws: FakeAws, client: Any) -> None:
    aws.faults.add(throttled("ConverseStream", times=2))
    with pytest.raises(ClientError, match="ThrottledException"):
        stream(client)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"messages": [assistant({"text": "hi"})]}, "must start with a user"),
        ({"messages": [user("a"), user("b")]}, "alternate"),
        ({"messages": [user("a"), assistant({"text": "b"})]}, "must end with a user"),
        ({"messages": [user(" ")]}, "blank"),
        (
            {
                "messages": [
                    user("a"),
                    assistant({"toolUse": {"toolUseId": "t1", "name": "x", "input": {}}}),
                    user("b"),
                ],
                "toolConfig": {"tools": [TOOL]},
            },
            "Expected toolResult",
        ),
        (
            {
                "messages": [
                    user("a"),
                    assistant({"toolUse": {"toolUseId": "t1", "name": "x", "input": {}}}),
                    {
                        "role": "user",
                        "content": [{"toolResult": {"toolUseId": "t1", "content": []}}],
                    },
                ]
            },
            "toolConfig",
        ),
        ({"inferenceConfig": {"temperature": 3}}, "temperature"),
    ],
    ids=["assistant first", "two users", "assistant last", "blank", "no result", "no tools", "hot"],
)
def test_a_conversation_that_bedrock_refuses_is_refused(
    client: Any, request_: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ClientError, match=reason):
        stream(client, **request_)


def test_a_repeated_prefix_is_read_from_the_cache(client: Any) -> None:
    system = [{"text": "x" * 4 * 1024}, {"cachePoint": {"type": "default"}}]
    first, second = (
        stream(client, system=system, messages=[user(text)])[-1]["metadata"]["usage"]
        for text in ("one", "two")
    )
    assert first["cacheReadInputTokens"] == 0
    assert second["cacheReadInputTokens"] == first["cacheWriteInputTokens"] > 1024
    assert second["cacheWriteInputTokens"] == 0


def test_a_short_prefix_is_not_cached(client: Any) -> None:
    system = [{"text": "be brief"}, {"cachePoint": {"type": "default"}}]
    for _ in range(2):
        usage = stream(client, system=system)[-1]["metadata"]["usage"]
        assert usage["cacheReadInputTokens"] == usage["cacheWriteInputTokens"] == 0
