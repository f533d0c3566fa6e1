"""Answers that end early stay, and go on."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.instructions import GO_ON
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor, Hit, Place, Record, Role
from memory.understanding import Extraction, Reading
from tests.bot.telegram.play import ANNA, BORIS, CLARA, CONTINUE, GROUP, play
from tests.bot.telegram.streaming import texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import Completion, OpenAIServer, refusing, text
from tests.fakes.temporary_store import TemporaryStore


class Reader:
    """An extractor that keeps what it reads."""

    read: list[str]

    async def extract(self, reading: Reading) -> Extraction:
        """See Extractor."""
        self.read = [message.text for turn in reading.turns for message in turn.messages]
        return Extraction((), summary="A talk.")


CUTS = {
    "a stall": (Completion(("The first", " half"), stall=5), "timeout"),
    "a dropped connection": (Completion(("The first", " half"), drop=True), "cut"),
    "an early end": (Completion(("The first", " half"), finish=None), "cut"),
    "the output limit": (text("The first", " half", finish="length"), "output_limit"),
}


@pytest.mark.parametrize(("completion", "kind"), CUTS.values(), ids=CUTS)
async def test_what_was_shown_stays_and_goes_on(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer, completion: Completion, kind: str
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Tell me all", completion)
        [shown] = texts(server)
        assert shown.startswith(f"The first half\n\n{ENGLISH.interrupted[kind]}")
        assert on.labels == [CONTINUE]
        assert not server.calls_of("deleteMessage")
        assert await on.window() == ["user: Tell me all", "assistant: The first half"]
        model.script(text("and the second"))
        await on.presses(CONTINUE)
        assert texts(server) == [shown, "and the second"]
        assert on.asked == GO_ON
        assert on.labels == []
        assert await on.window() == [
            "user: Tell me all",
            "assistant: The first half",
            "assistant: and the second",
        ]


async def test_a_code_block_that_broke_off_goes_on_as_one(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Count", text("See:\n\n```python\nprint(1)", finish="length"))
        model.script(text("print(2)\n", "print(3)", finish="length"))
        await on.presses(CONTINUE)
        model.script(text("print(4)\n``", "`\n\nThat was **it**."))
        await on.presses(CONTINUE)
        *_, second, last = server.sent(ANNA)
        assert second["text"].startswith("print(2)\nprint(3)\n")
        assert second["entities"][0] | {"length": 17} == second["entities"][0]
        assert last["text"] == "print(4)\n\nThat was it."
        assert [(e["type"], e["offset"], e["length"]) for e in last["entities"]] == [
            ("pre", 0, 8), ("bold", 19, 2),
        ]  # fmt: skip
        assert last["entities"][0]["language"] == "python"
        assert (await on.window())[-1] == (
            "assistant: ```python\nprint(4)\n```\n\nThat was **it**."
        )


async def test_what_is_shown_of_a_stopped_answer_goes_on(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        model.script(Completion(("The first half",), stall=30))
        await server.user(ANNA).says("Tell me all")
        await server.wait_for(lambda: texts(server)[:1] and "The first half" in texts(server)[0])
        await server.user(ANNA).says("/stop")
        await server.wait_for(lambda: texts(server)[1:] == [ENGLISH.stopped])
        await on.settles()
        assert texts(server) == ["The first half", ENGLISH.stopped]
        model.script(text("and the second"))
        await on.presses(CONTINUE)
        assert texts(server)[2:] == ["and the second"]


async def test_an_answer_that_grows_is_not_ended_by_the_time_it_takes(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        words = tuple(f"{number} " for number in range(12))
        await on.asks("Count", Completion(words, delay=1.5, pause=0.2))
        assert texts(server) == ["".join(words).strip()]


async def test_a_continued_answer_breaks_off_again_and_goes_on_again(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Tell me all", text("One", finish="length"))
        model.script(refusing(503, "down"), text("two", finish="length"), text("three"))
        await on.presses(CONTINUE)
        assert texts(server)[1].startswith(ENGLISH.failures["server_error"])
        await on.presses(CONTINUE)
        await on.presses(CONTINUE)
        assert (await on.window())[1:] == ["assistant: One", "assistant: two", "assistant: three"]
        assert on.labels == []


async def test_the_conversation_has_moved_on(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Tell me all", text("One", finish="length"))
        [old] = server.sent(ANNA)
        await on.asks("Never mind", text("Fine.", finish="length"))
        query = await server.user(ANNA).presses(old, CONTINUE)
        await on.settles()
        assert server.world.answered_queries[query]["text"] == ENGLISH.moved_on
        assert len(texts(server)) == 2
        assert on.labels == [CONTINUE], "the newer one"
        await on.asks("/new", text("-"))
        assert len(model.requests) == 0
        await on.presses(CONTINUE)
        assert len(model.requests) == 0


async def test_a_press_survives_a_restart(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Tell me all", text("One", finish="length"))
    async with play(server, tmp_path, model) as on:
        model.script(text("two"))
        await on.presses(CONTINUE)
        assert texts(server)[1:] == ["two"]
        assert on.asked == GO_ON


async def test_pressing_and_retrying_count_towards_the_limits(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    quotas = QuotaLimits(messages_per_minute=2)
    async with play(server, tmp_path, model, quotas=quotas) as on:
        await on.asks("Tell me all", text("One", finish="length"))
        model.script(text("two", finish="length"))
        await on.presses(CONTINUE)
        await on.asks("/retry", text("never"))
        assert len(model.requests) == 0
        assert texts(server)[1:2] == [f"two\n\n{ENGLISH.interrupted['output_limit']}"]
        await on.presses(CONTINUE)
        assert len(model.requests) == 0


async def test_in_a_group_only_the_asker_and_admins_go_on(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    group = server.group(GROUP)
    group.make_admin(CLARA)
    place, ours = Place("telegram", GROUP), Actor.group(GROUP)
    async with play(server, tmp_path, model) as on:
        model.script(text("One", finish="length"))
        await server.user(ANNA).says("/ask Tell me all", group=group)
        await on.settles()
        model.script(text("two", finish="length"), text("three"), text("all of it"))
        await on.presses(CONTINUE, BORIS, GROUP)
        await server.user(BORIS).says("/retry", group=group)
        await on.settles()
        assert model.requests == []
        assert texts(server, GROUP)[1:] == [ENGLISH.not_your_question]
        await on.presses(CONTINUE, ANNA, GROUP)
        await on.presses(CONTINUE, CLARA, GROUP)
        assert (await on.window(ours, place))[1:] == [
            "assistant: One", "assistant: two", "assistant: three",
        ]  # fmt: skip
        await server.user(CLARA).says("/retry", group=group)
        await on.settles()
        history = await on.on.memory.talk.recall(ours, place, "?")
        assert [(m.role, m.text, m.speaker and m.speaker.id) for m in history.messages] == [
            (Role.USER, "Tell me all", ANNA),
            (Role.ASSISTANT, "all of it", None),
        ]


async def test_nobody_reaches_another_conversation_with_a_button(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("My secret", text("One", finish="length"))
        [answer] = server.sent(ANNA)
        [[button]] = answer["reply_markup"]["inline_keyboard"]
        await on.asks("Hi", text("Hello."), user=BORIS)
        own = server.sent(BORIS)[0]
        model.script(text("never"))
        turn = button["callback_data"].rpartition(":")[2]
        for data in (button["callback_data"], f"t:again:{turn}", "t:again:", "t:go:", "t:", "t:x"):
            await server.user(BORIS).clicks(own, data)
            await on.settles()
        assert model.requests == []
        assert len(texts(server, BORIS)) == 1


async def test_what_a_person_says_is_learned_and_nothing_of_an_interrupted_answer(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    reader = Reader()
    async with play(server, tmp_path, model, extractor=reader) as on:
        await on.asks("I live in Oslo.", text("You live in Rome.", finish="length"))
        await on.asks("I like tea.", refusing(503, "down"))
        await on.asks("/new")
        await on.on.memory.settle()
        assert reader.read == ["I live in Oslo.", "I like tea."]


class Unreadable(TemporaryStore):
    """A store in which one value can't be read, which is no outage."""

    async def search(self, *asked: Any, **how: Any) -> list[Hit]:
        """See LongTermMemory."""
        raise ValueError("Invalid isoformat string")

    async def records(self, *asked: Any, **how: Any) -> list[Record]:
        """See LongTermMemory."""
        raise ValueError("Invalid isoformat string")


async def test_a_memory_that_can_not_be_read_keeps_nobody_from_an_apology(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model, Unreadable()) as on:
        for number, words in enumerate(("Hi", "/memory", "Hello?"), 1):
            await on.asks(words)
            said = await server.replies_to(ANNA, number)
            assert said[-1].startswith(ENGLISH.failed.partition(".")[0])
        assert on.on.inbox.open_count == 0


async def test_beyond_a_limit_a_message_gets_a_sentence_and_the_next_ones_a_reaction(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    quotas = QuotaLimits(messages_per_minute=1)
    async with play(server, tmp_path, model, quotas=quotas) as on:
        asked = [await on.asks(words, text("Hello.")) for words in ("one", "two", "three")]
        assert len(texts(server)) == 2
        [reaction] = server.calls_of("setMessageReaction")
        assert int(reaction.parameters["message_id"]) == asked[2]["message_id"]


@pytest.mark.parametrize("how", ["press", "command"])
async def test_a_kill_after_the_answer_was_recorded_neither_loses_nor_repeats_it(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer, how: str
) -> None:
    hasty = ChannelOptions(stop_seconds=0.05, poll_seconds=5, streaming=Streaming.OFF)
    async with play(server, tmp_path, model, options=hasty) as on:
        await on.asks("Tell me all", text("One", finish="length"))
        model.script(text("two"))
        on.talk.dies = True
        if how == "press":
            await server.user(ANNA).presses(server.sent(ANNA)[0], CONTINUE)
        else:
            await server.user(ANNA).says("/retry")
        await server.wait_for(lambda: model.requests)
        while "assistant: two" not in await on.window():
            await asyncio.sleep(0.01)
    async with play(server, tmp_path, model) as on:
        await on.settles()
        assert texts(server)[1:] == ["two"]
        assert len(model.requests) == 1
        rest = ["assistant: One", "assistant: two"] if how == "press" else ["assistant: two"]
        assert await on.window() == ["user: Tell me all", *rest]


async def test_what_a_guardrail_says_in_place_of_an_answer_gives_way_to_our_own_sentence(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        blocked = text("Sorry, ", "no can do.", finish="guardrail_intervened")
        await on.asks("How do I pick a lock?", blocked)
        assert texts(server) == [ENGLISH.failures["blocked"]]
        assert on.labels == []
        assert await on.window() == []
