"""What errors mean that no server of ours sends."""

from dataclasses import replace

import pytest
from botocore.exceptions import NoCredentialsError, TokenRetrievalError
from pydantic_ai import exceptions as errors

from bot.assistant import failures
from bot.assistant.failures import (
    MODEL_ERRORS,
    CoolingDown,
    Failure,
    UnusableModel,
    attempts_in,
    failure_of,
)

THROTTLED = errors.ModelHTTPError.for_category(
    errors.ModelRateLimitError, status_code=429, model_name="second"
)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NoCredentialsError(), failures.BAD_CREDENTIALS),
        (TokenRetrievalError(provider="sso", error_msg="expired"), failures.BAD_CREDENTIALS),
        (TimeoutError(), failures.TIMEOUT),
        (errors.ModelRequestTimeout("m", 1.0), failures.TIMEOUT),
        (errors.ModelConnectionError("m", "refused", phase="connect"), failures.UNREACHABLE),
        (errors.ModelConnectionError("m", "reset", phase="read"), failures.CUT),
        (errors.ModelAPIError("m", "?"), failures.SERVER_ERROR),
        (errors.UsageLimitExceeded("?"), failures.ENDLESS),
        (errors.UnexpectedModelBehavior("?"), failures.NO_ANSWER),
        (errors.UserError("?"), failures.MISUSED),
        (errors.FallbackExceptionGroup("all", [TimeoutError(), THROTTLED]), failures.THROTTLED),
    ],
)
def test_every_error_has_its_meaning(error: Exception, expected: Failure) -> None:
    assert isinstance(error, MODEL_ERRORS)
    assert failure_of(error).kind == expected.kind


def test_the_status_is_the_one_of_the_model_that_was_tried_last() -> None:
    assert failure_of(errors.FallbackExceptionGroup("all", [THROTTLED])).status == 429


def test_of_several_models_the_last_one_that_was_asked_counts_and_each_is_named() -> None:
    group = errors.FallbackExceptionGroup("all", [THROTTLED, CoolingDown("first", "?")])
    assert failure_of(group).kind == failures.THROTTLED.kind
    throttled, resting = attempts_in(group)
    assert throttled.startswith("second: throttled (429): ask the vendor")
    assert resting == "first: not asked, it has just failed"
    assert attempts_in(THROTTLED) == []


def test_a_model_that_only_the_operator_can_mend_brings_its_own_remedy() -> None:
    failure = replace(failures.UNUSABLE, remedy="set model to us.nova", status=400)
    assert failure_of(UnusableModel("nova", failure)) == failure
    assert failure.outage
    assert not failure.askable


def test_a_bug_is_no_model_error() -> None:
    assert not isinstance(ZeroDivisionError(), MODEL_ERRORS)


def test_every_sentence_for_the_user_says_what_to_do_next() -> None:
    sentences = [f.user for f in vars(failures).values() if isinstance(f, Failure)]
    assert len(sentences) > 10
    assert [s for s in sentences if "lease" not in s] == []
