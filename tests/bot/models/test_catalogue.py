"""Which model a name means, and what an operator hears about a name that means none."""

from pathlib import Path

import pytest
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.openrouter import OpenRouterModel

from bot.errors import OperatorError
from bot.models.catalogue import ModelAccess, model_from_name
from bot.models.vendors.bedrock import BedrockModel
from bot.models.wire.tolerant import TolerantModel

CLAUDE = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.fixture(autouse=True)
def _no_vendor_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENROUTER_API_KEY",
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_DEFAULT_REGION",
        "AWS_REGION",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def credentials(tmp_path: Path) -> None:
    (tmp_path / "credentials").write_text(
        "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n"
    )


async def test_openai_with_a_key_is_openai_and_nothing_from_the_environment() -> None:
    async with model_from_name("openai:gpt-4.1-mini", ModelAccess(api_key="k")) as model:
        assert isinstance(model, OpenAIChatModel)
        assert str(model.client.base_url) == "https://api.openai.com/v1/"
        assert (model.client.api_key, model.client.max_retries) == ("k", 1)
        assert model.profile.get("openai_chat_streaming_requires_finish_reason")


@pytest.mark.parametrize("name", ["openai:llama3.2", "ollama:llama3.2", "vllm:llama3.2"])
async def test_a_base_url_means_a_tolerated_server_without_need_of_a_key(name: str) -> None:
    access = ModelAccess(base_url="http://127.0.0.1:1/v1", connect_seconds=2, read_seconds=70)
    async with model_from_name(name, access) as model:
        assert isinstance(model, TolerantModel)
        inner = model.wrapped
        assert isinstance(inner, OpenAIChatModel)
        assert (str(inner.client.base_url), inner.model_name) == (
            "http://127.0.0.1:1/v1/",
            "llama3.2",
        )
        assert str(inner.client.timeout) == "Timeout(connect=2, read=70, write=70, pool=70)"


async def test_ollama_has_its_usual_address() -> None:
    async with model_from_name("ollama:llama3.2") as model:
        assert isinstance(model, TolerantModel)
        assert isinstance(model.wrapped, OpenAIChatModel)
        assert str(model.wrapped.client.base_url) == "http://127.0.0.1:11434/v1/"


async def test_other_vendors_go_by_name_with_the_configured_key() -> None:
    async with model_from_name("openrouter:any/model", ModelAccess(api_key="k")) as model:
        assert isinstance(model, OpenRouterModel)
        assert model.client.api_key == "k"


@pytest.mark.usefixtures("credentials")
def test_bedrock_has_a_client_of_our_own_with_cache_points() -> None:
    access = ModelAccess(aws_region="eu-central-1", read_seconds=77, connections=9)
    named = model_from_name(CLAUDE, access)
    assert isinstance(named, BedrockModel)
    model = named.wrapped
    assert isinstance(model, BedrockConverseModel)
    meta = model.client.meta
    assert meta.region_name == "eu-central-1"
    assert (meta.config.connect_timeout, meta.config.read_timeout) == (3.0, 77)
    assert meta.config.retries["total_max_attempts"] == 2
    assert meta.config.max_pool_connections == 9
    settings = dict(model.settings or {})
    assert settings == {
        "bedrock_cache_instructions": True,
        "bedrock_cache_tool_definitions": True,
        "bedrock_inference_profile": named.model_name,
    }
    model.client.close()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gpt-4", ["model 'gpt-4'", "vendor:model", "openai:gpt-4.1-mini"]),
        ("openai:", ["model 'openai:'", "vendor:model"]),
        (":gpt-4", ["model ':gpt-4'", "vendor:model"]),
        ("nobody:gpt-4", ["no vendor 'nobody'", "offline"]),
        ("openai:gpt-4", ["MORDECAI_MODEL_API_KEY", "model_base_url"]),
        ("openrouter:any/model", ["openrouter:any/model", "MORDECAI_MODEL_API_KEY"]),
        ("anthropic:claude-sonnet-4-5", ["pip install 'pydantic-ai-slim[anthropic]'"]),
        ("groq:llama", ["pip install 'pydantic-ai-slim[groq]'"]),
        ("mistral:mistral-large", ["pip install 'pydantic-ai-slim[mistral]'"]),
        ("cohere:command-r", ["pip install 'pydantic-ai-slim[cohere]'"]),
        ("google:gemini-2.5-flash", ["pip install 'pydantic-ai-slim[google]'"]),
        ("huggingface:any/model", ["pip install 'pydantic-ai-slim[huggingface]'"]),
        (CLAUDE, ["AWS credentials", "aws configure"]),
    ],
)
def test_a_name_that_can_t_be_used_is_told_with_its_remedy(name: str, told: list[str]) -> None:
    with pytest.raises(OperatorError) as raised:
        model_from_name(name)
    assert [part for part in told if part not in str(raised.value)] == []
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("access", "told"),
    [
        (ModelAccess(), "aws_region"),
        (ModelAccess(aws_region="us-east-1", aws_profile="nope"), "aws_profile 'nope'"),
        (ModelAccess(aws_region="us-east-1", aws_endpoint_url="nowhere"), "nowhere"),
    ],
)
def test_aws_settings_that_can_t_be_used_are_told(access: ModelAccess, told: str) -> None:
    with pytest.raises(OperatorError, match=told):
        model_from_name(CLAUDE, access)
