"""Search on PostgreSQL beside search in files, in one run: the same memories, the same questions.

    python -m tests.benchmarks.engines [--quick] [--json]

The server runs on this machine, on a Unix socket: a network adds its round trips, about six a
search. Each question goes to both engines in turn, so that what slows the machine slows both."""

import argparse
import asyncio
import json
import tempfile
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import psycopg

from bot.evals.recall import percentile
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.records.store import TableStore
from memory.stores.sqlite.store import SqliteStore
from tests.benchmarks.scale import _ASKED, Talk, ask
from tests.fakes.postgres import plain_url, postgres_server, server_url

QUESTIONS = 200


async def fill(store: TableStore, messages: int, together: int) -> float:
    """The milliseconds to write a turn of so many messages, on average."""
    turns = list(Talk(seed=1).turns(messages, together))
    started = time.perf_counter()
    for turn in turns:
        await store.add_turn(_ASKED, turn)
    return (time.perf_counter() - started) * 1000 / len(turns)


async def measure(messages: int, directory: Path, pool: Executor) -> dict[str, float]:
    """The figures of both engines for a person with so many messages."""
    with postgres_server(url=plain_url()) as server:
        stores: dict[str, TableStore] = {
            "sqlite": SqliteStore(directory / str(messages), pool),
            "postgres": PostgresStore(server, pool),
        }
        together = 2 if messages <= 1_000 else 50
        figures = {
            f"{name}_write_ms": await fill(store, messages, together)
            for name, store in stores.items()
        }
        with psycopg.connect(server_url(), autocommit=True) as connection:
            # As autovacuum does soon after.
            connection.execute("VACUUM ANALYZE")
        talk, taken = Talk(seed=2), {name: list[float]() for name in stores}
        for question in [talk.question() for _ in range(QUESTIONS)]:
            for name, store in stores.items():
                taken[name].append(await ask(store, _ASKED, question))
        for name, store in stores.items():
            figures[f"{name}_p50_ms"] = percentile(taken[name], 0.5)
            figures[f"{name}_p95_ms"] = percentile(taken[name], 0.95)
            await store.aclose()
        figures["ratio_p50"] = figures["postgres_p50_ms"] / figures["sqlite_p50_ms"]
        figures["ratio_p95"] = figures["postgres_p95_ms"] / figures["sqlite_p95_ms"]
        figures["postgres_mb"] = server.size() / 1e6
    files = (directory / str(messages)).iterdir()
    return figures | {"sqlite_mb": sum(file.stat().st_size for file in files) / 1e6}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no 100,000 messages")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    sizes = (1_000, 10_000) if wanted.quick else (1_000, 10_000, 100_000)
    with ThreadPoolExecutor(1) as pool, tempfile.TemporaryDirectory() as directory:
        figures = {n: asyncio.run(measure(n, Path(directory), pool)) for n in sizes}
    if wanted.json:
        print(json.dumps(figures))
        return
    for messages, own in figures.items():
        print(f"{messages:,} messages")
        for name, figure in own.items():
            print(f"  {name:<20}{figure:10.2f}")


if __name__ == "__main__":
    main()
