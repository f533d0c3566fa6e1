"""What is stored of labelled dialogues: the core of `mordecai eval learning`.

Each dialogue becomes an actor of its own in a real store and journal, which are thrown away. Its
sessions go through the real extraction jobs, in order. Without a model the findings of the file are
the proposals, and there is no review: this measures the checks. `verdict` and `why` are read when
all is stored, to score it.

With a model, the model proposes and reviews. It words its statements as it likes, so each stored
record stands for the finding that it is nearest to: of the words of both, how many are shared
(index words, without grammar words; F1), plus `SAME_TURN` if they stand on a common turn. Below
`NEAR` it stands for none. A finding to keep is right if a record stands for it, one to drop if none
does. A session that the model failed to read twice counts as one that nothing was stored of; how
many there are is told."""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.errors import OperatorError
from bot.evals.labelled import LabelledDialogue, LabelledFinding, ToldSession, read_labelled
from bot.models.catalogue import OFFLINE
from bot.models.configured import model_of
from bot.models.extraction import ModelExtractor
from bot.models.review import ModelReviewer
from bot.settings import load
from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Actor, Kind, Record, Turn
from memory.search.text import small_stems, words
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from memory.stores.sqlite.database import SqliteDatabases
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Extraction, Proposal, Reading, Relation, Understanding

#: What code alone can decide.
BY_CODE = frozenset(
    {
        "hallucinated_detail",
        "quoted_text",
        "secret",
        "injected_instruction",
        "duplicate",
        "wrong_date",
    }
)
NEAR, SAME_TURN = 0.5, 0.2
LEARNED = (Kind.FACT, Kind.PREFERENCE)
#: After what time a session that could not be read is tried again.
_LATER = timedelta(hours=1)


@dataclass(slots=True)
class Tally:
    """How many were decided rightly."""

    right: int = 0
    of: int = 0

    def count(self, right: bool) -> None:
        self.right += right
        self.of += 1

    def to_json(self) -> dict[str, float]:
        return {"right": self.right, "of": self.of, "share": self.share}

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 0.0


@dataclass(slots=True)
class LearningReport:
    """What was measured, over all files. The keys of `by_why` and `by_language` name the verdict
    too."""

    keep: Tally = field(default_factory=Tally)
    drop: Tally = field(default_factory=Tally)
    drop_by_code: Tally = field(default_factory=Tally)
    by_why: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_language: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    #: What was decided wrongly: dialogue, verdict, why, statement.
    wrong: list[tuple[str, str, str, str]] = field(default_factory=list)
    #: Records of a model that stand for a finding to keep, for one to drop, and for none.
    records: tuple[int, int, int] | None = None
    #: Sessions that a model failed to read.
    unread: int = 0

    def note(self, dialogue: LabelledDialogue, finding: LabelledFinding, stored: bool) -> None:
        """Count a finding that was stored, or not."""
        verdict, right = ("keep", stored) if finding.keep else ("drop", not stored)
        (self.keep if finding.keep else self.drop).count(right)
        self.by_why[verdict, finding.why].count(right)
        self.by_language[verdict, dialogue.language].count(right)
        if not finding.keep and (finding.why in BY_CODE or not finding.occurs):
            self.drop_by_code.count(right)
        if not right:
            self.wrong.append((dialogue.id, verdict, finding.why, finding.text))

    def to_json(self) -> dict[str, Any]:
        """The report for machines."""
        report: dict[str, Any] = {
            "keep": self.keep.to_json(),
            "drop": self.drop.to_json(),
            "drop_by_code": self.drop_by_code.to_json(),
            "by_why": _by_verdict(self.by_why),
            "by_language": _by_verdict(self.by_language),
            "wrong": [
                {"id": id_, "verdict": verdict, "why": why, "text": text}
                for id_, verdict, why, text in self.wrong
            ],
        }
        if self.records:
            right, wrong, unlabelled = self.records
            report["records"] = {"keep": right, "drop": wrong, "unlabelled": unlabelled}
            report["unread_sessions"] = self.unread
        return report


def _by_verdict(tallies: dict[tuple[str, str], Tally]) -> dict[str, dict[str, Any]]:
    return {
        verdict: {
            name: tally.to_json()
            for (which, name), tally in sorted(tallies.items())
            if which == verdict
        }
        for verdict in ("keep", "drop")
    }


class _Recorded:
    """An extractor that proposes the findings of the file."""

    def __init__(self) -> None:
        self._findings: dict[str, list[LabelledFinding]] = {}
        self._ids: dict[str, Sequence[str]] = {}

    def teach(self, dialogue: LabelledDialogue, known: Sequence[Record]) -> None:
        for number, (session, _) in enumerate(dialogue.sessions):
            own = [finding for finding in dialogue.findings if finding.session == number]
            self._findings[session.id] = own
            self._ids[session.id] = [record.id for record in known]

    async def extract(self, reading: Reading) -> Extraction:
        session = reading.turns[0].session_id
        ids = self._ids[session]
        return Extraction(tuple(_proposal(each, ids) for each in self._findings[session]))

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        return earlier or ""


def _proposal(finding: LabelledFinding, known: Sequence[str]) -> Proposal:
    replaces = None if finding.replaces is None else known[finding.replaces]
    return Proposal(
        finding.kind,
        finding.text,
        finding.evidence,
        event_date=finding.date,
        relation=Relation.NEW if replaces is None else Relation.CHANGED,
        known=replaces,
    )


class _Nothing:
    """What stands in for a model that can't read a session."""

    async def extract(self, reading: Reading) -> Extraction:
        return Extraction()


def report_learning(files: Sequence[Path], json_wanted: bool, model: str | None) -> int:
    """The command: measure, and print tables, or JSON for machines. The exit code: 2 for a file
    that can't be read, or a model that can't be used."""
    errors = Console(stderr=True)
    try:
        report = asyncio.run(measure_learning(files, model))
    except (OSError, ValueError, OperatorError) as error:
        errors.print(
            f"mordecai eval learning: {error}", markup=False, highlight=False, soft_wrap=True
        )
        return 2
    out = Console()
    if json_wanted:
        out.print_json(data=report.to_json())
    else:
        for table in learning_tables(report):
            out.print(table)
    return 0


def learning_tables(report: LearningReport) -> list[Table]:
    """The report for people: shares in percent."""
    main = Table(title="What is stored of labelled findings")
    for column in ("findings", "right", "of", "%"):
        main.add_column(column, justify="left" if column == "findings" else "right")
    _add(main, "to keep", report.keep)
    _add(main, "to drop", report.drop)
    _add(main, "of these, what code can decide", report.drop_by_code)
    found = [main]
    for title, tallies in (("class", report.by_why), ("language", report.by_language)):
        table = Table(title=f"By {title}")
        for column in (title, "right", "of", "%"):
            table.add_column(column, justify="left" if column == title else "right")
        for (verdict, name), tally in sorted(tallies.items(), reverse=True):
            _add(table, f"{verdict} {name}", tally)
        found.append(table)
    if report.records:
        right, wrong, unlabelled = report.records
        main.caption = (
            f"Records: {right} stand for a finding to keep, {wrong} for one to drop, "
            f"{unlabelled} for none."
        )
        if report.unread:
            main.caption += f"\nThe model failed to read {report.unread} sessions."
    return found


def _add(table: Table, name: str, tally: Tally) -> None:
    table.add_row(name, str(tally.right), str(tally.of), f"{100 * tally.share:.1f}")


async def measure_learning(paths: Iterable[Path], model: str | None = None) -> LearningReport:
    """Measure on these files. Raises OSError, ValueError for a file that holds something else, and
    OperatorError for a model that can't be used."""
    report = LearningReport()
    async with AsyncExitStack() as stack:
        recorded = _Recorded()
        understanding, seconds = Understanding(recorded, recorded), 30.0
        if model:
            settings = load().settings
            if settings.model in (None, OFFLINE):
                # Then the address and the key can only be meant for this one.
                settings = settings.model_copy(update={"model": model})
            seconds = settings.extraction_timeout_seconds
            used = await stack.enter_async_context(model_of(settings, model))
            extractor = ModelExtractor(used, _Nothing())
            reviewer = ModelReviewer(used) if settings.extraction_review else None
            understanding = Understanding(
                extractor, recorded, corrector=extractor, reviewer=reviewer
            )
        pool = stack.enter_context(ThreadPoolExecutor(2, thread_name_prefix="eval"))
        for path in paths:
            for dialogue in read_labelled(path):
                with tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory:
                    files = (Path(directory), pool)
                    store = SqliteStore(*files)
                    known = await store.commit(dialogue.actor, dialogue.known)
                    recorded.teach(dialogue, known)
                    report.unread += await extract(
                        dialogue.sessions, store, files, understanding, seconds
                    )
                    stored = await _new_records(dialogue.actor, store, known)
                    await store.aclose()
                if model:
                    _score_nearest(report, dialogue, stored)
                else:
                    _score_exactly(report, dialogue, stored)
    return report


async def _new_records(actor: Actor, store: SqliteStore, known: Sequence[Record]) -> list[Record]:
    """The records that are stored of a dialogue, superseded ones too."""
    records = await store.records(actor, kinds=LEARNED, include_superseded=True)
    before = {record.id for record in known}
    return [record for record in records if record.id not in before]


async def extract(
    sessions: Sequence[ToldSession],
    store: Store,
    files: tuple[Path, ThreadPoolExecutor],
    understanding: Understanding,
    seconds: float = 30.0,
) -> int:
    """Let the jobs extract ended sessions, one after the other, with a journal in this directory;
    each answer of a model may take these `seconds`. How many of the sessions could not be read,
    even a second time."""
    databases = SqliteDatabases(*files)
    unread = 0
    for session, turns in sessions:
        now = session.opened_at
        options = MemoryOptions(
            time_zone=now.tzinfo or UTC, extraction_attempts=2, extraction_timeout_seconds=seconds
        )
        async with SqlJournal(databases.open(JOURNAL_LAYOUT)) as journal:
            await journal.sessions.open(session)
            for turn in turns:
                await journal.turns.append(session.id, turn)
            await journal.sessions.end(session.id, "eval", now)
            # A memory takes up when it opens what an earlier one left.
            for at in (now, now + _LATER):
                clock = partial(_stopped_clock, at)
                async with Memory(store, journal, understanding, options, clock) as memory:
                    await memory.settle()
                    left = await memory.backlog()
                if not left.waiting:
                    break
            unread = left.quarantined
    return unread


def _stopped_clock(moment: datetime) -> datetime:
    return moment


def _score_exactly(
    report: LearningReport, dialogue: LabelledDialogue, stored: Sequence[Record]
) -> None:
    texts = {_full_text(record) for record in stored} | {record.text for record in stored}
    for finding in dialogue.findings:
        report.note(dialogue, finding, finding.text in texts)


def _full_text(record: Record) -> str:
    """A record's text, in a group with its speaker's name as the findings have it."""
    return f"{record.speaker.name}: {record.text}" if record.speaker else record.text


def _score_nearest(
    report: LearningReport, dialogue: LabelledDialogue, stored: Sequence[Record]
) -> None:
    found: set[int] = set()
    right = wrong = unlabelled = 0
    for record in stored:
        near = [_nearness(record, finding) for finding in dialogue.findings]
        best = max(range(len(near)), key=near.__getitem__, default=None)
        if best is None or near[best] < NEAR:
            unlabelled += 1
            continue
        found.add(best)
        right += dialogue.findings[best].keep
        wrong += not dialogue.findings[best].keep
    for place, finding in enumerate(dialogue.findings):
        report.note(dialogue, finding, place in found)
    before = report.records or (0, 0, 0)
    report.records = (before[0] + right, before[1] + wrong, before[2] + unlabelled)


def _nearness(record: Record, finding: LabelledFinding) -> float:
    """How much a record and a finding have in common; see above."""
    one, other = (set(words(text)) - small_stems() for text in (_full_text(record), finding.text))
    shared = 2 * len(one & other) / max(1, len(one) + len(other))
    turns = {evidence.turn_id for evidence in finding.evidence}
    return shared + (SAME_TURN if shared and turns & set(record.turn_ids) else 0.0)
