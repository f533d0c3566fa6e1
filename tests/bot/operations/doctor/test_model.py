"""The model is asked for one word, the way the bot asks it."""

import pytest
from pydantic import SecretStr

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.models import check_fallback, check_model
from bot.settings import Settings
from tests.fakes.aws import FakeAws, denied, throttled
from tests.fakes.aws.bedrock_models import SONNET
from tests.fakes.aws.knobs import Fault
from tests.fakes.openai_server import OpenAIServer, refusing, text

CLAUDE = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"


async def the(settings: Settings) -> CheckResult:
    (finding,) = await check_model(settings)
    return finding


def bedrock(aws: FakeAws) -> Settings:
    return Settings(model=CLAUDE, aws_region="us-east-1", aws_endpoint_url=aws.url)


@pytest.mark.parametrize("name", [None, "offline"])
async def test_the_notebook_is_said_to_need_no_model(name: str | None):
    finding = await the(Settings(model=name))
    assert finding.mark is Mark.OK
    assert "notebook" in finding.text


async def test_bedrock_is_asked_in_both_ways_with_a_few_tokens(aws: FakeAws):
    finding = await the(bedrock(aws))
    assert finding.mark is Mark.OK
    assert CLAUDE in finding.text
    assert aws.operations() == ["ConverseStream", "Converse"]
    for call in aws.calls:
        assert call.params["inferenceConfig"]["maxTokens"] == 16
        assert call.sent < 700


@pytest.mark.parametrize("operation", ["ConverseStream", "Converse"])
async def test_a_missing_permission_for_either_is_wrong(aws: FakeAws, operation: str):
    message = f"not authorized to perform: bedrock:{operation}"
    aws.faults.add(Fault(operation, None, "AccessDeniedException", 403, message))
    finding = await the(bedrock(aws))
    assert finding.mark is Mark.WRONG
    assert "model access" in finding.text


async def test_a_model_that_needs_a_profile_is_named_with_its_ids(aws: FakeAws):
    settings = bedrock(aws).model_copy(update={"model": f"bedrock:{SONNET}"})
    finding = await the(settings)
    assert finding.mark is Mark.WRONG
    assert f"set model to bedrock:us.{SONNET} or bedrock:global.{SONNET}" in finding.text


async def test_a_model_that_takes_no_tools_while_it_streams_is_wrong(aws: FakeAws):
    name = "bedrock:us.meta.llama4-scout-17b-instruct-v1:0"
    finding = await the(bedrock(aws).model_copy(update={"model": name}))
    assert finding.mark is Mark.WRONG
    assert "tools while it streams" in finding.text


async def test_a_fallback_is_asked_too(aws: FakeAws):
    settings = bedrock(aws)
    (fine,) = await check_fallback(settings, CLAUDE)
    (finding,) = await check_fallback(settings, f"bedrock:{SONNET}")
    assert (fine.subject, fine.mark) == ("fallback", Mark.OK)
    assert (finding.subject, finding.mark) == ("fallback", Mark.WRONG)
    assert f"bedrock:us.{SONNET}" in finding.text
    assert await check_fallback(settings, "offline") == []


async def test_an_arn_that_nobody_explains_is_a_warning(aws: FakeAws):
    arn = aws.models.add_profile("abc123", f"us.{SONNET}")
    aws.faults.add(denied("GetInferenceProfile"))
    answers, doubt = await check_model(bedrock(aws).model_copy(update={"model": f"bedrock:{arn}"}))
    assert answers.mark is Mark.OK
    assert doubt.mark is Mark.WARNING
    assert f'add "{arn}=" and the id of its model to bedrock_arn_models' in doubt.text


async def test_being_throttled_is_no_fault(aws: FakeAws):
    aws.faults.add(throttled("ConverseStream"))
    assert (await the(bedrock(aws))).mark is Mark.WARNING


async def test_missing_credentials_are_said_in_one_line(
    aws: FakeAws, credentials: pytest.MonkeyPatch
):
    credentials.delenv("AWS_ACCESS_KEY_ID")
    finding = await the(bedrock(aws))
    assert finding.mark is Mark.WRONG
    assert "AWS_ACCESS_KEY_ID" in finding.text


async def test_a_missing_package_says_what_to_install():
    finding = await the(Settings(model="anthropic:claude-sonnet-4-5"))
    assert finding.mark is Mark.WRONG
    assert "pip install" in finding.text


async def test_a_server_of_ones_own_is_asked_with_the_key_and_the_key_is_not_told():
    def settings(key: str) -> Settings:
        url = server.base_url
        return Settings(model="openai:small", model_base_url=url, model_api_key=SecretStr(key))

    async with OpenAIServer() as server:
        server.script(text("ok"), refusing(401, "what is another-secret-key?"))
        assert (await the(settings("right"))).mark is Mark.OK
        refused = await the(settings("another-secret-key"))
    assert refused.mark is Mark.WRONG
    assert "model_api_key" in refused.text
    assert "another-secret-key" not in refused.text


async def test_a_server_that_is_not_there_is_wrong():
    settings = Settings(model="openai:small", model_base_url="http://127.0.0.1:1/v1")
    finding = await the(settings)
    assert finding.mark is Mark.WRONG
    assert "model_base_url" in finding.text
