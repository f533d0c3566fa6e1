"""Who the bot says it is, what it takes for a command, and how it greets whom it knows."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from bot.assistant.context import About
from bot.commands.menu import IN_GROUPS
from bot.people.access import Access, AccessMode
from bot.texts import languages, texts_in
from memory.records import Draft, Kind, Record
from memory.understanding import ExtractionFailed
from tests.bot.commands.desk import ANN, ANNA, BORIS, ENGLISH, GROUP, Desk, open_desk
from tests.fakes.temporary_store import TemporaryStore

# -- /start and /help -----------------------------------------------------------------------------


async def test_start_says_who_writes_and_what_is_kept(desk: Desk) -> None:
    said = await desk.ask("/start")
    assert ENGLISH.start.format(name="Mordecai") in said
    assert "/memory" in said
    assert ENGLISH.engine_none in said


async def test_help_lists_every_command_and_the_engine(desk: Desk) -> None:
    said = await desk.ask("/help")
    assert all(f"/{name}" in said for name in ENGLISH.commands)
    assert ENGLISH.engine_none in said


async def test_the_models_are_named_in_their_order() -> None:
    async with open_desk(about=About(models=("swift", "calm", "wise"))) as desk:
        said = await desk.ask("/start")
        assert ENGLISH.engine.format(model="swift") in said
        assert ENGLISH.engine_instead.format(models="calm, wise") in said


async def test_the_number_of_an_aws_account_is_told_to_nobody() -> None:
    arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"
    async with open_desk(about=About(models=(f"bedrock:{arn}",))) as desk:
        said = await desk.ask("/start")
    assert ENGLISH.engine.format(model="bedrock:abc123") in said
    assert "123456789012" not in said


async def test_help_in_a_group_lists_what_makes_sense_there(desk: Desk) -> None:
    said = await desk.ask("/help", group=GROUP)
    listed = [line[1:].split(" ")[0] for line in said.splitlines() if line.startswith("/")]
    assert tuple(listed) == IN_GROUPS
    assert said.startswith(ENGLISH.group_how)
    assert ENGLISH.group_privacy not in said
    assert ENGLISH.group_commands["memory"] in said
    assert ENGLISH.commands["memory"] not in said


@pytest.mark.parametrize("language", [tag for tag in languages() if tag != "en"])
async def test_the_bot_speaks_the_language_of_the_client(desk: Desk, language: str) -> None:
    desk.languages[ANNA] = language
    texts = texts_in(language)
    assert texts.start.format(name="Mordecai") in await desk.ask("/start")
    assert texts.commands["memory"] in await desk.ask("/help")
    assert await desk.ask("/stop") == texts.nothing_to_stop
    near = texts.unknown_command_near.format(given="memori", near="memory")
    assert await desk.ask("/memori") == near


# -- unknown commands -----------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "near"), [("memori", "memory"), ("hlep", "help")])
async def test_an_unknown_command_is_told_the_nearest_one(
    desk: Desk, given: str, near: str
) -> None:
    said = await desk.ask(f"/{given}")
    assert said == ENGLISH.unknown_command_near.format(given=given, near=near)
    assert desk.echo.heard == []


async def test_a_command_unlike_any_other_is_told_of_help(desk: Desk) -> None:
    assert await desk.ask("/xyzzy") == ENGLISH.unknown_command.format(given="xyzzy")


async def test_in_a_group_an_unknown_command_is_another_bots(desk: Desk) -> None:
    assert await desk.says("/xyzzy", group=GROUP) == []
    said = await desk.ask("/xyzzy@bot", group=GROUP)
    assert said == ENGLISH.unknown_command.format(given="xyzzy")


async def test_only_owners_are_told_of_owners_commands_and_only_in_private() -> None:
    async with open_desk(access=Access(AccessMode.OPEN, owners=[ANNA])) as desk:
        assert "/approve" in await desk.ask("/aprove ABC")
        assert "/approve" not in await desk.ask("/aprove ABC", BORIS)
        assert "/approve" not in await desk.ask("/aprove@bot ABC", group=GROUP)


# -- greetings ------------------------------------------------------------------------------------


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


class Mute:
    """A greeter that never comes to an end."""

    async def greet(self, summary: Record) -> str:
        await asyncio.Event().wait()
        raise AssertionError


async def talked(text: str, *topics: str, store: TemporaryStore | None = None) -> TemporaryStore:
    """A store with the summary of an earlier conversation of Anna's."""
    store, at = store or TemporaryStore(), datetime(2026, 11, 20, tzinfo=UTC)
    draft = Draft(Kind.SUMMARY, text, at, session_id=f"s{len(text)}", topics=topics)
    await store.commit(ANN, [draft])
    return store


async def test_a_known_person_is_greeted_with_the_last_conversation() -> None:
    store, greeter = await talked("Old things."), Friendly()
    await talked("We planned a trip to Oslo.", store=store)
    async with open_desk(store=store, greeter=greeter) as desk:
        for command in ("/start", "/new", "new"):
            assert (await desk.ask(command)).endswith("\n\nHow did the trip go on?")
    assert greeter.seen == ["We planned a trip to Oslo."], "commands have no limit: once"


async def test_nobody_is_greeted_as_somebody_else() -> None:
    greeter = Friendly()
    async with open_desk(store=await talked("We planned a trip."), greeter=greeter) as desk:
        assert "trip" not in await desk.ask("/start", BORIS)
        assert await desk.ask("/new", BORIS) == ENGLISH.new
    assert greeter.seen == []


async def test_without_a_model_the_greeting_names_topics() -> None:
    store = await talked("We planned a trip.", "Oslo", "trains", "fjords", "boats")
    async with open_desk(store=store) as desk:
        told = ENGLISH.greeting_topics.format(topics="Oslo, trains, fjords")
        assert (await desk.ask("/new")).endswith(told)


async def test_a_greeting_names_the_last_topics() -> None:
    store = await talked("We planned.", "my daughter's birthday", "Acme Corp", "hiking")
    async with open_desk(store=store) as desk:
        topics = "my daughter's birthday, Acme Corp, hiking"
        assert (await desk.ask("/new")).endswith(ENGLISH.greeting_topics.format(topics=topics))


@pytest.mark.parametrize("greeter", [None, Friendly(words=False)])
async def test_without_topics_or_words_there_is_no_greeting(greeter: Friendly | None) -> None:
    async with open_desk(store=await talked("We planned a trip."), greeter=greeter) as desk:
        assert await desk.ask("/new") == ENGLISH.new


async def test_a_conversation_does_not_wait_for_a_greeting_for_ever() -> None:
    store = await talked("We planned a trip.")
    async with open_desk(store=store, greeter=Mute(), patience=0.05) as desk:
        await desk.tell("I live in Bergen.")
        assert "How" not in await desk.ask("/new")
