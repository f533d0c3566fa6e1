"""Giving records their vectors, in the background."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from memory.errors import MemoryFailure
from memory.ports import Embedder, EmbeddingFailed
from memory.records import Actor

#: Records embedded at once: few enough that a query does not wait long for the same processor.
EMBEDDED_AT_ONCE = 16

Missing = Callable[[Actor, int], Awaitable[dict[int, str]]]
Keep = Callable[[Actor, Mapping[int, str], Sequence[Sequence[float]]], Awaitable[None]]


class EmbeddingBackfill:
    """Fetches what has no vector yet, embeds it and hands it back: one batch at a time, one actor
    after the other. A failing embedder is reported and tried again after `pause` seconds; a file
    that can't be used is left alone until its actor is seen again."""

    def __init__(
        self,
        embedder: Embedder,
        missing: Missing,
        keep: Keep,
        report: Callable[[Exception], None],
        pause: float = 30.0,
    ) -> None:
        self._embedder, self._missing, self._keep = embedder, missing, keep
        self._report, self._pause = report, pause
        self._waiting: dict[Actor, None] = {}
        self._complete: set[Actor] = set()
        self._task: asyncio.Task[None] | None = None

    def changed(self, actor: Actor) -> None:
        """This actor has new records."""
        self._complete.discard(actor)
        self.seen(actor)

    def seen(self, actor: Actor) -> None:
        """This actor is here: an earlier process, or another model, may have left work."""
        if actor in self._complete:
            return
        self._waiting[actor] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._fill(), name="embedding")

    async def settle(self) -> None:
        """Return when nothing is missing any more. Waits for ever while the embedder fails."""
        while self._task and not self._task.done():
            await asyncio.shield(self._task)

    async def aclose(self) -> None:
        """Stop; what is missing stays missing until the next time."""
        self._waiting.clear()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _fill(self) -> None:
        while self._waiting:
            actor = next(iter(self._waiting))
            del self._waiting[actor]
            try:
                more = await self._batch(actor)
            except MemoryFailure as failure:
                self._report(failure)  # of this actor's file alone
            except EmbeddingFailed as failure:
                self._waiting[actor] = None
                self._report(failure)
                await asyncio.sleep(self._pause)
            else:
                if more:
                    self._waiting[actor] = None

    async def _batch(self, actor: Actor) -> bool:
        """Embed some of what is missing; whether there may be more."""
        # Before asking: what is written while we work must be seen.
        self._complete.add(actor)
        try:
            texts = await self._missing(actor, EMBEDDED_AT_ONCE)
            if texts:
                await self._keep(actor, texts, await self._embedder.embed(list(texts.values())))
        except BaseException:
            self._complete.discard(actor)
            raise
        if len(texts) == EMBEDDED_AT_ONCE:
            self._complete.discard(actor)
        return len(texts) == EMBEDDED_AT_ONCE
