"""The comparison with other stores: what can be shown without any of them installed."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.peers import footprint
from tests.benchmarks.peers.comparison import Limits, compare, load, report_of
from tests.benchmarks.peers.environments import variables
from tests.benchmarks.peers.job import Job, Outcome, Person
from tests.benchmarks.peers.peer import KINDS, Said
from tests.benchmarks.peers.setup import requirements
from tests.benchmarks.peers.stores.fts5 import Attributed, Bare
from tests.benchmarks.peers.stores.mordecai import Mordecai
from tests.benchmarks.peers.table import markdown, to_json
from tests.fakes.embedders import vector

ROOT = Path(__file__).parents[2]


def said(name: str, text: str, speaker: str | None = "Ann") -> Said:
    return Said(name, text, speaker, "user", "s1", "2024-05-01T10:00:00+00:00")


def conversation(name: str, *texts: str) -> dict[str, object]:
    turns = [
        {
            "id": f"t{number}",
            "session": 1,
            "speaker": "Ann",
            "role": "user",
            "time": f"2024-05-01T10:0{number}:00",
            "text": text,
        }
        for number, text in enumerate(texts, start=1)
    ]
    questions = [
        {"id": "q1", "text": "Which bicycle?", "category": "a", "gold": ["t2"], "answer": ""},
        {"id": "q2", "text": "And the weather?", "category": "b", "gold": ["t9"], "answer": ""},
    ]
    return {"id": name, "turns": turns, "questions": questions}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.jsonl"
    people = [
        conversation("c1", "I had soup.", "My bicycle is red.", "Good night."),
        conversation("c2", "The bicycle broke.", "A new bicycle, a new life.", "Soup again."),
    ]
    path.write_text("\n".join(map(json.dumps, people)), encoding="utf-8")
    return path


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Bare]:
    store = Bare(tmp_path)
    yield store
    store.close()


def test_plain_fts5_finds_a_turn_by_another_form_of_its_word(bare: Bare) -> None:
    bare.index("p1", [said("t1", "I had soup."), said("t2", "Two bicycles!")])
    assert bare.search("p1", "Which bicycle?", 5) == ["t2"]


def test_plain_fts5_keeps_people_apart(bare: Bare) -> None:
    bare.index("p1", [said("t1", "soup")])
    bare.index("p2", [said("t2", "soup")])
    assert bare.search("p2", "soup", 5) == ["t2"]


def test_plain_fts5_knows_no_speakers_unless_they_are_in_the_text(tmp_path: Path) -> None:
    for make, found in ((Bare, []), (Attributed, ["t1"])):
        place = tmp_path / make.__name__
        place.mkdir()
        store = make(place)
        store.index("p1", [said("t1", "soup")])
        assert store.search("p1", "Ann", 5) == found
        store.close()


@pytest.mark.parametrize("query", ["", "?!", '" OR NEAR( *', "NOT AND"])
def test_no_query_is_syntax_to_plain_fts5(bare: Bare, query: str) -> None:
    bare.index("p1", [said("t1", "soup")])
    assert bare.search("p1", query, 5) == []


def test_a_run_scores_what_a_store_found_in_a_process_of_its_own(
    file: Path, tmp_path: Path
) -> None:
    results = compare([file], ["fts5"], tmp_path, Limits(), lambda _: None)
    figures = to_json(results)["toy"]
    assert (figures["conversations"], figures["turns"], figures["questions"]) == (2, 6, 4)
    store = figures["stores"]["fts5"]
    assert store["categories"]["a"]["r5"] == 1.0
    assert store["categories"]["b"]["r25"] == 0.0
    assert store["overall"]["any10"] == 0.5
    assert store["versions"]["sqlite"] == sqlite3.sqlite_version
    assert store["refused_connections"] == []
    assert store["resident_mb"] > 0


def test_mordecai_itself_takes_part_by_its_real_search(file: Path, tmp_path: Path) -> None:
    results = compare([file], ["mordecai"], tmp_path, Limits(questions=1), lambda _: None)
    store = to_json(results)["toy"]["stores"]["mordecai"]
    assert store["overall"]["any10"] == 1.0
    assert store["install_mb"] > 0


class Noting:
    """An embedder that notes what it was asked for."""

    def __init__(self) -> None:
        self.documents: list[str] = []
        self.queries: list[str] = []

    def document(self, text: str) -> list[float]:
        self.documents.append(text)
        return vector(text)

    def query(self, text: str) -> list[float]:
        self.queries.append(text)
        return vector(text)


def test_mordecai_with_an_embedder_uses_the_vectors_made_before_and_has_them_all(
    tmp_path: Path,
) -> None:
    shared = Noting()
    store = Mordecai(tmp_path, shared)
    turns = [
        said("t1", " I walk my spaniel before breakfast\0 "),
        said("t2", "soup " * 900, speaker=None),
        *(said(f"f{n}", f"Filler number {n}") for n in range(40)),
    ]
    store.index("p1", turns)
    assert sorted(shared.documents) == sorted(turn.attributed for turn in turns)
    shared.queries.clear()
    assert store.search("p1", "Which quadruped lives here?", 5)[0] == "t1"
    assert shared.queries == ["Which quadruped lives here?"]
    store.close()


def test_a_store_that_is_not_installed_is_a_row_with_the_reason(file: Path, tmp_path: Path) -> None:
    results = compare([file], ["fts5", "chroma"], tmp_path / "none", Limits(), lambda _: None)
    assert "reason" in to_json(results)["toy"]["stores"]["chroma"]
    assert "| Chroma | not measured: no vectors: not installed" in markdown(results)
    assert "| FTS5, bare turns | 50.0 |" in markdown(results)


def test_limits_take_the_first_conversations_and_questions(file: Path) -> None:
    data = load(file, Limits(conversations=1, questions=1))
    assert (len(data.conversations), data.turns, data.questions) == (1, 3, 1)


def test_the_measures_are_those_of_the_recall_evaluation(file: Path) -> None:
    data = load(file, Limits(conversations=1, questions=1))
    report = report_of(data, Outcome(found=[[["t1", "t2"]]], latencies_ms=[4.0]))
    assert (report.overall.mrr, report.overall.r5) == (0.5, 1.0)
    assert report.to_json()["latency_ms"]["p50"] == 4.0


def test_a_job_survives_the_way_to_its_worker(tmp_path: Path) -> None:
    job = Job("fts5", "d", (Person("p1", (said("t1", "早上好", None),), ("q",)),), texts=("a", "b"))
    job.write(tmp_path / "job.json")
    assert Job.read(tmp_path / "job.json") == job


def test_a_worker_reaches_no_other_machine(tmp_path: Path) -> None:
    """The hook stays for the life of a process, so it is tried in another one."""
    code = (
        "import socket; from tests.benchmarks.peers import worker; "
        "from tests.benchmarks.peers.job import Outcome; outcome = Outcome(); "
        "worker.stay_here(outcome)\n"
        "try: socket.create_connection(('192.0.2.1', 80), timeout=1)\n"
        "except ConnectionRefusedError: print(outcome.connections)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=variables(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "['192.0.2.1']"


def test_a_package_is_counted_with_all_it_requires() -> None:
    found = footprint.closure(["hypothesis"])
    assert "sortedcontainers" in found
    assert footprint.installed_bytes(found.values()) > footprint.installed_bytes(
        [found["hypothesis"]]
    )


def test_groups_bring_the_groups_they_include(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[dependency-groups]\nbase = ["numpy"]\nmore = [{ include-group = "base" }, "mem0ai"]\n',
        encoding="utf-8",
    )
    assert requirements(path, "more") == ["numpy", "mem0ai"]


def test_every_store_has_a_title_of_its_own() -> None:
    assert len({kind.title for kind in KINDS.values()}) == len(KINDS)
