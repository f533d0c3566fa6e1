"""Labelled dialogues: what was said, what was known, and which findings of it should be stored.

JSON Lines, also gzipped, one dialogue a line: `{id, language, actor, sessions, known, findings}`.
`actor` is "person" or "group"; a session has `at` (a local date-time with its offset) and `turns`
of `{speaker, user, assistant}`; a known record has `id`, `text`, `kind`; a finding has `text`,
`kind`, `session` and `turns` (from 0), `quotes`, `date`, `replaces` (a known id or null), and the
answer: `verdict` ("keep" or "drop") with `why`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.evals.files import read_text
from memory.learning.folding import stands_in
from memory.records import (
    Actor,
    Draft,
    Evidence,
    Kind,
    Place,
    Role,
    Session,
    Speaker,
    Turn,
    Utterance,
)

PLACE = Place("terminal", 1)
ToldSession = tuple[Session, tuple[Turn, ...]]
#: How long before the first session what is known was said.
_BEFORE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class LabelledFinding:
    """What a model might propose of a session, and whether it should be stored. `replaces` is the
    place of the known record that it replaces."""

    kind: Kind
    text: str
    session: int
    evidence: tuple[Evidence, ...]
    date: str | None
    replaces: int | None
    keep: bool
    why: str
    #: The words that the evidence quotes stand in the user's lines.
    occurs: bool


@dataclass(frozen=True, slots=True)
class LabelledDialogue:
    """A dialogue: its sessions, oldest first, what was known before, and the findings."""

    id: str
    language: str
    sessions: tuple[ToldSession, ...]
    known: tuple[Draft, ...]
    findings: tuple[LabelledFinding, ...]

    @property
    def actor(self) -> Actor:
        return self.sessions[0][0].actor


def read_labelled(path: Path) -> Iterator[LabelledDialogue]:
    """The dialogues of a file. Raises ValueError, which names the file and, if it is one line's
    fault, the line."""
    lines = [(n, line) for n, line in enumerate(read_text(path).split("\n"), 1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: there is no dialogue in it")
    for number, line in lines:
        try:
            yield _dialogue(json.loads(line), number)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"{path}, line {number}: not a labelled dialogue ({error!r})"
            ) from error


def _dialogue(data: dict[str, Any], number: int) -> LabelledDialogue:
    told = told_sessions(data, number)
    known = [
        Draft(Kind(each["kind"]), each["text"], told[0][0].opened_at - _BEFORE)
        for each in data["known"]
    ]
    places = {each["id"]: place for place, each in enumerate(data["known"])}
    findings = (_finding(each, [turns for _, turns in told], places) for each in data["findings"])
    return LabelledDialogue(str(data["id"]), data["language"], told, tuple(known), tuple(findings))


def told_sessions(data: dict[str, Any], number: int) -> tuple[ToldSession, ...]:
    """The sessions of a dialogue and their turns. `number` makes the actor."""
    actor = Actor.group(number) if data["actor"] == "group" else Actor.person(number)
    speakers: dict[str, int] = {}
    told: list[ToldSession] = []
    for place, each in enumerate(data["sessions"]):
        at = datetime.fromisoformat(each["at"])
        session = Session(f"s{number}-{place}", actor, PLACE, at, at)
        turns = (
            _turn(turn, f"{session.id}-{n}", session, speakers)
            for n, turn in enumerate(each["turns"])
        )
        told.append((session, tuple(turns)))
    return tuple(told)


def evidence_of(quotes: Sequence[str], cited: Sequence[Turn]) -> tuple[Evidence, ...]:
    """Each quote with the one of the cited turns that it stands in; the first if in none."""
    return tuple(
        Evidence(next((t for t in cited if stands_in(quote, t.said)), cited[0]).id, quote)
        for quote in quotes
    )


def _turn(data: dict[str, Any], turn_id: str, session: Session, speakers: dict[str, int]) -> Turn:
    at, name = session.opened_at, data["speaker"]
    speaker = Speaker(speakers.setdefault(name, len(speakers) + 1), name) if name else None
    said = [Utterance(Role.USER, data["user"], at, speaker)]
    if data["assistant"]:
        said.append(Utterance(Role.ASSISTANT, data["assistant"], at))
    return Turn(turn_id, session.id, tuple(said), place=PLACE)


def _finding(
    data: dict[str, Any], turns: Sequence[Sequence[Turn]], known: dict[str, int]
) -> LabelledFinding:
    cited = [turns[data["session"]][n] for n in data["turns"]]
    occurs = all(any(stands_in(quote, turn.said) for turn in cited) for quote in data["quotes"])
    return LabelledFinding(
        kind=Kind(data["kind"]),
        text=data["text"],
        session=data["session"],
        evidence=evidence_of(data["quotes"], cited),
        date=data["date"],
        replaces=None if data["replaces"] is None else known[data["replaces"]],
        keep={"keep": True, "drop": False}[data["verdict"]],
        why=data["why"],
        occurs=occurs,
    )
