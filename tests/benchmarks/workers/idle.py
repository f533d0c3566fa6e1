"""What people cost who do not write, and what is kept of those who do."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.program import World
from tests.benchmarks.throughput import resident_kb
from tests.benchmarks.workers.bots import bots, used
from tests.benchmarks.workers.ledger import Ledger
from tests.fakes.postgres_process import PostgresProcess

_FIRST = 5001
_AT_ONCE = 8
#: Until all is written that follows the answers, and PostgreSQL has counted it, in seconds.
_SETTLING = 15.0
_TRANSACTIONS = """SELECT xact_commit + xact_rollback FROM pg_stat_database
    WHERE datname = current_database()"""
_SIZES = """SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relnamespace = 'mordecai'::regnamespace AND relkind = 'r' ORDER BY 2 DESC"""


@dataclass(frozen=True)
class Idle:
    """One worker, before anybody has written and after everybody has: its RAM, and what it and
    PostgreSQL do in a second when nothing happens."""

    ram_mb: tuple[float, float]
    transactions: tuple[float, float]
    cores: tuple[float, float]
    #: KB on disk of each table, after so many turns.
    tables: dict[str, float]
    turns: int


async def idle(
    around: World, folder: Path, postgres: PostgresProcess, *, people: int, seconds: float
) -> Idle:
    """What so many people cost who have written once, watched for so many seconds."""
    ledger = Ledger(postgres.url)

    def transactions() -> float:
        return float(ledger.rows(_TRANSACTIONS)[0][0])

    async with bots(around, folder, postgres.url, 1) as [worker]:

        async def rest() -> tuple[float, float, float]:
            before, then = await asyncio.to_thread(transactions), used([worker], postgres, 0)
            await asyncio.sleep(seconds)
            after, now = await asyncio.to_thread(transactions), used([worker], postgres, 0)
            cores = (now.workers + now.postgres - then.workers - then.postgres) / seconds
            return resident_kb(worker) / 1024, (after - before) / seconds, cores

        ram, done, cores = await rest()
        everybody = iter(range(_FIRST, _FIRST + people))
        await asyncio.gather(*(_write(around, everybody) for _ in range(_AT_ONCE)))
        await asyncio.sleep(_SETTLING)
        ram_after, done_after, cores_after = await rest()
        sizes = await asyncio.to_thread(ledger.rows, _SIZES)
        [(turns,)] = await asyncio.to_thread(ledger.rows, "SELECT count(*) FROM turn")
    tables = {name: size / 1024 for name, size in sizes}
    return Idle((ram, ram_after), (done, done_after), (cores, cores_after), tables, turns)


async def _write(around: World, everybody: Iterator[int]) -> None:
    for person in everybody:
        await around.asks(person, "Nice to meet you. I live near the sea and keep two cats.")
