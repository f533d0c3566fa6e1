"""`mordecai eval`, as it is typed."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.evals.learning import report_learning
from bot.evals.recall import report_recall

TOY: dict[str, Any] = {
    "id": "c1",
    "turns": [
        {"id": "1", "session": 1, "speaker": "user", "role": "user",
         "time": "2026-01-01T10:00:00", "text": "My sister Anna plays the cello\u2028every day"},
    ],
    "questions": [
        {"id": "q1", "text": "Which instrument does Anna play?", "category": "one",
         "gold": ["1"], "answer": "cello"},
    ],
}  # fmt: skip


def mordecai(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *map(str, arguments)],
        capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    file = tmp_path / "toy.jsonl"
    file.write_text(json.dumps(TOY, ensure_ascii=False) + "\n\n", encoding="utf-8")
    return file


def test_recall_prints_exactly_the_agreed_figures(toy: Path) -> None:
    ran = mordecai("eval", "recall", toy, toy, "--json")
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)
    measures = ["r5", "r10", "r25", "ndcg10", "mrr", "any10"]
    assert list(printed) == [
        "overall", "categories", "latency_ms", "index_s_per_1000", "bytes_per_1000"
    ]  # fmt: skip
    assert printed["overall"] == dict.fromkeys(measures, 1.0)
    assert printed["categories"] == {"one": dict.fromkeys(measures, 1.0)}
    assert list(printed["latency_ms"]) == ["p50", "p95"]


def test_eval_alone_tells_what_can_be_measured() -> None:
    ran = mordecai("eval")
    assert "recall" in ran.stdout + ran.stderr


TURN: dict[str, Any] = TOY["turns"][0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.jsonl", b"not json"),
        ("list.jsonl", b"[1]"),
        ("latin.jsonl", b"\xff\xfe"),
        ("empty.jsonl", b"\n"),
        ("role.jsonl", json.dumps({"turns": [{**TURN, "role": "x"}], "questions": []}).encode()),
        ("silent.jsonl", json.dumps({**TOY, "turns": []}).encode()),
        ("plain.jsonl.gz", b"no archive"),
        ("cut.jsonl.gz", gzip.compress(json.dumps(TOY).encode() * 50)[:-20]),
    ],
)
def test_a_file_that_is_no_data_set_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert report_recall([file], json_wanted=True) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(file) in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_directory_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_recall([tmp_path]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


LABELLED: dict[str, Any] = {
    "id": "d1",
    "language": "en",
    "actor": "person",
    "sessions": [
        {"at": "2026-03-02T19:20:00+01:00",
         "turns": [{"speaker": None, "user": "meera visits on the twelfth", "assistant": "Meera?"},
                   {"speaker": None, "user": "my sister", "assistant": ""}]},
    ],
    "known": [{"id": "k1", "text": "I live in Leeds", "kind": "fact"}],
    "findings": [
        {"text": "My sister Meera visits on 12 March 2026", "kind": "fact", "session": 0,
         "turns": [0, 1], "quotes": ["meera visits on the twelfth", "my sister"],
         "date": "2026-03-12", "replaces": None, "verdict": "keep", "why": "joined_turns"},
        {"text": "My sister Meera visits on 19 March 2026", "kind": "fact", "session": 0,
         "turns": [0], "quotes": ["meera visits"], "date": "2026-03-19", "replaces": None,
         "verdict": "drop", "why": "wrong_date"},
        {"text": "I live in Leeds", "kind": "fact", "session": 0, "turns": [1],
         "quotes": ["my sister"], "date": None, "replaces": None, "verdict": "drop",
         "why": "duplicate"},
        {"text": "My sister is a pilot", "kind": "fact", "session": 0, "turns": [1],
         "quotes": ["my sister"], "date": None, "replaces": None, "verdict": "drop",
         "why": "assistant_said"},
    ],
}  # fmt: skip


def test_learning_prints_what_is_kept_and_dropped_by_class_and_language(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps(LABELLED) + "\n", encoding="utf-8")
    ran = mordecai("eval", "learning", file, "--json")
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)
    assert printed["keep"] == {"right": 1, "of": 1, "share": 1.0}
    assert printed["drop"] == {"right": 2, "of": 3, "share": 2 / 3}
    assert printed["drop_by_code"] == {"right": 2, "of": 2, "share": 1.0}
    assert printed["by_why"]["keep"] == {"joined_turns": {"right": 1, "of": 1, "share": 1.0}}
    assert printed["by_why"]["drop"]["assistant_said"]["right"] == 0
    assert printed["by_language"]["drop"] == {"en": {"right": 2, "of": 3, "share": 2 / 3}}
    assert [each["text"] for each in printed["wrong"]] == ["My sister is a pilot"]


def test_learning_names_the_line_that_is_no_dialogue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    assert report_learning([file], json_wanted=True, model=None) == 2
    assert "line 1: not a labelled dialogue" in capsys.readouterr().err
