"""A new conversation with somebody known takes up the last one, in one sentence."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from memory.ports import ExtractionFailed
from memory.records import Actor, Draft, Kind, Record
from tests.bot.telegram.stage import ask, stage, tell
from tests.fakes.botapi import BotApiServer
from tests.fakes.temporary_store import TemporaryStore

ANNA = 1001


@dataclass
class Friendly:
    """A greeter that asks how it went on, unless it is out of words."""

    words: bool = True
    seen: list[str] = field(default_factory=list)

    async def greet(self, summary: Record) -> str:
        self.seen.append(summary.text)
        if not self.words:
            raise ExtractionFailed("out of words")
        return "How did the trip go on?"


async def talked(store: TemporaryStore, text: str, topics: tuple[str, ...] = ()) -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    draft = Draft(Kind.SUMMARY, text, at, session_id=f"s{len(text)}", topics=topics)
    await store.commit(Actor.person(ANNA), [draft])


async def test_whoever_is_known_is_greeted_with_the_last_conversation(tmp_path: Path) -> None:
    store, greeter = TemporaryStore(), Friendly()
    await talked(store, "Old things.")
    await talked(store, "We planned a trip to Oslo.")
    async with BotApiServer() as server, stage(server, tmp_path, store=store, greeter=greeter):
        for command in ("/start", "/new", "new"):
            assert (await ask(server, command)).endswith("\n\nHow did the trip go on?")
    assert greeter.seen == ["We planned a trip to Oslo."], "commands have no limit: once"


async def test_nobody_is_greeted_as_somebody_else(tmp_path: Path) -> None:
    store, greeter = TemporaryStore(), Friendly()
    await talked(store, "We planned a trip to Oslo.")
    async with BotApiServer() as server, stage(server, tmp_path, store=store, greeter=greeter):
        assert "trip" not in await ask(server, "/start", user_id=1002)
        assert await ask(server, "/new", user_id=1002) == "Starting a new conversation."
    assert greeter.seen == []


async def test_without_a_model_the_topics_are_named(tmp_path: Path) -> None:
    store = TemporaryStore()
    await talked(store, "We planned a trip.", ("Oslo", "trains", "fjords", "boats"))
    async with BotApiServer() as server, stage(server, tmp_path, store=store):
        said = await ask(server, "/new")
    assert said.endswith("Last time we talked about Oslo, trains, fjords.")


async def test_what_is_the_persons_own_is_said_to_them(tmp_path: Path) -> None:
    store = TemporaryStore()
    await talked(store, "We planned.", ("my daughter's birthday", "Acme Corp", "hiking"))
    async with BotApiServer() as server, stage(server, tmp_path, store=store):
        said = await ask(server, "/new")
    assert said.endswith("Last time we talked about your daughter's birthday, Acme Corp, hiking.")


async def test_without_topics_and_without_words_nothing_is_said(tmp_path: Path) -> None:
    store = TemporaryStore()
    await talked(store, "We planned a trip.")
    async with BotApiServer() as server, stage(server, tmp_path, store=store):
        assert await ask(server, "/new") == "Starting a new conversation."
    (tmp_path / "again").mkdir()
    async with (
        BotApiServer() as server,
        stage(server, tmp_path / "again", store=store, greeter=Friendly(words=False)),
    ):
        assert await ask(server, "/new") == "Starting a new conversation."


class Mute:
    """A greeter that never comes to an end."""

    async def greet(self, summary: Record) -> str:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_conversation_does_not_wait_for_a_greeting_for_ever(tmp_path: Path) -> None:
    store = TemporaryStore()
    await talked(store, "We planned a trip.")
    async with BotApiServer() as server, stage(server, tmp_path, store=store, greeter=Mute()) as on:
        await tell(on, "I live in Bergen.")
        assert "How" not in await ask(server, "/new")
