"""How the embedded memory bears size: one person with many memories, a directory of many people.

    python -m tests.benchmarks.scale [--quick] [--json]

Texts are made up here, with words as unevenly frequent as in a language. All goes through the real
store. Milliseconds depend on the machine; the ratios, of figures of one run, much less so."""

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.evals.recall import percentile
from memory.records import Actor, Kind, Role, Turn, Utterance
from memory.stores.records.store import TableStore
from memory.stores.sqlite.store import SqliteStore

_NOW = datetime(2026, 3, 15, tzinfo=UTC)
_ASKED = Actor.person(1)
_SMALL = (
    "the a I we you it and to of in on my is was that for with at but not have had so this they "
    "there then when about from really just will can be been me our some more last next"
).split()
_QUESTIONS = (
    "What did I say about {} and {}?",
    "When did we {} the {} last spring?",
    "Do you remember the {}?",
    "who told me that {} needs a {} for the {}",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    many: int
    people: int
    questions: int


FULL = Size(many=100_000, people=1_000, questions=200)
QUICK = Size(many=10_000, people=100, questions=60)


class Talk:
    """Made-up words, messages and questions, the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        naming = random.Random(7)
        parts = "ba do fi ga ke lo mu ni po ra su te vi zo la ri".split()
        self._topics = list(
            dict.fromkeys(
                "".join(naming.choices(parts, k=naming.choice((2, 3, 3, 4)))) for _ in range(9_000)
            )
        )
        # Zipf's law: the word of rank n is said about 1/n as often as the first.
        self._weights = [1 / (rank + 10) for rank in range(len(self._topics))]

    def text(self, mean: int) -> str:
        """A message of about so many words, every second a small one."""
        length = max(2, round(self._random.lognormvariate(0, 0.6) * mean))
        topics = self._random.choices(self._topics, self._weights, k=length)
        return " ".join(self._random.choice(_SMALL) if n % 2 else w for n, w in enumerate(topics))

    def question(self) -> str:
        """Something that one may ask about it."""
        words = self._random.choices(self._topics, self._weights, k=3)
        return self._random.choice(_QUESTIONS).format(*words)

    def turns(self, messages: int, together: int = 2) -> Iterator[Turn]:
        """A person's turns, `together` messages each, half of them the assistant's."""
        for number in range(messages // together):
            at = _NOW - timedelta(hours=messages // together - number)
            said = tuple(
                Utterance(Role.ASSISTANT, self.text(30), at)
                if n % 2
                else Utterance(Role.USER, self.text(12), at)
                for n in range(together)
            )
            yield Turn(id=f"t{number}", session_id=f"s{number * together // 40}", messages=said)


async def fill(directory: Path, pool: Executor, turns: Iterator[Turn]) -> float:
    """Write a person's turns; the seconds that it took."""
    store = SqliteStore(directory, pool)
    seconds = 0.0
    for turn in turns:
        started = time.perf_counter()
        await store.add_turn(_ASKED, turn)
        seconds += time.perf_counter() - started
    await store.aclose()
    return seconds


async def ask(store: TableStore, actor: Actor, question: str) -> float:
    """The milliseconds of one search as recall makes it, among all kinds."""
    started = time.perf_counter()
    await store.search(actor, question, kinds=tuple(Kind), min_relevance=0.2, now=_NOW)
    return (time.perf_counter() - started) * 1000


async def asked(directories: Sequence[Path], pool: Executor, count: int) -> list[list[float]]:
    """For each directory, the milliseconds of so many questions to the open file of one person.
    Each question goes to all of them in turn, so that what slows the machine slows them alike."""
    talk, stores = Talk(seed=2), [SqliteStore(directory, pool) for directory in directories]
    first = [await ask(store, _ASKED, talk.question()) for store in stores]
    taken: list[list[float]] = [[] for _ in first]
    for question in (talk.question() for _ in range(count)):
        for store, times in zip(stores, taken, strict=True):
            times.append(await ask(store, _ASKED, question))
    for store in stores:
        await store.aclose()
    return taken


async def opened(directory: Path, pool: Executor, count: int) -> list[float]:
    """The milliseconds to open a person's file and ask the first question, again and again."""
    talk, taken = Talk(seed=3), []
    for _ in range(count):
        store = SqliteStore(directory, pool)
        taken.append(await ask(store, _ASKED, talk.question()))
        await store.aclose()
    return taken


async def held(directory: Path, people: int) -> float:
    """The megabytes that a process takes more after all people have been searched for."""
    talk = Talk(seed=4)
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(directory, pool)
        await ask(store, Actor.person(people + 1), talk.question())  # nobody: the code is loaded
        idle = resident_mb()
        for number in range(1, people + 1):
            await ask(store, Actor.person(number), talk.question())
        more = resident_mb() - idle
        await store.aclose()
    return more


def resident_mb() -> float:
    """The resident memory of this process, as `ps` tells it on Linux and macOS."""
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(told.stdout) / 1024


async def measure(size: Size, root: Path) -> dict[str, float]:
    """All figures, by name."""
    one, many, crowd = root / "one", root / "many", root / "crowd"
    with ThreadPoolExecutor(1) as pool:
        index_s = await fill(one, pool, Talk(seed=1).turns(1_000))
        await fill(many, pool, Talk(seed=1).turns(size.many, together=50))
        populate(crowd, one, size.people)
        at_1000, at_many, in_crowd = await asked((one, many, crowd), pool, size.questions)
        cold = await opened(one, pool, max(20, size.questions // 4))
    resident = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.scale", "--held", str(crowd), str(size.people)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {
        **_latency("query_1000", at_1000),
        **_latency(f"query_{size.many}", at_many),
        **_latency(f"query_1000_among_{size.people}_people", in_crowd),
        **_latency("open_and_query_1000", cold),
        "resident_mb_more": float(resident.stdout),
        "index_s_per_1000": index_s,
        "bytes_per_1000": _bytes(one),
        f"ratio_{size.many}_to_1000": _ratio(at_many, at_1000),
        f"ratio_{size.people}_people_to_1": _ratio(in_crowd, at_1000),
    }


def populate(directory: Path, one: Path, people: int) -> None:
    """So many people who all have the same memories, each in a file of their own."""
    directory.mkdir()
    for number in range(1, people + 1):
        shutil.copyfile(
            one / f"{_ASKED.id}.sqlite", directory / f"{Actor.person(number).id}.sqlite"
        )


def _latency(name: str, taken: Sequence[float]) -> dict[str, float]:
    return {f"{name}_p50_ms": percentile(taken, 0.5), f"{name}_p95_ms": percentile(taken, 0.95)}


def _ratio(one: Sequence[float], other: Sequence[float]) -> float:
    return percentile(one, 0.5) / percentile(other, 0.5)


def _bytes(directory: Path) -> float:
    return float(sum(file.stat().st_size for file in directory.iterdir()))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 memories and 100 people")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    parser.add_argument("--held", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.held:
        print(asyncio.run(held(Path(options.held[0]), int(options.held[1]))))
        return
    with tempfile.TemporaryDirectory(prefix="mordecai-scale-") as root:
        figures = asyncio.run(measure(QUICK if options.quick else FULL, Path(root)))
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, figure in figures.items():
        print(f"{name:40} {figure:12,.2f}")


if __name__ == "__main__":
    main()
