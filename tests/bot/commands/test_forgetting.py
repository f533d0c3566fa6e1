"""Forgetting: one memory, or everything after a question that only its asker answers."""

from functools import partial
from pathlib import Path

import pytest

from bot.texts import ENGLISH
from memory.records import Actor
from tests.bot.telegram.stage import ask, stage, tell
from tests.fakes.botapi import BotApiServer

ANN, BOB = Actor.person(1001), Actor.person(1002)


async def test_one_memory_is_forgotten_by_its_id(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(ANN, "I work at Acme Corp")
        other = await on.memory.known.remember(ANN, "I live in Oslo")
        assert await ask(server, f"/forget {fact.short_id}") == "Deleted: You work at Acme Corp"
        assert [r.id for r in await on.memory.known.records(ANN)] == [other.id]


async def test_an_id_of_somebody_else_is_an_unknown_id(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(BOB, "I am a spy")
        said = await ask(server, f"/forget {fact.short_id}")
        assert said.startswith(f"I have no memory with the id {fact.short_id}.")
        assert await on.memory.known.records(BOB)


async def test_a_memory_forgotten_by_its_id_can_be_brought_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, f"/forget {fact.short_id}")
        assert await on.memory.known.records(ANN) == []
        await server.user(1001).presses(server.sent(1001)[0], "Undo")
        await server.wait_for(lambda: "Restored" in server.sent(1001)[0]["text"])
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I work at Acme Corp"]


async def test_nobody_brings_back_what_somebody_else_has_forgotten(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(1001)
    group.make_admin(1002)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I am a spy")
        await ask(server, "/forget f1")
        (undo, *_), *_ = server.sent(1001)[0]["reply_markup"]["inline_keyboard"]
        await ask(server, "hi", 1002)
        await server.user(1002).says("@mordecai_test_bot hi", group=group)
        await server.replies_to(group.id, 1)
        for chat, user_id in ((1002, 1002), (group.id, 1002), (group.id, 1001)):
            below = server.sent(chat)[0]
            query = await server.user(user_id).clicks(below, undo["callback_data"])
            await server.wait_for(partial(server.world.answered_queries.get, query))
            await on.channel.settle()
            assert server.world.answered_queries[query]["text"] == ENGLISH.button_not_yours
        for actor in (ANN, BOB, Actor.group(group.id)):
            assert await on.memory.known.records(actor) == []


@pytest.mark.parametrize("apart", [" ", ", ", ",", "\n", " [", "; "])
async def test_several_are_forgotten_with_one_answer_and_come_back_together(
    server: BotApiServer, tmp_path: Path, apart: str
) -> None:
    async with stage(server, tmp_path) as on:
        texts = ["I work at Acme Corp", "I live in Oslo", "I have a dog"]
        facts = [await on.memory.known.remember(ANN, text) for text in texts]
        ids = apart.join((facts[0].short_id, "f99", facts[2].short_id))
        said = await ask(server, f"/forget {ids}" + ("]" if "[" in apart else ""))
        assert said.split("\n")[:2] == ["Deleted: You work at Acme Corp", "Deleted: You have a dog"]
        assert "I have no memory with the id" in said.split("\n")[2]
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Oslo"]
        await server.user(1001).presses(server.sent(1001)[0], "Undo")
        await server.wait_for(lambda: "Restored" in server.sent(1001)[0]["text"])
        assert server.sent(1001)[0]["text"].count("Restored") == 2
        assert {r.text for r in await on.memory.known.records(ANN)} == set(texts)


async def test_ids_that_are_all_unknown_are_all_named(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        said = await ask(server, "/forget f8 f9")
        assert "the id f8" in said.split("\n")[0]
        assert "the id f9" in said.split("\n")[1]


@pytest.mark.parametrize(
    "words",
    ["all", "All please", "everything", "all of it", "please everything!", "everything about me",
     "alles bitte", "всё", "सब कुछ", "it all"],
)  # fmt: skip
async def test_everything_said_in_other_words_is_asked_for_as_well(
    server: BotApiServer, tmp_path: Path, words: str
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        assert await ask(server, f"/forget {words}") == ENGLISH.forget_all_ask
        assert await on.memory.known.records(ANN)


@pytest.mark.parametrize(
    "words", ["all about Anna", "everything about my work", "my address", "please", "all f1"]
)
async def test_what_is_about_something_is_no_order_to_delete_everything(
    server: BotApiServer, tmp_path: Path, words: str
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        assert await ask(server, f"/forget {words}") == ENGLISH.forget_which
        assert await ask(server, "yes") == "you said: yes"
        assert await on.memory.known.records(ANN)


async def test_forget_alone_explains_with_an_id_that_exists(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(ANN, "I work at Acme Corp")
        assert f"/forget {fact.short_id}" in await ask(server, "/forget")


async def test_forget_all_asks_first_and_yes_deletes_everything(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await on.memory.known.remember(BOB, "I am a spy")
        await tell(on, "I have an open conversation.")
        said = await ask(server, "/forget all")
        assert "can't be undone" in said
        assert await on.memory.known.records(ANN), "nothing is deleted by the question"
        [question] = server.sent(1001)
        query = await server.user(1001).presses(question, "Yes, delete everything")
        await server.wait_for(lambda: "deleted" in server.sent(1001)[0]["text"])
        assert "reply_markup" not in server.sent(1001)[0]
        await on.channel.settle()
        assert query in server.world.answered_queries
        assert await on.memory.known.records(ANN) == []
        assert await on.memory.known.records(BOB)
        assert await ask(server, "/new") == "Starting a new conversation.", "nothing to save"


async def test_forget_all_leaves_no_words_in_the_inbox(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "my secret is swordfish")
        await ask(server, "/forget all")
        await server.user(1001).presses(server.sent(1001)[1], "Yes, delete everything")
        await server.wait_for(lambda: "deleted" in server.sent(1001)[1]["text"])
        await on.channel.settle()
        files = [file for file in tmp_path.iterdir() if file.name.startswith("inbox")]
        assert files
        assert not any(b"swordfish" in file.read_bytes() for file in files)


async def test_no_keeps_everything(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        await server.user(1001).presses(server.sent(1001)[0], "No, keep it")
        await server.wait_for(lambda: "keep everything" in server.sent(1001)[0]["text"])
        assert await on.memory.known.records(ANN)


async def test_a_question_in_a_group_is_answered_by_its_asker_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.group(group.id), "We meet on Fridays")
        group.make_admin(1001)
        await server.user(1001).says("/forget all", group=group)
        await server.replies_to(group.id, 1)
        [question] = server.sent(group.id)
        query = await server.user(1002).presses(question, "Yes, delete everything")
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert server.world.answered_queries[query]["text"] == ENGLISH.button_not_yours
        assert await on.memory.known.records(Actor.group(group.id))
        await server.user(1001).presses(question, "Yes, delete everything")
        await server.wait_for(lambda: "deleted" in server.sent(group.id)[0]["text"])
        assert await on.memory.known.records(Actor.group(group.id)) == []


@pytest.mark.parametrize("data", ["forget_all:1002:yes", "forget_all:1001:maybe", "x", "::::"])
async def test_made_up_clicks_do_nothing(server: BotApiServer, tmp_path: Path, data: str) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        query = await server.user(1001).clicks(server.sent(1001)[0], data)
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert server.world.answered_queries[query]["text"]
        await on.channel.settle()
        assert await on.memory.known.records(ANN)


async def test_an_old_question_is_not_answered_any_more(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        question = server.sent(1001)[0]
        question["date"] -= 3600
        query = await server.user(1001).presses(question, "Yes, delete everything")
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert "expired" in server.world.answered_queries[query]["text"]
        assert await on.memory.known.records(ANN)
