"""`mordecai eval learning --model`, on a model behind a real socket."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.evals.learning import measure_learning
from tests.bot.evals.test_command import LABELLED
from tests.fakes.learning import finding, findings, judgement, review, when
from tests.fakes.openai_server import Completion, OpenAIServer, refusing, text


def notes(request: dict[str, Any]) -> Completion:
    """One finding to keep, and one that nobody said, which the review refuses."""
    if "check notes" in str(request["messages"][0]):
        return text(review(judgement(1), judgement(2, supported=False)))
    quotes = [
        {"turn": 1, "words": "meera visits on the twelfth"},
        {"turn": 2, "words": "my sister"},
    ]
    visit = finding(
        "My sister Meera visits on 12 March 2026", quotes=quotes, when=when("2026-03-12")
    )
    return text(findings(visit, finding("My sister is a pilot", "my sister", turn=2)))


def reach(server: OpenAIServer) -> dict[str, str]:
    """All that has to be set."""
    return {"MORDECAI_MODEL_BASE_URL": server.base_url, "MORDECAI_MODEL_API_KEY": "right"}


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps(LABELLED) + "\n", encoding="utf-8")
    return file


async def test_what_a_model_proposes_is_held_against_the_labels(labelled: Path) -> None:
    async with OpenAIServer(decide=notes) as server:
        ran = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "eval", "learning", str(labelled)),
            *("--model", "openai:some", "--json"),
            env=os.environ | reach(server),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(100):
            out, err = await ran.communicate()
    assert ran.returncode == 0, err.decode()
    printed = json.loads(out)
    assert server.refused == []
    assert [request["model"] for request in server.requests] == ["some", "some"]
    assert printed["keep"] == {"right": 1, "of": 1, "share": 1.0}
    assert printed["drop"] == {"right": 3, "of": 3, "share": 1.0}
    assert printed["records"] == {"keep": 1, "drop": 0, "unlabelled": 0}
    assert printed["unread_sessions"] == 0


async def test_a_model_that_reads_nothing_is_told_apart_from_one_that_notes_nothing(
    labelled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with OpenAIServer(decide=lambda request: refusing(503, "down")) as server:
        for name, value in reach(server).items():
            monkeypatch.setenv(name, value)
        report = await measure_learning([labelled], "openai:some")
    assert report.keep.right == 0
    assert report.unread == 1
    assert len(server.requests) >= 2, "it was tried again"
