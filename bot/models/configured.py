"""The model that the settings name, with its fallbacks."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic_ai.models import Model

from bot.assistant.files import FileKind
from bot.models.catalogue import (
    OFFLINE,
    READ_SECONDS,
    BedrockOptions,
    ModelAccess,
    model_from_name,
)
from bot.models.fallback import ModelChain
from bot.settings import Settings


@asynccontextmanager
async def open_models(settings: Settings, offline: Callable[[], Model]) -> AsyncIterator[Model]:
    """`models_of`, opened; traced if the settings name a collector. Raises OperatorError."""
    async with AsyncExitStack() as stack:
        if settings.otel_endpoint:
            from bot.models.tracing import tracing

            spans = tracing(settings.otel_endpoint, content=settings.otel_content)
            await stack.enter_async_context(spans)
        yield await stack.enter_async_context(models_of(settings, offline))


def models_of(settings: Settings, offline: Callable[[], Model]) -> Model:
    """The configured model with its fallbacks. `offline` makes the engine that needs no model.
    Raises OperatorError."""
    names = (settings.model or OFFLINE, *settings.fallback_models)
    models = [offline() if name == OFFLINE else model_of(settings, name) for name in names]
    if len(models) == 1:
        return models[0]
    # The models share the time for the first word evenly, so that the last one gets its chance too.
    return ModelChain(models, settings.model_timeout_seconds / len(models))


def model_of(settings: Settings, name: str) -> Model:
    """The vendor's model of this name. Raises OperatorError."""
    key, sees = settings.model_api_key, settings.model_sees
    # The address and the key belong to one vendor; no other vendor may see them.
    same = _vendor(name) == _vendor(settings.model)
    return model_from_name(
        name,
        ModelAccess(
            base_url=settings.model_base_url if same else None,
            api_key=key.get_secret_value() if key and same else None,
            aws_region=settings.aws_region,
            aws_profile=settings.aws_profile,
            aws_endpoint_url=settings.aws_endpoint_url,
            # Whoever asks has a shorter patience, and an error of their own for it.
            read_seconds=max(READ_SECONDS, 3 * settings.model_timeout_seconds),
            sees=frozenset(map(FileKind, sees)) if same and sees is not None else None,
            bedrock=_bedrock_options(settings),
        ),
    )


def _bedrock_options(settings: Settings) -> BedrockOptions:
    id_, version = settings.bedrock_guardrail_id, settings.bedrock_guardrail_version
    pairs = (pair.partition("=") for pair in settings.bedrock_arn_models)
    return BedrockOptions(
        cache=settings.bedrock_cache,
        guardrail=(id_, version) if id_ and version else None,
        models={arn: model for arn, _, model in pairs},
    )


def _vendor(name: str | None) -> str:
    return (name or OFFLINE).partition(":")[0]
