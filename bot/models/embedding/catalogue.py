"""Makes the embedder of a name."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2
from pydantic_ai.embeddings import EmbeddingModel
from pydantic_ai.embeddings.bedrock import BedrockEmbeddingModel
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.exceptions import UserError
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.errors import OperatorError
from bot.models.catalogue import OPENAI, SERVERS, ModelAccess
from bot.models.embedding.local import LocalEmbedder
from bot.models.embedding.provider import ProviderEmbedder
from bot.models.vendors.bedrock import bedrock_client
from bot.settings import Settings

LOCAL = "fastembed"
EXAMPLES = (
    f"{LOCAL}, {LOCAL}:/path/to/model, bedrock:amazon.titan-embed-text-v2:0, "
    "bedrock:cohere.embed-multilingual-v3, openai:text-embedding-3-small, or "
    "openai:nomic-embed-text with embedder_base_url"
)


#: Timeout of one request, in seconds: a background batch can take this long.
_READ_SECONDS = 30.0


def embedder_of(
    settings: Settings, name: str | None = None
) -> LocalEmbedder | ProviderEmbedder | None:
    """The embedder of this name, by default the configured one; None if there is none. Raises
    OperatorError."""
    name = name or settings.embedder
    if name is None:
        return None
    # The model's address and key belong to its vendor; no other vendor may see them.
    same = name.partition(":")[0] == (settings.model or "").partition(":")[0]
    key = settings.embedder_api_key or (settings.model_api_key if same else None)
    access = ModelAccess(
        base_url=settings.embedder_base_url or (settings.model_base_url if same else None),
        api_key=key.get_secret_value() if key else None,
        aws_region=settings.aws_region,
        aws_profile=settings.aws_profile,
        aws_endpoint_url=settings.aws_endpoint_url,
        read_seconds=_READ_SECONDS,
    )
    return embedder_from_name(name, access, settings.data_dir / "models")


def embedder_from_name(
    name: str, access: ModelAccess, downloads: Path
) -> LocalEmbedder | ProviderEmbedder:
    """The embedder of a name, as in the setting `embedder`; local models are kept in `downloads`.

    Use it as `async with`. Raises OperatorError for an unknown name and for a missing package, key,
    region or credentials."""
    vendor, _, model = name.partition(":")
    if vendor == LOCAL:
        return LocalEmbedder(model or None, downloads)
    if find_spec("numpy") is None:
        raise OperatorError(
            f"embedder = {name!r} needs a package that is not installed: "
            "pip install 'mordecai-assistant[vectors]'"
        )
    base_url = access.base_url or SERVERS.get(vendor)
    if vendor == "bedrock" and model:
        return _bedrock(model, access)
    if base_url and model:
        return _compatible(name, model, base_url, access)
    if vendor == "openai" and model:
        return _openai(model, access)
    raise OperatorError(f"embedder = {name!r} is unknown: expected a name such as {EXAMPLES}")


def _bedrock(model: str, access: ModelAccess) -> ProviderEmbedder:
    named = f"embedder = 'bedrock:{model}'"
    client = bedrock_client(named, access)
    try:
        embedding = BedrockEmbeddingModel(model, provider=BedrockProvider(bedrock_client=client))
    except UserError as unknown:
        raise OperatorError(
            f"{named} is no embedding model: expected a name such as {EXAMPLES}"
        ) from unknown
    return ProviderEmbedder(f"bedrock:{model}", embedding, on_close=client.close)


def _compatible(name: str, model: str, base_url: str, access: ModelAccess) -> ProviderEmbedder:
    """A model on any server with OpenAI's embeddings interface."""
    provider = OpenAICompatibleProvider(
        "openai-compatible", base_url=base_url, api_key=access.api_key
    )
    return ProviderEmbedder(name, _embeddings(model, provider, access), provider)


def _openai(model: str, access: ModelAccess) -> ProviderEmbedder:
    """A model of OpenAI itself."""
    if not access.api_key:
        raise OperatorError(
            f"embedder = 'openai:{model}' needs a key: set MORDECAI_EMBEDDER_API_KEY in the "
            "environment, or embedder_base_url for a server of your own"
        )
    provider = OpenAIProvider(base_url=OPENAI, api_key=access.api_key)
    return ProviderEmbedder(f"openai:{model}", _embeddings(model, provider, access), provider)


def _embeddings(
    model: str, provider: OpenAIProvider | OpenAICompatibleProvider, access: ModelAccess
) -> EmbeddingModel:
    client: Any = provider.client
    client.max_retries = access.attempts - 1
    client.timeout = httpx2.Timeout(access.read_seconds, connect=access.connect_seconds)
    return OpenAIEmbeddingModel(model, provider=provider)
