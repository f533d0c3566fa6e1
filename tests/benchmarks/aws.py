"""`python -m tests.benchmarks.aws [--threads N] [--json]`: what memory on AWS costs a turn.

The bot is the program's own, without Telegram and with the notebook; AWS is the fake one, in
a process of its own. What is compared is measured in the same run, on the same machine."""

import argparse
import asyncio
import json
import logging
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from rich.console import Console
from rich.table import Table

from memory.conversation.live import SessionLimits
from memory.memory import MemoryOptions
from memory.ports import Store
from memory.records import Actor
from memory.stores.sqlite.store import SqliteStore
from tests.benchmarks.aws_server import OnAws, aws_process, store_on
from tests.benchmarks.wire import Traffic
from tests.fakes.bots import Bot, open_bot, place_of
from tests.fakes.temporary_store import TemporaryStore

ANN, WARM = Actor("u1"), Actor("u999999")
#: What people write, without a question about memory: a question costs what its tool asks.
LINES = (
    "I work at Acme Corp as a project manager, mostly from home these days",
    "the weather here is terrible, it has rained for a week",
    "I prefer Python over JavaScript for almost everything I do",
    "give me an idea for dinner with what is left in the fridge, please",
    "my sister Clara is coming to visit us in December",
    "I live in Oslo, close to the river",
    "thanks, that helps a lot",
    "I'm reading a book about the history of maps, it is longer than I thought",
)
#: Sessions do not end by their length here, and a summary is looked for within seconds.
OPTIONS = MemoryOptions(
    limits=SessionLimits(max_conversation_messages=10_000), extraction_timeout_seconds=3.0
)


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    delays_ms: tuple[int, ...] = (0, 200, 2000)
    turns: int = 24
    #: A turn takes 1.5 seconds when AWS takes two.
    slow_turns: int = 8
    actors: int = 100
    turns_each: int = 3
    crowd_delays_ms: tuple[int, ...] = (0, 200)
    #: The setting aws_threads.
    threads: int = 16


@dataclass(frozen=True)
class Calls:
    """What goes to AWS, and when. `steady_turn` is the mean of the turns after the first."""

    first_turn: Traffic
    steady_turn: Traffic
    session_end: Traffic


@dataclass(frozen=True)
class Latency:
    """What AWS adds to a turn, in milliseconds, beside the same turn on the SQLite store."""

    aws_ms: int
    first_turn: float
    p50: float
    p95: float


@dataclass(frozen=True)
class Crowd:
    """Many people at once. `recalled` is the share of turns whose search came back in time;
    `settled_seconds` is how long after the last reply AWS has every turn."""

    store: str
    turns_per_second: float
    ratio_to_sqlite: float
    p50_ms: float
    p95_ms: float
    recalled: float
    settled_seconds: float


@dataclass(frozen=True)
class Report:
    """Everything measured. `sqlite_ms` is the median turn without AWS, and
    `aws_calls_per_second` what the fake AWS itself can do."""

    calls: Calls
    sqlite_ms: float
    latencies: tuple[Latency, ...]
    crowds: tuple[Crowd, ...]
    aws_calls_per_second: float


async def measure(size: Size) -> Report:
    """Measure it all."""
    base = await _turn_times_on_sqlite(size.turns)
    reference = await _crowd_on_sqlite(size)
    async with aws_process(0) as url:
        calls = await _count_calls(url, size)
        capacity = await _capacity(url, size)
    latencies, crowds = [], [reference]
    for delay in size.delays_ms:
        async with aws_process(delay / 1000) as url:
            latencies.append(await _latency(url, delay, size, base))
            if delay in size.crowd_delays_ms:
                crowds.append(await _crowd_on_aws(url, delay, size, reference))
    on_sqlite = 1000 * statistics.median(base)
    return Report(calls, on_sqlite, tuple(latencies), tuple(crowds), capacity)


# -- calls and bytes ------------------------------------------------------------------------------


async def _count_calls(url: str, size: Size) -> Calls:
    async with _bot_on_aws(url, size) as (bot, aws):
        await bot.hears(ANN, LINES[0])
        await aws.store.extraction.flush(ANN)
        first = aws.wire.take()
        for number in range(1, size.turns):
            await bot.hears(ANN, LINES[number % len(LINES)])
        await aws.store.extraction.flush(ANN)
        steady = aws.wire.take().per(size.turns - 1)
        ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
        assert ending is not None
        await ending.wait(60)
        await asyncio.sleep(OPTIONS.extraction_timeout_seconds + 0.5)
        return Calls(first, steady, aws.wire.take())


async def _capacity(url: str, size: Size) -> float:
    """How many searches a second this AWS answers, asked by as many threads as the program has."""
    async with _bot_on_aws(url, size) as (_, aws):

        async def ask(times: int) -> None:
            for _ in range(times):
                await aws.store.search(ANN, LINES[0])

        each = 10
        started = time.perf_counter()
        await asyncio.gather(*(ask(each) for _ in range(size.threads)))
        elapsed = time.perf_counter() - started
        return sum(aws.wire.take().calls.values()) / elapsed


# -- added latency --------------------------------------------------------------------------------


async def _turn_times(bot: Bot, turns: int) -> list[float]:
    """Seconds of each turn of one session, from hearing to having it recorded."""
    await bot.hears(WARM, "hello")
    return [await _timed(bot, ANN, number) for number in range(turns)]


async def _timed(bot: Bot, actor: Actor, number: int) -> float:
    started = time.perf_counter()
    await bot.hears(actor, LINES[number % len(LINES)])
    return time.perf_counter() - started


async def _turn_times_on_sqlite(turns: int) -> list[float]:
    with TemporaryDirectory() as directory:
        async with open_bot(TemporaryStore(), Path(directory), OPTIONS) as bot:
            return await _turn_times(bot, turns)


async def _latency(url: str, delay_ms: int, size: Size, base: Sequence[float]) -> Latency:
    turns = size.turns if delay_ms < 1000 else size.slow_turns
    async with _bot_on_aws(url, size) as (bot, _):
        times = await _turn_times(bot, turns)
    first, *added = [1000 * (time - same) for time, same in zip(times, base, strict=False)]
    return Latency(delay_ms, first, *_p50_p95(added))


# -- many at once ---------------------------------------------------------------------------------


async def _crowd_on_sqlite(size: Size) -> Crowd:
    with TemporaryDirectory() as name, ThreadPoolExecutor(8, "files") as pool:
        store = SqliteStore(Path(name) / "memory", pool)
        async with open_bot(store, Path(name), OPTIONS) as bot:
            crowd = await _crowd("SQLite", bot, store, size)
        await store.aclose()
    return crowd


async def _crowd_on_aws(url: str, delay_ms: int, size: Size, reference: Crowd) -> Crowd:
    async with _bot_on_aws(url, size) as (bot, aws):
        crowd = await _crowd(f"AWS, {delay_ms} ms", bot, aws.store, size)
    ratio = crowd.turns_per_second / reference.turns_per_second
    recalled = aws.store.answered / aws.store.asked
    return replace(crowd, ratio_to_sqlite=ratio, recalled=recalled)


async def _crowd(name: str, bot: Bot, store: Store, size: Size) -> Crowd:
    await bot.hears(WARM, "hello")
    actors = [Actor.person(number) for number in range(1, size.actors + 1)]

    async def talk(actor: Actor) -> list[float]:
        return [await _timed(bot, actor, number) for number in range(size.turns_each)]

    started = time.perf_counter()
    times = await asyncio.gather(*(talk(actor) for actor in actors))
    answered = time.perf_counter()
    if store.extraction:
        await asyncio.gather(*(store.extraction.flush(actor) for actor in actors))
    settled = time.perf_counter() - answered
    rate = size.actors * size.turns_each / (answered - started)
    p50, p95 = _p50_p95([1000 * one for own in times for one in own])
    return Crowd(name, rate, 1.0, p50, p95, 1.0, settled)


# -- inside ---------------------------------------------------------------------------------------


@asynccontextmanager
async def _bot_on_aws(url: str, size: Size) -> AsyncIterator[tuple[Bot, OnAws]]:
    with TemporaryDirectory() as directory:
        async with (
            store_on(url, Path(directory), size.threads) as aws,
            open_bot(aws.store, Path(directory), OPTIONS) as bot,
        ):
            aws.wire.take()
            yield bot, aws


def _p50_p95(values: Sequence[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return statistics.median(values), cuts[-1]


def tables(report: Report) -> list[Table]:
    """The report for people."""
    calls = Table("", "first turn", "steady turn", "session end", title="Sent to AWS")
    columns = (report.calls.first_turn, report.calls.steady_turn, report.calls.session_end)
    for name in sorted({name for column in columns for name in column.calls}):
        calls.add_row(name, *(f"{column.calls.get(name, 0):.2f}" for column in columns))
    calls.add_row("calls", *(f"{sum(column.calls.values()):.2f}" for column in columns))
    calls.add_row("bytes", *(f"{column.bytes:,.0f}" for column in columns))
    latency = Table(
        *("AWS answers in", "first turn", "p50", "p95"),
        title="Added to a turn, in ms",
        caption=f"a turn without AWS takes {report.sqlite_ms:.0f} ms",
    )
    for row in report.latencies:
        latency.add_row(
            f"{row.aws_ms} ms", f"{row.first_turn:.0f}", f"{row.p50:.0f}", f"{row.p95:.0f}"
        )
    crowd = Table(
        *("store", "turns/s", "ratio", "p50, ms", "p95, ms", "recalled", "settled, s"),
        title="Everybody at once",
        caption=f"this AWS itself answers {report.aws_calls_per_second:.0f} calls a second",
    )
    for line in report.crowds:
        crowd.add_row(
            line.store,
            f"{line.turns_per_second:.1f}",
            f"{line.ratio_to_sqlite:.2f}",
            f"{line.p50_ms:.0f}",
            f"{line.p95_ms:.0f}",
            f"{line.recalled:.0%}",
            f"{line.settled_seconds:.1f}",
        )
    return [calls, latency, crowd]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.aws", description="What memory on AWS costs a turn."
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--threads", type=int, default=Size.threads, help="aws_threads")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    report = asyncio.run(measure(Size(threads=given.threads)))
    if given.json:
        print(json.dumps(asdict(report), indent=2))
        return
    console = Console()
    for table in tables(report):
        console.print(table)


if __name__ == "__main__":
    main()
