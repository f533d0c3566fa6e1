"""What is known after everyday talk, and what should not be:

    python -m tests.evals.everyday [--json]

`everyday.jsonl` beside this file holds short histories of one to three sessions. Whoever wrote them
had not read the code. Each has `must` (a record contains one of the needles in `any`, and none
in `not`), `must_not` (no record contains one in `any`), and what a strong model would propose after
each session (`findings`, a few of them slips) and say in a review (`review`). Needles are compared
without regard to case.

Two ways to know are measured. With the recorded model, the findings go through the real extraction
jobs, checks and store, once with the recorded review and once without; what is known are the
current facts and preferences. Without a model, the notebook reads the sessions and is asked what it
knows; what is known are the lines of its reply."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.assistant.conversation import Conversation
from bot.assistant.events import Reply
from bot.evals.labelled import PLACE, ToldSession, evidence_of, told_sessions
from bot.evals.learning import LEARNED, Tally, extract
from bot.offline.notebook import offline_model
from bot.offline.understanding import by_rules
from bot.operations.logs import configure
from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Basis, Kind, Turn
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Extraction, Proposal, Reading, Relation, Understanding, Verdict
from tests.fakes.files import journal_in
from tests.fakes.messages import message

_FILE = Path(__file__).with_name("everyday.jsonl")
_QUESTIONS = {
    "en": "what do you know about me?",
    "de": "was weißt du über mich?",
    "es": "¿qué sabes de mí?",
    "fr": "que sais-tu de moi ?",
    "it": "cosa sai di me?",
    "pt": "o que você sabe sobre mim?",
    "ru": "что ты обо мне знаешь?",
    "hi": "तुम मेरे बारे में क्या जानते हो?",
    "zh": "你知道我的什么？",
}
#: The question comes so long after the last session.
_LATER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class History:
    """A line of the file."""

    id: str
    language: str
    sessions: tuple[ToldSession, ...]
    must: Sequence[Mapping[str, Sequence[str]]]
    must_not: Sequence[Mapping[str, Sequence[str]]]
    findings: Sequence[Mapping[str, Any]]
    review: Sequence[Mapping[str, bool]]


@dataclass(slots=True)
class Figures:
    """How much of what must be known is known, and how much of what must not is not."""

    recall: Tally = field(default_factory=Tally)
    precision: Tally = field(default_factory=Tally)
    wrong: list[tuple[str, str, Sequence[str]]] = field(default_factory=list)

    def score(self, history: History, known: Sequence[str]) -> None:
        texts = [text.casefold() for text in known]
        for needles in history.must:
            right = any(_passes(text, needles) for text in texts)
            self._count(self.recall, right, history, "missing", needles["any"])
        for needles in history.must_not:
            right = not any(_contains(text, needles["any"]) for text in texts)
            self._count(self.precision, right, history, "known", needles["any"])

    def _count(
        self, tally: Tally, right: bool, history: History, what: str, needles: Sequence[str]
    ) -> None:
        tally.count(right)
        if not right:
            self.wrong.append((history.id, what, needles))


def _passes(text: str, needles: Mapping[str, Sequence[str]]) -> bool:
    return _contains(text, needles["any"]) and not _contains(text, needles.get("not", ()))


def _contains(text: str, needles: Sequence[str]) -> bool:
    return any(needle.casefold() in text for needle in needles)


def histories() -> Iterator[History]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        data = json.loads(line)
        yield History(
            data["id"],
            data["language"],
            told_sessions(data, number),
            data["must"],
            data["must_not"],
            data["findings"],
            data["review"],
        )


class RecordedModel:
    """Proposes and reviews what the file says."""

    def __init__(self, history: History) -> None:
        self._history = history

    async def extract(self, reading: Reading) -> Extraction:
        place = next(
            n
            for n, (session, _) in enumerate(self._history.sessions)
            if session.id == reading.turns[0].session_id
        )
        own = (f for f in self._history.findings if f["session"] == place)
        return Extraction(tuple(_proposal(finding, reading) for finding in own))

    async def review(self, reading: Reading, proposals: Sequence[Proposal]) -> Sequence[Verdict]:
        said = {
            finding["text"]: verdict
            for finding, verdict in zip(self._history.findings, self._history.review, strict=True)
        }
        return [_verdict(said[proposal.text]) for proposal in proposals]

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        return earlier or ""


def _proposal(finding: Mapping[str, Any], reading: Reading) -> Proposal:
    cited = [reading.turns[n] for n in finding["turns"]]
    relation = Relation(finding["relation"])
    earlier = (record.id for record in reading.known if record.text == finding["of"])
    return Proposal(
        Kind(finding["kind"]),
        finding["text"],
        evidence_of(finding["quotes"], cited),
        importance=finding["importance"],
        event_date=finding["date"],
        about=tuple(finding["about"]),
        basis=Basis(finding["basis"]),
        relation=relation,
        known=next(earlier, None),
    )


def _verdict(said: Mapping[str, bool]) -> Verdict:
    return Verdict(
        supported=said["supported"],
        right_person=said["about_user_or_known"],
        serious=said["serious"],
        date_right=said["date_right"],
    )


async def known_to_model(
    history: History, directory: Path, pool: ThreadPoolExecutor, *, review: bool
) -> list[str]:
    """The current facts and preferences, of what the recorded model proposed."""
    store = SqliteStore(directory / "memory", pool)
    understanding = recorded(history, review=review)
    await extract(history.sessions, store, (directory, pool), understanding)
    known = await known_in(store, history)
    await store.aclose()
    return known


def recorded(history: History, *, review: bool) -> Understanding:
    """The recorded model of a history."""
    model = RecordedModel(history)
    return Understanding(model, model, reviewer=model if review else None)


async def known_in(store: Store, history: History) -> list[str]:
    """The current facts and preferences in the store, of whoever talks in the history."""
    records = await store.records(history.sessions[0][0].actor, kinds=LEARNED)
    return [
        f"{record.speaker.name}: {record.text}" if record.speaker else record.text
        for record in records
    ]


async def known_to_notebook(
    history: History, directory: Path, pool: ThreadPoolExecutor
) -> list[str]:
    """The lines of the notebook's reply to the question what it knows."""
    store = SqliteStore(directory / "memory", pool)
    await extract(history.sessions, store, (directory, pool), by_rules())
    last, _ = history.sessions[-1]
    now = last.opened_at + _LATER

    def clock() -> datetime:
        return now

    async with journal_in(directory / "journal.sqlite", pool) as journal:
        options = MemoryOptions(time_zone=now.tzinfo or UTC)
        async with Memory(store, journal, by_rules(), options, clock) as memory:
            conversation = Conversation(offline_model(), memory, "", clock=clock)
            asked = message("1", last.actor, PLACE, _QUESTIONS[history.language], now)
            reply = ""
            async with aclosing(conversation.reply(asked)) as events:
                async for event in events:
                    if isinstance(event, Reply):
                        reply = event.text
    await store.aclose()
    return reply.splitlines()


async def measure() -> dict[str, Figures]:
    """The figures of each way to know."""
    figures = {"model": Figures(), "model, no review": Figures(), "notebook": Figures()}
    with ThreadPoolExecutor(2, thread_name_prefix="eval") as pool:
        for history in histories():
            for name, own in figures.items():
                with tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory:
                    path = Path(directory)
                    if name == "notebook":
                        known = await known_to_notebook(history, path, pool)
                    else:
                        known = await known_to_model(history, path, pool, review=name == "model")
                    own.score(history, known)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="What is known after everyday talk.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="name what is missing or wrong")
    arguments = parser.parse_args()
    configure("error")
    figures = asyncio.run(measure())
    out = Console()
    if arguments.json:
        out.print_json(
            data={
                name: {"recall": own.recall.to_json(), "precision": own.precision.to_json()}
                for name, own in figures.items()
            }
        )
        return
    table = Table(title="Known after everyday talk, in percent")
    for column in ("way", "recall", "of", "precision", "of"):
        table.add_column(column, justify="left" if column == "way" else "right")
    for name, own in figures.items():
        table.add_row(
            name,
            f"{100 * own.recall.share:.1f}",
            str(own.recall.of),
            f"{100 * own.precision.share:.1f}",
            str(own.precision.of),
        )
    out.print(table)
    if arguments.wrong:
        for name, own in figures.items():
            for id_, what, needles in own.wrong:
                out.print(f"{name}: {id_} {what}: {', '.join(needles)}", markup=False)


if __name__ == "__main__":
    main()
