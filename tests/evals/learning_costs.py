"""What it costs to learn from a session, and what the review adds:

    python -m tests.evals.learning_costs [FILE]

Each session of the file (by default `everyday.jsonl`) is given to the real extractor and reviewer.
The model answers with the findings of the file and passes them all. The records known are those of
the earlier sessions. Tokens are estimated as the bot does, with the instructions and the schema."""

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from rich.console import Console
from rich.table import Table

from bot.models.extraction import ModelExtractor
from bot.models.review import ModelReviewer
from memory.conversation.tokens import estimate_tokens
from memory.records import Kind, Record, Role, Speaker, Turn, Utterance
from memory.understanding import Reading
from tests.evals.requests import request_of, tokens_in
from tests.fakes.extractors import EverySentence
from tests.fakes.learning import finding, findings, judgement, note, review, when

FILE = Path(__file__).with_name("everyday.jsonl")


@dataclass
class Answering:
    """A model that gives `answer`, and what its calls cost: tokens read and written."""

    answer: str = ""
    calls: list[tuple[int, int]] = field(default_factory=list)

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, profile={"supports_json_schema_output": True})

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        schema = info.model_request_parameters.output_object
        request = request_of(messages, info.instructions or "", ())
        read = tokens_in(request) + estimate_tokens(json.dumps(schema and schema.json_schema))
        self.calls.append((read, estimate_tokens(self.answer)))
        return ModelResponse([TextPart(self.answer)])


async def measure(histories: Sequence[dict[str, Any]]) -> tuple[Answering, Answering]:
    """The calls for extraction, and those for the review."""
    extraction, reviewing = Answering(), Answering()
    extractor = ModelExtractor(extraction.model, EverySentence())
    reviewer = ModelReviewer(reviewing.model)
    for history in histories:
        known: list[Record] = []
        for number, session in enumerate(history["sessions"]):
            at = datetime.fromisoformat(session["at"])
            told = [one for one in history["findings"] if one["session"] == number]
            extraction.answer = findings(*map(_finding, told), summary=_SUMMARY, topics=_TOPICS)
            reading = Reading(tuple(_turns(session, at)), tuple(known), at.tzinfo or UTC)
            proposals = (await extractor.extract(reading)).proposals
            if proposals:
                judgements = (judgement(n) for n in range(1, len(proposals) + 1))
                reviewing.answer = review(*judgements)
                await reviewer.review(reading, proposals)
            known += [
                Record(f"{number}-{n}", Kind(one["kind"]), one["text"], at)
                for n, one in enumerate(told)
            ]
    return extraction, reviewing


_SUMMARY = "We talked about what happened this week, and about what is planned for the next one."
_TOPICS = ("this week", "plans")


def _turns(session: dict[str, Any], at: datetime) -> Iterator[Turn]:
    for number, turn in enumerate(session["turns"]):
        speaker = Speaker(None, turn["speaker"]) if turn["speaker"] else None
        said = Utterance(Role.USER, turn["user"], at, speaker)
        reply = Utterance(Role.ASSISTANT, turn["assistant"], at)
        yield Turn(f"t{number}", "s1", (said, reply))


def _finding(told: dict[str, Any]) -> dict[str, Any]:
    quotes = [
        {"turn": told["turns"][min(n, len(told["turns"]) - 1)] + 1, "words": words}
        for n, words in enumerate(told["quotes"])
    ]
    times = when(told["date"]) if told["date"] else None
    changed = told.get("relation", "new") != "new"
    more = {
        "kind": told["kind"],
        "about": told.get("about", []),
        "when": times,
        "note": note(told["relation"], 1, "it has changed") if changed else None,
    }
    return finding(told["text"], quotes=quotes, **more)


def table(extraction: Answering, reviewing: Answering) -> Table:
    """Means of a session. A session in which nothing was found has no review."""
    shown = Table(title=f"What learning costs, of {len(extraction.calls)} sessions")
    for column in ("", "calls", "tokens read", "tokens written"):
        shown.add_column(column, justify="left" if not column else "right")
    sessions = len(extraction.calls)
    both = [*extraction.calls, *reviewing.calls]
    rows = {"extraction": extraction.calls, "its review": reviewing.calls, "both": both}
    for name, calls in rows.items():
        read, written = (sum(column) / sessions for column in zip(*calls, strict=True))
        shown.add_row(name, f"{len(calls) / sessions:.2f}", f"{read:,.0f}", f"{written:,.0f}")
    return shown


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.learning_costs")
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    lines = parser.parse_args().file.read_text(encoding="utf-8").splitlines()
    Console().print(table(*asyncio.run(measure([json.loads(line) for line in lines]))))


if __name__ == "__main__":
    main()
