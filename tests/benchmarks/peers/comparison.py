"""One run: every store on every data set, each in a process of its own."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from bot.evals.recall import Dialogue, Report, read_dialogues, score_of
from tests.benchmarks.peers.environments import MODEL, python_of, variables
from tests.benchmarks.peers.job import Job, Outcome, Person
from tests.benchmarks.peers.peer import KINDS, Said

_ROOT = Path(__file__).parents[3]


class CannotRun(Exception):
    """A store could not be measured; the message says why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of each data set is used: the first conversations, and the first questions of each.
    None is all. `seconds` is how long one store may take on one data set."""

    conversations: int | None = None
    questions: int | None = None
    seconds: float = 300.0


@dataclass(slots=True)
class DataSet:
    """The part of a file that is used, and its vectors once they are made."""

    name: str
    conversations: list[Dialogue]
    vectors: Path | None = None
    embed_seconds: float = 0.0
    cannot_embed: str = ""

    @property
    def people(self) -> tuple[Person, ...]:
        """The conversations as a worker gets them."""
        return tuple(
            _person(f"p{number}", conversation)
            for number, conversation in enumerate(self.conversations, start=1)
        )

    @property
    def texts(self) -> list[str]:
        """All texts that are embedded, each once."""
        return sorted({turn.attributed for person in self.people for turn in person.turns})

    @property
    def turns(self) -> int:
        """How many turns are indexed."""
        return sum(len(conversation.turns) for conversation in self.conversations)

    @property
    def questions(self) -> int:
        """How many questions are asked."""
        return sum(len(conversation.questions) for conversation in self.conversations)


@dataclass(frozen=True, slots=True)
class Row:
    """What one store did on one data set, or why it could not."""

    kind: str
    report: Report = field(default_factory=Report)
    outcome: Outcome = field(default_factory=Outcome)
    reason: str = ""


def load(path: Path, limits: Limits) -> DataSet:
    """The used part of a data set. Raises OSError, ValueError."""
    conversations = [
        Dialogue(one.turns, one.questions[: limits.questions])
        for one in islice(read_dialogues(path), limits.conversations)
    ]
    return DataSet(path.name.partition(".")[0], conversations)


def compare(
    files: Sequence[Path],
    kinds: Sequence[str],
    environments: Path,
    limits: Limits,
    say: Callable[[str], None],
) -> list[tuple[DataSet, list[Row]]]:
    """Measure these stores on these files. `say` hears what is done next. Raises OSError and
    ValueError for a file that is not a data set; a store that fails is a row with a reason."""
    results = []
    with tempfile.TemporaryDirectory(prefix="mordecai-peers-") as scratch:
        for number, path in enumerate(files):
            data = load(path, limits)
            place = Path(scratch) / str(number)
            place.mkdir()
            if any(KINDS[kind].embeds for kind in kinds):
                say(f"{data.name}: embedding {len(data.texts)} texts")
                _embed(data, place, environments.absolute(), limits)
            rows = []
            for kind in kinds:
                say(f"{data.name}: {KINDS[kind].title}")
                rows.append(_measured(kind, data, place, environments.absolute(), limits))
            results.append((data, rows))
    return results


def _measured(kind: str, data: DataSet, place: Path, environments: Path, limits: Limits) -> Row:
    try:
        outcome = _run_store(kind, data, place / kind, environments, limits)
    except CannotRun as refusal:
        return Row(kind, reason=str(refusal))
    return Row(kind, report_of(data, outcome), outcome)


def report_of(data: DataSet, outcome: Outcome) -> Report:
    """The measures of `mordecai eval recall` for what a store found."""
    report = Report(
        latencies_ms=outcome.latencies_ms,
        turns=data.turns,
        index_seconds=outcome.index_seconds,
        bytes_on_disk=outcome.disk_bytes,
    )
    for conversation, answers in zip(data.conversations, outcome.found, strict=True):
        for question, found in zip(conversation.questions, answers, strict=True):
            score = score_of(found, question.gold)
            report.scores.setdefault(question.category, []).append(score)
    return report


def _embed(data: DataSet, place: Path, environments: Path, limits: Limits) -> None:
    """Make the vectors of a data set once for all stores; on failure only say why not."""
    texts, vectors = place / "texts.json", place / "vectors.npy"
    texts.write_text(json.dumps(data.texts), encoding="utf-8")
    python = python_of(environments / "minilm")
    started = time.perf_counter()
    try:
        _run(python, "minilm", [environments / MODEL, texts, vectors], place, limits.seconds)
    except CannotRun as refusal:
        data.cannot_embed = str(refusal)
        return
    data.embed_seconds = time.perf_counter() - started
    data.vectors = vectors


def _run_store(
    kind: str, data: DataSet, place: Path, environments: Path, limits: Limits
) -> Outcome:
    embeds = KINDS[kind].embeds
    if embeds and data.vectors is None:
        raise CannotRun(f"no vectors: {data.cannot_embed}")
    store, home = place / "store", place / "home"
    store.mkdir(parents=True)
    home.mkdir()
    vectors: dict[str, Any] = {
        "model": str(environments / MODEL),
        "texts": tuple(data.texts),
        "vectors": str(data.vectors),
    }
    job = Job(kind, str(store), data.people, **(vectors if embeds else {}))
    job.write(place / "job.json")
    own = KINDS[kind].environment
    python = python_of(environments / own) if own else Path(sys.executable)
    _run(python, "worker", [place / "job.json", place / "out.json"], home, limits.seconds)
    return Outcome.read(place / "out.json")


def _run(python: Path, module: str, arguments: Sequence[Path], home: Path, seconds: float) -> None:
    """Run a module of this package in another environment. Raises CannotRun."""
    if not python.exists():
        raise CannotRun("not installed, see tests.benchmarks.peers.setup")
    command: list[Path | str] = [python, "-m", f"{__package__}.{module}", *arguments]
    try:
        subprocess.run(
            command,
            cwd=_ROOT,
            env=variables(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
    except subprocess.TimeoutExpired as late:
        raise CannotRun(f"took longer than {seconds:.0f} s") from late
    except subprocess.CalledProcessError as failure:
        said = failure.stderr.strip().splitlines() or [f"ended with code {failure.returncode}"]
        raise CannotRun(said[-1]) from failure


def _person(name: str, conversation: Dialogue) -> Person:
    turns = tuple(
        Said(
            id=turn.id,
            text=turn.messages[0].text,
            speaker=who.name if (who := turn.messages[0].speaker) else None,
            role=turn.messages[0].role.value,
            session=turn.session_id,
            at=turn.messages[0].at.isoformat(),
        )
        for turn in conversation.turns
    )
    return Person(name, turns, tuple(question.text for question in conversation.questions))
