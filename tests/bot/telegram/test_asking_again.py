"""Questions are answered again: /retry, and Answer again under edited ones."""

from pathlib import Path

from bot.texts import ENGLISH
from memory.records import Kind
from tests.bot.telegram.play import AGAIN, ANN, ANNA, CONTINUE, HOME, play
from tests.bot.telegram.streaming import texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.openai_server import OpenAIServer, refusing, text
from tests.fakes.temporary_store import TemporaryStore


async def test_retry_asks_a_failed_question_again_also_after_a_restart(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("What is a boat?", refusing(503, "down"))
        assert await on.window() == []
        assert on.labels == [AGAIN]
        await on.asks("/retry", refusing(503, "down"))
        assert [text.partition(" (")[0] for text in texts(server)] == [
            ENGLISH.failures["server_error"]
        ] * 2
    async with play(server, tmp_path, model) as on:
        await on.asks("/retry", text("It floats."))
        assert on.asked == "What is a boat?"
        assert texts(server)[2:] == ["It floats."]
        assert await on.window() == ["user: What is a boat?", "assistant: It floats."]


async def test_a_question_that_an_error_left_unanswered_is_asked_again_by_a_press_or_a_command(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        works, on.talk.inner = on.talk.inner, Echo(lambda _: ZeroDivisionError())
        await on.asks("What is a boat?")
        on.talk.inner = works
        await on.asks("/retry", refusing(503, "down"))
        model.script(text("It floats."))
        await on.presses(AGAIN)
        assert texts(server)[2:] == ["It floats."]
        assert await on.window() == ["user: What is a boat?", "assistant: It floats."]


async def test_retry_answers_in_place_of_the_last_turn(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    store = TemporaryStore()
    async with play(server, tmp_path, model, store) as on:
        await on.asks("Name a bird", text("A robin.", finish="length"))
        model.script(text("That was all."))
        await on.presses(CONTINUE)
        await on.asks("/retry", text("A wren."))
        assert await on.window() == ["user: Name a bird", "assistant: A wren."]
        assert "robin" not in str(model.requests[-1])
        archived = await store.records(ANN, kinds=(Kind.MESSAGE,))
        assert [record.text for record in archived] == ["Name a bird", "A wren."]
        session = await on.on.memory.talk.session(ANN, HOME)
        assert session is not None
        assert session.message_count == 2


async def test_an_answer_stays_until_there_is_a_better_one(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("Name a bird", text("A robin."))
        await on.asks("/retry", refusing(503, "down"))
        assert await on.window() == ["user: Name a bird", "assistant: A robin."]


async def test_there_is_nothing_to_retry(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        await on.asks("/retry")
        assert texts(server) == [ENGLISH.nothing_to_retry]


async def test_an_edited_question_is_answered_again_in_its_place(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        message = await on.asks("Name a brid", text("A what?"))
        await server.user(ANNA).edits(message, "Name a brid")
        await on.settles()
        assert on.labels == []
        await server.user(ANNA).edits(message, "Name a bird")
        await on.settles()
        assert texts(server) == ["A what?"]
        assert on.labels == [AGAIN]
        model.script(text("A wren."))
        await on.presses(AGAIN)
        assert on.asked == "Name a bird"
        assert texts(server) == ["A what?", "A wren."]
        assert on.labels == []
        assert await on.window() == ["user: Name a bird", "assistant: A wren."]
        await server.user(ANNA).edits(message, "Name a fish")
        await on.settles()
        model.script(text("A carp."))
        await on.presses(AGAIN)
        assert await on.window() == ["user: Name a fish", "assistant: A carp."]


async def test_an_edit_is_answered_after_a_restart(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        message = await on.asks("Name a brid", text("A what?"), ago=5)
    async with play(server, tmp_path, model) as on:
        await server.user(ANNA).edits(message, "Name a bird")
        await on.settles()
        assert texts(server)[1:] == [ENGLISH.edited]
        assert server.sent(ANNA)[1]["reply_to_message"]["message_id"] == message["message_id"]
    async with play(server, tmp_path, model) as on:
        model.script(text("A wren."))
        await on.presses(AGAIN)
        assert texts(server)[2:] == ["A wren."]
        assert await on.window() == ["user: Name a bird", "assistant: A wren."]


async def test_an_edited_question_of_an_ended_session_is_a_new_turn(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        message = await on.asks("Name a brid", text("A what?"))
        await on.asks("/new")
        await server.user(ANNA).edits(message, "Name a bird")
        await on.settles()
        model.script(text("A wren."))
        await on.presses(AGAIN)
        assert on.asked == "Name a bird"
        assert await on.window() == ["user: Name a bird", "assistant: A wren."]


async def test_an_older_question_is_answered_once_more_and_keeps_its_words(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        message = await on.asks("The capital of France?", text("Paris."))
        await on.asks("Hi", text("Hello."))
        await server.user(ANNA).edits(message, "The capital of Spain?")
        await on.settles()
        before = [
            "user: The capital of France?", "assistant: Paris.", "user: Hi", "assistant: Hello.",
        ]  # fmt: skip
        assert await on.window() == before
        model.script(text("Madrid."))
        await on.presses(AGAIN)
        assert on.asked == "The capital of Spain?"
        again = ["user: The capital of Spain?", "assistant: Madrid."]
        assert await on.window() == [*before, *again]
        assert question_of(server) == message["message_id"]
        await server.user(ANNA).edits(message, "The capital of Italy?")
        await on.settles()
        model.script(text("Rome."))
        await on.presses(AGAIN)
        third = ["user: The capital of Italy?", "assistant: Rome."]
        assert await on.window() == [*before, *again, *third]


async def test_an_answer_to_an_older_question_that_failed_shows_its_question(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        first = await on.asks("What is a boat?", refusing(503, "down"))
        [failed] = server.sent(ANNA)
        await on.asks("What is a car?", text("It drives."))
        model.script(text("It floats."))
        await server.user(ANNA).presses(failed, AGAIN)
        await on.settles()
        assert question_of(server) == first["message_id"]
    async with play(server, tmp_path, model) as on:
        await on.asks("What is a plane?", refusing(503, "down"))
        await on.asks("Hi", text("Hello."))
    async with play(server, tmp_path, model) as on:
        failed = server.sent(ANNA)[-2]
        model.script(text("It flies."))
        await server.user(ANNA).presses(failed, AGAIN)
        await on.settles()
        assert texts(server)[-1] == "It flies."
        assert question_of(server) == failed["message_id"], "which is below its question"


def question_of(server: BotApiServer) -> int:
    """The message that the last reply to Anna shows as its question."""
    shown: int = server.sent(ANNA)[-1]["reply_to_message"]["message_id"]
    return shown
