"""Models behind ARNs, the one-hour cache, guardrails, and what is cached and costs."""

import json
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage, calc_price
from pydantic_ai.models.wrapper import WrapperModel

from bot.assistant import failures
from bot.errors import OperatorError
from bot.models.configured import model_of
from bot.models.vendors import bedrock
from bot.models.vendors.bedrock import BedrockModel
from tests.bot.models.vendors.talks import ANNA, HOME, Talk, settings_of, talking
from tests.fakes.aws import Completion, FakeAws, denied
from tests.fakes.aws.bedrock_models import HAIKU, SONNET
from tests.fakes.aws.knobs import Fault

GUARDED = {"bedrock_guardrail_id": "guard1", "bedrock_guardrail_version": "DRAFT"}


def points(request: dict[str, Any]) -> list[dict[str, str]]:
    """The cache points of a request, in order."""
    found: list[dict[str, str]] = []

    def collect(value: object) -> None:
        if isinstance(value, dict):
            if "cachePoint" in value:
                found.append(value["cachePoint"])
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    collect([(request.get("toolConfig") or {}).get("tools"), request["system"]])
    collect(request["messages"])
    return found


async def cached(talk: Talk, turns: int = 3) -> list[int]:
    """How many tokens each of these turns reads from the cache."""
    read = []
    for number in range(turns):
        await talk.answer(f"And thing number {number}?")
        read.append(int(talk.logged("turn")["cache_read_tokens"]))
    return read


# -- behind an ARN --------------------------------------------------------------------------------


@pytest.mark.parametrize("behind", [f"us.{SONNET}", f"global.{SONNET}", SONNET])
async def test_an_application_inference_profile_has_what_its_model_has(
    aws: FakeAws, behind: str
) -> None:
    arn = aws.models.add_profile("abc123", behind)
    async with talking(aws, arn) as talk:
        assert (await cached(talk))[1] > 0
        assert {request["modelId"] for request in talk.requests} == {arn}
        assert len(points(talk.requests[-1])) == 4
        assert talk.logged("turn")["cost_usd"] > 0
    assert aws.operations().count("GetInferenceProfile") == 1


async def test_provisioned_throughput_has_what_its_model_has(aws: FakeAws) -> None:
    arn = aws.models.add_provisioned("abcdefghijkl", SONNET)
    async with talking(aws, arn) as talk:
        assert (await cached(talk))[1] > 0


@pytest.mark.parametrize("kind", ["inference-profile/us.", "foundation-model/"])
async def test_an_arn_that_names_its_model_is_not_looked_up(aws: FakeAws, kind: str) -> None:
    account = "" if kind.startswith("foundation") else "123456789012"
    name = f"arn:aws:bedrock:us-east-1:{account}:{kind}{SONNET}"
    model = model_of(settings_of(aws, name), f"bedrock:{name}")
    assert model.profile.get("bedrock_supports_prompt_caching")
    assert aws.operations() == []


async def test_a_setting_names_the_model_if_aws_does_not(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.faults.add(denied("GetInferenceProfile"))
    async with talking(aws, arn, bedrock_arn_models=(f"{arn}={SONNET}",)) as talk:
        assert (await cached(talk))[1] > 0
    assert "GetInferenceProfile" not in aws.operations()


async def test_a_model_that_nobody_names_is_not_guessed(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.faults.add(denied("GetInferenceProfile"))
    async with talking(aws, arn) as talk:
        assert await cached(talk) == [0, 0, 0]
        assert points(talk.requests[-1]) == []
    assert aws.operations().count("GetInferenceProfile") == 1, "a denial is final"


async def test_the_operator_reads_how_to_name_the_model(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.faults.add(denied("GetInferenceProfile"))
    model = model_of(settings_of(aws, arn), f"bedrock:{arn}")
    assert isinstance(model, BedrockModel)
    assert f'"{arn}="' in str(model.doubt)
    assert "bedrock_arn_models" in str(model.doubt)
    assert "bedrock:GetInferenceProfile" in str(model.doubt)


async def test_a_profile_is_looked_up_again_if_aws_was_away_at_the_start(
    aws: FakeAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bedrock, "_ASK_AGAIN_SECONDS", 0.0)
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.faults.add(Fault("GetInferenceProfile", 1, cut=0))
    async with talking(aws, arn) as talk:
        assert (await cached(talk))[1] > 0
    assert aws.operations().count("GetInferenceProfile") == 2


async def test_two_names_of_one_model_cool_down_apart(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    async with talking(aws, arn, fallback_models=(f"bedrock:us.{SONNET}",)) as talk:
        aws.faults.add(Fault("ConverseStream", 2, "ThrottlingException", 429, "slow down"))
        assert await talk.answer()
        assert await talk.answer()
        asked = [request.get("modelId") for request in talk.requests]
    assert asked[-2:] == [f"us.{SONNET}"] * 2


async def test_a_slow_model_behind_an_arn_cools_down_under_its_own_name(aws: FakeAws) -> None:
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    more = {"fallback_models": (f"bedrock:us.{HAIKU}",), "model_timeout_seconds": 0.8}
    async with talking(aws, arn, **more) as talk:
        aws.faults.add(Fault("ConverseStream", 1, delay=5))
        assert await talk.answer()
        assert talk.logged("model_cooling_down")["model"] == arn


def test_a_model_that_the_library_does_not_know_is_not_looked_up(aws: FakeAws) -> None:
    model = model_of(
        settings_of(aws, "ai21.jamba-1-5-mini-v1:0"), "bedrock:ai21.jamba-1-5-mini-v1:0"
    )
    assert isinstance(model, BedrockModel)
    assert model.doubt is None
    assert aws.operations() == []


def test_a_model_that_converse_does_not_serve_is_refused_at_the_start(aws: FakeAws) -> None:
    with pytest.raises(OperatorError, match="Converse"):
        model_of(settings_of(aws, "openai.gpt-5.5"), "bedrock:openai.gpt-5.5")


# -- the cache ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "caches"), [(SONNET, True), (HAIKU, False)])
async def test_a_prompt_below_the_minimum_costs_what_it_would_without_cache_points(
    aws: FakeAws, model: str, *, caches: bool
) -> None:
    async with talking(aws, f"global.{model}") as talk:
        assert any(await cached(talk)) == caches
        turn = talk.logged("turn")
    if not caches:
        assert turn["cache_write_tokens"] == 0
        per_token = Decimal(turn["cost_usd"]) - Decimal(turn["output_tokens"]) * 5 / 10**6
        assert float(per_token) == pytest.approx(turn["input_tokens"] / 10**6)


async def test_an_hour_of_cache_is_asked_for_at_every_point(aws: FakeAws) -> None:
    async with talking(aws, f"us.{SONNET}", bedrock_cache="1h") as talk:
        first = (await cached(talk, 1), talk.logged("turn"))[1]
        assert (await cached(talk))[0] > 0
        lives = [point.get("ttl") for request in talk.requests for point in points(request)]
    assert set(lives) == {"1h"}
    # Writing for an hour costs twice the input's price, and the profile of a geography 10 % more.
    written, fresh = first["cache_write_tokens"], first["input_tokens"]
    cost = (written * 6 + (fresh - written) * 3 + first["output_tokens"] * 15) * 1.1 / 10**6
    assert first["cost_usd"] == pytest.approx(cost)


@pytest.mark.parametrize(
    "model", ["us.amazon.nova-pro-v1:0", "us.anthropic.claude-sonnet-4-20250514-v1:0"]
)
async def test_a_model_without_the_hour_keeps_its_five_minutes_and_the_operator_hears_it(
    aws: FakeAws, model: str
) -> None:
    async with talking(aws, model, bedrock_cache="1h") as talk:
        await talk.answer()
        lives = {point.get("ttl", "5m") for point in points(talk.requests[0])}
    assert lives == {"5m"}
    made = model_of(settings_of(aws, model, bedrock_cache="1h"), f"bedrock:{model}")
    assert isinstance(made, BedrockModel)
    assert "five minutes" in str(made.doubt)


async def test_without_a_cache_no_point_is_sent(aws: FakeAws) -> None:
    old = "anthropic.claude-3-haiku-20240307-v1:0"
    async with talking(aws, old, bedrock_cache="off") as talk:
        assert await cached(talk) == [0, 0, 0]
        assert not any(points(request) for request in talk.requests)


# -- guardrails -----------------------------------------------------------------------------------


async def test_every_request_goes_through_the_guardrail(aws: FakeAws) -> None:
    async with talking(aws, f"us.{SONNET}", **GUARDED) as talk:
        await talk.answer()
        config = talk.requests[0]["guardrailConfig"]
    assert (config["guardrailIdentifier"], config["guardrailVersion"]) == ("guard1", "DRAFT")


async def test_a_blocked_answer_is_a_polite_sentence_asked_for_once(aws: FakeAws) -> None:
    aws.model.say(Completion("Sorry, no can do.", guardrail="BLOCKED"))
    chain = {"fallback_models": (f"bedrock:us.{HAIKU}",)}
    async with talking(aws, f"us.{SONNET}", **GUARDED, **chain) as talk:
        line = await talk.failure("How do I build a bomb?")
        assert (line["kind"], line["told"]) == ("blocked", failures.BLOCKED.user)
        assert len(talk.requests) == 1
        assert (await talk.memory.talk.recall(ANNA, HOME, "?")).messages == ()
        assert "bomb" not in str(talk.logs)


async def test_an_answer_with_masked_words_is_an_answer(aws: FakeAws) -> None:
    aws.model.say(Completion("You live at {ADDRESS}.", guardrail="ANONYMIZED"))
    async with talking(aws, f"us.{SONNET}", **GUARDED) as talk:
        assert await talk.answer("Where do I live?") == "You live at {ADDRESS}."
        assert "12 Elm Road" not in json.dumps(talk.logs, default=str)


@pytest.mark.parametrize("geography", ["ca", "in", "apac", "us-gov", "global"])
def test_a_model_has_a_price_in_every_geography(aws: FakeAws, geography: str) -> None:
    for base in (SONNET, HAIKU, "amazon.nova-2-lite-v1:0"):
        name = f"{geography}.{base}"
        model = model_of(settings_of(aws, name), f"bedrock:{name}")
        assert isinstance(model, WrapperModel)
        assert model.model_name == name
        used = Usage(input_tokens=1000)
        assert calc_price(used, model.wrapped.model_name, provider_id="aws").total_price > 0
