"""Models of OpenAI, and of any server with its chat completions interface."""

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
from bot.models.wire.chunks import ChunkStream
from bot.models.wire.tolerant import TolerantModel

#: pydantic-ai sends this as the key if none is set.
_NO_KEY = "api-key-not-set"


def own_server(model: str, base_url: str, access: ModelAccess) -> Model:
    """A model on any server with OpenAI's chat completions interface."""
    # Not a vendor's name: a self-hosted model would be priced like the vendor's model of that name.
    provider = OpenAICompatibleProvider("own-server", base_url=base_url, api_key=access.api_key)
    # Many chat templates reject a system message that is not the first. Some servers accept
    # pictures for a text-only model, which then does not see them.
    profile = OpenAIModelProfile(
        supports_inline_system_prompts=False,
        supports_image_input=False,
        supports_document_input=False,
    )
    return TolerantModel(_chat_completions(model, provider, profile, access))


def openai_model(model: str, access: ModelAccess) -> Model:
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
    client = provider.client
    client.max_retries = access.attempts - 1
    client.timeout = httpx2.Timeout(access.read_seconds, connect=access.connect_seconds)
    # Before `client.chat`, which keeps the method, is used.
    client.post = _read_chunks(client.post)  # type: ignore[assignment]
    completions = client.chat.completions
    completions.create = _send_verbatim(completions.create)  # type: ignore[assignment]
    # Otherwise a stream cut before its last chunk would pass for a whole answer.
    profile["openai_chat_streaming_requires_finish_reason"] = True
    return OpenAIChatModel(model, provider=provider, profile=profile)


def _send_verbatim(create: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Send messages and tools as they are. The library would search all of them for fields with
    other names on the wire. There are none, and with a dozen tools the search takes a third of a
    request's processor time."""

    async def send(*, messages: Any, tools: Any, extra_body: Any = None, **rest: Any) -> Any:
        body = {"messages": messages} | ({"tools": tools} if tools else {}) | (extra_body or {})
        return await create(messages=[], extra_body=body, **rest)

    return send


def _read_chunks(post: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def send(path: str, *, stream: bool = False, **rest: Any) -> Any:
        if stream:
            rest["stream_cls"] = ChunkStream
        return await post(path, stream=stream, **rest)

    return send
