"""`python -m tests.benchmarks.peers FILE... [--only NAME,...] [--json]`"""

import argparse
import json
import sys
from pathlib import Path

from tests.benchmarks.peers.comparison import Limits, compare
from tests.benchmarks.peers.environments import DEFAULT
from tests.benchmarks.peers.peer import KINDS
from tests.benchmarks.peers.table import markdown, to_json


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.peers",
        description="Mordecai's search beside that of other stores, on data sets of recall.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--only", default=",".join(KINDS), help=f"some of: {','.join(KINDS)}")
    parser.add_argument("--conversations", type=int, help="use the first so many of each file")
    parser.add_argument("--questions", type=int, help="ask the first so many of each conversation")
    parser.add_argument("--seconds", type=float, default=300.0, help="at most, a store and file")
    parser.add_argument("--environments", type=Path, default=DEFAULT, help="made by .setup")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    options.kinds = options.only.split(",")
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"--only: no such store: {', '.join(sorted(unknown))}")
    return options


def main() -> None:
    """The command."""
    options = _options()
    limits = Limits(options.conversations, options.questions, options.seconds)
    results = compare(
        options.files,
        options.kinds,
        options.environments,
        limits,
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(json.dumps(to_json(results), indent=2) if options.json else markdown(results))


if __name__ == "__main__":
    main()
