"""The evaluation runs real questions through the real store, and reports in a fixed shape."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bot.evals.recall import evaluate, read_dialogues, report_recall, work_in
from memory.records import Role, Speaker
from tests.fakes.embedders import WordEmbedder
from tests.fakes.postgres import server_url

CONVERSATION = {
    "id": "c1",
    "turns": [
        {"id": "1", "session": 1, "speaker": "user", "role": "user",
         "time": "2026-01-01T10:00:00", "text": "My sister Anna plays the cello"},
        {"id": "2", "session": 1, "speaker": "assistant", "role": "assistant",
         "time": "2026-01-01T10:00:30", "text": "How lovely!"},
        {"id": "3", "session": "2/b", "speaker": "Bo", "role": "user",
         "time": "2026-01-02T10:00:00+02:00", "text": "I moved to Lisbon"},
    ],
    "questions": [
        {"id": "q1", "text": "Which instrument does Anna play?", "category": "one",
         "gold": ["1"], "answer": "cello"},
        {"id": "q2", "text": "Who moved to Lisbon?", "category": "one", "gold": ["3"],
         "answer": "Bo"},
        {"id": "q3", "text": "What about zebras?", "category": "adversarial", "gold": ["2"],
         "answer": ""},
    ],
}  # fmt: skip


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps(CONVERSATION) + "\n\n")
    return file


def test_speakers_are_names_and_roles_are_none(data_set: Path) -> None:
    (conversation,) = read_dialogues(data_set)
    messages = [turn.messages[0] for turn in conversation.turns]
    assert [message.speaker for message in messages] == [None, None, Speaker(None, "Bo")]
    assert messages[1].role is Role.ASSISTANT
    assert all(message.at.tzinfo for message in messages)


async def test_the_adversarial_category_stays_out_of_the_overall_figures(data_set: Path) -> None:
    report = await evaluate([data_set])
    assert report.overall.r10 == 1.0
    assert report.categories["adversarial"].r10 == 0.0
    assert report.turns == 3


async def test_a_server_finds_what_files_find(data_set: Path) -> None:
    on_files = await evaluate([data_set], WordEmbedder())
    on_server = await evaluate([data_set], WordEmbedder(), server_url())
    assert on_server.scores == on_files.scores
    assert on_server.bytes_on_disk > 0


async def test_an_embedder_is_given_all_turns_and_questions_before_anything_is_asked(
    data_set: Path,
) -> None:
    embedder = WordEmbedder()
    report = await evaluate([data_set], embedder)
    assert report.overall.r10 == 1.0
    assert {"My sister Anna plays the cello", "How lovely!"} < set(embedder.texts)
    assert "Bo: I moved to Lisbon" in embedder.texts
    assert "Who moved to Lisbon?" in embedder.queries


def test_an_embedder_that_can_not_be_used_is_an_error_not_a_traceback(
    data_set: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert report_recall([data_set], embedder="nobody:nothing") == 2
    assert "embedder = 'nobody:nothing' is unknown" in capsys.readouterr().err.replace("\n", " ")


async def test_every_turn_and_question_moves_the_progress_bar(data_set: Path) -> None:
    steps: list[int] = []
    await evaluate([data_set], advance=steps.append)
    assert sum(steps) == work_in([data_set]) == 6


def test_the_command_prints_the_agreed_json(
    data_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_recall([data_set], json_wanted=True) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    measures = {"r5", "r10", "r25", "ndcg10", "mrr", "any10"}
    assert set(printed) == {
        "overall", "categories", "latency_ms", "index_s_per_1000", "bytes_per_1000"
    }  # fmt: skip
    assert set(printed["overall"]) == measures
    assert set(printed["categories"]) == {"one", "adversarial"}
    assert set(printed["latency_ms"]) == {"p50", "p95"}
    assert printed["bytes_per_1000"] > 0


def test_the_command_prints_a_table_for_people(
    data_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_recall([data_set]) == 0
    printed = capsys.readouterr().out
    assert "overall" in printed
    assert "100.0" in printed


def test_a_server_that_is_not_there_is_an_error_not_a_traceback(
    data_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_recall([data_set], database="postgresql://me:secret@127.0.0.1:1/none") == 2
    complaint = capsys.readouterr().err
    assert "127.0.0.1" in complaint
    assert "secret" not in complaint


def test_gzipped_data_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(CONVERSATION).encode()))
    assert len(list(read_dialogues(file))) == 1


@pytest.mark.parametrize("content", ["not json", '{"id": 1}', '{"turns": 3, "questions": []}'])
def test_a_file_that_is_no_data_set_is_named_with_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(content)
    assert report_recall([file]) == 2
    complaint = capsys.readouterr().err.replace("\n", "")
    assert "bad.jsonl, line 1" in complaint


def test_a_missing_file_is_an_error_not_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_recall([tmp_path / "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err.replace("\n", "")
