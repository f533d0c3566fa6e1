"""What a long talk costs a turn:

    python -m tests.evals.window [FILE] [--turns N] [--json]

A talk is played through the real conversation and the real memory, with the settings in force, to a
model in this process that answers from the script and keeps every request exactly as it came. Each
request is held against the one before it, and against what simpler bots would have sent. Tokens are
estimated, for all in the same way: what counts are the ratios.

The talk is played three times: as one session, whose message limit is lifted so that window and
running summaries are all there is; so once more with `adaptive_window`; and in sessions as they
are configured. Background work is waited for between turns: every run gives the same figures."""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.operations.logs import configure
from bot.options import memory_options
from bot.settings import Settings, load
from tests.evals.costs import Cost, Costs, costs_of
from tests.evals.play import play
from tests.evals.talk import Exchange, made_up, real

#: The turns that the table shows.
SHOWN = (1, 5, 10, 20, 50, 100, 200)

#: Our ways to play the talk, and those of simpler bots.
OURS = WINDOW, ADAPTIVE, SESSIONS = ("window", "adaptive window", "sessions as configured")
FULL, PASTED, SLIDING = ("full history", "pasted into the prompt", "last messages only")

#: Seconds a recall may take: a slow machine must not turn into another result.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be reached: at most, or else at least, this much."""

    name: str
    measured: float
    wanted: float
    at_most: bool = False

    @property
    def reached(self) -> bool:
        """Whether it is."""
        return self.measured <= self.wanted if self.at_most else self.measured >= self.wanted

    def to_json(self) -> dict[str, Any]:
        """The goal for machines; shares from 0 to 1."""
        return {
            "name": self.name,
            "measured": self.measured,
            "wanted": self.wanted,
            "at_most": self.at_most,
            "reached": self.reached,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What every way of talking costs, by name."""

    talk: str
    ways: dict[str, Costs]

    @property
    def length(self) -> int:
        """How many turns the talk has."""
        return len(self.ways[WINDOW].turns)

    def goals(self, way: str) -> list[Goal]:
        """What is to be reached, for one of our own ways; of a short talk only what it can
        show."""
        costs, last = self.ways[way], self.length
        goals = [Goal("share that a prompt cache could serve", costs.cacheable_share, 0.8)]
        if last >= 10:
            spared = _spared(costs.at(10), self.ways[PASTED].at(10))
            goals.insert(0, Goal(f"turn 10 spared against {PASTED}", spared, 0.5))
        if last > 20:
            spared = _spared(costs.at(last), self.ways[FULL].at(last))
            goals.insert(0, Goal(f"turn {last} spared against the {FULL}", spared, 0.9))
            growth = costs.at(last).input / costs.at(20).input
            goals.insert(0, Goal(f"turn {last} over turn 20", growth, 1.1, at_most=True))
        if last >= 70:
            growth = costs.mean(last, 30) / costs.mean(40, 30)
            goals.insert(
                1, Goal("the last 30 turns over turns 11 to 40", growth, 1.1, at_most=True)
            )
        return goals

    def to_json(self) -> dict[str, Any]:
        """The report for machines."""
        return {
            "talk": self.talk,
            "turns": self.length,
            "tokens": "estimated",
            "ways": {name: costs.to_json() for name, costs in self.ways.items()},
            "goals": {way: [goal.to_json() for goal in self.goals(way)] for way in OURS},
        }


def _spared(ours: Cost, theirs: Cost) -> float:
    return 1 - ours.input / theirs.input


async def evaluate(name: str, talk: Sequence[Exchange], settings: Settings) -> Report:
    """Play the talk in every way, with these settings."""
    ended = replace(
        memory_options(settings), memory_recall_timeout_seconds=_PATIENCE, adaptive_window=False
    )
    endless = replace(
        ended, limits=replace(ended.limits, max_conversation_messages=2 * len(talk) + 2)
    )
    one = await play(talk, settings, endless)
    adaptive = await play(talk, settings, replace(endless, adaptive_window=True))
    sessions = await play(talk, settings, ended)
    ways = {
        way: costs_of([t.requests for t in turns], [t.background for t in turns])
        for way, turns in ((WINDOW, one), (ADAPTIVE, adaptive), (SESSIONS, sessions))
    }
    ways[FULL] = costs_of([[n.full_history() for n in turn.naive] for turn in one])
    ways[PASTED] = costs_of([[n.pasted() for n in turn.naive] for turn in one])
    ways[SLIDING] = costs_of([[n.sliding() for n in turn.naive] for turn in one])
    return Report(name, ways)


def tables(report: Report) -> list[Table]:
    """The report for people."""
    others = [way for way in report.ways if way not in OURS]
    return [
        _turns(report, f"Input tokens a turn, {report.talk} (cacheable)", OURS),
        _turns(report, "The same talk without this memory", others),
        _whole(report),
        _goals(report),
    ]


def _turns(report: Report, title: str, ways: Sequence[str]) -> Table:
    table = Table(title=title)
    table.add_column("turn", justify="right")
    for way in ways:
        table.add_column(way, justify="right")
    for turn in sorted({*SHOWN, report.length}):
        if turn <= report.length:
            cells = (report.ways[way].at(turn) for way in ways)
            table.add_row(str(turn), *(f"{c.input:,} ({_percent(c.share)})" for c in cells))
    return table


def _whole(report: Report) -> Table:
    table = Table(title=f"All {report.length} turns")
    table.add_column("")
    columns = ("tokens", "not cacheable", "cacheable", "stable", "calls", "aside", "tokens aside")
    for column in columns:
        table.add_column(column, justify="right")
    for way, each in report.ways.items():
        table.add_row(
            way,
            f"{each.input:,}",
            f"{each.uncached:,}",
            _percent(each.cacheable_share),
            _percent(each.stable_share),
            f"{each.calls:,}",
            f"{each.background_calls:,}",
            f"{each.background_input:,}",
        )
    return table


def _goals(report: Report) -> Table:
    table = Table(title="Goals")
    table.add_column("")
    for way in OURS:
        table.add_column(way, justify="right")
    for row in zip(*(report.goals(way) for way in OURS), strict=True):
        bound = "at most" if row[0].at_most else "at least"
        table.add_row(f"{row[0].name}, {bound} {row[0].wanted}", *map(_outcome, row))
    return table


def _outcome(goal: Goal) -> str:
    return f"{goal.measured:.3f} {'reached' if goal.reached else 'not reached'}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def main() -> None:
    """Play the made-up talk, or one from a file, and print tables, or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.window")
    parser.add_argument("file", nargs="?", type=Path, help="conversations, as `eval recall` takes")
    parser.add_argument("--turns", type=int, default=200, help="how many turns to play")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    given = parser.parse_args()
    configure("error")
    talk = real(given.file, given.turns) if given.file else made_up(given.turns)
    name = given.file.name if given.file else "made up"
    report = asyncio.run(evaluate(name, talk, load(None).settings))
    if given.json:
        Console().print_json(data=report.to_json())
        return
    for table in tables(report):
        Console().print(table)


if __name__ == "__main__":
    main()
