"""`python -m tests.benchmarks.turmoil [--sequences N] [--seed N] [--json]`: what is lost and what
comes back in random sequences of talk, forgetting, outage, restart and late extraction on AWS.

The store, the memory and the journal are the program's own; AWS is the fake, turned to be harsh in
every way, and time is simulated (see tests.faults.turmoil)."""

import argparse
import asyncio
import json
import logging
import random
import time
from dataclasses import asdict, dataclass

import structlog
from rich.console import Console
from rich.table import Table

from tests.fakes.simulated.loop import SimulatedLoop
from tests.faults.sequences import sequence
from tests.faults.steps import Step
from tests.faults.turmoil import live, stage
from tests.faults.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """Sums over all sequences."""

    sequences: int
    steps: int
    turns: int
    forgotten: int
    calls: int
    events_lost: int
    records_resurrected: int
    seen_of_others: int
    missing: int
    seconds: float
    #: The first of each sequence that went wrong.
    examples: tuple[str, ...] = ()


def measure(count: int, number: int = 14) -> Result:
    """Live so many sequences, which the number determines."""
    verdicts: list[tuple[list[Step], Verdict]] = []
    chance, started = random.Random(number), time.perf_counter()
    with stage() as made:
        for _ in range(count):
            steps = sequence(chance, chance.randint(8, 24))
            with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
                verdicts.append((steps, runner.run(live(made, steps))))
    seconds = time.perf_counter() - started
    wrong = [f"{verdict.faults[0]} in {steps}" for steps, verdict in verdicts if verdict.faults]
    every = [verdict for _, verdict in verdicts]
    return Result(
        sequences=len(every),
        steps=sum(len(steps) for steps, _ in verdicts),
        turns=sum(verdict.turns for verdict in every),
        forgotten=sum(verdict.forgotten for verdict in every),
        calls=sum(verdict.calls for verdict in every),
        events_lost=sum(len(verdict.lost) for verdict in every),
        records_resurrected=sum(len(verdict.resurrected) for verdict in every),
        seen_of_others=sum(len(verdict.foreign) for verdict in every),
        missing=sum(len(verdict.missing) for verdict in every),
        seconds=seconds,
        examples=tuple(wrong),
    )


def table(result: Result) -> Table:
    """The result for people."""
    shown = Table("", "number", title="Random sequences on AWS")
    for name, value in asdict(result).items():
        if name != "examples":
            shown.add_row(name.replace("_", " "), f"{value:,.0f}")
    return shown


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.turmoil")
    parser.add_argument("--sequences", type=int, default=500)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--json", action="store_true")
    given_ = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    result = measure(given_.sequences, given_.seed)
    if given_.json:
        print(json.dumps(asdict(result)))
        return
    Console().print(table(result))
    for example in result.examples[:10]:
        print(example)


if __name__ == "__main__":
    main()
