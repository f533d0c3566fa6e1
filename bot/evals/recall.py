"""How well search finds what was said: the core of `mordecai eval recall`.

Each conversation of a data set becomes one actor in the real store, which is thrown away; each
question goes through the real search. A data set is JSON Lines, also gzipped, one conversation a
line: `{id, turns: [{id, session, speaker, role, time, text}], questions: [{id, text, category,
gold, answer}]}`, where `gold` names the turns that answer the question."""

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, astuple, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bot.errors import OperatorError
from bot.evals.files import read_text
from bot.evals.stores import throwaway_stores
from bot.models.embedding.catalogue import embedder_of
from bot.settings import load
from memory.errors import StoreUnavailable
from memory.records import Actor, Kind, Role, Speaker, Turn, Utterance
from memory.stores.records.store import TableStore
from memory.understanding import Embedder, EmbeddingFailed

#: A category of questions that have no answer in the conversation; their gold turns mislead. It is
#: shown, and kept out of the overall figures.
APART = "adversarial"

#: How many hits are asked for: the deepest figure is R@25.
DEPTH = 25


@dataclass(frozen=True, slots=True)
class Score:
    """How well the gold turns of a question, or of many on average, were found. All 0 to 1."""

    r5: float = 0.0
    r10: float = 0.0
    r25: float = 0.0
    ndcg10: float = 0.0
    mrr: float = 0.0
    any10: float = 0.0

    @classmethod
    def mean(cls, scores: Sequence["Score"]) -> "Score":
        """The average score; all zero if there is none."""
        if not scores:
            return cls()
        return cls(
            *(sum(column) / len(scores) for column in zip(*map(astuple, scores), strict=True))
        )

    def to_json(self) -> dict[str, float]:
        """The measures by name."""
        return asdict(self)


def score_of(found: Sequence[str], gold: Collection[str]) -> Score:
    """Score the ids that were found, best first, against those that should have been."""
    places = [place for place, name in enumerate(found) if name in gold]
    ideal = sum(_gain(place) for place in range(min(10, len(gold))))

    def recall(depth: int) -> float:
        return len([place for place in places if place < depth]) / max(1, len(gold))

    return Score(
        r5=recall(5),
        r10=recall(10),
        r25=recall(25),
        ndcg10=sum(_gain(place) for place in places if place < 10) / ideal if ideal else 0.0,
        mrr=1 / (places[0] + 1) if places else 0.0,
        any10=1.0 if places and places[0] < 10 else 0.0,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed, by nearest rank; 0 if none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)


@dataclass(frozen=True, slots=True)
class DialogueQuestion:
    """A question and the ids of the turns that answer it."""

    text: str
    category: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns of one person, and what is asked about them."""

    turns: tuple[Turn, ...]
    questions: tuple[DialogueQuestion, ...]

    @property
    def now(self) -> datetime:
        """The moment of asking: just after the last turn."""
        return max(turn.messages[0].at for turn in self.turns) + timedelta(minutes=1)


@dataclass(slots=True)
class Report:
    """What was measured, over all files. Shares are 0 to 1."""

    scores: dict[str, list[Score]] = field(default_factory=dict)
    latencies_ms: list[float] = field(default_factory=list)
    turns: int = 0
    index_seconds: float = 0.0
    bytes_on_disk: int = 0

    @property
    def overall(self) -> Score:
        """The mean over all questions, those kept apart left out."""
        return Score.mean([s for name, own in self.scores.items() if name != APART for s in own])

    @property
    def categories(self) -> dict[str, Score]:
        """The mean for each category, by name."""
        return {name: Score.mean(own) for name, own in sorted(self.scores.items())}

    def to_json(self) -> dict[str, Any]:
        """The report for machines: shares 0 to 1, latencies in milliseconds."""
        thousands = max(1, self.turns) / 1000
        return {
            "overall": self.overall.to_json(),
            "categories": {name: score.to_json() for name, score in self.categories.items()},
            "latency_ms": {
                "p50": percentile(self.latencies_ms, 0.50),
                "p95": percentile(self.latencies_ms, 0.95),
            },
            "index_s_per_1000": self.index_seconds / thousands,
            "bytes_per_1000": self.bytes_on_disk / thousands,
        }


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    """The conversations of a data set. Raises ValueError, which names the file and, if it is one
    line's fault, the line."""
    lines = [(n, line) for n, line in enumerate(read_text(path).split("\n"), 1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: there is no conversation in it")
    for number, line in lines:
        try:
            yield _conversation(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path}, line {number}: not a conversation of turns and questions ({error!r})"
            ) from error


def report_recall(
    files: Sequence[Path],
    json_wanted: bool = False,
    embedder: str | None = None,
    database: str | None = None,
) -> int:
    """The command: measure, and print a table, or JSON for machines. `embedder` is a name as the
    setting of that name takes it, `database` the address of a PostgreSQL server. The exit code: 2
    for a file that can't be read as a data set, or an embedder or server that can't be used."""
    errors = Console(stderr=True)
    try:
        report = asyncio.run(_measure_with_progress(files, errors, embedder, database))
    except (OSError, ValueError, OperatorError, StoreUnavailable, EmbeddingFailed) as error:
        errors.print(
            f"mordecai eval recall: {error}", markup=False, highlight=False, soft_wrap=True
        )
        return 2
    out = Console()
    if json_wanted:
        out.print_json(data=report.to_json())
    else:
        for table in tables(report):
            out.print(table)
    return 0


async def _measure_with_progress(
    files: Sequence[Path], console: Console, name: str | None, database: str | None
) -> Report:
    """Measure, with a bar on a terminal and silently elsewhere."""
    async with open_embedder(name) as embedder:
        if not console.is_terminal:
            return await evaluate(files, embedder, database)
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("Remembering and asking", total=work_in(files))
            return await evaluate(
                files, embedder, database, advance=lambda done: progress.advance(task, done)
            )


def tables(report: Report) -> list[Table]:
    """The report for people: shares in percent."""
    quality = Table(title="What search finds, in percent")
    quality.add_column("questions")
    for column in ("number", "R@5", "R@10", "R@25", "NDCG@10", "MRR", "any@10"):
        quality.add_column(column, justify="right")
    for name, score in report.categories.items():
        apart = " (apart)" if name == APART else ""
        quality.add_row(f"{name}{apart}", str(len(report.scores[name])), *_percents(score))
    asked = sum(len(own) for name, own in report.scores.items() if name != APART)
    quality.add_section()
    quality.add_row("overall", str(asked), *_percents(report.overall), style="bold")

    cost = Table(title="What it costs")
    for column in ("p50", "p95", "index 1,000 turns", "size of 1,000 turns"):
        cost.add_column(column, justify="right")
    figures = report.to_json()
    cost.add_row(
        f"{figures['latency_ms']['p50']:.1f} ms",
        f"{figures['latency_ms']['p95']:.1f} ms",
        f"{figures['index_s_per_1000']:.2f} s",
        f"{figures['bytes_per_1000'] / 1e6:.2f} MB",
    )
    return [quality, cost]


def _percents(score: Score) -> list[str]:
    return [f"{100 * share:.1f}" for share in score.to_json().values()]


async def evaluate(
    files: Sequence[Path],
    embedder: Embedder | None = None,
    database: str | None = None,
    *,
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Measure search on these data sets. `advance` hears how many turns and questions are done.
    Raises OSError, and ValueError for a file that is not a data set."""
    report = Report()
    with throwaway_stores(database) as stores:
        conversations = (each for path in files for each in read_dialogues(path))
        for number, conversation in enumerate(conversations, 1):
            actor, store = Actor.person(number), stores.store(embedder)
            await _measure(conversation, actor, store, report, advance)
    report.bytes_on_disk = stores.size
    return report


def work_in(files: Sequence[Path]) -> int:
    """How many turns and questions there are, for a progress bar."""
    return sum(len(c.turns) + len(c.questions) for path in files for c in read_dialogues(path))


async def _measure(
    conversation: Dialogue,
    actor: Actor,
    store: TableStore,
    report: Report,
    advance: Callable[[int], None],
) -> None:
    started = time.perf_counter()
    for turn in conversation.turns:
        await store.add_turn(actor, turn)
        advance(1)
    await store.settle()
    report.index_seconds += time.perf_counter() - started
    report.turns += len(conversation.turns)
    for question in conversation.questions:
        started = time.perf_counter()
        hits = await store.search(
            actor, question.text, kinds=(Kind.MESSAGE,), limit=DEPTH, now=conversation.now
        )
        report.latencies_ms.append((time.perf_counter() - started) * 1000)
        found = [turn_id for hit in hits for turn_id in hit.record.turn_ids]
        report.scores.setdefault(question.category, []).append(score_of(found, question.gold))
        advance(1)
    await store.aclose()


def _conversation(data: dict[str, Any]) -> Dialogue:
    if not data["turns"]:
        raise ValueError("it has no turns")
    return Dialogue(
        turns=tuple(_turn(turn) for turn in data["turns"]),
        questions=tuple(
            DialogueQuestion(q["text"], str(q["category"]), frozenset(q["gold"]))
            for q in data["questions"]
        ),
    )


def _turn(data: dict[str, Any]) -> Turn:
    at = datetime.fromisoformat(data["time"])
    role = Role(data["role"])
    # Where a data set has no names it writes the role in their place.
    speaker = None if data["speaker"] == role.value else Speaker(None, data["speaker"])
    message = Utterance(role, data["text"], at if at.tzinfo else at.replace(tzinfo=UTC), speaker)
    session = re.sub(r"[^A-Za-z0-9_-]", "-", str(data["session"]))
    return Turn(id=str(data["id"]), session_id=f"s{session}"[:100], messages=(message,))


@asynccontextmanager
async def open_embedder(name: str | None) -> AsyncIterator[Embedder | None]:
    """The embedder of this name, as the setting of that name takes it, loaded; None for none.
    Raises OperatorError, EmbeddingFailed."""
    chosen = embedder_of(load().settings, name) if name else None
    if chosen is None:
        yield None
        return
    async with chosen:
        await chosen.embed(["Is anybody there?"])
        yield chosen
