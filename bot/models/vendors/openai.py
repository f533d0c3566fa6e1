"""Models of OpenAI, and of any server that speaks its chat completions."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.errors import OperatorError
from bot.models.catalogue import OPENAI, ModelAccess
from bot.models.wire.tolerant import TolerantModel

#: What pydantic-ai sends to a server that needs no key.
_NO_KEY = "api-key-not-set"


def own_server(model: str, base_url: str, access: ModelAccess) -> Model:
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


def openai_model(model: str, access: ModelAccess) -> Model:
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
    completions = provider.client.chat.completions
    completions.create = _as_it_is(completions.create)  # type: ignore[assignment]
    # A stream without its last chunk was cut; else it would pass for a whole answer.
    profile["openai_chat_streaming_requires_finish_reason"] = True
    return OpenAIChatModel(model, provider=provider, profile=profile)


def _as_it_is(create: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Messages and tools go out as they are. The library walks through all of them for fields that
    are named otherwise on the wire, and there are none: of a request with a dozen tools that walk
    takes a third of the processor's time."""

    async def quick(*, messages: Any, tools: Any, extra_body: Any = None, **rest: Any) -> Any:
        body = {"messages": messages} | ({"tools": tools} if tools else {}) | (extra_body or {})
        return await create(messages=[], extra_body=body, **rest)

    return quick
