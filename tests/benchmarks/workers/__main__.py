"""See the package."""

import argparse
import asyncio
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from tests.benchmarks.killloop.__main__ import table
from tests.benchmarks.killloop.traces import first_problems
from tests.benchmarks.workers.storm import BLOWS, Size, Storm
from tests.benchmarks.workers.table import measure, tables

_MOST_TOLD = 5


def main() -> None:
    """The command: 1 if a count of a storm that must be zero is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.workers")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--rounds", type=int, default=5, help="of messages a second")
    parser.add_argument("--storm", action="store_true", help="break everything instead")
    parser.add_argument("--blows", type=int, default=60, help="of a storm")
    parser.add_argument("--workers", type=int, default=Size.workers, help="in a storm")
    parser.add_argument("--people", type=int, default=Size.people, help="in a storm")
    parser.add_argument("--seed", type=int, default=Size.seed)
    parser.add_argument("--webhook", action="store_true", help="in a storm, instead of polling")
    parser.add_argument("--keep", type=Path, help="an empty folder for data and logs, left there")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="mordecai-workers-") as folder:
        place = given.keep or Path(folder)
        if given.storm:
            _storm(given, place)
        else:
            figures = asyncio.run(measure(place, rounds=given.rounds))
            if given.json:
                print(json.dumps(asdict(figures), indent=2))
            for each in tables(figures) if not given.json else ():
                Console().print(each)


def _storm(given: argparse.Namespace, folder: Path) -> None:
    dice = random.Random(f"{given.seed}/blows")
    size = Size(
        blows=tuple(dice.choices(tuple(BLOWS), tuple(BLOWS.values()), k=given.blows)),
        workers=given.workers,
        people=given.people,
        seed=given.seed,
        webhook=given.webhook,
    )
    verdict = asyncio.run(Storm(size, folder).run())
    for problem in first_problems(verdict.problems, _MOST_TOLD):
        print(problem, file=sys.stderr)
    if given.json:
        print(json.dumps(asdict(verdict.result), indent=2))
    else:
        Console().print(table(verdict.result, "Several workers in a storm"))
    sys.exit(bool(verdict.result.broken))


if __name__ == "__main__":
    main()
