"""What an error of AWS means for the call, and what of AWS's words may be shown."""

import json
import re
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.loaders import Loader
from hypothesis import given
from hypothesis import strategies as st

from memory.stores.agentcore.calls.errors import AwsFailure, Fate, Where, explain
from memory.stores.agentcore.calls.wording import aws_words

WHERE = Where("CreateEvent", "bot-0123456789", "us-east-1")
INACTIVE = "Memory status is not active, unable to process CreateEvent"


def failure(message: str, reason: str | None, **sent: Any) -> AwsFailure:
    """What a ValidationException of this message and reason means."""
    response: dict[str, Any] = {
        "Error": {"Code": "ValidationException", "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": 400},
        **({"reason": reason} if reason else {}),
    }
    return explain(ClientError(response, "CreateEvent"), WHERE, sent)


def reasons() -> list[str]:
    """All reasons that the service model knows."""
    model = Loader().load_service_model("bedrock-agentcore", "service-2")
    return list(model["shapes"]["ValidationExceptionReason"]["enum"])


def test_each_reason_of_the_service_model_has_its_fate() -> None:
    assert {reason: failure("no", reason).fate for reason in reasons()} == {
        "CannotParse": Fate.NEVER,
        "FieldValidationFailed": Fate.NEVER,
        "EventInOtherSession": Fate.NEVER,
        "IdempotentParameterMismatchException": Fate.DONE,
        "ResourceConflict": Fate.LATER,
    }


@pytest.mark.parametrize("reason", [None, "", "SomethingNew"])
def test_a_refusal_whose_reason_says_nothing_of_the_request_may_pass(reason: str | None) -> None:
    assert failure("no", reason).fate is Fate.LATER


@pytest.mark.parametrize(
    "message",
    [
        INACTIVE,
        "Memory bot-0123456789 is in a transitional state",
        "Memory status is not yet ACTIVE",
        "The memory is being updated",
    ],
)
@pytest.mark.parametrize("reason", [None, "FieldValidationFailed", "ResourceConflict"])
def test_a_memory_that_is_not_active_will_be(message: str, reason: str | None) -> None:
    found = failure(message, reason)
    assert found.fate is Fate.LATER
    assert "the memory is not active" in str(found)


def test_the_operator_reads_the_words_of_aws() -> None:
    assert INACTIVE in str(failure(INACTIVE, None, payload=[{"text": "I live in Oslo"}]))
    assert "AWS says: Too many tags" in str(failure("Too many tags", "ResourceConflict"))


def test_what_aws_is_known_to_say_is_shown_though_somebody_said_the_same_words() -> None:
    sent = {"memoryId": "MordecaiMemory-0123456789", "payload": ["I am not active today, unable"]}
    shown = aws_words(INACTIVE, sent)
    assert shown == "Memory status is not active, … to process CreateEvent"
    assert aws_words("'status is not active'", sent) == ""


def test_quoted_values_and_what_was_sent_are_left_out_of_the_words_of_aws() -> None:
    message = "Value 'anything' at payload: I LIVE in Osl is bad, see Oslo, p4ss and \\u0414"
    shown = aws_words(message, {"payload": [{"text": "I live in Oslo, my word is p4ssword"}]})
    assert shown == "Value … at payload: … bad, see … and …"


@given(
    st.lists(st.text("abcdeXYZ0éЯ \\'\"&", min_size=3, max_size=12), min_size=1, max_size=4),
    st.integers(0, 12),
    st.sampled_from([str, repr, json.dumps, str.upper, ascii]),
)
def test_no_word_that_was_sent_is_ever_shown(said: list[str], cut: int, written: Any) -> None:
    text = " ".join(said)
    quoted = written(text)[: len(text) - cut] if cut else written(text)
    shown = aws_words(f"Member must satisfy: {quoted} (Rule 7)", {"payload": {"text": text}})
    shown = shown.removeprefix("Member must satisfy: ").removesuffix(" (Rule 7)")
    words = {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= 3}
    assert not words & set(re.findall(r"\w+", shown.casefold()))
