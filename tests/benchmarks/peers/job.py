"""What the command asks of a worker, and what the worker answers: JSON in files, because the two
run in different environments and some stores print."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.peers.peer import Said

#: How many turns each question asks for: the deepest measure is R@25.
DEPTH = 25


@dataclass(frozen=True, slots=True)
class Person:
    """One conversation: what is indexed, and what is asked."""

    name: str
    turns: tuple[Said, ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Measure one store on one data set. `texts` are what `vectors` has rows for."""

    kind: str
    directory: str
    people: tuple[Person, ...]
    model: str | None = None
    texts: tuple[str, ...] = ()
    vectors: str | None = None

    def write(self, path: Path) -> None:
        """Write the job to a file."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Job":
        """The job that was written to a file."""
        data = json.loads(path.read_text(encoding="utf-8"))
        people = tuple(_person(person) for person in data.pop("people"))
        return cls(**{**data, "people": people, "texts": tuple(data["texts"])})


@dataclass(slots=True)
class Outcome:
    """What a worker measured. `found` has an entry a person with an entry a question, the ids of
    turns best first; `latencies_ms` and `cpu_ms` have one a question, and so has
    `embedding_ms`, the part of it that made the question's vector. `versions` names the software;
    `connections` are the attempts to reach another machine, which were refused."""

    found: list[list[list[str]]] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    embedding_ms: list[float] = field(default_factory=list)
    index_seconds: float = 0.0
    disk_bytes: int = 0
    resident_mb: float = 0.0
    added_mb: float = 0.0
    import_ms: float = 0.0
    installed_bytes: int = 0
    installed_with_embedder: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    connections: list[str] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write the outcome to a file."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Outcome":
        """The outcome that was written to a file."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def _person(data: dict[str, Any]) -> Person:
    turns: Sequence[dict[str, Any]] = data["turns"]
    return Person(data["name"], tuple(Said(**turn) for turn in turns), tuple(data["questions"]))
