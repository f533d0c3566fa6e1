"""Measures one store on one data set, in the environment that the store is installed in:
`python -m tests.benchmarks.peers.worker JOB OUT`. Standard library, the store, its embedder."""

import gc
import platform
import sqlite3
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.peers import footprint
from tests.benchmarks.peers.job import DEPTH, Job, Outcome
from tests.benchmarks.peers.peer import KINDS, MODEL_FILES, RUNTIME, Kind, Peer

if TYPE_CHECKING:
    from tests.benchmarks.peers.minilm import Shared

_HERE = {"127.0.0.1", "::1", "localhost", ""}


def measure(job: Job, outcome: Outcome) -> None:
    """Open the store, index everybody, ask everything."""
    kind = KINDS[job.kind]
    directory = Path(job.directory)
    embedder = _embedder(job) if kind.embeds else None
    before = footprint.resident_mb()
    peer = kind.open(directory, embedder)
    for person in job.people:
        with footprint.Stopwatch() as watch:
            peer.index(person.name, person.turns)
        outcome.index_seconds += watch.seconds
    if embedder:
        embedder.query_ms.clear()  # a store may have tried the model before it was asked
    _ask(peer, job, outcome)
    outcome.embedding_ms = embedder.query_ms if embedder else []
    gc.collect()
    outcome.resident_mb = footprint.resident_mb()
    outcome.added_mb = outcome.resident_mb - before
    peer.close()
    outcome.disk_bytes = footprint.bytes_below(directory)


def describe(kind: Kind, model: str | None, outcome: Outcome) -> None:
    """What is installed for this store, and how long it takes to import."""
    sources = [Path(__file__).parents[3] / source for source in kind.sources]
    outcome.installed_bytes = _installed(kind.needs, sources)
    outcome.installed_with_embedder = outcome.installed_bytes
    if kind.embeds and model:
        weights = sum((Path(model) / name).stat().st_size for name in MODEL_FILES)
        outcome.installed_with_embedder = _installed((*kind.needs, *RUNTIME), sources) + weights
    outcome.import_ms = footprint.import_ms(kind.imports)
    outcome.versions = {name: version(name) for name in kind.needs}
    outcome.versions |= {"sqlite": sqlite3.sqlite_version, "python": platform.python_version()}


def _installed(names: Iterable[str], sources: Iterable[Path]) -> int:
    return footprint.installed_bytes(footprint.closure(names).values(), sources)


def _ask(peer: Peer, job: Job, outcome: Outcome) -> None:
    for person in job.people:
        answers = []
        for question in person.questions:
            with footprint.Stopwatch() as watch:
                found = peer.search(person.name, question, DEPTH)
            outcome.latencies_ms.append(watch.seconds * 1000)
            outcome.cpu_ms.append(watch.cpu_seconds * 1000)
            answers.append(found)
        outcome.found.append(answers)


def _embedder(job: Job) -> "Shared":
    from tests.benchmarks.peers.minilm import Shared  # not everybody has what it needs

    if job.model is None or job.vectors is None:
        raise ValueError(f"{job.kind} needs an embedder, the job has none")
    shared = Shared(Path(job.model), job.texts, Path(job.vectors))
    shared.query("The first call allocates; it is no part of any search.")
    shared.query_ms.clear()
    return shared


def stay_here(outcome: Outcome) -> None:
    """Refuse and note connections to other machines, as far as they are made from Python."""

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        host = ""
        if event == "socket.getaddrinfo":
            host = str(arguments[0] or "")
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            host = str(arguments[1][0])
        if host not in _HERE:
            outcome.connections.append(host)
            raise ConnectionRefusedError(f"the benchmark reaches nothing but this machine: {host}")

    sys.addaudithook(watch)


def main() -> None:
    """The command of this module."""
    job = Job.read(Path(sys.argv[1]))
    outcome = Outcome()
    stay_here(outcome)
    describe(KINDS[job.kind], job.model, outcome)
    measure(job, outcome)
    outcome.write(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
