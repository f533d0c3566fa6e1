"""Answers that end early stay, and go on; questions are answered again."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import Model

from bot.assistant.agent import TurnLimits
from bot.assistant.conversation import Conversation
from bot.assistant.events import Conversing, Event, Reply
from bot.assistant.inbound import Message
from bot.assistant.instructions import GO_ON, Persona, system_prompt
from bot.models.catalogue import ModelAccess, model_from_name
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor, Hit, Kind, Place, Record, Role
from memory.understanding import Extraction, Reading
from tests.bot.telegram.stage import Stage, stage
from tests.bot.telegram.streaming import texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.openai_server import Completion, OpenAIServer, refusing, text
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS, CLARA = 1001, 1002, 1003
GROUP = -1000500
ANN, HOME = Actor.person(ANNA), Place("telegram", ANNA)
LIMITS = TurnLimits(model_timeout_seconds=1)
CONTINUE, AGAIN = ENGLISH.button_continue, ENGLISH.button_again


class Late:
    """A conversation that gets its memory later than a stage wants it. Once it `dies`, it goes no
    further than to its records."""

    inner: Conversing
    dies = False

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        async with aclosing(self.inner.reply(message)) as events:
            async for event in events:
                if self.dies and isinstance(event, Reply):
                    await asyncio.Event().wait()
                yield event


class Reader:
    """An extractor that keeps what it reads."""

    read: list[str]

    async def extract(self, reading: Reading) -> Extraction:
        """See Extractor."""
        self.read = [message.text for turn in reading.turns for message in turn.messages]
        return Extraction((), summary="A talk.")


class Play:
    """A bot on Telegram with a model on a server."""

    def __init__(self, on: Stage, model: OpenAIServer, talk: Late) -> None:
        self.on, self.server, self.model, self.talk = on, on.server, model, talk

    async def asks(
        self, words: str, *replies: Completion, user: int = ANNA, ago: int = 0
    ) -> dict[str, Any]:
        """Say something, which the model answers so; the message, once that is all there."""
        self.model.script(*replies)
        message = await self.server.user(user).says(words, date=int(time.time()) - ago)
        await self.settles()
        return message

    async def settles(self) -> None:
        await self.server.wait_for(lambda: self.on.channel.listening)
        await self.server.wait_for(lambda: not self.server.world.pending)
        await self.on.channel.settle()

    async def presses(self, label: str, user: int = ANNA, chat: int = ANNA) -> None:
        """Press the newest button of this label."""
        under = [m for m in self.server.sent(chat) if label in _labels(m)][-1]
        await self.server.user(user).presses(under, label)
        await self.settles()

    async def window(self, actor: Actor = ANN, place: Place = HOME) -> list[str]:
        """Who said what, as the model sees it."""
        history = await self.on.memory.talk.recall(actor, place, "?")
        return [f"{message.role}: {message.text}" for message in history.messages]

    @property
    def labels(self) -> list[str]:
        """The buttons in Anna's chat."""
        return [label for message in self.server.sent(ANNA) for label in _labels(message)]

    @property
    def asked(self) -> str:
        """What the model was asked last."""
        content = self.model.requests[-1]["messages"][-1]["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        return str(parts[-1]["text"])


def _labels(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


def _model(server: OpenAIServer) -> AbstractAsyncContextManager[Model]:
    access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
    return model_from_name("openai:small", access)


@asynccontextmanager
async def play(
    server: BotApiServer,
    folder: Path,
    model: OpenAIServer,
    store: TemporaryStore | None = None,
    **how: Any,
) -> AsyncIterator[Play]:
    late, store = Late(), store or TemporaryStore()
    persona = system_prompt(Persona(identity="You are a test."))
    async with (
        _model(model) as small,
        stage(server, folder, conversation=late, store=store, **how) as on,
    ):
        late.inner = Conversation(small, on.memory, persona, LIMITS, accounts=on.accounts)
        yield Play(on, model, late)


@pytest.fixture
async def model() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        yield server


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


async def test_a_question_that_the_bot_broke_over_is_asked_again_by_a_press_or_a_command(
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


async def test_an_older_question_is_answered_once_more(
    server: BotApiServer, tmp_path: Path, model: OpenAIServer
) -> None:
    async with play(server, tmp_path, model) as on:
        message = await on.asks("Name a brid", text("A what?"))
        await on.asks("Hi", text("Hello."))
        await server.user(ANNA).edits(message, "Name a bird")
        await on.settles()
        model.script(text("A wren."))
        await on.presses(AGAIN)
        assert (await on.window())[2:] == [
            "user: Hi", "assistant: Hello.", "user: Name a bird", "assistant: A wren.",
        ]  # fmt: skip


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
