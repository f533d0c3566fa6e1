"""Whether search knows when to be silent:

    python -m tests.evals.chatter [--embedder NAME] [--json]

`chatter.jsonl` beside this file holds people of several languages, one a line: what is known of
each of them, and everyday messages, each labelled with what it should recall. Most should recall
nothing ("thanks!", "tell me a joke"). Labels expect no more than words and kindred words can tell;
messages that a fair person may argue about are marked hard. Every message goes through the real
search of the real store with the default settings, among records of all kinds; by words alone
unless an embedder is named."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.evals.recall import open_embedder
from bot.evals.stores import PATIENCE
from bot.settings import Settings
from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Embedder

#: When all messages are asked; what is known was told the week before.
_NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
_TOLD = _NOW - timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that is known of a person: a learned record, or an archived message."""

    id: str
    kind: Kind
    text: str
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class Everyday:
    """A message, and the ids of what it should recall: nothing, if it is small talk."""

    text: str
    recalls: frozenset[str]
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is known and who writes. The words of search were tuned on one half of the
    people; the other half checks that it was not done for them alone."""

    language: str
    half: str
    known: tuple[Known, ...]
    messages: tuple[Everyday, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a message recalled."""

    person: Person
    message: Everyday
    recalled: tuple[str, ...]

    @property
    def quiet(self) -> bool:
        """Whether the message should recall nothing."""
        return not self.message.recalls

    @property
    def mistaken(self) -> bool:
        """Whether something was recalled where nothing should be, or not what should be."""
        return bool(self.recalled) if self.quiet else not self.message.recalls & {*self.recalled}


@dataclass(frozen=True, slots=True)
class Tally:
    """How often search was mistaken, as shares from 0 to 1: irrelevant messages that recalled
    something, relevant ones that did not recall what they should."""

    irrelevant: int
    false_recalls: float
    relevant: int
    missed: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Tally":
        """The tally of these outcomes."""
        quiet = [outcome.mistaken for outcome in outcomes if outcome.quiet]
        asking = [outcome.mistaken for outcome in outcomes if not outcome.quiet]
        return cls(len(quiet), _share(quiet), len(asking), _share(asking))

    def to_json(self) -> dict[str, float]:
        """The tally by name."""
        return {
            "irrelevant": self.irrelevant,
            "false_recalls": self.false_recalls,
            "relevant": self.relevant,
            "missed": self.missed,
        }


@dataclass(slots=True)
class Report:
    """All outcomes, in groups."""

    outcomes: list[Outcome] = field(default_factory=list)

    def by(self, name_of: Callable[[Outcome], str]) -> dict[str, Tally]:
        """A tally for each group of outcomes, in the order of the file."""
        names = dict.fromkeys(map(name_of, self.outcomes))
        return {
            name: Tally.of([one for one in self.outcomes if name_of(one) == name]) for name in names
        }

    def to_json(self) -> dict[str, Any]:
        """The report for machines, with every mistake."""
        groups = {
            "languages": self.by(lambda one: one.person.language),
            "halves": self.by(lambda one: one.person.half),
            "difficulty": self.by(lambda one: "hard" if one.message.hard else "plain"),
        }
        return {
            "overall": Tally.of(self.outcomes).to_json(),
            **{
                group: {name: tally.to_json() for name, tally in tallies.items()}
                for group, tallies in groups.items()
            },
            "mistakes": [
                {
                    "message": one.message.text,
                    "language": one.person.language,
                    "half": one.person.half,
                    "expected": sorted(one.message.recalls),
                    "recalled": list(one.recalled),
                }
                for one in self.outcomes
                if one.mistaken
            ],
        }


def people() -> Iterator[Person]:
    """The people of the labelled file."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8")
    return map(_person, map(json.loads, lines.splitlines()))


async def _measured(name: str | None) -> Report:
    async with open_embedder(name) as embedder:
        return await evaluate(tuple(people()), embedder)


async def evaluate(someone: Sequence[Person], embedder: Embedder | None = None) -> Report:
    """Put every message of these people to a store that knows what is known of them."""
    report = Report()
    with (
        tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory,
        ThreadPoolExecutor(1, thread_name_prefix="eval") as pool,
    ):
        store = SqliteStore(Path(directory), pool, embedder=embedder, embedding_seconds=PATIENCE)
        for number, person in enumerate(someone, start=1):
            await _measure(store, Actor.person(number), person, report)
        await store.aclose()
    return report


def table(report: Report) -> Table:
    """The report for people, in percent."""
    result = Table(title="Everyday messages")
    result.add_column("")
    for column in ("irrelevant", "recall something", "relevant", "recall nothing of use"):
        result.add_column(column, justify="right")
    for name, tally in report.by(lambda one: one.person.language).items():
        result.add_row(name, *_cells(tally))
    result.add_section()
    for half, tally in report.by(lambda one: one.person.half).items():
        result.add_row(f"{half} half", *_cells(tally))
    result.add_row("all but hard ones", *_cells(_plain(report)))
    result.add_row("overall", *_cells(Tally.of(report.outcomes)), style="bold")
    return result


def _plain(report: Report) -> Tally:
    return Tally.of([one for one in report.outcomes if not one.message.hard])


def _cells(tally: Tally) -> list[str]:
    return [
        str(tally.irrelevant),
        f"{100 * tally.false_recalls:.1f} %",
        str(tally.relevant),
        f"{100 * tally.missed:.1f} %",
    ]


def _share(mistakes: Sequence[bool]) -> float:
    return sum(mistakes) / max(1, len(mistakes))


async def _measure(store: SqliteStore, actor: Actor, person: Person, report: Report) -> None:
    for known in person.known:
        await _tell(store, actor, known)
    await store.settle()
    ids = {known.text: known.id for known in person.known}
    for message in person.messages:
        hits = await store.search(
            actor,
            message.text,
            kinds=tuple(Kind),
            limit=_default("memory_retrieval_top_k"),
            min_relevance=_default("memory_retrieval_relevance_score"),
            now=_NOW,
        )
        recalled = tuple(ids[hit.record.text] for hit in hits)
        report.outcomes.append(Outcome(person, message, recalled))


async def _tell(store: SqliteStore, actor: Actor, known: Known) -> None:
    if known.kind is Kind.MESSAGE:
        message = Utterance(known.role, known.text, _TOLD)
        await store.add_turn(actor, Turn(id=known.id, session_id="before", messages=(message,)))
    else:
        await store.commit(actor, [Draft(known.kind, known.text, _TOLD)])


def _default(setting: str) -> Any:
    return Settings.model_fields[setting].default


def _person(data: dict[str, Any]) -> Person:
    return Person(
        language=data["language"],
        half=data["half"],
        known=tuple(
            Known(one["id"], Kind(one["kind"]), one["text"], Role(one.get("role", "user")))
            for one in data["known"]
        ),
        messages=tuple(
            Everyday(one["text"], frozenset(one["recalls"]), one.get("hard", False))
            for one in data["messages"]
        ),
    )


def main() -> None:
    """Measure, and print a table, or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.chatter")
    parser.add_argument("--embedder", metavar="NAME", help="search by meaning, too")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    given = parser.parse_args()
    report = asyncio.run(_measured(given.embedder))
    if given.json:
        Console().print_json(data=report.to_json())
    else:
        Console().print(table(report))


if __name__ == "__main__":
    main()
