"""How long the event loop is kept from everybody else while one person asks for a lot:

    python -m tests.benchmarks.loop [--facts N] [--messages N] [--only WORD] [--where] [--json]

The whole bot runs as a process against a Bot API and a model that answers at once. A task inside
wants to run every millisecond; the figure is the longest that it was kept waiting while the process
was at work: what other programs of a busy machine took is in "by the clock" alone. Meanwhile
somebody else talks to the bot and waits for each answer."""

import argparse
import asyncio
import json
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.program import (
    PATIENCE,
    Watched,
    World,
    filled,
    settings_for,
    watched,
    world,
)

#: What is still good, in milliseconds.
GOAL_MS = 20
_SOME, _MANY, _OTHER, _TALKER = 2001, 2002, 2003, 2004
_SENTENCES = (
    "I went to the market with my sister Meera on Friday and we bought apples, bread and a lamp.",
    "My brother works at a hospital in Leeds, and he told me that he is tired of the night shifts.",
    "I love hiking in the mountains, but my knee hurts since March and the doctor wants a picture.",
    "We are planning a trip to Portugal next summer, perhaps with the children and the old tent.",
    "Do you think that it is a good idea to learn Italian before that, or is there no time left?",
)


@dataclass
class Figure:
    """One thing somebody asks for. Times in milliseconds; `blocked` is what the bot's own work kept
    the loop, `waited` the same by the clock, `other` the longest that somebody else waited."""

    name: str
    blocked: float = 0.0
    waited: float = 0.0
    took: float = 0.0
    other: float = 0.0
    where: str = ""
    late: int = 0


class Bench:
    """A bot, somebody who asks for a lot, and somebody else."""

    def __init__(self, around: World, bot: Watched) -> None:
        self._around, self._bot = around, bot
        self._waits: list[float] = []
        self.over = False

    async def measure(self, name: str, work: Callable[[], Awaitable[object]]) -> Figure:
        """What this does to the loop."""
        self._waits.clear()
        await self._bot.begin()
        started = asyncio.get_running_loop().time()
        figure = Figure(name)
        try:
            async with asyncio.timeout(PATIENCE):
                await work()
        except (TimeoutError, AssertionError):
            figure.name += " (given up)"
        figure.took = 1000 * (asyncio.get_running_loop().time() - started)
        await asyncio.sleep(0.3)
        late = (await self._bot.end()).get("late", [])
        figure.blocked = 1000 * max((tick["busy"] for tick in late), default=0.0)
        figure.waited = 1000 * max((tick["wall"] for tick in late), default=0.0)
        too_late = [tick for tick in late if tick["busy"] * 1000 > GOAL_MS]
        figure.late, figure.where = len(too_late), _places(too_late)
        figure.other = 1000 * max(self._waits, default=0.0)
        return figure

    async def talk(self) -> None:
        """Be somebody else."""
        number = 0
        while not self.over:
            number += 1
            self._waits.append(await self._around.asks(_OTHER, f"and this is number {number}"))
            await asyncio.sleep(0.1)


def _places(late: list[dict[str, Any]]) -> str:
    """The three functions that kept the loop for longest, each with its milliseconds."""
    worst: dict[str, float] = {}
    for tick in sorted(late, key=lambda tick: tick["busy"], reverse=True):
        worst.setdefault(tick["where"] or "?", 1000 * tick["busy"])
    return "\n".join(f"{ms:,.0f} in {where}" for where, ms in list(worst.items())[:3])


@asynccontextmanager
async def bench(
    around: World, folder: Path, settings: dict[str, str] | None = None, *, offline: bool = False
) -> AsyncIterator[Bench]:
    """A bot that has started, been greeted, and is talked to by somebody else."""
    folder.mkdir(exist_ok=True)
    variables = settings_for(around, folder / "data", offline=offline) | (settings or {})
    async with watched("loop", folder, variables) as bot:
        stand = Bench(around, bot)
        await around.asks(_OTHER, "hello")
        talking = asyncio.create_task(stand.talk())
        try:
            yield stand
        finally:
            stand.over = True
            await asyncio.gather(talking, return_exceptions=True)


async def by_rules(around: World, folder: Path) -> AsyncIterator[Figure]:
    """A long conversation without a model, and its extraction."""
    more = {"MORDECAI_MAX_CONVERSATION_MESSAGES": "200", "MORDECAI_GREETING": "false"}
    dice = random.Random(1)
    async with bench(around, folder, more, offline=True) as stand:

        async def tell() -> None:
            for _ in range(15):
                said = ""
                while len(said) < 3000:
                    said += dice.choice(_SENTENCES) + " "
                await around.asks(_TALKER, said[:3000])

        async def save() -> None:
            await around.asks(_TALKER, "/new")
            await asyncio.sleep(2)

        yield await stand.measure("nothing in particular", lambda: asyncio.sleep(3))
        yield await stand.measure("15 messages of 3,000 characters, no model", tell)
        yield await stand.measure("extracting them by rules", save)


async def with_much(
    around: World, folder: Path, facts: int, messages: int
) -> AsyncIterator[Figure]:
    """Somebody with so much in memory asks for all of it."""
    seed, tenth = folder / "data", max(1, facts // 10)
    await filled(seed, tenth, messages // 10, _SOME)
    await filled(seed, facts, messages, _MANY)
    shutil.copytree(seed, folder / "again")
    amount = f"{facts:,} facts"

    def ask(person: int, words: str) -> Callable[[], Awaitable[object]]:
        return lambda: around.asks(person, words)

    async with bench(around, folder) as stand:
        first = "What do you know about the market?"
        yield await stand.measure("maintenance, nothing to delete", lambda: _tidied(folder))
        yield await stand.measure("talking, with a model", lambda: asyncio.sleep(3))
        yield await stand.measure(f"first message, {tenth:,} facts", ask(_SOME, first))
        yield await stand.measure(f"first message, {amount}", ask(_MANY, first))
        yield await stand.measure(f"second message, {amount}", ask(_MANY, "And the lamp?"))
        yield await stand.measure(f"/memory, {amount}", ask(_MANY, "/memory"))
        yield await stand.measure(f"/search, {amount}", ask(_MANY, "/search lamp"))
        yield await stand.measure(
            f"/export, {amount}, {messages:,} messages", ask(_MANY, "/export")
        )
        yield await stand.measure("/new", ask(_MANY, "/new"))
        yield await stand.measure("/forget all, the question", ask(_MANY, "/forget all"))
        yield await stand.measure("/forget all, yes", lambda: around.presses(_MANY))
    (folder / "tidy").mkdir()
    (folder / "again").rename(folder / "tidy" / "data")
    limits = {
        "MORDECAI_MAX_RECORDS": str(max(100, facts // 2)),
        "MORDECAI_MAX_ARCHIVED_TURNS": str(max(10, messages // 100)),
    }
    async with bench(around, folder / "tidy", limits) as stand:
        name = f"maintenance, half of {amount} to delete"
        yield await stand.measure(name, lambda: _tidied(folder / "tidy"))


async def _tidied(folder: Path) -> None:
    while '"event": "maintenance_done"' not in (folder / "log").read_text():
        await asyncio.sleep(0.05)


async def measure(facts: int, messages: int, only: str = "") -> AsyncIterator[Figure]:
    """All figures, as they come."""
    with TemporaryDirectory(prefix="mordecai-loop-") as root:
        if not only or only in "rules":
            async with world() as around:
                async for figure in by_rules(around, Path(root) / "rules"):
                    yield figure
        if not only or only in "much":
            (Path(root) / "much").mkdir()
            async with world() as around:
                async for figure in with_much(around, Path(root) / "much", facts, messages):
                    yield figure


def table(figures: list[Figure], *, where: bool) -> Table:
    """For people."""
    shown = Table(title=f"Milliseconds the event loop was kept, goal: below {GOAL_MS}")
    for heading in ("while", "blocked", "by the clock", "times", "took", "somebody else's wait"):
        shown.add_column(heading, justify="left" if heading == "while" else "right")
    if where:
        shown.add_column("in", overflow="fold")
    for one in figures:
        cells = [one.name, f"{one.blocked:,.0f}", f"{one.waited:,.0f}", str(one.late)]
        cells += [f"{one.took:,.0f}", f"{one.other:,.0f}"]
        shown.add_row(*cells, *([one.where] if where else []))
    return shown


async def _all(facts: int, messages: int, only: str) -> list[Figure]:
    return [figure async for figure in measure(facts, messages, only)]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.loop")
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--only", choices=("rules", "much"), default="")
    parser.add_argument("--where", action="store_true", help="what the loop was doing")
    parser.add_argument("--json", action="store_true", help="for machines")
    given = parser.parse_args()
    figures = asyncio.run(_all(given.facts, given.messages, given.only))
    if given.json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        Console(width=160 if given.where else None).print(table(figures, where=given.where))


if __name__ == "__main__":
    main()
