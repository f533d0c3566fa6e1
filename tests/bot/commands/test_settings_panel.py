"""What people set for themselves, and in which language the bot speaks to them: over HTTP."""

import asyncio
import zoneinfo
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.events import (
    Failed,
    Finished,
    Inbound,
    ReplyEvent,
    TextDelta,
)
from bot.commands.pages.settings_pages import ZONES
from bot.people.access import Access, AccessMode
from bot.telegram.delivery.menu import IN_GROUPS, group_menu
from bot.telegram.delivery.preview import Streaming
from bot.telegram.options import ChannelOptions
from bot.texts import (
    ENGLISH,
    Texts,
    languages,
    texts_in,
)
from memory.errors import Refusal
from memory.records import LEARNED_KINDS, SETTING_SLOTS, Actor, Choice, Kind, Place, Record
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.bot.telegram.streaming import CURSOR, options, shows
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = 1001, 1002
ANN = Actor.person(ANNA)
HERE = Place("telegram", ANNA)
RUSSIAN, GERMAN = texts_in("ru"), texts_in("de")


class SlowStore(TemporaryStore):
    """A store that does not answer before it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        await self.answers.wait()
        return await super().records(actor, kinds=kinds, include_superseded=include_superseded)


def speaks(server: BotApiServer, language: str, user_id: int = ANNA) -> None:
    server.user(user_id).profile["language_code"] = language


def keys(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [key["text"] for row in rows for key in row]


async def opened(server: BotApiServer) -> dict[str, Any]:
    await ask(server, "/settings")
    return server.sent(ANNA)[-1]


async def answered(server: BotApiServer, query: str) -> str | None:
    """Return when a click was answered, with the note that the clicker got."""
    await server.wait_for(lambda: query in server.world.answered_queries)
    note = server.world.answered_queries[query].get("text")
    return None if note is None else str(note)


async def press(server: BotApiServer, on: Stage, *labels: str) -> dict[str, Any]:
    """Press buttons of the last message, one after the other; the message as it is then."""
    for label in labels:
        query = await server.user(ANNA).presses(server.sent(ANNA)[-1], label)
        await answered(server, query)
        await on.channel.settle()
    return server.sent(ANNA)[-1]


# -- languages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [tag for tag in languages() if tag != "en"])
async def test_telegram_s_language_is_spoken(
    server: BotApiServer, tmp_path: Path, language: str
) -> None:
    speaks(server, language)
    texts = texts_in(language)
    async with stage(server, tmp_path):
        assert texts.start.format(name="Mordecai") in await ask(server, "/start")
        assert texts.commands["memory"] in await ask(server, "/help")
        assert await ask(server, "/stop") == texts.nothing_to_stop
        near = texts.unknown_command_near.format(given="memori", near="memory")
        assert await ask(server, "/memori") == near


async def test_what_was_chosen_counts_before_telegram_s_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    speaks(server, "ru")
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        assert await ask(server, "/search") == RUSSIAN.search_ask
        await ask(server, "/language de")
        assert await ask(server, "/search") == GERMAN.search_ask
        await server.user(ANNA).sends("voice")
        told = GERMAN.hears_nothing
        await server.wait_for(lambda: told in [m["text"] for m in server.sent(ANNA)])
        await on.channel.settle()
    async with stage(server, tmp_path, store=store):
        assert await ask(server, "/stop") == GERMAN.nothing_to_stop, "also after a restart"


async def test_somebody_elses_choice_is_theirs_alone(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await ask(server, "/language de", BORIS)
        assert await ask(server, "/search") == ENGLISH.search_ask
        assert await ask(server, "/search", BORIS) == GERMAN.search_ask


async def test_why_there_is_no_answer_is_said_in_ones_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    speaks(server, "ru")
    echo = Echo(lambda _: Failed("That took too long.", "timeout"))
    async with stage(server, tmp_path, conversation=echo):
        assert await ask(server, "hi") == RUSSIAN.failures["timeout"]
        refused = await ask(server, "/name ***")
        assert refused.startswith(RUSSIAN.name_refused.partition("{")[0])
        assert RUSSIAN.refusals[Refusal.NAME_EMPTY] in refused


async def test_notices_come_in_the_language_of_whoever_wrote(
    server: BotApiServer, tmp_path: Path
) -> None:
    speaks(server, "ru")
    access = Access(AccessMode.PAIRING, path=tmp_path / "access.json")
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    speaks(server, "de", BORIS)
    async with stage(server, tmp_path, access=access) as on:
        await ask(server, "Привет")
        wish = await ask(server, "Hallo", BORIS)
        code = wish.split("/approve ")[1].split(",")[0].split()[0]
        assert wish == GERMAN.refused_code.format(code=code)
        told = (await server.replies_to(ANNA, 2))[1]
        assert told == RUSSIAN.wants_in.format(name="User 1002", id=BORIS, code=code)
        await tell(on, "Я живу в Осло.")
        await on.memory.talk.end(ANN, HERE, "idle")
        await on.memory.settle()
        await on.channel.settle()
        assert server.sent(ANNA)[-1]["text"] == RUSSIAN.saved


async def test_a_store_that_is_silent_keeps_nobody_waiting_for_a_sentence(
    server: BotApiServer, tmp_path: Path
) -> None:
    speaks(server, "ru")
    store = SlowStore()
    async with stage(server, tmp_path, store=store):
        async with asyncio.timeout(20):
            assert await ask(server, "/stop") == RUSSIAN.nothing_to_stop
        store.answers.set()


# -- the panel ------------------------------------------------------------------------------------


async def test_settings_are_changed_by_buttons_in_one_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        first = await opened(server)
        assert first["text"].startswith("Your settings\n• Language: English (Same as Telegram)")
        assert keys(first) == ["Language", "Time zone", "Answer length", "While I write"]
        page = await press(server, on, "Language")
        assert "✓ Same as Telegram" in keys(page)
        page = await press(server, on, "Deutsch")
        assert page["text"].startswith("Deine Einstellungen\n• Sprache: Deutsch")
        page = await press(server, on, "Zeitzone", "Europa", "Berlin")
        assert "Europe/Berlin" in page["text"]
        page = await press(server, on, "Antwortlänge", "kurz")
        assert "Antwortlänge: kurz" in page["text"]
        page = await press(server, on, "Beim Schreiben", "erst wenn sie fertig ist")
        assert "Beim Schreiben: erst wenn sie fertig ist" in page["text"]
        chosen = on.memory.choices.of(ANN)
        assert chosen
        assert (chosen.language, chosen.time_zone) == ("de", "Europe/Berlin")
        assert (chosen.answer_length, chosen.streaming) == ("short", "off")
        page = await press(server, on, "Sprache", "Wie in Telegram")
        assert page["text"].startswith("Your settings")
        page = await press(server, on, "Time zone", "Same as the bot")
        assert "Time zone: UTC" in page["text"]
        assert len(server.sent(ANNA)) == 1, "one message, edited in place"


async def test_choices_are_no_memories_and_are_exported_and_forgotten(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await opened(server)
        await press(server, on, "Answer length", "short")
        await press(server, on, "While I write", "nothing until it's done")
        assert await on.memory.known.records(ANN) == []
        assert "don't remember anything" in await ask(server, "/memory")
        exported = await on.memory.known.export(ANN)
        slots = {record["slot"] for record in exported["preferences"]}
        assert slots == {Choice.ANSWER_LENGTH, Choice.STREAMING} <= SETTING_SLOTS
        await on.memory.forget_all(ANN)
        assert (await on.memory.choices.read(ANN)).answer_length is None
        assert (await on.memory.known.export(ANN))["preferences"] == []


async def test_the_length_of_answers_reaches_the_model(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await opened(server)
        await press(server, on, "Answer length", "detailed")
        history = await on.memory.talk.recall(ANN, HERE, "hello")
        assert history.metadata.answer_length == "long"
        await press(server, on, "Answer length", "normal")
        history = await on.memory.talk.recall(ANN, HERE, "hello")
        assert history.metadata.answer_length == "normal"


class Pausing:
    """Makes a pause in the middle of every reply, until all may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def reply(self, inbound: Inbound) -> AsyncIterator[ReplyEvent]:
        """See Conversing."""
        yield TextDelta("One moment")
        await self.go_on.wait()
        yield Finished("One moment, please.")


async def test_whoever_wants_no_previews_gets_none(server: BotApiServer, tmp_path: Path) -> None:
    talk = Pausing()
    async with stage(server, tmp_path, conversation=talk, options=options()) as on:
        await on.memory.choices.set(ANN, Choice.STREAMING, "off")
        for person in (ANNA, BORIS):
            await server.user(person).says("tell me")
        await shows(server, f"One moment{CURSOR}", BORIS)
        assert server.sent(ANNA) == [], "by now it would be there"
        talk.go_on.set()
        for person in (ANNA, BORIS):
            await shows(server, "One moment, please.", person)
        assert server.calls_of("editMessageText", ANNA) == []


async def test_whoever_chooses_drafts_gets_drafts_in_private_and_edits_in_groups(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, group = Writer(), server.group(-1000500)
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await opened(server)
        page = await press(server, on, "While I write", ENGLISH.settings_streaming_draft)
        assert ENGLISH.settings_streaming_draft in page["text"]
        await server.user(ANNA).says("tell me")
        writer.writes("This is")
        drafts = server.world.chats[ANNA].drafts
        await server.wait_for(lambda: list(drafts.values()) == [f"This is{CURSOR}"])
        assert len(server.sent(ANNA)) == 1, "the settings alone"
        writer.finishes("This is it.")
        await shows(server, "This is it.")
        await server.user(ANNA).says("@mordecai_test_bot and here?", group=group)
        writer.writes("Here")
        await shows(server, f"Here{CURSOR}", group.id)
        writer.finishes("Here as well.")
        await shows(server, "Here as well.", group.id)
        await server.user(BORIS).says("and I?")
        writer.writes("You")
        await shows(server, f"You{CURSOR}", BORIS)
        writer.finishes("You have edits.")
        await shows(server, "You have edits.", BORIS)
        assert {call.chat_id for call in server.calls_of("sendMessageDraft")} == {ANNA}


async def test_an_operator_who_wants_no_previews_offers_none(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, options=options(Streaming.OFF)):
        assert keys(await opened(server)) == ["Language", "Time zone", "Answer length"]


async def test_in_a_private_conversation_nothing_is_set(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        await opened(server)
        page = await press(server, on, "Language", "Deutsch")
        assert page["text"] == ENGLISH.private_refused
        assert (await on.memory.choices.read(ANN)).language is None


async def test_only_who_opened_it_may_press(server: BotApiServer, tmp_path: Path) -> None:
    speaks(server, "de", BORIS)
    async with stage(server, tmp_path):
        message = await opened(server)
        await ask(server, "/settings", BORIS)
        own = server.sent(BORIS)[-1]
        forged = {**own, "reply_markup": message["reply_markup"]}
        query = await server.user(BORIS).presses(forged, "Language")
        assert await answered(server, query) == GERMAN.button_not_yours


async def test_made_up_choices_are_not_kept(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        message = await opened(server)
        rows = message["reply_markup"]["inline_keyboard"]
        prefix = rows[0][0]["callback_data"].rsplit(":", 1)[0]
        for action in ("set:language:tlh", "set:agent_name:X", "set:streaming:x", "set", "zones:x"):
            query = await server.user(ANNA).clicks(message, f"{prefix}:{action}")
            await answered(server, query)
        await on.channel.settle()
        assert await on.memory.known.records(ANN, everything=True) == []


async def test_buttons_from_before_a_restart_are_stale(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        message = await opened(server)
    async with stage(server, tmp_path):
        query = await server.user(ANNA).presses(message, "Language")
        note = await answered(server, query)
        assert note == "These buttons no longer work. Please send /settings again."


async def test_a_groups_settings_are_for_its_admins(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    async with stage(server, tmp_path):
        await server.user(BORIS).says("/settings", group=group)
        assert (await server.replies_to(group.id, 1))[0] == ENGLISH.admins_only_settings
        await server.user(BORIS).says("/language de", group=group)
        assert (await server.replies_to(group.id, 2))[1] == ENGLISH.admins_only_settings
        await server.user(ANNA).says("/settings", group=group)
        shown = (await server.replies_to(group.id, 3))[2]
        assert shown.startswith("This group's settings")


async def test_every_button_fits(server: BotApiServer, tmp_path: Path) -> None:
    known = zoneinfo.available_timezones()
    for zones in ZONES.values():
        for zone in zones:
            assert zone in known
            assert len(f"s:{'x' * 12}:set:time_zone:{zone}".encode()) <= 64


# -- the menu -------------------------------------------------------------------------------------


async def test_the_menu_is_for_each_kind_of_chat_in_every_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    last = f"chat:{ANNA}:{list(languages())[-1]}"
    async with stage(server, tmp_path, access=access):
        await server.wait_for(lambda: last in server.world.commands)
        for tag, texts in languages().items():
            end = "" if tag == "en" else f":{tag}"
            menus = {
                scope: {c["command"]: c["description"] for c in server.world.commands[scope + end]}
                for scope in ("default", "all_private_chats", "all_group_chats", f"chat:{ANNA}")
            }
            assert menus["default"] == texts.commands
            private = {k: v for k, v in texts.commands.items() if k != "ask"}
            assert menus["all_private_chats"] == private
            assert menus["all_group_chats"] == group_menu(texts)
            assert tuple(menus["all_group_chats"]) == IN_GROUPS
            assert menus[f"chat:{ANNA}"] == {**private, **texts.owner_commands}


async def test_a_menu_that_can_not_be_set_costs_nothing_else(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("setMyCommands", status=500)
    quick = ChannelOptions(stop_seconds=5, poll_seconds=5)
    async with stage(server, tmp_path, options=quick):
        assert await ask(server, "hi") == "you said: hi"


def test_a_text_that_is_missing_somewhere_lets_nothing_start() -> None:
    with pytest.raises(TypeError):
        Texts(commands={}, owner_commands={})  # type: ignore[call-arg]
