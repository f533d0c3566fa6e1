"""In which language somebody is spoken to, and how they see replies."""

import asyncio

import pytest

from bot.assistant.inbound import Origin
from bot.people.guest_tables import PEOPLE_LAYOUT
from bot.people.languages import DatabaseLanguages
from bot.people.personal import PersonalSettings, Streaming
from bot.texts import ENGLISH, texts_in
from memory.records import Actor, Choice, Place
from tests.fakes.memories import open_memory
from tests.fakes.postgres import postgres_server

ANN, GROUP = Actor.person(1001), Actor.group(-1000500)


def origin(actor: Actor, chat_id: int, language: str | None) -> Origin:
    return Origin(Place("telegram", chat_id), actor, 1001, language)


async def test_what_was_chosen_is_known_by_chat_and_by_actor() -> None:
    async with open_memory() as memory:
        personal = PersonalSettings(memory)
        assert await personal.texts(ANN) is ENGLISH
        assert await personal.texts(ANN, "ru-RU") is texts_in("ru")
        await memory.choices.set(ANN, Choice.LANGUAGE, "de")
        await memory.choices.set(ANN, Choice.STREAMING, "off")
        assert await personal.texts(ANN, "ru") is texts_in("de")
        assert await personal.texts_at(Place("telegram", 1001)) is texts_in("de")
        assert await personal.streaming(ANN) is Streaming.OFF
        assert await personal.streaming(GROUP) is None


async def test_a_language_without_texts_leaves_telegram_s() -> None:
    async with open_memory() as memory:
        await memory.choices.set(ANN, Choice.LANGUAGE, "fr")
        assert await PersonalSettings(memory).texts(ANN, "it") is texts_in("it")


async def test_who_wrote_is_told_later_in_their_language() -> None:
    async with open_memory() as memory:
        personal = PersonalSettings(memory)
        personal.note(origin(ANN, 1001, "hi"))
        personal.note(origin(ANN, 1001, None))
        personal.note(origin(GROUP, -1000500, "es"))
        assert await personal.texts_at(Place("telegram", 1001)) is texts_in("hi")
        assert await personal.texts_at(Place("telegram", -1000500)) is texts_in("es")


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("es", ("Hola, me llamo Lucía", "Soy vegetariana", "Mi perro se llama Fuffi")),
        ("de", ("Mein Hund bellt", "Ich lache")),
        ("it", ("Ciao", "Mi chiamo Anna", "Abito a Roma", "Ho un cane")),
    ],
)
async def test_short_lines_show_a_language_together(language: str, lines: tuple[str, ...]) -> None:
    async with open_memory() as memory:
        personal = PersonalSettings(memory)
        for line in lines:
            personal.note(origin(ANN, 1001, None), line)
        assert await personal.texts_at(Place("telegram", 1001)) is texts_in(language)
        personal.note(origin(ANN, 1001, None), "ok Max")
        assert await personal.texts(ANN) is texts_in(language), "a doubt changes nothing"
        personal.note(origin(ANN, 1001, None), "what do you know about me?")
        assert await personal.texts(ANN) is ENGLISH


async def test_what_is_chosen_again_counts_at_once() -> None:
    async with open_memory() as memory:
        await memory.choices.read(ANN)
        await memory.choices.set(ANN, Choice.LANGUAGE, "de")
        chosen = memory.choices.of(ANN)
        assert chosen
        assert chosen.language == "de"
        await memory.choices.unset(ANN, Choice.LANGUAGE)
        chosen = memory.choices.of(ANN)
        assert chosen
        assert chosen.language is None
        assert await memory.known.records(ANN, everything=True) == []


async def test_a_worker_tells_people_in_the_language_in_which_another_met_them() -> None:
    with postgres_server() as server:
        languages = DatabaseLanguages(server.open(PEOPLE_LAYOUT))
        chat = Place("telegram", 1001)
        async with open_memory() as memory:
            here = PersonalSettings(memory, 30, languages)
            there = PersonalSettings(memory, 30, languages)
            assert await there.texts_at(chat) is texts_in("en")
            here.note(origin(ANN, 1001, "ru"))
            async with asyncio.timeout(30):
                while await there.texts_at(chat) is not texts_in("ru"):
                    await asyncio.sleep(0.01)
            await here.forget(ANN)
            assert await PersonalSettings(memory, 30, languages).texts_at(chat) is texts_in("en")
            here.note(origin(ANN, 1001, "ru"))
            async with asyncio.timeout(30):
                while await languages.find(ANN) is None:
                    await asyncio.sleep(0.01)
