"""What a message costs the bot, beside the least that such a bot can cost:

    python -m tests.benchmarks.throughput [--people N] [--seconds S] [--rounds R] [--json]
    python -m tests.benchmarks.throughput --growth [--messages N]

People write to the bot as fast as it answers, each waiting for the answer. Bot API, people and a
model that answers at once are another process, whose time is not counted. The yardstick is
python-telegram-bot with pydantic-ai and twelve tools, in the same run, taking turns with the bot.
With `--growth`: what stays, in memory over many messages and on disk of a person. Linux only."""

import argparse
import asyncio
import itertools
import json
import os
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from tests.benchmarks.program import World, running, settings_for, world

GOAL_CPU_MS, GOAL_PER_SECOND = 20, 50
_YARDSTICK = str(Path(__file__).with_name("yardstick.py"))
_FIRST = 3001
#: Seconds of each round that do not count.
_WARMING = 0.5
_TICK = os.sysconf("SC_CLK_TCK")
_SAID = (
    "I had lunch with Meera today, the place near the station was full again.",
    "What would you cook for six people on a rainy Sunday?",
    "My train was late, so I read half of the book about beekeeping.",
    "Could you explain how a heat pump works, in two sentences?",
    "I prefer tea in the morning and coffee after lunch.",
    "Remind me of what I said about the garden, please.",
)


@dataclass(frozen=True)
class Spent:
    """What a process has used: processor seconds, context switches of all threads, calls that
    wrote, and messages answered meanwhile, in how many seconds."""

    cpu: float
    switches: int
    writes: int
    messages: int
    at: float

    def since(self, earlier: "Spent") -> "Cost":
        """The cost of the messages in between."""
        messages = max(1, self.messages - earlier.messages)
        return Cost(
            cpu_ms=1000 * (self.cpu - earlier.cpu) / messages,
            per_second=messages / (self.at - earlier.at),
            switches=(self.switches - earlier.switches) / messages,
            writes=(self.writes - earlier.writes) / messages,
        )


@dataclass(frozen=True)
class Cost:
    """Of one message; and how many a second."""

    cpu_ms: float
    per_second: float
    switches: float
    writes: float


def spent(process: int, messages: int) -> Spent:
    """What this process has used by now."""
    proc = Path("/proc") / str(process)
    times = (proc / "stat").read_text().rpartition(")")[2].split()[11:13]
    switches = 0
    for status in (proc / "task").glob("*/status"):
        lines = status.read_text().splitlines()
        switches += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    io = dict(line.split(": ") for line in (proc / "io").read_text().splitlines())
    cpu = sum(map(int, times)) / _TICK
    return Spent(cpu, switches, int(io["syscw"]), messages, time.perf_counter())


def resident_kb(process: int) -> float:
    """The memory that a process has for itself and holds in RAM."""
    pages = (Path("/proc") / str(process) / "statm").read_text().split()
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE") / 1024


class Crowd:
    """People who write as fast as they are answered."""

    def __init__(self, around: World, people: int) -> None:
        self._around, self.answered, self._going = around, 0, True
        self._people = range(_FIRST, _FIRST + people)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Crowd":
        self._tasks = [asyncio.create_task(self._write(person)) for person in self._people]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._going = False
        await asyncio.gather(*self._tasks)

    async def write(self, seconds: float) -> None:
        """Go on for so long."""
        await asyncio.wait(self._tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in self._tasks:
            if task.done():
                task.result()

    async def _write(self, person: int) -> None:
        for number, said in enumerate(itertools.cycle(_SAID)):
            await self._around.asks(person, f"{said} ({number})")
            self.answered += 1
            if not self._going:
                return


@asynccontextmanager
async def started(folder: Path, *arguments: str) -> AsyncIterator[tuple[World, int]]:
    """The bot, or what the arguments of Python start, after its first answer; its process id."""
    folder.mkdir(parents=True)
    async with world() as around:
        variables = settings_for(around, folder / "data")
        async with running(folder, variables, *arguments) as process:
            await around.asks(_FIRST - 1, "hello")
            yield around, process


async def cost(around: World, process: int, people: int, seconds: float) -> Cost:
    """What a message costs this process while so many people write for so long."""
    async with Crowd(around, people) as crowd:
        await crowd.write(_WARMING)
        before = spent(process, crowd.answered)
        await crowd.write(seconds)
        return spent(process, crowd.answered).since(before)


async def compare(people: int, seconds: float, rounds: int) -> dict[str, Cost]:
    """The bot's cost and the yardstick's: medians of the rounds. They take turns, so that what else
    the machine does weighs on both."""
    taken: dict[str, list[Cost]] = {"bot": [], "yardstick": []}
    with TemporaryDirectory(prefix="mordecai-throughput-") as root:
        async with (
            started(Path(root) / "bot") as bot,
            started(Path(root) / "yardstick", _YARDSTICK) as yardstick,
        ):
            # In the first round everybody is new to the bot: it does not count.
            for _ in range(1 + rounds):
                taken["yardstick"].append(await cost(*yardstick, people, seconds))
                taken["bot"].append(await cost(*bot, people, seconds))
    return {name: _median(costs[1:]) for name, costs in taken.items()}


def _median(costs: list[Cost]) -> Cost:
    figures = [asdict(one) for one in costs]
    return Cost(**{key: statistics.median(one[key] for one in figures) for key in figures[0]})


async def growth(messages: int, people: int) -> Iterator[tuple[str, float, str]]:
    """What stays in memory and on disk."""
    with TemporaryDirectory(prefix="mordecai-growth-") as root:
        resident = await _resident(Path(root) / "memory", messages, people)
        half = len(resident) // 2
        step = messages / (len(resident) - 1)
        ram = [
            ("RAM after start", resident[0] / 1024, "MB"),
            (f"RAM after {messages:,} messages", resident[-1] / 1024, "MB"),
            ("RAM a message, first half", (resident[half] - resident[0]) / half / step, "KB"),
            (
                "RAM a message, second half",
                (resident[-1] - resident[half]) / (len(resident) - 1 - half) / step,
                "KB",
            ),
        ]
        disk = [
            (f"disk of a person, {each} messages", await _disk(Path(root), each, count), "KB")
            for each, count in ((1, 20), (10, 20), (100, 5))
        ]
    return iter(ram + disk)


async def _resident(folder: Path, messages: int, people: int) -> list[float]:
    """KB in RAM at the start, and after each tenth of the messages."""
    async with started(folder) as (around, process):
        taken = [resident_kb(process)]
        async with Crowd(around, people) as crowd:
            for tenth in range(1, 11):
                while crowd.answered < messages * tenth / 10:
                    await crowd.write(0.1)
                taken.append(resident_kb(process))
    return taken


async def _disk(root: Path, each: int, people: int) -> float:
    """KB on disk of one person who has written so many messages, when the bot has ended."""

    async def write(around: World, person: int) -> None:
        for said in itertools.islice(itertools.cycle(_SAID), each):
            await around.asks(person, said)

    taken = []
    for count in (0, people):
        folder = root / f"disk-{each}-{count}"
        async with started(folder) as (around, _):
            await asyncio.gather(*(write(around, _FIRST + number) for number in range(count)))
        files = [path.stat() for path in (folder / "data").rglob("*") if path.is_file()]
        taken.append(sum(file.st_blocks for file in files) / 2)
    return (taken[1] - taken[0]) / people


def table(figures: dict[str, Cost], people: int) -> Table:
    """For people."""
    shown = Table(title=f"One message, {people} people at once")
    for heading in ("", "bot", "yardstick", "ratio", "goal"):
        shown.add_column(heading, justify="right" if heading else "left")
    bot, yardstick = asdict(figures["bot"]), asdict(figures["yardstick"])
    names = {
        "cpu_ms": ("processor ms", f"≤ {GOAL_CPU_MS}"),
        "per_second": ("messages a second", f"≥ {GOAL_PER_SECOND}"),
        "switches": ("context switches", ""),
        "writes": ("writes", ""),
    }
    for key, (name, goal) in names.items():
        ratio = bot[key] / yardstick[key] if yardstick[key] else float("nan")
        shown.add_row(name, f"{bot[key]:.1f}", f"{yardstick[key]:.1f}", f"{ratio:.2f}", goal)
    return shown


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.throughput")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--growth", action="store_true", help="what stays, in RAM and on disk")
    parser.add_argument("--messages", type=int, default=5_000, help="with --growth")
    parser.add_argument("--json", action="store_true", help="for machines")
    given = parser.parse_args()
    if given.growth:
        figures = list(asyncio.run(growth(given.messages, given.people)))
        if given.json:
            print(json.dumps({name: figure for name, figure, _ in figures}, indent=2))
        for name, figure, unit in figures if not given.json else ():
            print(f"{name:36} {figure:10,.1f} {unit}")
        return
    costs = asyncio.run(compare(given.people, given.seconds, given.rounds))
    if given.json:
        print(json.dumps({name: asdict(one) for name, one in costs.items()}, indent=2))
    else:
        Console().print(table(costs, given.people))


if __name__ == "__main__":
    main()
