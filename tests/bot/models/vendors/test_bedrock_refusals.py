"""A model that can't be used as it is configured: the operator is told what to set, other models
are asked, and the person hears that their message was fine."""

from typing import Any

import pytest
from pydantic_ai.exceptions import (
    ModelHTTPError,
    ModelRequestRejectedError,
)

from bot.assistant import failures
from bot.models.vendors.bedrock_refusals import Refused, failure_for, reason_of
from tests.bot.models.vendors.talks import talking
from tests.fakes.aws import FakeAws, Fault, denied
from tests.fakes.aws.bedrock_models import HAIKU, SONNET

LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0"
OLD_HAIKU = "anthropic.claude-3-haiku-20240307-v1:0"


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
@pytest.mark.parametrize("may_list", [True, False])
async def test_a_model_that_needs_an_inference_profile_is_named_with_its_ids(
    aws: FakeAws, region: str, *, may_list: bool
) -> None:
    if not may_list:
        aws.faults.add(denied("ListInferenceProfiles"))
    async with talking(aws, SONNET, region=region) as talk:
        line = await talk.failure()
    assert (line["kind"], line["status"]) == ("configuration", 400)
    assert line["told"].startswith(failures.UNUSABLE.user)
    near = region[:2]
    assert line["remedy"] == (
        f"{SONNET} needs an inference profile: set model to bedrock:{near}.{SONNET} "
        f"or bedrock:global.{SONNET}"
    )


async def test_profiles_are_looked_up_once_through_all_pages(aws: FakeAws) -> None:
    aws.knobs.page_rows = 1
    async with talking(aws, SONNET) as talk:
        first, second = [(await talk.failure())["remedy"] for _ in range(2)]
    assert first == second
    assert f"bedrock:us.{SONNET}" in first
    pages = aws.operations().count("ListInferenceProfiles")
    assert pages == len(aws.models.profiles("us-east-1"))


@pytest.mark.parametrize(
    ("model", "region", "more", "kind", "words"),
    [
        (f"eu.{SONNET}", "us-east-1", {}, "unknown_model", ["us-east-1", f"bedrock:us.{SONNET}"]),
        (f"us.{SONNET}", "eu-central-1", {}, "unknown_model", [f"bedrock:eu.{SONNET}"]),
        ("us.anthropic.claude-9-v1:0", "us-east-1", {}, "unknown_model", ["spelling"]),
        (
            "anthropic.claude-3-haiku-20240307-v1:0",
            "us-east-1",
            {},
            "configuration",
            ["bedrock_cache"],
        ),
        ("us.meta.llama4-scout-17b-instruct-v1:0", "us-east-1", {}, "configuration", ["tools"]),
        (
            "us.amazon.nova-pro-v1:0",
            "us-east-1",
            {"model_max_output_tokens": 20_000},
            "configuration",
            ["model_max_output_tokens to 10000"],
        ),
    ],
)
async def test_the_remedy_names_what_to_set(
    aws: FakeAws, model: str, region: str, more: dict[str, Any], kind: str, words: list[str]
) -> None:
    async with talking(aws, model, region=region, **more) as talk:
        line = await talk.failure()
    assert line["kind"] == kind
    assert line["told"].startswith("My language model isn't accepting my requests")
    for word in words:
        assert word in line["remedy"]


async def test_a_retired_model_is_told_as_such(aws: FakeAws) -> None:
    aws.models.retired.add(f"us.{SONNET}")
    async with talking(aws, f"us.{SONNET}") as talk:
        line = await talk.failure()
    assert (line["kind"], line["status"]) == ("unknown_model", 404)
    assert "retired" in line["remedy"]


async def test_an_arn_of_another_region_says_where_it_belongs(aws: FakeAws) -> None:
    arn = f"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.{SONNET}"
    async with talking(aws, arn) as talk:
        assert "set aws_region to that" in (await talk.failure())["remedy"]


async def test_no_name_is_made_up_where_aws_lists_none(aws: FakeAws) -> None:
    async with talking(aws, "us.anthropic.claude-9-v1:0") as talk:
        remedy = (await talk.failure())["remedy"]
    assert remedy.endswith("check its spelling and aws_region")


async def test_a_deleted_profile_is_not_given_other_names(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.models.arns.clear()
    async with talking(aws, arn) as talk:
        assert "bedrock:" not in (await talk.failure())["remedy"].replace(arn, "")


@pytest.mark.parametrize("broken", [SONNET, f"eu.{SONNET}", LLAMA])
async def test_another_model_answers_in_its_place(aws: FakeAws, broken: str) -> None:
    async with talking(aws, broken, fallback_models=(f"bedrock:us.{HAIKU}",)) as talk:
        aws.model.say("Hello from Haiku.")
        assert await talk.answer() == "Hello from Haiku."
        assert talk.logged("model_cooling_down")["model"] == broken


@pytest.mark.parametrize(
    ("code", "status", "words", "kind", "remedy"),
    [
        (
            "AccessDeniedException",
            403,
            "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel on "
            "resource: y with an explicit deny in a service control policy",
            "bad_credentials",
            "bedrock:InvokeModelWithResponseStream",
        ),
        (
            "AccessDeniedException",
            403,
            "Model access is denied due to IAM user or service role is not authorized to perform "
            "the required AWS Marketplace actions (aws-marketplace:ViewSubscriptions)",
            "bad_credentials",
            "aws-marketplace:Subscribe",
        ),
        (
            "AccessDeniedException",
            403,
            "Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument "
            "must be provided.",
            "bad_credentials",
            "payment",
        ),
        (
            "ResourceNotFoundException",
            404,
            "Model use case details have not been submitted for this account. Fill out the "
            "Anthropic use case details form before using the model.",
            "bad_credentials",
            "form",
        ),
        (
            "ResourceNotFoundException",
            404,
            "Access denied. This Model is marked by provider as Legacy and you have not been "
            "actively using the model in the last 30 days.",
            "unknown_model",
            "retired",
        ),
        (
            "ValidationException",
            400,
            "Access to Anthropic models is not allowed from unsupported countries, regions, or "
            "territories.",
            "configuration",
            "country",
        ),
        (
            "ValidationException",
            400,
            "The guardrail identifier or version provided in the request does not exist.",
            "configuration",
            "bedrock_guardrail_id",
        ),
        (
            "ValidationException",
            400,
            "You invoked an unsupported model or your request did not allow prompt caching.",
            "configuration",
            'bedrock_cache to "off"',
        ),
        (
            "ThrottlingException",
            429,
            "Too many tokens per day, please wait before trying again.",
            "quota",
            "Service Quotas",
        ),
        ("ValidationException", 400, "Operation not allowed", "bad_credentials", "support"),
        (
            "ValidationException",
            400,
            "The model is unsupported for streaming.",
            "configuration",
            "use another",
        ),
        (
            "ValidationException",
            400,
            "This action doesn\u2019t support the model that you provided. Try again with a "
            "supported text or chat model.",
            "configuration",
            "use another model",
        ),
        (
            "ValidationException",
            400,
            "This model doesn't support system messages. Try again without a system message.",
            "configuration",
            "use another model",
        ),
    ],
)
def test_each_of_aws_s_reasons_has_its_remedy(
    code: str, status: int, words: str, kind: str, remedy: str
) -> None:
    reason = reason_of(refusal(code, status, words))
    assert reason
    failure = failure_for(reason, Refused("m", "us-east-1", True, words, ""), status)
    assert (failure.kind, failure.status, failure.outage) == (kind, status, True)
    assert remedy in str(failure.remedy)
    assert not failure.permanent, "what a session has to teach must wait for the operator"
    assert failure.user.startswith("My language model isn't accepting my requests")


async def test_aws_s_words_stay_out_of_the_log(aws: FakeAws) -> None:
    async with talking(aws, f"us.{SONNET}") as talk:
        words = "This model doesn't support what you said: My secret is 42"
        aws.faults.add(Fault(None, None, "ValidationException", 400, words))
        assert "use another model" in (await talk.failure("My secret is 42"))["remedy"]
    assert "secret" not in str(talk.logs)


def refusal(code: str, status: int, words: str) -> ModelHTTPError:
    """What the library makes of AWS's answer."""
    return ModelHTTPError.for_category(
        ModelRequestRejectedError,
        status_code=status,
        model_name="m",
        body={"Error": {"Code": code, "Message": words}},
        provider_error_code=code,
    )


@pytest.mark.parametrize(
    "words",
    [
        "This model doesn't support the image content block that you provided.",
        "This model doesn't support documents.",
        "Input is too long for requested model.",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
        "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the "
        "same turn.",
    ],
)
def test_what_is_about_the_message_is_no_fault_of_the_model(words: str) -> None:
    assert reason_of(refusal("ValidationException", 400, words)) is None
