"""What somebody changes while it is answered: together with /stop, a restart, and changes that
nobody made."""

import asyncio
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Executor
from pathlib import Path

import pytest

from bot.assistant.events import Event
from bot.assistant.inbound import Message, Origin
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor, Choices, Place, Turn
from memory.stores.database import Database
from memory.stores.journal.journal import SqlJournal
from memory.stores.journal.turns import SqlTurns
from memory.stores.records.choices import TableChoices
from tests.bot.telegram.stage import Stage, ask, stage
from tests.bot.telegram.streaming import CURSOR, options, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer
from tests.fakes.files import journal_in
from tests.fakes.memories import NOON
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = 1001, 1002
HASTY = ChannelOptions(stop_seconds=0.05, poll_seconds=5)


async def received(server: BotApiServer) -> None:
    """Return when the bot has received all that was said so far."""
    await server.wait_for(lambda: not server.world.waiting)
    await ask(server, "hi", BORIS)


async def answering(on: Stage, server: BotApiServer, text: str) -> None:
    """Return when this is what the conversation was asked last."""
    await server.wait_for(lambda: on.echo.heard and on.echo.heard[-1].text == text)


async def test_a_change_that_nobody_sees_is_no_reason_to_begin_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("I live in Oslo")
        message = await server.user(ANNA).says("I live in Oslo")
        await answering(on, server, "I live in Oslo")
        await server.user(ANNA).edits(message, "I live in Oslo")
        await received(server)
        release.set()
        assert await server.replies_to(ANNA, 1) == ["you said: I live in Oslo"]
        assert on.echo.cancelled == []


async def test_a_location_that_moves_is_no_change_of_what_was_said(
    server: BotApiServer, tmp_path: Path
) -> None:
    shown = "> [a location: 1.50000, 2.50000]"
    async with stage(server, tmp_path) as on:
        release = on.echo.hold(shown)
        message = await server.user(ANNA).sends("location", live_period=600)
        await answering(on, server, shown)
        await server.user(ANNA).moves(message, 1.75)
        await received(server)
        release.set()
        assert await server.replies_to(ANNA, 1) == [f"you said: {shown}"]
        assert on.echo.cancelled == []


@pytest.mark.parametrize("waits", [False, True])
async def test_after_a_restart_a_message_is_answered_as_it_was_changed(
    server: BotApiServer, tmp_path: Path, waits: bool
) -> None:
    echo = Echo()
    for text in ("wait", "I live in Olso", "I live in Oslo"):
        echo.hold(text)
    anna = server.user(ANNA)
    async with stage(server, tmp_path, conversation=echo, options=HASTY) as on:
        if waits:
            await anna.says("wait")
            await answering(on, server, "wait")
        message = await anna.says("I live in Olso")
        if not waits:
            await answering(on, server, "I live in Olso")
        await anna.edits(message, "I live in Oslo")
        await received(server)
    async with stage(server, tmp_path) as on:
        answers = ["you said: wait\nI live in Oslo" if waits else "you said: I live in Oslo"]
        assert await server.replies_to(ANNA, 1) == answers
        await on.channel.settle()
        assert len(server.sent(ANNA)) == 1


async def test_a_change_that_a_restart_comes_before_answers_nothing_twice(
    server: BotApiServer, tmp_path: Path
) -> None:
    """The change is in the inbox, and the process that has answered the message is gone."""
    anna, before = server.user(ANNA), int(time.time()) - 5
    async with stage(server, tmp_path) as on:
        message = await anna.says("I live in Olso", date=before)
        assert await server.replies_to(ANNA, 1) == ["you said: I live in Olso"]
        await on.channel.settle()
        await on.end()
        await anna.edits(message, "I live in Oslo")
        await on.inbox.store(server.world.pending)
    async with stage(server, tmp_path) as on:
        await received(server)
        await on.channel.settle()
        assert texts(server) == ["you said: I live in Olso", ENGLISH.edited]
        assert [inbound.origin.user_id for inbound in on.echo.heard] == [BORIS]


class Lingering(Echo):
    """Takes its time to end what was cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.ending, self.gate = asyncio.Event(), asyncio.Event()

    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        try:
            async for event in super().reply(inbound):
                yield event
        except asyncio.CancelledError:
            self.ending.set()
            await self.gate.wait()
            raise


async def test_what_was_stopped_does_not_begin_again_by_a_change(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Lingering()
    echo.hold("I live in Olso")
    async with stage(server, tmp_path, conversation=echo) as on:
        message = await server.user(ANNA).says("I live in Olso")
        await answering(on, server, "I live in Olso")
        await server.user(ANNA).says("/stop")
        await echo.ending.wait()
        await server.user(ANNA).edits(message, "I live in Oslo")
        await received(server)
        echo.gate.set()
        assert await server.replies_to(ANNA, 2) == ["Stopped.", ENGLISH.edited]
        await on.channel.settle()
        assert [inbound.text for inbound in echo.heard] == ["I live in Olso", "hi"]


async def test_an_answer_to_what_is_not_asked_any_more_does_not_stay(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        message = await server.user(ANNA).says("I live in Olso")
        writer.writes("Where is Olso")
        await shows(server, f"Where is Olso{CURSOR}")
        await server.user(ANNA).edits(message, "I live in Oslo")
        await server.wait_for(lambda: len(writer.heard) == 2)
        await server.user(ANNA).says("/stop")
        await server.wait_for(lambda: texts(server) == ["Stopped."])
        await on.channel.settle()
        assert texts(server) == ["Stopped."]


class SlowLookup(SqlTurns):
    """Takes its time to say whether a turn is on record."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.asked, self.gate = asyncio.Event(), asyncio.Event()

    async def get(self, turn_id: str) -> Turn | None:
        """See Turns."""
        self.asked.set()
        await self.gate.wait()
        return await super().get(turn_id)


@pytest.mark.parametrize(
    ("then", "answer"),
    [("/stop", "Stopped."), ("I live in Oslo, Norway", "you said: I live in Oslo, Norway")],
)
async def test_between_two_beginnings_a_reply_is_stopped_or_changed_as_well(
    server: BotApiServer, tmp_path: Path, then: str, answer: str
) -> None:
    lookups: list[SlowLookup] = []

    def journal(path: Path, pool: Executor) -> SqlJournal:
        opened = journal_in(path, pool)
        opened.turns = lookup = SlowLookup(opened.database)
        lookups.append(lookup)
        return opened

    async with stage(server, tmp_path, journal=journal) as on:
        on.echo.hold("I live in Olso")
        message = await server.user(ANNA).says("I live in Olso")
        await answering(on, server, "I live in Olso")
        await server.user(ANNA).edits(message, "I live in Oslo")
        await lookups[0].asked.wait()
        if then == "/stop":
            await server.user(ANNA).says(then)
        else:
            await server.user(ANNA).edits(message, then)
        await received(server)
        lookups[0].gate.set()
        assert await server.replies_to(ANNA, 1) == [answer]
        await on.channel.settle()
        assert len(server.sent(ANNA)) == 1


class SlowChoices(TableChoices):
    """Takes its time to say what Anna has chosen."""

    def __init__(self, store: TemporaryStore) -> None:
        super().__init__(store._files)
        self.asked, self.gate = asyncio.Event(), asyncio.Event()

    async def get(self, actor: Actor) -> Choices:
        """See ChoiceStore."""
        if actor == Actor.person(ANNA):
            self.asked.set()
            await self.gate.wait()
        return await super().get(actor)


async def test_a_reply_can_be_stopped_before_its_first_word_is_asked_for(
    server: BotApiServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    slow = store.choices = SlowChoices(store)
    async with stage(server, tmp_path, store=store) as on:
        on.echo.hold("a long story, please")
        await server.user(ANNA).says("a long story, please")
        await slow.asked.wait()
        await server.user(ANNA).says("/stop")
        assert await server.replies_to(ANNA, 1) == ["Stopped."]
        slow.gate.set()
        await on.channel.settle()
        assert on.echo.running == 0


async def test_what_is_answered_looks_up_nothing_of_its_sender_on_arrival(
    server: BotApiServer, tmp_path: Path
) -> None:
    """Everybody who writes after them would wait for it."""
    store = TemporaryStore()
    slow = store.choices = SlowChoices(store)
    async with stage(server, tmp_path, store=store) as on:
        origin = Origin(Place("telegram", ANNA), Actor.person(ANNA), ANNA, "en")
        said = Message("telegram:1001:1", origin, NOON, "hello", 1, 1)
        assert await on.assistant.admit(said) == said
        assert not slow.asked.is_set()
        slow.gate.set()
