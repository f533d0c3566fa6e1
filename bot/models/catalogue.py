"""Which model a name means, ready to be asked. Nothing here reads the environment, apart from what
the vendors' own libraries do: boto3's chain of credentials, and other vendors' key variables when
no key is configured."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import boto3
import httpx2
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoRegionError
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.bedrock import BedrockModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.assistant.events import FileKind
from bot.errors import OperatorError
from bot.models.sight import Seeing
from bot.models.wire.bedrock import BedrockModel
from bot.models.wire.tolerant import TolerantModel

OFFLINE = "offline"
EXAMPLES = (
    "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0, openai:gpt-4.1-mini, "
    "openai:llama3.2 with model_base_url, or offline"
)

OPENAI = "https://api.openai.com/v1"
#: What pydantic-ai sends to a server that needs no key.
_NO_KEY = "api-key-not-set"
#: Servers of one's own that have a usual address.
SERVERS = {"ollama": "http://127.0.0.1:11434/v1"}
_EXTRA = re.compile(r"pydantic-ai-slim\[([\w-]+)\]")


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How models are reached. Times in seconds, for one request: until connected, and until the
    next piece of an answer. `attempts` counts the first one. `connections` bounds how many
    requests to Bedrock run at once. `sees` is what the model can be shown, if that is known."""

    base_url: str | None = None
    api_key: str | None = None
    aws_region: str | None = None
    aws_profile: str | None = None
    aws_endpoint_url: str | None = None
    connect_seconds: float = 3.0
    read_seconds: float = 90.0
    attempts: int = 2
    connections: int = 50
    sees: frozenset[FileKind] | None = None


def model_from_name(name: str, access: ModelAccess | None = None) -> Model:
    """The model that the setting `model` names; not the offline one.

    Use it as `async with`, which closes its connections. Raises OperatorError for a name that
    means nothing, a missing extra, key, region or credentials."""
    access = access or ModelAccess()
    model = _model(name, access)
    return model if access.sees is None else Seeing(model, access.sees)


def _model(name: str, access: ModelAccess) -> Model:
    vendor, _, model = name.partition(":")
    if not vendor or not model.strip():
        raise OperatorError(
            f"model {name!r} is not a model's name: expected vendor:model, such as {EXAMPLES}"
        )
    if vendor == "bedrock":
        return _bedrock(model, access)
    if base_url := access.base_url or SERVERS.get(vendor):
        return _compatible(model, base_url, access)
    if vendor == "openai":
        return _openai(model, access)
    return _by_vendor(name, access)


def _compatible(model: str, base_url: str, access: ModelAccess) -> Model:
    """A model behind any server that speaks OpenAI's chat completions."""
    # Not a vendor's name: a model of one's own would be priced like the vendor's namesake.
    provider = OpenAICompatibleProvider("own-server", base_url=base_url, api_key=access.api_key)
    # Many chat templates refuse a system message that is not the first; and a text-only model is
    # not always refused its pictures, it just does not see them.
    profile = OpenAIModelProfile(
        supports_inline_system_prompts=False,
        supports_image_input=False,
        supports_document_input=False,
    )
    return TolerantModel(_chat_completions(model, provider, profile, access))


def _openai(model: str, access: ModelAccess) -> Model:
    """A model of OpenAI itself."""
    provider = OpenAIProvider(base_url=OPENAI, api_key=access.api_key)
    if provider.client.api_key == _NO_KEY:
        raise OperatorError(
            f"model 'openai:{model}' needs a key: set MORDECAI_MODEL_API_KEY in the environment, "
            "or model_base_url for a server of your own; OPENAI_API_KEY does as well"
        )
    return _chat_completions(model, provider, OpenAIModelProfile(), access)


def _chat_completions(
    model: str,
    provider: OpenAIProvider | OpenAICompatibleProvider,
    profile: OpenAIModelProfile,
    access: ModelAccess,
) -> OpenAIChatModel:
    provider.client.max_retries = access.attempts - 1
    provider.client.timeout = httpx2.Timeout(access.read_seconds, connect=access.connect_seconds)
    # A stream without its last chunk was cut; else it would pass for a whole answer.
    profile["openai_chat_streaming_requires_finish_reason"] = True
    return OpenAIChatModel(model, provider=provider, profile=profile)


def bedrock_client(named: str, access: ModelAccess) -> Any:
    """A client of ours for Bedrock. `named` says which setting needs it. Raises OperatorError."""
    try:
        session = boto3.Session(region_name=access.aws_region, profile_name=access.aws_profile)
        if session.get_credentials() is None:
            raise OperatorError(
                f"{named} needs AWS credentials and there are none: run "
                "`aws configure`, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the "
                "machine a role"
            )
        return session.client(
            "bedrock-runtime",
            endpoint_url=access.aws_endpoint_url,
            config=Config(
                connect_timeout=access.connect_seconds,
                read_timeout=access.read_seconds,
                retries={"total_max_attempts": access.attempts, "mode": "standard"},
                max_pool_connections=access.connections,
            ),
        )
    except NoRegionError as missing:
        raise OperatorError(
            f"{named} needs a region: set aws_region, such as us-east-1"
        ) from missing
    except (BotoCoreError, ValueError) as wrong:
        raise OperatorError(
            f"{named} can't be reached with these AWS settings "
            f"(aws_region {access.aws_region!r}, aws_profile {access.aws_profile!r}): {wrong}"
        ) from wrong


def _bedrock(model: str, access: ModelAccess) -> Model:
    """Converse on Bedrock, over a client of ours."""
    client = bedrock_client(f"model 'bedrock:{model}'", access)
    # The window's cache point is in the prompt itself.
    settings = BedrockModelSettings(
        bedrock_cache_instructions=True, bedrock_cache_tool_definitions=True
    )
    return BedrockModel(model, provider=BedrockProvider(bedrock_client=client), settings=settings)


def _by_vendor(name: str, access: ModelAccess) -> Model:
    """A model of any other vendor that pydantic-ai knows by name."""

    def provider(vendor: str) -> Provider[Any]:
        if not access.api_key:
            return infer_provider(vendor)
        # Which arguments a vendor's provider takes is its own; all with keys take this one.
        make = cast(Callable[..., Provider[Any]], infer_provider_class(vendor))
        return make(api_key=access.api_key)

    vendor = name.partition(":")[0]
    try:
        infer_provider_class(vendor)
        return infer_model(name, provider)
    except ImportError as missing:
        found = _EXTRA.search(str(missing))
        extra = found.group(1) if found else vendor
        raise OperatorError(
            f"model {name!r} needs a package that is not installed: "
            f"pip install 'pydantic-ai-slim[{extra}]'"
        ) from missing
    except ValueError as unknown:
        raise OperatorError(
            f"model {name!r}: there is no vendor {vendor!r}; expected a name such as {EXAMPLES}"
        ) from unknown
    except (UserError, TypeError) as wrong:
        raise OperatorError(
            f"model {name!r} can't be used: {wrong} (a key may also stand in "
            "MORDECAI_MODEL_API_KEY)"
        ) from wrong
