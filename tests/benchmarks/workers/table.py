"""All figures of both engines, in one run."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tests.benchmarks.program import world
from tests.benchmarks.workers.bots import can_confine
from tests.benchmarks.workers.idle import Idle, idle
from tests.benchmarks.workers.rates import Rate, rates
from tests.benchmarks.workers.waits import quantiles, recovery_seconds, storage_ms
from tests.fakes.postgres_process import PostgresProcess

#: The cores that a confined worker gets: four of them, PostgreSQL, people, Bot API and model then
#: have room on two.
_SHARE = 0.2
_LEASE = 15.0


@dataclass(frozen=True)
class Figures:
    """What was measured. `confined` are the rates of workers with a share of a core each."""

    rates: dict[str, Rate]
    confined: dict[str, Rate]
    storage: dict[str, tuple[float, float]]
    recovery: list[float]
    idle: Idle


async def measure(folder: Path, *, rounds: int) -> Figures:
    """Measure everything, with real programs."""
    postgres = await asyncio.to_thread(PostgresProcess)
    try:
        async with world() as around:
            watched = await idle(around, folder / "idle", postgres, people=1_000, seconds=20)
            found = await rates(around, folder / "rates", postgres, rounds=rounds, seconds=5)
            confined = dict[str, Rate]()
            if can_confine():
                confined = await rates(
                    around, folder / "rates", postgres, rounds=rounds, seconds=8, cores=_SHARE
                )
            waits = {
                name: quantiles(await storage_ms(around, folder, url, turns=200))
                for name, url in (("SQLite", ""), ("PostgreSQL", postgres.url))
            }
            recovery = await recovery_seconds(
                around, folder / "recovery", postgres, times=5, lease=_LEASE
            )
        return Figures(found, confined, waits, recovery, watched)
    finally:
        await asyncio.to_thread(postgres.end)


def tables(figures: Figures) -> Iterator[Table]:
    """For people."""
    yield _rates(figures.rates, "Messages a second, eight people a worker")
    if figures.confined:
        yield _rates(figures.confined, f"The same, {_SHARE:g} cores a worker")
    shown = Table("", "p50", "p95", title="Storage in a turn, ms")
    for name, found in figures.storage.items():
        shown.add_row(name, *(f"{one:.1f}" for one in found))
    yield shown
    shown = Table("", "", title="The rest")
    shown.add_row(
        f"answer after the kill of its worker, s (lease {_LEASE:g})",
        ", ".join(f"{one:.1f}" for one in figures.recovery),
    )
    for name, (before, after) in (
        ("RAM of a worker, MB", figures.idle.ram_mb),
        ("transactions a second", figures.idle.transactions),
        ("cores, worker and PostgreSQL", figures.idle.cores),
    ):
        shown.add_row(f"{name}, nobody / 1,000 idle people", f"{before:.3g} / {after:.3g}")
    for name, size in figures.idle.tables.items():
        shown.add_row(f"table {name} after {figures.idle.turns} turns, KB", f"{size:,.0f}")
    yield shown


def _rates(found: dict[str, Rate], title: str) -> Table:
    shown = Table(title=title)
    for heading in ("", "a second", "ratio", "cores: workers", "PostgreSQL", "people", "CPU ms"):
        shown.add_column(heading, justify="right" if heading else "left")
    first = found["PostgreSQL, 1"].per_second
    for name, rate in found.items():
        shown.add_row(
            name,
            f"{rate.per_second:.1f}",
            f"{rate.per_second / first:.2f}",
            *(f"{one:.2f}" for one in (rate.workers, rate.postgres, rate.generator)),
            f"{rate.cpu_ms:.1f}",
        )
    return shown
