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
from memory.learning.evidence import stands_in
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
#: How long before the first session what is known was said.
_BEFORE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Finding:
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
    """A dialogue: its sessions with their turns, oldest first, what was known before, and the
    findings."""

    id: str
    language: str
    actor: Actor
    sessions: tuple[Session, ...]
    turns: tuple[tuple[Turn, ...], ...]
    known: tuple[Draft, ...]
    findings: tuple[Finding, ...]


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
    actor = Actor.group(number) if data["actor"] == "group" else Actor.person(number)
    opened = [datetime.fromisoformat(session["at"]) for session in data["sessions"]]
    sessions = tuple(Session(f"s{number}-{n}", actor, PLACE, at, at) for n, at in enumerate(opened))
    speakers: dict[str, int] = {}
    turns = tuple(
        tuple(
            _turn(turn, f"{session.id}-{n}", session, speakers)
            for n, turn in enumerate(told["turns"])
        )
        for session, told in zip(sessions, data["sessions"], strict=True)
    )
    known = [Draft(Kind(each["kind"]), each["text"], opened[0] - _BEFORE) for each in data["known"]]
    places = {each["id"]: place for place, each in enumerate(data["known"])}
    findings = (_finding(each, turns, places) for each in data["findings"])
    return LabelledDialogue(
        str(data["id"]), data["language"], actor, sessions, turns, tuple(known), tuple(findings)
    )


def _turn(data: dict[str, Any], turn_id: str, session: Session, speakers: dict[str, int]) -> Turn:
    at = session.opened_at
    name = data["speaker"]
    speaker = Speaker(speakers.setdefault(name, len(speakers) + 1), name) if name else None
    said = [Utterance(Role.USER, data["user"], at, speaker)]
    if data["assistant"]:
        said.append(Utterance(Role.ASSISTANT, data["assistant"], at))
    return Turn(turn_id, session.id, tuple(said), place=PLACE)


def _finding(
    data: dict[str, Any], turns: Sequence[Sequence[Turn]], known: dict[str, int]
) -> Finding:
    cited = [turns[data["session"]][n] for n in data["turns"]]
    evidence, occurs = [], True
    for quote in data["quotes"]:
        turn = next((turn for turn in cited if stands_in(quote, turn.said)), None)
        occurs &= turn is not None
        evidence.append(Evidence((turn or cited[0]).id, quote))
    return Finding(
        kind=Kind(data["kind"]),
        text=data["text"],
        session=data["session"],
        evidence=tuple(evidence),
        date=data["date"],
        replaces=None if data["replaces"] is None else known[data["replaces"]],
        keep={"keep": True, "drop": False}[data["verdict"]],
        why=data["why"],
        occurs=occurs,
    )
