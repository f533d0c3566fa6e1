"""`mordecai eval learning --model`, as it is typed, on a model behind a real socket."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

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


async def measure(server: OpenAIServer, file: Path) -> dict[str, Any]:
    """What the command prints as JSON, with nothing else set than the server and its key."""
    file.write_text(json.dumps(LABELLED) + "\n", encoding="utf-8")
    settings = {"MORDECAI_MODEL_BASE_URL": server.base_url, "MORDECAI_MODEL_API_KEY": "right"}
    ran = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "eval", "learning", str(file)),
        *("--model", "openai:some", "--json"),
        env=os.environ | settings,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(100):
        out, err = await ran.communicate()
    assert ran.returncode == 0, err.decode()
    printed: dict[str, Any] = json.loads(out)
    return printed


async def test_what_a_model_proposes_is_held_against_the_labels(tmp_path: Path) -> None:
    async with OpenAIServer(decide=notes) as server:
        printed = await measure(server, tmp_path / "labelled.jsonl")
    assert server.refused == []
    assert [request["model"] for request in server.requests] == ["some", "some"]
    assert printed["keep"] == {"right": 1, "of": 1, "share": 1.0}
    assert printed["drop"] == {"right": 3, "of": 3, "share": 1.0}
    assert printed["records"] == {"keep": 1, "drop": 0, "unlabelled": 0}
    assert printed["unread_sessions"] == 0


async def test_a_model_that_reads_nothing_is_told_apart_from_one_that_notes_nothing(
    tmp_path: Path,
) -> None:
    async with OpenAIServer(decide=lambda request: refusing(503, "down")) as server:
        printed = await measure(server, tmp_path / "labelled.jsonl")
    assert printed["keep"]["right"] == 0
    assert printed["unread_sessions"] == 1
    assert len(server.requests) >= 2, "it was tried again"
