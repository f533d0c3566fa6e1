"""How well is kept what is worth keeping:

    python -m tests.evals.extraction [FILE] [--limit N] [--json]

Each labelled dialogue (see `tests.evals.dialogues`) is played through the real service with the
real store and journal, in a directory of its own that is thrown away: its turns are recorded, its
sessions ended, their extraction waited for. Then it is said again in a new session, which should
add nothing. What is remembered is held against the labels, and every file is searched for what must
not be stored."""

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic_ai.models import Model
from rich.console import Console
from rich.table import Table

from bot.models.catalogue import OFFLINE
from bot.models.configured import models_of
from bot.models.extraction import ModelExtractor
from bot.offline.extractor import RuleExtractor
from bot.offline.notebook import offline_model
from bot.offline.understanding import by_rules
from bot.operations.logs import configure
from bot.options import memory_options
from bot.settings import load
from memory.learning.endings import Outcome as Ended
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Draft, Kind, Place, Record, Role, Utterance
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Extraction, Extractor, Reading
from tests.evals.dialogues import Dialogue, dialogues, sample
from tests.evals.verdicts import Figures, Outcome, Verdict, share, verdict
from tests.fakes.files import journal_in

_ACTOR = Actor.person(1)
_PLACE = Place("terminal", 1)
_LEARNED = (Kind.FACT, Kind.PREFERENCE)

#: What is known was told so long before.
_BEFORE = timedelta(days=30)
#: How far apart messages, sessions and the second saying are where no label tells.
_MESSAGE, _SESSION, _AGAIN = timedelta(minutes=1), timedelta(days=1), timedelta(hours=1)
_GAPS = re.compile(r"[ -]")
#: Seconds that a try may take beyond its own limit, for writing on a busy machine.
_GRACE = 60.0


class Substitute:
    """The rules, where a model has to give up; counts how often."""

    def __init__(self) -> None:
        self._rules = RuleExtractor()
        self.used = 0

    async def extract(self, reading: Reading) -> Extraction:
        """See memory.understanding.Extractor."""
        self.used += 1
        return await self._rules.extract(reading)


@dataclass(slots=True)
class Report:
    """The verdicts on all dialogues, in groups."""

    extractor: str
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def overall(self) -> Figures:
        """The figures of all dialogues."""
        return Figures.total(one.figures for one in self.verdicts)

    def by(self, names_of: Callable[[Dialogue], Sequence[str]]) -> dict[str, Figures]:
        """The figures of each group, in the order of the file. A dialogue may be in several."""
        names = dict.fromkeys(n for one in self.verdicts for n in names_of(one.dialogue))
        return {
            name: Figures.total(
                one.figures for one in self.verdicts if name in names_of(one.dialogue)
            )
            for name in names
        }

    @property
    def groups(self) -> dict[str, dict[str, Figures]]:
        """The figures by language, tag and half."""
        return {
            "languages": self.by(lambda one: (one.language,)),
            "tags": self.by(lambda one: one.tags),
            "halves": self.by(lambda one: (one.half,)),
        }

    def to_json(self) -> dict[str, Any]:
        """The report for machines, with all that was kept where something was wrong."""
        return {
            "extractor": self.extractor,
            "overall": self.overall.to_json(),
            **{
                group: {name: figures.to_json() for name, figures in own.items()}
                for group, own in self.groups.items()
            },
            "mistakes": [one.to_json() for one in self.verdicts if one.mistaken],
        }


async def evaluate(
    chosen: Sequence[Dialogue],
    model: Model | None = None,
    options: MemoryOptions | None = None,
) -> Report:
    """Play these dialogues, one after the other."""
    options = options or MemoryOptions()
    rules = Substitute()
    report = Report(model.model_name if model else "the notebook's rules")
    async with AsyncExitStack() as stack:
        if model:
            await stack.enter_async_context(model)
        extractor = ModelExtractor(model, rules) if model else RuleExtractor()
        for dialogue in chosen:
            rules.used = 0
            with tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory:
                outcome = await _played(dialogue, extractor, options, Path(directory))
            report.verdicts.append(verdict(dialogue, replace(outcome, stood_in=rules.used)))
    return report


async def _played(
    dialogue: Dialogue, extractor: Extractor, options: MemoryOptions, directory: Path
) -> Outcome:
    """Play a dialogue in an empty directory, its last session twice."""
    clock = _Clock(dialogue.at)
    stage = _Stage(dialogue, directory, clock)
    with ThreadPoolExecutor(2, thread_name_prefix="eval") as pool:
        store = SqliteStore(directory / "memory", pool)
        try:
            async with (
                journal_in(directory / "journal.sqlite", pool) as journal,
                Memory(
                    store, journal, replace(by_rules(), extractor=extractor), options, clock
                ) as memory,
            ):
                await store.commit(_ACTOR, _known(dialogue))
                started = time.perf_counter()
                for session in _timed(dialogue):
                    await stage.play(memory, session)
                seconds = time.perf_counter() - started
                records = await _remembered(memory)
                ids = {record.id for record in records}
                # What failed is tried again by and by: what is new then was not repeated.
                if not stage.failed:
                    again = [replace(one, at=one.at + _AGAIN) for one in _timed(dialogue)[-1]]
                    await stage.play(memory, again)
                repeated = [one for one in await _remembered(memory) if one.id not in ids]
        finally:
            await store.aclose()
    stage.look_for_secrets()
    leaked = tuple(sorted(stage.leaked))
    return Outcome(tuple(records), tuple(repeated), leaked, stage.failed, seconds=seconds)


class _Clock:
    """The time of the dialogue."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class _Stage:
    """Where a dialogue is played: what fails, and which secrets come to lie in its files."""

    def __init__(self, dialogue: Dialogue, directory: Path, clock: _Clock) -> None:
        self._secrets, self._directory, self._clock = dialogue.secrets, directory, clock
        self.failed = 0
        self.leaked: set[str] = set()

    async def play(self, memory: Memory, session: Sequence[Utterance]) -> None:
        """Record the turns of a session, end it, and wait for what it leaves."""
        endings = []
        for turn in _turns(session):
            self._clock.now = turn[-1].at
            endings.append(await memory.talk.record(_ACTOR, _PLACE, turn))
        self.look_for_secrets()
        endings.append(await memory.talk.end(_ACTOR, _PLACE, "new"))
        for ending in filter(None, endings):
            outcome = await ending.wait(memory.options.extraction_timeout_seconds + _GRACE)
            self.failed += outcome is Ended.LATER

    def look_for_secrets(self) -> None:
        """Search every file as it is now, for secrets as they were written and without gaps."""
        for file in filter(Path.is_file, self._directory.rglob("*")):
            there = file.read_bytes().lower()
            self.leaked.update(
                secret
                for secret in self._secrets
                if any(form.lower().encode() in there for form in (secret, _GAPS.sub("", secret)))
            )


async def _remembered(memory: Memory) -> list[Record]:
    return await memory.known.records(_ACTOR, _LEARNED, everything=True)


def _known(dialogue: Dialogue) -> list[Draft]:
    told = dialogue.at - _BEFORE
    return [Draft(one.kind, one.text, told, slot=one.slot) for one in dialogue.known]


def _timed(dialogue: Dialogue) -> list[list[Utterance]]:
    """The sessions with a time for each message."""
    sessions, now = list[list[Utterance]](), dialogue.at
    for session in dialogue.sessions:
        messages = list[Utterance]()
        for said in session:
            now = said.at or now
            messages.append(Utterance(said.role, said.text, now))
            now += _MESSAGE
        sessions.append(messages)
        now += _SESSION
    return sessions


def _turns(messages: Sequence[Utterance]) -> list[list[Utterance]]:
    """What the user says, with the replies to it."""
    turns = list[list[Utterance]]()
    for role, several in groupby(messages, key=lambda message: message.role):
        if role is Role.USER or not turns:
            turns.append([])
        turns[-1].extend(several)
    return turns


def tables(report: Report) -> list[Table]:
    """The report for people: what is kept, what must not happen, and what it takes."""
    kept = _grouped(
        report,
        f"What is kept of a conversation: {report.extractor}",
        {
            "dialogues": lambda one: str(one.dialogues),
            "recall": lambda one: _percent(one.met, one.expected),
            "precision": lambda one: _percent(one.right, one.kept),
            "dates": lambda one: _of(one.dates_right, one.dates),
            "updates": lambda one: _of(one.updates_right, one.updates),
        },
    )
    harm = _grouped(
        report,
        "What must not happen",
        {
            "misattributed": lambda one: _of(one.misattributed, one.kept),
            "lost": lambda one: _of(one.lost, one.lasting),
            "repeated": lambda one: str(one.repeated),
            "leaked": lambda one: _of(one.leaked, one.secrets),
            "failed": lambda one: str(one.failed),
        },
    )
    overall = report.overall
    cost = Table(title="Besides")
    for column in ("seconds a dialogue", "rules stood in", "kinds right"):
        cost.add_column(column, justify="right")
    cost.add_row(
        f"{share(overall.seconds, overall.dialogues) or 0:.2f}",
        str(overall.stood_in),
        _of(overall.kinds_right, overall.kinds),
    )
    return [kept, harm, cost]


def _grouped(report: Report, title: str, columns: dict[str, Callable[[Figures], str]]) -> Table:
    """A table with a row for each group and these columns."""
    table = Table(title=title)
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for group in report.groups.values():
        for name, figures in group.items():
            table.add_row(name, *(shown(figures) for shown in columns.values()))
        table.add_section()
    table.add_row("overall", *(shown(report.overall) for shown in columns.values()), style="bold")
    return table


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} % of {whole}" if whole else "-"


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else "-"


def main() -> None:
    """Measure with the model that the settings name, or the rules of the bot without one; print
    tables, or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.extraction")
    parser.add_argument("file", nargs="?", type=Path, help="dialogues; else those of this folder")
    parser.add_argument("--limit", type=int, help="only so many, of all languages")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    given = parser.parse_args()
    # Why a model failed is worth a line.
    configure("warning")
    settings = load(None).settings
    chosen = dialogues(given.file)
    chosen = sample(chosen, given.limit) if given.limit else chosen
    model = None if settings.model in (None, OFFLINE) else models_of(settings, offline_model)
    report = asyncio.run(evaluate(chosen, model, memory_options(settings)))
    if given.json:
        Console().print_json(data=report.to_json())
        return
    for table in tables(report):
        Console().print(table)


if __name__ == "__main__":
    main()
