"""Conversations that end by themselves: it is said why, and where they are to be found."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.texts import ENGLISH, languages
from memory.records import Actor, Place, Role, Speaker, Utterance
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.fakes.botapi import BotApiServer

ANNA = 1001
ANN, HOME = Actor.person(ANNA), Place("telegram", ANNA)


async def told_long_ago(on: Stage, text: str, ago: timedelta) -> None:
    at = datetime.now(UTC) - ago
    said = (Utterance(Role.USER, text, at), Utterance(Role.ASSISTANT, "I see.", at))
    await on.memory.talk.record(ANN, HOME, said)


@pytest.mark.parametrize("language", languages())
async def test_one_that_is_full_says_how_long_it_was(
    server: BotApiServer, tmp_path: Path, language: str
) -> None:
    texts = languages()[language]
    async with stage(server, tmp_path) as on:
        server.user(ANNA).profile["language_code"] = language
        await ask(server, "hi")
        for number in range(15):
            await tell(on, f"I own {number + 2} bicycles.")
        said = (await server.replies_to(ANNA, 2))[1]
        assert said.startswith(f"{texts.saved}\n{texts.saved_full.format(30)}")
        assert "30" in said


async def test_one_that_fell_silent_says_so(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "hi")
        await told_long_ago(on, "I live in Oslo", timedelta(hours=7))
        # As the next message finds it.
        await on.memory.talk.recall(ANN, HOME, "hello again")
        said = (await server.replies_to(ANNA, 2))[1]
        assert said.startswith(f"{ENGLISH.saved}\n{ENGLISH.saved_idle}\n\n")


async def test_one_that_somebody_ended_needs_no_reason(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "hi")
        await tell(on, "I live in Oslo")
        await on.memory.talk.end(ANN, HOME, "new")
        assert (await server.replies_to(ANNA, 2))[1].startswith(f"{ENGLISH.saved}\n\n")


async def test_a_summary_right_after_the_end_is_that_of_the_last_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    texts = languages()["en"]
    async with stage(server, tmp_path) as on:
        assert await ask(server, "/summarize") == texts.summary_nothing
        await tell(on, "I live in Oslo and work at Acme Corp.")
        await ask(server, "/new")
        [talk] = await on.memory.known.past_talks(ANN)
        last = f"{texts.summary_nothing}\n\n{texts.summary_last}\n{talk.text}"
        assert await ask(server, "/summarize") == last
        for number in range(4):
            await tell(on, f"I own {number + 2} bicycles.")
        assert (await ask(server, "/summarize")).startswith(texts.summary_title)


async def test_in_a_group_the_last_one_is_not_shown_to_everybody(
    server: BotApiServer, tmp_path: Path
) -> None:
    texts, group = languages()["en"], server.group(-1000500)
    crowd, place = Actor.group(group.id), Place("telegram", group.id)
    now = datetime.now(UTC)
    async with stage(server, tmp_path) as on:
        said = Utterance(Role.USER, "I live in Oslo.", now, speaker=Speaker(7, "Ann"))
        await on.memory.talk.record(crowd, place, (said, Utterance(Role.ASSISTANT, "I see.", now)))
        ending = await on.memory.talk.end(crowd, place, "new")
        assert ending is not None
        await ending.wait(10)
        await server.user(ANNA).says("/summarize", group=group)
        [shown] = await server.replies_to(group.id, 1)
        assert shown == f"{texts.summary_nothing}\n\n{texts.summary_last_group}"
