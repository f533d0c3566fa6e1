"""Search by meaning, beside search by words: vectors of records, made in the background, and of
queries.

Importing this needs numpy."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

import structlog

from memory.background.pacing import RateLimitedLog
from memory.errors import MemoryFailure
from memory.leases import current_lease
from memory.records import Actor
from memory.search.fusion import Calibration, QueryMeaning, calibrate
from memory.search.query import parse
from memory.stores.records.vectors import MAX_EMBEDDED_CHARS
from memory.understanding import Embedder, EmbeddingFailed

#: Seconds to leave an embedder alone that has failed: recall must not wait for it every time.
REST = 10.0


class QueryEmbedder:
    """Embeds queries. A query may take `seconds`; `report` is called with failures."""

    def __init__(
        self,
        embedder: Embedder,
        seconds: float,
        report: Callable[[Exception], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder, self._seconds, self._report, self._clock = embedder, seconds, report, clock
        self._calibration: asyncio.Task[Calibration] | None = None
        self._resting_until = -float("inf")

    async def of(self, query: str) -> QueryMeaning | None:
        """The meaning of the query, or None if it is not available now."""
        if self._clock() < self._resting_until or self._is_getting_ready:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                calibration = await asyncio.shield(self._calibrate())
                (vector,) = await self._embedder.embed([query], query=True)
        except (EmbeddingFailed, TimeoutError) as failure:
            if not self._is_getting_ready:
                self._resting_until = self._clock() + REST
                self._report(failure)
            return None
        return QueryMeaning(vector, calibration.scale(vector))

    def prepare(self) -> None:
        """Calibrate the model in the background, so that the first query need not wait."""
        if self._calibration is None:
            self._calibrate()

    async def settle(self) -> None:
        """Return when calibration is done."""
        if self._calibration:
            await asyncio.wait([self._calibration])

    async def aclose(self) -> None:
        """Stop calibration."""
        if self._calibration:
            self._calibration.cancel()
            await asyncio.gather(self._calibration, return_exceptions=True)

    @property
    def _is_getting_ready(self) -> bool:
        """True while the embedder's first work is not done. A model may have to be loaded, even
        downloaded: queries don't wait for it."""
        return self._calibration is not None and not self._calibration.done()

    def _calibrate(self) -> asyncio.Task[Calibration]:
        """The model's calibration, made once. It continues when a query gives up."""
        task = self._calibration
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(calibrate(self._embedder), name="calibration")
            self._calibration = task
            # A failure nobody waits for any more is seen by the next query.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task


#: Records embedded at once: few enough that a query does not wait long for the same processor.
EMBEDDED_AT_ONCE = 16

Missing = Callable[[Actor, int], Awaitable[dict[int, str]]]
Keep = Callable[[Actor, Mapping[int, str], Sequence[Sequence[float]]], Awaitable[None]]


class EmbeddingBackfill:
    """Embeds records that have no vector yet: one batch at a time, one actor after another. Reports
    a failing embedder and retries after `pause` seconds; skips a file that can't be used until its
    actor is seen again."""

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

    def note_new(self, actor: Actor) -> None:
        """Take note of an actor's new records."""
        self._complete.discard(actor)
        self.find_missing(actor)

    def drop(self, actor: Actor) -> None:
        """Forget that none of this actor's vectors is missing."""
        self._complete.discard(actor)

    def find_missing(self, actor: Actor) -> None:
        """Look for missing vectors of this actor, which an earlier process or another model may
        have left."""
        if actor in self._complete:
            return
        self._waiting[actor] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._fill(), name="embedding")

    async def settle(self) -> None:
        """Return when no vector is missing. Never returns while the embedder fails."""
        while self._task and not self._task.done():
            await asyncio.shield(self._task)

    async def aclose(self) -> None:
        """Stop. Missing vectors are made after the next start."""
        self._waiting.clear()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _fill(self) -> None:
        # It outlives the lease of whoever began it; and anybody may make a vector.
        current_lease.set(None)
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
        """Embed a batch. True if there may be more."""
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


_log = structlog.get_logger(__name__)


class Semantics:
    """An embedder at work: it makes vectors in the background and embeds queries."""

    def __init__(self, embedder: Embedder, seconds: float, missing: Missing, keep: Keep) -> None:
        """`missing` and `keep` access an actor's vectors; a query may take `seconds`."""
        self._embedder = embedder.name
        self._log = RateLimitedLog(_log)
        self._backfill = EmbeddingBackfill(embedder, missing, keep, self._complain)
        self._queries = QueryEmbedder(embedder, seconds, self._complain)

    def note_new(self, actor: Actor) -> None:
        """Take note of an actor's new records, which need vectors."""
        self._queries.prepare()
        self._backfill.note_new(actor)

    def drop(self, actor: Actor) -> None:
        """Another worker may add records of this actor."""
        self._backfill.drop(actor)

    def find_missing(self, actor: Actor) -> None:
        """Look for records of this actor without vectors."""
        self._backfill.find_missing(actor)

    async def meaning(self, query: str, now: datetime) -> QueryMeaning | None:
        """The meaning of a query; None if it asks only for dates or has no content, and while the
        embedder does not answer."""
        if not parse(query, now).topical:
            return None
        return await self._queries.of(query[:MAX_EMBEDDED_CHARS])

    async def settle(self) -> None:
        """Return when no vector is missing and queries can be embedded. Never returns while the
        embedder fails."""
        await self._backfill.settle()
        await self._queries.settle()

    async def aclose(self) -> None:
        await self._backfill.aclose()
        await self._queries.aclose()

    def _complain(self, failure: Exception) -> None:
        self._log.warning(
            "embedder_failed",
            embedder=self._embedder,
            error=str(failure) or type(failure).__name__,
            effect="search goes on by words alone",
        )
