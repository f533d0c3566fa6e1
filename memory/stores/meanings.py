"""What queries mean, as vectors, as long as the embedder can tell in time."""

import asyncio
import time
from collections.abc import Callable

from memory.fusion import Meaning, Scale, measured
from memory.ports import Embedder, EmbeddingFailed

#: Seconds to leave an embedder alone that has failed: recall must not wait for it every time.
REST = 10.0


class Meanings:
    """Embeds queries. `seconds` is how long one may take, `report` hears of failures."""

    def __init__(
        self,
        embedder: Embedder,
        seconds: float,
        report: Callable[[Exception], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder, self._seconds, self._report, self._clock = embedder, seconds, report, clock
        self._scale: asyncio.Task[Scale] | None = None
        self._resting_until = -float("inf")

    async def of(self, query: str) -> Meaning | None:
        """What the query means, or None if that can't be told now."""
        if self._clock() < self._resting_until:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                scale = await asyncio.shield(self._measuring())
                (vector,) = await self._embedder.embed([query], query=True)
        except (EmbeddingFailed, TimeoutError) as failure:
            self._resting_until = self._clock() + REST
            self._report(failure)
            return None
        return Meaning(vector, scale)

    async def aclose(self) -> None:
        """Stop measuring."""
        if self._scale:
            self._scale.cancel()
            await asyncio.gather(self._scale, return_exceptions=True)

    def _measuring(self) -> asyncio.Task[Scale]:
        """The model's scale, which is measured once. It goes on when a query gives up."""
        task = self._scale
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._scale = asyncio.create_task(measured(self._embedder), name="scale")
            # A failure nobody waits for any more is seen by the next query.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task
