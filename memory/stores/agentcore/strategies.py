"""Which of AWS's strategies each kind of record belongs to."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Self

import structlog

from memory.errors import StoreUnavailable
from memory.records import Kind
from memory.stores.agentcore.rows.records import Pairs, update_entry
from memory.stores.agentcore.rows.writes import Updates

_log = structlog.get_logger(__name__)

#: Seconds between two tries to learn the strategies.
_PAUSE = 10.0


class Strategies(Mapping[Kind, str]):
    """AWS's strategy for each kind. After a start without AWS none is known. Then AWS is asked
    before the next record is written, and records that were written without a strategy get theirs
    when they are next read."""

    def __init__(
        self,
        known: Mapping[Kind, str],
        ask: Callable[[], Awaitable[Mapping[Kind, str]]] | None = None,
    ) -> None:
        self._known, self._ask = dict(known), ask
        self._not_before = 0.0
        #: The records that have been given their strategy, or are about to.
        self._given: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def of(cls, known: Mapping[Kind, str]) -> Self:
        return known if isinstance(known, cls) else cls(known)

    def __getitem__(self, kind: Kind) -> str:
        return self._known[kind]

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    async def learn(self, seconds: float) -> None:
        """Ask AWS for at most these seconds, unless they are known or it was asked just now."""
        now = asyncio.get_running_loop().time()
        if self._known or self._ask is None or now < self._not_before:
            return
        self._not_before = now + _PAUSE
        try:
            async with asyncio.timeout(seconds):
                self._known = dict(await self._ask())
        except (StoreUnavailable, TimeoutError) as failure:
            _log.warning("strategies_unknown", error=str(failure) or "AWS did not answer in time")
        else:
            _log.info("strategies_learned")

    def give_to(
        self,
        pairs: Pairs,
        update: Callable[[Updates], Awaitable[None]],
    ) -> None:
        """Give their strategy, in the background, to those of these rows that we wrote without
        it."""
        changes = [
            (row, {**update_entry(row), "memoryStrategyId": self[record.kind]})
            for row, record in pairs
            if record.kind in self
            and row.get("memoryStrategyId") != self[record.kind]
            and "created_at" in (row.get("metadata") or {})
            and record.id not in self._given
        ]
        if changes:
            self._given |= {row["memoryRecordId"] for row, _ in changes}
            task = asyncio.create_task(self._give(changes, update), name="strategies of records")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Stop the background work. It is resumed when the records are next read."""
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _give(
        self,
        changes: Updates,
        update: Callable[[Updates], Awaitable[None]],
    ) -> None:
        try:
            await update(changes)
        except StoreUnavailable as failure:
            self._given -= {row["memoryRecordId"] for row, _ in changes}
            _log.warning("records_without_strategy", records=len(changes), error=str(failure))
