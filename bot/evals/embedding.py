"""The embedder that an evaluation is to measure search with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.models.embedding import embedder_of
from bot.settings import load
from memory.ports import Embedder

#: Seconds a query may wait for its vector: a slow machine must not turn into another result.
PATIENCE = 60.0


@asynccontextmanager
async def open_embedder(name: str | None) -> AsyncIterator[Embedder | None]:
    """The embedder of this name, as the setting of that name takes it, loaded; None for none.
    Raises OperatorError, EmbeddingFailed."""
    chosen = embedder_of(load().settings, name) if name else None
    if chosen is None:
        yield None
        return
    async with chosen:
        await chosen.embed(["Is anybody there?"])
        yield chosen
