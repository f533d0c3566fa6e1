"""A talk of forty turns with a language model that is a server on a real socket, and a kill in its
middle: what has left the window goes on to be known, in this conversation and in the next."""

import json
import re
from pathlib import Path
from typing import Any

from tests.e2e.test_telegram import ANNA, SAVED, Talk, all_answered, running
from tests.fakes.botapi import BotApiServer
from tests.fakes.learning import finding, findings, review
from tests.fakes.openai_server import Completion, OpenAIServer, text

_TREE = re.compile(r"tree number (\d+)|\bT(\d+)\b")


def trees(body: str) -> list[int]:
    """The numbers of all trees that a text tells of."""
    return sorted({int(one or other) for one, other in _TREE.findall(body)})


def gardener(body: dict[str, Any]) -> Completion:
    """A model that listens, sums up, notes and greets: each as it is told to."""
    told = json.dumps(body["messages"][0])
    asked = json.dumps(body["messages"][1:])
    if "sum up" in told:
        return text("The user planted " + " ".join(f"T{n}" for n in trees(asked)) + ".")
    if "open a new conversation" in told:
        return text("How are your trees?" if trees(asked) else "Hello again!")
    if "finished conversation" in told:
        return text(noted(asked))
    if "check notes" in told:
        return text(review())
    return text(f"You planted {len(trees(asked))} trees so far, I believe.")


def noted(asked: str) -> str:
    """What the model would keep: the first and the last tree."""
    first, last = trees(asked)[0], trees(asked)[-1]
    found = [
        finding(f"I planted tree number {number} by the river, {kind}", turn=turn, importance=8)
        for turn, number, kind in ((1, first, "a birch"), (len(trees(asked)), last, "an oak"))
    ]
    summary = f"The user planted trees from T{first} to T{last}."
    return findings(*found, summary=summary, topics=("the garden",))


def talks(model: OpenAIServer) -> list[dict[str, Any]]:
    """The requests that were turns of the conversation."""
    return [request for request in model.requests if "# MEMORY" in str(request["messages"][0])]


async def test_forty_turns_and_a_kill_and_nothing_is_out_of_mind(tmp_path: Path):
    async with BotApiServer() as server, OpenAIServer(decide=gardener) as model:
        anna = Talk(server, ANNA)
        settings = {
            "MORDECAI_MODEL": "openai:gardener",
            "MORDECAI_MODEL_BASE_URL": model.base_url,
            "MORDECAI_MODEL_API_KEY": model.api_key,
            "MORDECAI_MAX_CONVERSATION_MESSAGES": "500",
        }

        async def plant(first: int, last: int) -> None:
            for number in range(first, last + 1):
                kind = {1: ", a birch", 40: ", an oak"}.get(number, "")
                told = f"Today I planted tree number {number} by the river{kind}"
                assert "trees so far" in await anna.say(told)

        async with running(server, tmp_path, **settings) as process:
            await plant(1, 20)
            await all_answered(tmp_path / "data" / "inbox.sqlite")
            process.kill()
            await process.wait()

        async with running(server, tmp_path, **settings):
            await plant(21, 40)
            summed_up = await anna.say("/summarize")
            assert 1 in trees(summed_up)
            await anna.say("Which was the first one?")
            seen = json.dumps(talks(model)[-1]["messages"])
            assert trees(seen) == list(range(1, 41)), "nothing of this conversation is forgotten"
            spoken = [m for m in talks(model)[-1]["messages"] if m["role"] == "assistant"]
            assert len(spoken) <= 10, "and yet only the last turns are there word for word"

            farewell = await anna.say("/new")
            assert SAVED in farewell
            assert "How are your trees?" in farewell
            await anna.say("Good morning!")
            about = json.dumps(talks(model)[-1]["messages"])
            assert "tree number 1 by the river, a birch" in about
            assert "tree number 40 by the river, an oak" in about
            assert "from T1 to T40" in about
            listing = await anna.say("/memory")
            assert "tree number 40" in listing
    assert model.refused == []
    log = (tmp_path / "log").read_text()
    assert "tree number" not in log
