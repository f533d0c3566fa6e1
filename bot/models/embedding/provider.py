"""The model provider's embeddings, through pydantic-ai."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Self

from pydantic_ai.embeddings import EmbeddingModel
from pydantic_ai.providers import Provider

from bot.assistant.failures import MODEL_ERRORS, failure_of
from memory.understanding import EmbeddingFailed


class ProviderEmbedder:
    """An Embedder over the network. Use as `async with`."""

    def __init__(
        self,
        name: str,
        model: EmbeddingModel,
        provider: Provider[Any] | None = None,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        """Closing the embedder closes `provider` and calls `on_close`."""
        self.name = name
        self._model, self._provider, self._on_close = model, provider, on_close
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        if self._on_close:
            self._stack.callback(self._on_close)
        if self._provider:
            await self._stack.enter_async_context(self._provider)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """See Embedder."""
        try:
            result = await self._model.embed(
                list(texts),
                input_type="query" if query else "document",
                settings={"truncate": True},
            )
        except MODEL_ERRORS as error:
            raise EmbeddingFailed(_reason(error)) from error
        vectors = [list(vector) for vector in result.embeddings]
        if len(vectors) != len(texts) or not all(vectors):
            raise EmbeddingFailed(f"{len(vectors)} vectors for {len(texts)} texts")
        return vectors


def _reason(error: Exception) -> str:
    """The kind and remedy of an error; its own text may quote texts or keys."""
    failure = failure_of(error)
    status = f" (HTTP {failure.status})" if failure.status else ""
    return f"{failure.kind}{status}: {failure.remedy or 'the provider gives no reason'}"
