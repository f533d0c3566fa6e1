"""What a person sees of their memories on Telegram, with a model: told in pronouns, listed by /new,
corrected in a word, and forgotten with a button that outlives a kill."""

import json
import re
from pathlib import Path
from typing import Any

from tests.e2e.test_telegram import ANNA, Talk, all_answered, running
from tests.fakes.botapi import BotApiServer
from tests.fakes.learning import finding, findings, review
from tests.fakes.openai_server import Completion, OpenAIServer, calling, text

BROTHER = "My sister is called Julia"
TOWN = "My sister Julia lives in Lisbon"
VISIT = "My sister Julia visits me on 12 December 2031"


def model_of(body: dict[str, Any]) -> Completion:
    """Understands a sister."""
    told, last = json.dumps(body["messages"][0]), body["messages"][-1]
    if "finished conversation" in told:
        return text(noted(json.dumps(body["messages"][1:])))
    if "check notes" in told:
        return text(review())
    if "open a new conversation" in told:
        return text("Hello again!")
    if last["role"] == "tool":
        return answer(last["content"], body)
    said = json.dumps(last["content"])
    if "wrong" in said:
        return calling("search_memory", json.dumps({"query": "Julia Lisbon"}))
    if "forget" in said:
        return calling("forget_memory", json.dumps({"query": "Julia"}))
    return text("I see.")


def noted(asked: str) -> str:
    """What the first conversation tells; the second one tells nothing more."""
    if "Lisbon" not in asked:
        return findings()
    about: dict[str, Any] = {"about": ["Julia"]}
    return findings(
        finding(BROTHER, "My sister is called Julia", **about),
        finding(TOWN, "She lives in Lisbon", turn=2, **about),
        finding(VISIT, "She visits me on 12 December 2031", turn=3, date="2031-12-12", **about),
        summary="The user told about a sister.",
    )


def answer(result: str, body: dict[str, Any]) -> Completion:
    """What the model does with the result of its tool."""
    if "Found" in result:
        [id_] = re.findall(r"\[fact (\w+),[^]]*\] " + TOWN, result)
        arguments = {
            "memory_id": id_,
            "statement": "My sister Julia lives in Porto",
            "quote": "she lives in Porto",
        }
        return calling("correct_memory", json.dumps(arguments))
    return text("Corrected." if "Corrected" in result else "Which of it?")


async def test_told_in_pronouns_listed_corrected_and_forgotten_without_a_byte(
    tmp_path: Path,
) -> None:
    async with BotApiServer() as server, OpenAIServer(decide=model_of) as model:
        talk, anna = Talk(server, ANNA), server.user(ANNA)
        settings = {
            "MORDECAI_MODEL": "openai:any",
            "MORDECAI_MODEL_BASE_URL": model.base_url,
            "MORDECAI_MODEL_API_KEY": model.api_key,
        }
        async with running(server, tmp_path, **settings) as process:
            await talk.say("My sister is called Julia.")
            await talk.say("She lives in Lisbon.")
            await talk.say("She visits me on 12 December 2031.")
            kept = await listed(talk)
            for number, statement in enumerate((BROTHER, TOWN, VISIT), 1):
                assert f"{number}. Noted: {statement}" in kept

            corrected = await talk.say("that's wrong, she lives in Porto")
            assert corrected == f"Corrected.\n\nChanged: {TOWN} → My sister Julia lives in Porto"
            asked = await talk.say("forget Julia")
            assert asked.startswith("Which of it?\n\nWhich of these should I delete?\n1. ")
            assert "lives in Porto" in asked
            assert "fact" not in asked
            await all_answered(tmp_path / "data" / "inbox.sqlite")
            process.kill()
            await process.wait()
        async with running(server, tmp_path, **settings):
            await anna.presses(server.sent(ANNA)[-1], "All of these")
            gone = await talk.hear()
            assert gone.count("Deleted: ") == 3
            assert "lives in Porto" in gone
            await anna.presses(server.sent(ANNA)[-1], "Undo")
            await server.wait_for(lambda: "Restored" in server.sent(ANNA)[-1]["text"], 60)
            assert "lives in Porto" in await talk.say("/memory julia")

            await talk.say("/forget Julia")
            await anna.presses(server.sent(ANNA)[-1], "All of these")
            await server.wait_for(lambda: "Deleted: " in server.sent(ANNA)[-1]["text"], 60)
            assert "nothing" in await talk.say("/memory julia")
            await all_answered(tmp_path / "data" / "inbox.sqlite")
        assert model.refused == []
        assert left_of(tmp_path / "data", "Julia", "Lisbon", "Porto", "2031") == []


async def listed(talk: Talk) -> str:
    """What /new kept; it says so later if that takes longer."""
    kept = await talk.say("/new")
    return kept if "Noted" in kept else await talk.hear()


def left_of(data: Path, *words: str) -> list[str]:
    """The files that still have one of these words, in any case."""
    return [
        f"{word} in {path.name}"
        for path in data.rglob("*")
        if path.is_file()
        for word in words
        if word.lower().encode() in path.read_bytes().lower()
    ]
