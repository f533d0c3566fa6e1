"""See the package."""

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from tests.benchmarks.killloop.loop import Loop, Size
from tests.benchmarks.killloop.result import Result
from tests.benchmarks.killloop.traces import first_problems

#: Problems of one kind that are told in full.
_MOST_TOLD = 5


def table(result: Result, title: str = "Killed again and again") -> Table:
    """For people."""
    shown = Table("", "", title=title)
    for key, value in asdict(result).items():
        shown.add_row(key.replace("_", " "), f"{value:g}")
    return shown


def main() -> None:
    """The command: 1 if a count that must be zero is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.killloop")
    parser.add_argument("--kills", type=int, default=Size.kills)
    parser.add_argument("--seed", type=int, default=Size.seed)
    parser.add_argument("--keep", type=Path, help="an empty folder for data and log, left there")
    parser.add_argument("--json", action="store_true", help="for machines")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        loop = Loop(Size(given.kills, given.seed), given.keep or Path(folder))
        verdict = asyncio.run(loop.run())
    for problem in first_problems(verdict.problems, _MOST_TOLD):
        print(problem, file=sys.stderr)
    if given.json:
        print(json.dumps(asdict(verdict.result), indent=2))
    else:
        Console().print(table(verdict.result))
    sys.exit(bool(verdict.result.broken))


if __name__ == "__main__":
    main()
