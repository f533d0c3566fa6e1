"""What queries mean, as vectors, as long as the embedder can tell in time."""

import asyncio
import time
from collections.abc import Callable

from memory.ports import Embedder, EmbeddingFailed
from memory.search.calibration import Calibration, calibrate
from memory.search.fusion import QueryMeaning

#: Seconds to leave an embedder alone that has failed: recall must not wait for it every time.
REST = 10.0


class QueryEmbedder:
    """Embeds queries. `seconds` is how long one may take, `report` hears of failures."""

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
        """What the query means, or None if that can't be told now."""
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
        """Measure the model in the background, so that the first query need not wait for that."""
        if self._calibration is None:
            self._calibrate()

    async def settle(self) -> None:
        """Return when nothing is being measured."""
        if self._calibration:
            await asyncio.wait([self._calibration])

    async def aclose(self) -> None:
        """Stop measuring."""
        if self._calibration:
            self._calibration.cancel()
            await asyncio.gather(self._calibration, return_exceptions=True)

    @property
    def _is_getting_ready(self) -> bool:
        """Whether the embedder has been set to work for the first time and that is not done yet. A
        model may have to be loaded, even fetched: queries do not wait for it."""
        return self._calibration is not None and not self._calibration.done()

    def _calibrate(self) -> asyncio.Task[Calibration]:
        """The model's calibration, which is made once. That goes on when a query gives up."""
        task = self._calibration
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(calibrate(self._embedder), name="calibration")
            self._calibration = task
            # A failure nobody waits for any more is seen by the next query.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task
