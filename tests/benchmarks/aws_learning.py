"""`python -m tests.benchmarks.aws_learning [--json]`: what it takes to learn from conversations on
AgentCore, with AWS's strategies and with our own extraction.

The sessions of tests/evals/everyday.jsonl end on a fake AWS, first with agentcore_extraction =
"aws", then with "mordecai" and the recorded model. Only what comes on top of conversations is
counted: the events and searches of a turn are the same. What AWS's own extraction finds can't be
measured without AWS; the fake's is not it."""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bot.evals.learning import extract
from bot.operations.logs import configure
from tests.benchmarks.prices import Prices, aws_prices
from tests.evals import learning_costs
from tests.evals.everyday import Figures, History, histories, known_in, recorded
from tests.fakes.aws import Fault, Knobs
from tests.fakes.aws.world import World, world
from tests.fakes.files import journal_in

#: Calls that AWS's price list counts as retrievals, as far as one can tell.
_RETRIEVALS = ("RetrieveMemoryRecords", "ListMemoryRecords", "GetMemoryRecord")
_EVENTS = ("CreateEvent",)


@dataclass(frozen=True)
class Learning:
    """Means of a session. `calls` leaves out the events, `records` are those stored at its end,
    `read` and `written` the tokens of our model's `answers`. `seconds` is how long the end of a
    session takes when AWS answers in 200 ms, besides those answers. None is up to AWS."""

    calls: Mapping[str, float]
    records: float | None = None
    answers: float = 0.0
    read: float = 0.0
    written: float = 0.0
    seconds: float | None = None
    recall: float | None = None
    precision: float | None = None

    def dollars(self, prices: Prices, model: str) -> float:
        """What a thousand sessions cost, without the storage of records."""
        price = prices.models[model]
        retrievals = sum(self.calls.get(name, 0.0) for name in _RETRIEVALS)
        tokens = self.read * price.input + self.written * price.output
        return retrievals * prices.retrievals + tokens / 1000


@dataclass(frozen=True)
class Report:
    aws: Learning
    mordecai: Learning
    sessions: int
    turns: float


async def measure(told: Sequence[History], slow: int = 8) -> Report:
    """Both ways; the seconds, which have to pass, are those of the first `slow` histories."""
    aws, _ = await _learn(told, extracts=True)
    ours, figures = await _learn(told, extracts=False)
    seconds = await _seconds(told[:slow]) if slow else None
    extraction, review = await learning_costs.measure(
        [json.loads(line) for line in _lines()[: len(told)]]
    )
    calls, sessions = [*extraction.calls, *review.calls], len(extraction.calls)
    return Report(
        aws,
        Learning(
            ours.calls,
            ours.records,
            len(calls) / sessions,
            sum(read for read, _ in calls) / sessions,
            sum(written for _, written in calls) / sessions,
            seconds,
            figures.recall.share,
            figures.precision.share,
        ),
        sessions,
        sum(len(turns) for history in told for _, turns in history.sessions) / sessions,
    )


def _lines() -> list[str]:
    return learning_costs.FILE.read_text(encoding="utf-8").splitlines()


async def _learn(told: Sequence[History], *, extracts: bool) -> tuple[Learning, Figures]:
    figures = Figures()
    with TemporaryDirectory() as name:
        async with world(Path(name), Knobs(voice="aws")) as here:
            before = len(here.aws.calls)
            for history in told:
                figures.score(history, await _known(here, history, extracts=extracts))
            sessions = sum(len(history.sessions) for history in told)
            counted = Counter(call.operation for call in here.aws.calls[before:])
            # One look at the end of each history is ours, not the program's: facts, preferences.
            counted["ListMemoryRecords"] -= 2 * len(told)
            held = here.aws.data().contents(here.memory.id).shelf.records
            calls = {
                operation: count / sessions
                for operation, count in sorted(counted.items())
                if operation not in _EVENTS and count
            }
            return Learning(calls, None if extracts else len(held) / sessions), figures


async def _known(here: World, history: History, *, extracts: bool) -> list[str]:
    """What is known after a history, played with a journal and an outbox of its own."""
    with TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        here.directory, files = Path(name), (Path(name), pool)
        understanding = recorded(history, review=True)
        async with await here.store(extracts=extracts) as store:
            for session in history.sessions:
                async with journal_in(here.directory / "journal.sqlite", pool) as journal:
                    # Daily maintenance is no part of a session.
                    await journal.maintenance.note_maintenance(session[0].opened_at)
                await extract([session], store, files, understanding)
            return await known_in(store, history)


async def _seconds(told: Sequence[History]) -> float:
    """How long the end of a session takes us when each call to AWS takes 200 ms."""
    with TemporaryDirectory() as name:
        async with world(Path(name)) as here:
            here.aws.faults.add(Fault(delay=0.2))
            started = time.perf_counter()
            for history in told:
                await _known(here, history, extracts=False)
            # Without that look at the end, whose two calls go together.
            spent = time.perf_counter() - started - 0.2 * len(told)
            return spent / sum(len(history.sessions) for history in told)


def table(report: Report) -> Table:
    """The report for people."""
    prices = aws_prices()
    shown = Table("a session", "aws", "mordecai", title="Learning on AgentCore")
    shown.caption = (
        f"{report.sessions} sessions of {report.turns:.1f} turns; prices of {prices.date}"
    )
    both = (report.aws, report.mordecai)
    for name in sorted({name for each in both for name in each.calls}):
        shown.add_row(name, *(f"{each.calls.get(name, 0):.2f}" for each in both))
    shown.add_row("records stored", *(_shown(each.records) for each in both))
    shown.add_row("answers of the model", *(f"{each.answers:.1f}" for each in both))
    shown.add_row("tokens read", *(f"{each.read:,.0f}" for each in both))
    shown.add_row("tokens written", *(f"{each.written:,.0f}" for each in both))
    shown.add_row("seconds, without these answers", *(_shown(each.seconds) for each in both))
    shown.add_row("recall, %", *(_shown(each.recall, 100) for each in both))
    shown.add_row("precision, %", *(_shown(each.precision, 100) for each in both))
    for id_, model in prices.models.items():
        cost = (f"{each.dollars(prices, id_):.2f}" for each in both)
        shown.add_row(f"$ a thousand sessions, {model.name}", *cost)
    return shown


def _shown(figure: float | None, times: float = 1.0) -> str:
    return "?" if figure is None else f"{times * figure:.1f}"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.aws_learning",
        description="What it takes to learn from conversations on AgentCore.",
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    given = parser.parse_args()
    configure("error")
    report = asyncio.run(measure(list(histories())))
    if given.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        Console().print(table(report))


if __name__ == "__main__":
    main()
