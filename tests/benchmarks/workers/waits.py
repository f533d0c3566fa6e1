"""What storage adds to a turn, and how long an answer takes if its worker is killed."""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.benchmarks.program import World
from tests.benchmarks.workers.bots import bots
from tests.benchmarks.workers.ledger import Ledger
from tests.fakes.postgres_process import PostgresProcess

_TIMED = str(Path(__file__).with_name("timed.py"))
_PERSON = 4001
#: Turns that do not count: what they need is read for the first time.
_WARMING = 5
_WORDS = "I had lunch with Meera today, the place near the station was full again."


async def storage_ms(around: World, folder: Path, url: str, turns: int) -> list[float]:
    """For each of so many turns of one person, the milliseconds in which a call on a store was
    under way between question and answer."""
    noted = folder / "noted"
    spans = list[tuple[float, float]]()
    async with bots(around, folder, url, 1, _TIMED, str(noted)):
        for number in range(turns):
            began = time.monotonic()
            await around.asks(_PERSON, f"{_WORDS} ({number})")
            spans.append((began, time.monotonic()))
            await asyncio.sleep(0.1)  # what is written after the answer
    calls = sorted(
        (float(began), float(ended))
        for began, ended in map(str.split, noted.open(encoding="ascii"))
    )
    return [1000 * _covered(calls, span) for span in spans[_WARMING:]]


def _covered(calls: Iterable[tuple[float, float]], span: tuple[float, float]) -> float:
    """How much of the span the calls cover together; they are in the order of their beginning."""
    covered, reached = 0.0, span[0]
    for began, ended in calls:
        ended = min(ended, span[1])
        if ended > max(began, reached):
            covered += ended - max(began, reached)
            reached = ended
    return covered


async def recovery_seconds(
    around: World, folder: Path, postgres: PostgresProcess, *, times: int, lease: float
) -> list[float]:
    """How long the answer to a person takes whose worker is killed when they have written, while
    another one runs."""
    took, ledger = [], Ledger(postgres.url)
    for number in range(times):
        person = _PERSON + 100 + number
        async with bots(
            around, folder, postgres.url, 2, MORDECAI_LEASE_SECONDS=f"{lease:g}"
        ) as workers:
            await around.asks(person, _WORDS)
            by = {call.by for call in around.server.calls[-20:] if call.chat_id == person}
            assert len(by) == 1, by
            held = await asyncio.to_thread(
                ledger.rows, f"SELECT 1 FROM held_lane WHERE actor = 'u{person}'"
            )
            assert held, "the actor is at a worker"
            os.kill(workers[int(by.pop()[1:]) - 1], signal.SIGKILL)
            took.append(await around.asks(person, _WORDS))
    return took


def quantiles(figures: Sequence[float]) -> tuple[float, float]:
    """p50 and p95."""
    found = statistics.quantiles(figures, n=20)
    return found[9], found[18]
