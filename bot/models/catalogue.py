"""Makes the model of a name. Nothing here reads the environment, except the vendors' own libraries:
boto3's credential chain, and other vendors' key variables if no key is configured."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from bot.assistant.files import FileKind
from bot.errors import OperatorError
from bot.models.sight import ModelWithSight

OFFLINE = "offline"
EXAMPLES = (
    "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0, openai:gpt-4.1-mini, "
    "openai:llama3.2 with model_base_url, or offline"
)

OPENAI = "https://api.openai.com/v1"
#: The default addresses of servers that people run themselves.
SERVERS = {"ollama": "http://127.0.0.1:11434/v1"}
_EXTRA = re.compile(r"pydantic-ai-slim\[([\w-]+)\]")

#: Extraction and the other requests for whole answers end before that by themselves.
READ_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class BedrockOptions:
    """What is asked of models on Bedrock: how long they keep the prompt, which guardrail (id and
    version) they answer under, and which model each ARN stands for."""

    cache: Literal["5m", "1h", "off"] = "5m"
    guardrail: tuple[str, str] | None = None
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How to reach models. Timeouts are in seconds per request: to connect, and to get the next
    piece of an answer. `attempts` includes the first one. `connections` limits concurrent requests
    to Bedrock. `sees` is what the model can look at, if known."""

    base_url: str | None = None
    api_key: str | None = None
    aws_region: str | None = None
    aws_profile: str | None = None
    aws_endpoint_url: str | None = None
    connect_seconds: float = 3.0
    read_seconds: float = READ_SECONDS
    attempts: int = 2
    connections: int = 50
    sees: frozenset[FileKind] | None = None
    bedrock: BedrockOptions = BedrockOptions()


def model_from_name(name: str, access: ModelAccess | None = None) -> Model:
    """The model of a name, as in the setting `model`; not the offline one.

    Use it as `async with`, which closes its connections. Raises OperatorError for an unknown name
    and for a missing package, key, region or credentials."""
    access = access or ModelAccess()
    model = _model(name, access)
    return model if access.sees is None else ModelWithSight(model, access.sees)


def _model(name: str, access: ModelAccess) -> Model:
    vendor, _, model = name.partition(":")
    if not vendor or not model.strip():
        raise OperatorError(
            f"model {name!r} is not a model's name: expected vendor:model, such as {EXAMPLES}"
        )
    # Imported on demand: OpenAI's library takes a second, boto3 also takes long.
    if vendor == "bedrock":
        from bot.models.vendors.bedrock import bedrock_model

        return bedrock_model(model, access)
    base_url = access.base_url or SERVERS.get(vendor)
    if base_url or vendor == "openai":
        from bot.models.vendors.openai import openai_model, own_server

        return own_server(model, base_url, access) if base_url else openai_model(model, access)
    return _by_vendor(name, access)


def _by_vendor(name: str, access: ModelAccess) -> Model:
    """A model of any other vendor that pydantic-ai knows by name."""

    def provider(vendor: str) -> Provider[Any]:
        if not access.api_key:
            return infer_provider(vendor)
        # Providers take different arguments; all that use keys take this one.
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
