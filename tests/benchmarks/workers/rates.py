"""How many messages a second one, two and four workers answer."""

import statistics
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from pathlib import Path

from tests.benchmarks.program import World
from tests.benchmarks.throughput import Crowd
from tests.benchmarks.workers.bots import Used, bots, confined, used
from tests.fakes.postgres_process import PostgresProcess

_WARMING = 1.0
_EACH = 8


@dataclass(frozen=True)
class Rate:
    """Messages a second; and the cores that workers, PostgreSQL, and the people with Bot API and
    model took."""

    per_second: float
    workers: float
    postgres: float
    generator: float

    @property
    def cpu_ms(self) -> float:
        """What one message took of the workers and of PostgreSQL."""
        return 1000 * (self.workers + self.postgres) / self.per_second


async def rates(
    around: World,
    folder: Path,
    postgres: PostgresProcess,
    *,
    rounds: int,
    seconds: float,
    cores: float = 0.0,
) -> dict[str, Rate]:
    """Of SQLite with one worker, and of PostgreSQL with each number of workers: medians of rounds
    in which they take turns. Each worker gets no more than so many `cores`, if any are given."""
    taken: dict[str, list[Rate]] = {}
    for _ in range(rounds):
        for url, count in (("", 1), *((postgres.url, count) for count in (1, 2, 4))):
            async with bots(around, folder, url, count) as workers, AsyncExitStack() as stack:
                if cores:
                    await stack.enter_async_context(confined(workers, cores))
                rate = await _rate(around, workers, postgres, seconds)
            taken.setdefault(f"{'PostgreSQL' if url else 'SQLite'}, {count}", []).append(rate)
    return {name: _median(found) for name, found in taken.items()}


async def _rate(
    around: World, workers: Sequence[int], postgres: PostgresProcess, seconds: float
) -> Rate:
    async with Crowd(around, _EACH * len(workers)) as crowd:
        await crowd.write(_WARMING)
        before = used(workers, postgres, crowd.answered)
        await crowd.write(seconds)
        return _between(before, used(workers, postgres, crowd.answered))


def _between(before: Used, after: Used) -> Rate:
    seconds = after.at - before.at
    return Rate(
        (after.messages - before.messages) / seconds,
        (after.workers - before.workers) / seconds,
        (after.postgres - before.postgres) / seconds,
        (after.generator - before.generator) / seconds,
    )


def _median(found: Sequence[Rate]) -> Rate:
    return Rate(
        *(statistics.median(getattr(one, each.name) for one in found) for each in fields(Rate))
    )
