"""`python -m tests.benchmarks.simulation [--people N] [--messages M] …`: what many people need.

One day of everybody is made up (`days.py`), and counted; what a message takes comes from measured
figures, what it costs from prices (`simulation.toml`). Nothing of the bot runs. The tables of
docs/scaling.md are made of this, and a test compares them."""

import argparse
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from bot.settings import Settings
from tests.benchmarks.days import Habits, at_once, live, people_at_once, per_second, sessions
from tests.benchmarks.prices import aws_prices

_MONTH_DAYS = 30.4
_FILE = Path(__file__).with_name("simulation.toml")
#: Of what a worker can do; the rest is for uneven seconds and for a worker that is missing.
_LOAD = 0.7


@cache
def constants() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Setup:
    """How the bot runs. A model takes `answer_seconds` for an answer (median); a worker writes so
    many answers at once, and holds so many connections to the database. It gives an actor back
    after `idle_seconds`. The database keeps messages for `kept_days`. Each answer is edited `edits`
    times while it grows."""

    answer_seconds: float = 6.0
    parallel: int = 64
    connections: int = 13
    idle_seconds: float = 300.0
    kept_days: int = 730
    edits: float = 3.0


@dataclass(frozen=True)
class Load:
    """What a day of everybody brings. `peak` is the busiest second."""

    messages: int
    sessions: int
    mean: float
    busiest_hour: float
    busy_second: float
    peak: int
    answers_at_once: int
    actors_at_once: int


@dataclass(frozen=True)
class Needs:
    """What it takes to serve that."""

    cores: float
    database_cores: float
    workers_for_answers: int
    workers: int
    connections: int
    daily_gigabytes: float
    kept_gigabytes: float
    telegram_messages: float
    telegram_requests: float
    retrievals: float
    events: float
    tokens_a_minute: float


def load_of(habits: Habits, setup: Setup, seed: int = 1) -> Load:
    settings = Settings()
    day = live(habits, seed)
    seconds = per_second(day)
    random = numpy.random.default_rng(seed + 1)
    lasts = random.lognormal(math.log(setup.answer_seconds), 0.5, len(day.second))
    hours = seconds.reshape(24, 3600).sum(axis=1) / 3600
    turns = settings.max_conversation_messages // 2
    return Load(
        messages=len(day.second),
        sessions=sessions(day, settings.session_idle_minutes * 60, turns),
        mean=float(seconds.mean()),
        busiest_hour=float(hours.max()),
        busy_second=float(numpy.quantile(seconds, 0.999)),
        peak=int(seconds.max()),
        answers_at_once=at_once(day.second, day.second + lasts),
        actors_at_once=people_at_once(day, setup.idle_seconds),
    )


def needs_of(load: Load, setup: Setup) -> Needs:
    measured = constants()["measured"]
    # Queues smooth single seconds: the second that is exceeded 86 times a day counts.
    busy = load.busy_second
    cores = busy * measured["cpu_ms"] / 1000 / _LOAD
    for_answers = math.ceil(load.answers_at_once / setup.parallel / _LOAD)
    # Two for the work even when there is little, and one that may be missing.
    workers = max(math.ceil(cores), for_answers, 2) + 1
    daily = load.messages * measured["kilobytes_per_turn"] / 1e6
    input_tokens = sum(measured[f"{kind}_tokens"] for kind in ("uncached", "cached", "written"))
    return Needs(
        cores=cores,
        database_cores=busy * measured["database_cpu_ms"] / 1000 / _LOAD,
        workers_for_answers=for_answers,
        workers=workers,
        connections=workers * setup.connections,
        daily_gigabytes=daily,
        kept_gigabytes=daily * setup.kept_days,
        telegram_messages=busy,
        # "typing", the first piece, its edits, and the whole.
        telegram_requests=busy * (3 + setup.edits),
        retrievals=busy * measured["retrievals"],
        events=busy,
        tokens_a_minute=load.busiest_hour * 60 * (input_tokens + measured["output_tokens"]),
    )


# -- dollars --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bill:
    """Dollars a month."""

    database: float
    storage: float
    machines: float
    #: By model: answers, and learning from sessions.
    models: dict[str, tuple[float, float]]
    agentcore: float


def bill_of(load: Load, needs: Needs) -> Bill:
    prices = constants()["prices"]
    machines = math.ceil(needs.workers / prices["machine_cores"])
    models = {row.name: asdict(row) for row in aws_prices().models.values()} | prices["models"]
    return Bill(
        database=prices["database_hour"] * 24 * _MONTH_DAYS,
        # In the middle of the first year.
        storage=needs.daily_gigabytes * 365 / 2 * prices["gigabyte_month"],
        machines=machines * prices["machine_hour"] * 24 * _MONTH_DAYS,
        models={name: _model_month(load, price) for name, price in models.items()},
        agentcore=_agentcore_month(load),
    )


def _model_month(load: Load, price: dict[str, Any]) -> tuple[float, float]:
    measured = constants()["measured"]
    uncached, cached, written = (
        measured[f"{kind}_tokens"] for kind in ("uncached", "cached", "written")
    )
    if price["cache_minimum"] > uncached + cached + written:
        uncached, cached, written = uncached + cached + written, 0, 0
    answer = (
        uncached * price["input"]
        + cached * price["cache_read"]
        + written * price["cache_write"]
        + measured["output_tokens"] * price["output"]
    )
    learning = (
        measured["learning_input_tokens"] * price["input"]
        + measured["learning_output_tokens"] * price["output"]
    )
    days = _MONTH_DAYS / 1e6
    return load.messages * answer * days, load.sessions * learning * days


def _agentcore_month(load: Load) -> float:
    """With half a year's records, as AWS bills what is stored each month."""
    measured, prices = constants()["measured"], aws_prices()
    turns = load.messages * _MONTH_DAYS / 1000
    calls = turns * (prices.events + measured["retrievals"] * prices.retrievals)
    return float(calls + turns * 6 * measured["records"] * prices.records)


# -- as tables ------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 2) + "---|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def load_table(habits: Habits, load: Load, needs: Needs, setup: Setup) -> str:
    limits = constants()["limits"]

    def rows() -> Iterator[tuple[str, ...]]:
        yield "messages a day", f"{load.messages:,}", f"{habits.people:,} people"
        yield "sessions a day", f"{load.sessions:,}", "each is learned from once"
        yield "updates a second, mean", f"{load.mean:.1f}", ""
        yield "in the busiest hour", f"{load.busiest_hour:.1f}", ""
        yield "in a busy second", f"{load.busy_second:.0f}", "exceeded 86 times a day"
        yield "in the busiest second", f"{load.peak}", "the inbox takes it; answers wait a moment"
        yield (
            "answers being written at once",
            f"{load.answers_at_once}",
            f"{setup.answer_seconds:g} s each",
        )
        yield (
            "actors held by workers",
            f"{load.actors_at_once:,}",
            f"heard of in {setup.idle_seconds:g} s",
        )
        yield "cores for workers", f"{needs.cores:.1f}", f"at {_LOAD:.0%} load"
        yield "cores for PostgreSQL", f"{needs.database_cores:.1f}", "with the same reserve"
        yield (
            "workers for the answers",
            f"{needs.workers_for_answers}",
            f"{setup.parallel} answers each, at {_LOAD:.0%}",
        )
        yield (
            "**workers**",
            f"**{needs.workers}**",
            "the larger of both, and one that may be missing",
        )
        yield "connections to PostgreSQL", f"{needs.connections}", f"{setup.connections} a worker"
        yield "growth of the database", f"{needs.daily_gigabytes:.1f} GB a day", ""
        yield (
            f"after {setup.kept_days} days (`message_days`)",
            f"{needs.kept_gigabytes:,.0f} GB",
            "then it stays",
        )
        yield (
            "Telegram: messages a second",
            f"{needs.telegram_messages:.0f}",
            f"{limits['telegram_messages']} for bulk messages",
        )
        yield (
            "Telegram: requests a second",
            f"{needs.telegram_requests:.0f}",
            f'with {setup.edits:g} edits an answer; `streaming = "off"` halves it',
        )
        yield (
            "model: tokens a minute",
            f"{needs.tokens_a_minute / 1e6:.1f} million",
            "in the busiest hour; ask the vendor",
        )
        yield (
            "AgentCore: retrievals a second",
            f"{needs.retrievals:.0f}",
            f"{limits['agentcore_retrievals']} by default",
        )
        yield (
            "AgentCore: events a second",
            f"{needs.events:.0f}",
            f"{limits['agentcore_events']} by default",
        )

    return _table(("", "", "note"), rows())


def bill_table(load: Load, needs: Needs, bill: Bill) -> str:
    prices = constants()["prices"]
    machines = math.ceil(needs.workers / prices["machine_cores"])

    def rows() -> Iterator[tuple[str, ...]]:
        yield "PostgreSQL: db.r5.large in two zones", f"{bill.database:,.0f}", ""
        yield "its storage", f"{bill.storage:,.0f}", "in the middle of the first year"
        yield f"{needs.workers} workers on {machines} m7g.large", f"{bill.machines:,.0f}", ""
        for name, (answers, learning) in bill.models.items():
            yield (
                f"**{name}**: answers",
                f"{answers:,.0f}",
                f"{answers / load.messages / _MONTH_DAYS * 1000:.2f} a thousand messages",
            )
            yield f"{name}: learning", f"{learning:,.0f}", "with the review"
        yield (
            "instead of records in PostgreSQL: AgentCore",
            f"{bill.agentcore:,.0f}",
            "with half a year's records; AWS learns",
        )

    return _table(("a month", "$", "note"), rows())


def report(habits: Habits, setup: Setup, seed: int = 1) -> str:
    load = load_of(habits, setup, seed)
    needs = needs_of(load, setup)
    tables = load_table(habits, load, needs, setup), bill_table(load, needs, bill_of(load, needs))
    return "\n\n".join(tables)


def _add_options(parser: argparse.ArgumentParser, defaults: Habits | Setup) -> None:
    for field in fields(defaults):
        value = getattr(defaults, field.name)
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(value), default=value)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    _add_options(parser, Habits())
    _add_options(parser, Setup())
    parser.add_argument("--seed", type=int, default=1)
    given = vars(parser.parse_args())
    habits = replace(Habits(), **{field.name: given[field.name] for field in fields(Habits)})
    setup = replace(Setup(), **{field.name: given[field.name] for field in fields(Setup)})
    print(report(habits, setup, given["seed"]))


if __name__ == "__main__":
    main()
