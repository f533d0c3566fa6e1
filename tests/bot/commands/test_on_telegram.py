"""Commands where Telegram itself matters, over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.conversation import Conversation
from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.inbound import Message
from bot.assistant.instructions import Persona, system_prompt
from bot.commands.menu import IN_GROUPS, group_menu, owners_menu, private_menu
from bot.offline.notebook import offline_model
from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.texts import languages, texts_in
from memory.records import Actor, Choice, Kind, Place
from tests.bot.commands.desk import ANN, ANNA, BORIS, CLARA, ENGLISH, GROUP, OURS
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.bot.telegram.streaming import CURSOR, options, shows
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer
from tests.fakes.temporary_store import TemporaryStore

RUSSIAN, GERMAN = texts_in("ru"), texts_in("de")
QUESTION, DELETED = ENGLISH.forget_all_ask, ENGLISH.forget_all_done


def labels(message: dict[str, Any]) -> list[str]:
    """What the buttons under a message say."""
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [key["text"] for row in rows for key in row]


def texts(server: BotApiServer, chat_id: int = ANNA) -> list[str]:
    """The bot's messages in a chat as they read now."""
    return [message.get("text", "") for message in server.sent(chat_id)]


async def done(on: Stage) -> None:
    """Return when the bot has received and answered all that was said."""
    await on.server.wait_for(lambda: not on.server.world.waiting)
    await on.channel.settle()


async def typed(on: Stage, text: str, **how: Any) -> list[str]:
    """Say something; all messages of the bot to Anna, as they read after it."""
    await on.server.user(ANNA).says(text, **how)
    await done(on)
    return texts(on.server)


async def note_of(on: Stage, query: str) -> str | None:
    """Return when a press has had its effect, with the note that the presser got."""
    await on.server.wait_for(lambda: query in on.server.world.answered_queries)
    await done(on)
    note = on.server.world.answered_queries[query].get("text")
    return None if note is None else str(note)


async def press(on: Stage, *pressed: str, chat_id: int = ANNA) -> dict[str, Any]:
    """Press buttons of the last message, one after the other; the message as it is then."""
    for label in pressed:
        message = on.server.sent(chat_id)[-1]
        await note_of(on, await on.server.user(ANNA).presses(message, label))
    return on.server.sent(chat_id)[-1]


# -- commands -------------------------------------------------------------------------------------


async def test_a_path_is_no_command(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert await ask(server, "/etc/passwd is a file") == "you said: /etc/passwd is a file"


async def test_a_command_for_this_bot_counts_and_one_for_another_does_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        await server.user(ANNA).says("/help@other_bot")
        said = await ask(server, "/name@Mordecai_Test_Bot")
        assert said == ENGLISH.name_default.format(name="Mordecai")


async def test_commands_wait_for_the_reply_before_them(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(ANNA).says("slow")
        await server.wait_for(lambda: echo.heard)
        await server.user(ANNA).says("/new")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        assert server.sent(ANNA) == []
        release.set()
        assert await server.replies_to(ANNA, 2) == ["you said: slow", ENGLISH.new]


async def test_a_session_that_ends_by_itself_is_announced_when_it_is_saved(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "hi")
        for number in range(15):
            await tell(on, f"I own {number + 2} bicycles.")
        said = f"{ENGLISH.saved}\n{ENGLISH.saved_full.format(30)}"
        first, notice = await server.replies_to(ANNA, 2)
        assert first == "you said: hi"
        assert notice.startswith(said)


async def test_an_export_arrives_as_two_files(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp, Zürich 🏔")
        assert await ask(server, "/export") == ENGLISH.export_caption
        await server.replies_to(ANNA, 2)
        files = [message["document"] for message in server.sent(ANNA)]
        contents = [server.world.files[file["file_id"]][1].decode() for file in files]
        assert [file["file_name"].rpartition(".")[2] for file in files] == ["json", "md"]
        assert json.loads(contents[0])["facts"][0]["text"] == "I work at Acme Corp, Zürich 🏔"
        assert "- I work at Acme Corp, Zürich 🏔 (noted" in contents[1]


async def test_the_menu_is_for_each_kind_of_chat_in_every_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    last_of_all = f"all_group_chats:{list(languages())[-1]}"
    async with stage(server, tmp_path, access=access, first_start=True) as on:
        await ask(server, "hi")
        await on.channel.settle()
        await server.wait_for(lambda: last_of_all in server.world.commands)
        for tag, spoken in languages().items():
            end = "" if tag == "en" else f":{tag}"
            menus = {
                scope: {c["command"]: c["description"] for c in server.world.commands[scope + end]}
                for scope in ("default", "all_private_chats", "all_group_chats", f"chat:{ANNA}")
            }
            assert menus["default"] == spoken.commands
            assert list(menus["default"]) == list(spoken.commands)
            assert menus["all_private_chats"] == private_menu(spoken)
            assert "ask" not in menus["all_private_chats"]
            assert menus["all_group_chats"] == group_menu(spoken)
            assert tuple(menus["all_group_chats"]) == IN_GROUPS
            assert menus[f"chat:{ANNA}"] == owners_menu(spoken)
            assert menus[f"chat:{ANNA}"].items() >= spoken.owner_commands.items()


async def test_a_menu_that_is_there_already_is_not_set_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    """Owners who have not written yet have no chat, and so no menu and no warning."""
    access = Access(AccessMode.OPEN, owners=[ANNA, BORIS])
    every = 3 * len(languages())
    async with stage(server, tmp_path, access=access, first_start=True) as on:
        await server.wait_for(lambda: len(server.calls_of("setMyCommands")) == every)
        for _ in range(2):
            await ask(server, "hi")
            await on.channel.settle()
    assert len(server.calls_of("setMyCommands")) == every + len(languages())
    assert not any(scope.startswith(f"chat:{BORIS}") for scope in server.world.commands)
    async with stage(server, tmp_path, access=access, first_start=True) as on:
        for user in (ANNA, BORIS):
            await ask(server, "hi", user)
        await on.channel.settle()
    assert len(server.calls_of("setMyCommands")) == every + 2 * len(languages())


async def test_a_menu_that_failed_is_set_by_the_next_start(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("setMyCommands", status=500)
    every = 3 * len(languages())
    for start in (1, 2):
        async with stage(server, tmp_path, first_start=True) as on:
            await server.wait_for(lambda: len(server.calls_of("setMyCommands")) == every * start)  # noqa: B023
            await on.end()
    assert len(server.world.commands) == every
    async with stage(server, tmp_path, first_start=True):
        await ask(server, "hi")
    assert len(server.calls_of("setMyCommands")) == 2 * every


async def test_a_menu_that_can_not_be_set_keeps_nobody_from_talking(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("setMyCommands", status=500)
    async with stage(server, tmp_path, first_start=True):
        assert await ask(server, "hi") == "you said: hi"


# -- buttons --------------------------------------------------------------------------------------


async def test_a_panel_is_one_message_edited_in_place(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I live in Oslo")
        await ask(server, "/memory")
        gone = await press(
            on, "Facts (1)", "1. I live in Oslo", ENGLISH.button_delete, ENGLISH.button_delete_yes
        )
        assert gone["text"] == ENGLISH.memory_deleted.format(text="I live in Oslo")
        restored = await press(on, ENGLISH.button_undo)
        assert restored["text"] == ENGLISH.memory_brought_back.format(text="I live in Oslo")
        assert labels(await press(on, ENGLISH.button_back))[0] == "1. I live in Oslo"
        assert len(server.sent(ANNA)) == 1


async def test_whoever_did_not_open_a_panel_gets_a_note(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.user(BORIS).profile["language_code"] = "de"
    async with stage(server, tmp_path) as on:
        await ask(server, "/settings")
        await ask(server, "/settings", BORIS)
        [annas], [own] = server.sent(ANNA), server.sent(BORIS)
        before = annas["text"], own["text"]
        # A press that Boris makes up: Anna's data under a message of his own.
        forged = {**own, "reply_markup": annas["reply_markup"]}
        query = await server.user(BORIS).presses(forged, ENGLISH.settings_language)
        assert await note_of(on, query) == GERMAN.button_not_yours
        assert (annas["text"], own["text"]) == before


@pytest.mark.parametrize("data", ["forget_all:1002:yes", "x"])
async def test_a_press_that_was_made_up_gets_a_note_and_does_nothing(
    server: BotApiServer, tmp_path: Path, data: str
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        assert await note_of(on, await server.user(ANNA).clicks(server.sent(ANNA)[0], data))
        assert await on.memory.known.records(ANN)


async def test_a_button_under_a_message_of_unknown_chat_gets_a_note(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.user(BORIS).profile["language_code"] = "de"
    access = Access(AccessMode.ALLOWLIST, allowed=[ANNA])
    async with stage(server, tmp_path, access=access) as on:
        await on.memory.choices.set(ANN, Choice.LANGUAGE, "it")
        note = await note_of(on, await server.user(ANNA).clicks(None, "m:x:home"))
        assert note == texts_in("it").buttons_stale
        note = await note_of(on, await server.user(BORIS).clicks(None, "m:x:home"))
        assert note == GERMAN.buttons_stale
        assert on.inbox.open_count == 0


async def test_a_button_works_where_telegram_no_longer_shows_the_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/memory")
        await ask(server, "/forget all")
        browser, question = server.sent(ANNA)
        for message, label in ((browser, "Facts (1)"), (question, ENGLISH.forget_all_yes)):
            shown = {key: message[key] for key in ("chat", "message_id", "reply_markup")}
            await note_of(on, await server.user(ANNA).presses({**shown, "date": 0}, label))
        assert browser["text"].startswith("Facts")
        assert texts(server)[1:] == [QUESTION, QUESTION], "nobody can tell how old that yes is"
        assert await on.memory.known.records(ANN)


async def test_a_question_is_too_old_by_the_date_that_telegram_gives_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        [question] = server.sent(ANNA)
        question["date"] -= 3600
        query = await server.user(ANNA).presses(question, ENGLISH.forget_all_yes)
        assert await note_of(on, query) is None
        await done(on)
        assert texts(server) == [QUESTION, QUESTION], "it is asked again"
        assert labels(question) == []
        assert await on.memory.known.records(ANN)


async def test_in_a_group_telegram_says_who_may_press(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(OURS, "We meet on Fridays")
        await server.user(ANNA).says("/forget all", group=group)
        assert await server.replies_to(group.id, 1) == [ENGLISH.admins_only]
        group.make_admin(ANNA)
        await server.user(ANNA).says("/forget all", group=group)
        await server.replies_to(group.id, 2)
        question = server.sent(group.id)[1]
        query = await server.user(BORIS).presses(question, ENGLISH.forget_all_yes)
        assert await note_of(on, query) == ENGLISH.button_not_yours
        assert await on.memory.known.records(OURS)
        await press(on, ENGLISH.forget_all_yes, chat_id=group.id)
        assert question["text"] == DELETED
        assert labels(question) == []
        assert await on.memory.known.records(OURS) == []


async def test_after_forget_all_no_words_are_left_in_the_inbox(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "my secret is swordfish")
        await ask(server, "/forget all")
        assert (await press(on, ENGLISH.forget_all_yes))["text"] == DELETED
        files = [file for file in tmp_path.iterdir() if file.name.startswith("inbox")]
        assert files
        assert not any(b"swordfish" in file.read_bytes() for file in files)


# -- answers by typing ----------------------------------------------------------------------------


async def test_a_typed_yes_turns_the_question_into_its_outcome(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
        assert await typed(on, "Yes!") == [DELETED]
        assert labels(server.sent(ANNA)[0]) == []
        assert await on.memory.known.records(ANN) == []
        assert on.echo.heard == []


async def test_what_was_said_before_the_question_was_there_is_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("wait")
    async with stage(server, tmp_path, conversation=echo) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        for said in ("wait", "/forget all", "yes"):
            await server.user(ANNA).says(said)
        await server.wait_for(lambda: not server.world.waiting)
        release.set()
        await done(on)
        assert texts(server) == ["you said: wait", QUESTION, "you said: yes"]
        assert (await typed(on, "yes"))[-1] == "you said: yes", "that one is too late"
        assert await on.memory.known.records(ANN)


async def test_only_ones_own_new_words_are_an_answer(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        cats = await server.user(BORIS).says("Do you like cats?", group=group)
        earlier = await server.user(ANNA).says("Hm")
        await done(on)
        await ask(server, "/forget all")
        await server.user(ANNA).forwards("yes", of=server.user(BORIS))
        await done(on)
        await ask(server, "/forget all")
        await typed(on, "yes", via="another_bot")
        await ask(server, "/forget all")
        await typed(on, "yes", elsewhere=cats)
        await ask(server, "/forget all")
        await server.user(ANNA).edits(earlier, "yes")
        later = await server.user(ANNA).says("Hm, well")
        await server.user(ANNA).edits(later, "yes")
        await done(on)
        assert texts(server).count(QUESTION) == 4
        assert await on.memory.known.records(ANN)


async def test_a_question_that_did_not_arrive_has_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        server.fail("sendMessage", status=403)
        await server.user(ANNA).says("/forget all")
        await done(on)
        assert await typed(on, "yes") == ["you said: yes"]
        assert await on.memory.known.records(ANN)


async def test_after_a_restart_a_yes_is_still_an_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/forget all")
    async with stage(server, tmp_path, store=store) as on:
        assert await typed(on, "yes") == [DELETED]
        assert await on.memory.known.records(ANN) == []


async def test_after_a_restart_buttons_work(server: BotApiServer, tmp_path: Path) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp")
        await ask(server, "/memory")
        await ask(server, "/forget all")
    async with stage(server, tmp_path, store=store) as on:
        [browser, question] = server.sent(ANNA)
        query = await server.user(ANNA).presses(browser, "Facts (1)")
        assert await note_of(on, query) is None
        await done(on)
        assert "I work at Acme Corp" in browser["text"]
        await server.user(ANNA).presses(question, ENGLISH.forget_all_yes)
        await done(on)
        assert question["text"] == DELETED
        assert await on.memory.known.records(ANN) == []


async def test_in_a_group_a_question_is_answered_where_the_bot_hears_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(OURS, "We meet on Fridays")
        await server.user(ANNA).says("/forget all", group=group)
        await server.replies_to(group.id, 1)
        [question] = server.sent(group.id)
        await server.user(ANNA).says("yes", group=group)
        await done(on)
        assert await on.memory.known.records(OURS), "that was not said to the bot"
        await server.user(ANNA).says("yes", group=group, reply_to=question)
        await done(on)
        assert question["text"] == DELETED
        assert await on.memory.known.records(OURS) == []


async def test_what_was_asked_in_the_name_of_a_group_only_its_admins_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(OURS, "We meet on Fridays")
        await group.says("/forget all")
        await server.replies_to(group.id, 1)
        [question] = server.sent(group.id)
        await server.user(BORIS).says("yes", group=group, reply_to=question)
        await done(on)
        assert question["text"] == ENGLISH.forget_all_ask_group
        assert await on.memory.known.records(OURS)


# -- languages and how replies grow ---------------------------------------------------------------


async def test_the_language_chosen_counts_before_telegrams_and_after_a_restart(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.user(ANNA).profile["language_code"] = "ru"
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        assert await ask(server, "/search") == RUSSIAN.search_ask
        await ask(server, "/language de")
        await server.user(ANNA).sends("voice")
        await done(on)
        assert texts(server)[-1] == GERMAN.hears_nothing
    async with stage(server, tmp_path, store=store):
        assert await ask(server, "/stop") == GERMAN.nothing_to_stop


async def test_notices_come_in_the_language_of_whoever_wrote(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.user(ANNA).profile["language_code"] = "ru"
    server.user(BORIS).profile["language_code"] = "de"
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"))
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    async with stage(server, tmp_path, access=access) as on:
        await ask(server, "Привет")
        wish = await ask(server, "Hallo", BORIS)
        code = code_in(wish)
        assert wish == GERMAN.refused_code.format(code=code)
        told = (await server.replies_to(ANNA, 2))[1]
        assert told == RUSSIAN.wants_in.format(person=f"User 1002 (id {BORIS})", code=code)
        await tell(on, "Я живу в Осло.")
        await on.memory.talk.end(ANN, Place("telegram", ANNA), "idle")
        await on.memory.settle()
        await on.channel.settle()
        assert texts(server)[-1].startswith(RUSSIAN.saved)


class Pausing:
    """Makes a pause in the middle of every reply, until all may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        yield TextDelta("One moment")
        await self.go_on.wait()
        yield Reply("One moment, please.", markdown=True)


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


async def test_drafts_are_for_private_chats_and_groups_get_edits(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, group = Writer(), server.group(GROUP)
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await ask(server, "/settings")
        await press(on, ENGLISH.settings_streaming, ENGLISH.settings_streaming_draft)
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
        await ask(server, "/settings")
        assert ENGLISH.settings_streaming not in labels(server.sent(ANNA)[0])


# -- /private -------------------------------------------------------------------------------------


class Talking:
    """The program's own conversation, on the memory of the stage it is on."""

    def __init__(self) -> None:
        self.on: Stage | None = None

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        assert self.on is not None
        persona = system_prompt(Persona(identity="You are a test."))
        async for event in Conversation(offline_model(), self.on.memory, persona).reply(message):
            yield event


def on_disk(folder: Path, text: str) -> list[str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in files if text.encode() in file.read_bytes()]


async def test_nothing_said_in_private_is_on_the_disk_afterwards(
    server: BotApiServer, tmp_path: Path
) -> None:
    talking = Talking()
    async with stage(server, tmp_path, conversation=talking) as on:
        talking.on = on
        await ask(server, "/private")
        assert (await ask(server, "I live in Xanadu")).startswith("🔒 ")
        for said in ("I keep bees in Xanadu.", "They swarmed.", "It rains.", "What now?"):
            await tell(on, said)
        assert "Xanadu" in await ask(server, "/summarize")
        assert on_disk(tmp_path, "Xanadu")
        await ask(server, "/new")
        await on.channel.settle()
        await on.memory.settle()
        assert on_disk(tmp_path, "Xanadu") == []
        assert await on.memory.known.records(ANN, tuple(Kind), everything=True) == []


async def test_a_reply_that_was_stopped_in_private_is_marked_and_not_kept_either(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await ask(server, "/private")
        await server.user(ANNA).says("tell me of Xanadu")
        writer.writes("In Xanadu did")
        await shows(server, f"🔒 In Xanadu did{CURSOR}")
        await server.user(ANNA).says("/stop")
        assert (await server.replies_to(ANNA, 3))[1:] == [
            "🔒 In Xanadu did",
            f"🔒 {ENGLISH.stopped}",
        ]
        await on.channel.settle()
        [turn] = (await on.memory.talk.tiers(ANN)).active
        assert turn.messages[1].text == "In Xanadu did"
        await ask(server, "/new")
        await on.channel.settle()
        await on.memory.settle()
        assert on_disk(tmp_path, "Xanadu") == []


async def test_a_conversation_stays_private_over_a_restart(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        await tell(on, "I live in Xanadu")
    async with stage(server, tmp_path) as on:
        assert await ask(server, "hi") == "🔒 you said: hi"
        session = await on.memory.talk.session(ANN, Place("telegram", ANNA))
        assert session
        assert session.private


async def test_formatting_stands_where_it_should_behind_the_mark(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo(lambda message: "**bold** 👍 and `code`")
    async with stage(server, tmp_path, conversation=echo):
        await ask(server, "/private")
        assert await ask(server, "hi") == "🔒 bold 👍 and code"
        [bold, code] = server.sent(ANNA)[-1]["entities"]
        # In UTF-16 units: the mark has two, the space one.
        assert (bold["type"], bold["offset"], bold["length"]) == ("bold", 3, 4)
        assert (code["type"], code["offset"], code["length"]) == ("code", 15, 4)


async def test_panels_and_files_are_marked(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        await ask(server, "/settings")
        page = await press(on, ENGLISH.settings_language)
        assert page["text"].startswith("🔒 ")
        refused = await press(on, "Deutsch")
        assert refused["text"] == ENGLISH.private_refused, "with one mark"
        await server.user(ANNA).says("/export")
        await done(on)
        captions = [message["caption"] for message in server.sent(ANNA)[-2:]]
        assert captions == [f"🔒 {ENGLISH.export_caption}", "🔒"]


async def test_in_a_group_a_private_conversation_is_the_topics_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    group.add_topic(7)
    group.make_admin(ANNA)
    async with stage(server, tmp_path):
        await server.user(ANNA).says("/private", group=group, topic=7)
        await server.replies_to(group.id, 1)
        await server.user(ANNA).says("/ask a", group=group, topic=7)
        await server.replies_to(group.id, 2)
        await server.user(ANNA).says("/ask b", group=group)
        assert (await server.replies_to(group.id, 3))[1:] == ["🔒 you said: a", "you said: b"]
        await server.user(BORIS).says("@mordecai_test_bot new", group=group, topic=7)
        assert (await server.replies_to(group.id, 4))[3] == f"🔒 {ENGLISH.admins_only}"


# -- owners and limits ----------------------------------------------------------------------------


def code_in(text: str) -> str:
    return text.split("/approve ")[1].split(",")[0].split()[0]


async def test_a_stranger_is_let_in_by_the_owner(server: BotApiServer, tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"))
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    async with stage(server, tmp_path, access=access):
        await ask(server, "Good morning")
        code = code_in(await ask(server, "Hello", BORIS))
        wish = (await server.replies_to(ANNA, 2))[1]
        assert wish == ENGLISH.wants_in.format(person=f"User 1002 (id {BORIS})", code=code)
        approved = ENGLISH.approved.format(person=f"User 1002 (id {BORIS})")
        assert await ask(server, f"/approve {code}") == approved
        assert (await server.replies_to(BORIS, 2))[1] == ENGLISH.approved_you
        assert await ask(server, "Hello again", BORIS) == "you said: Hello again"


async def test_nobody_gets_in_by_what_an_owner_passes_on_or_says_elsewhere(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = Access(
        AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"), owners=[ANNA]
    )
    async with stage(server, tmp_path, access=access) as on:
        group, anna = server.group(GROUP), server.user(ANNA)
        await ask(server, "Hello", BORIS)
        order = f"/approve {BORIS}"
        await anna.forwards(order, of=server.user(BORIS))
        await anna.sends("photo", caption=order)
        await anna.edits(await anna.says("Hello"), order)
        for said in (order, f"{order}@mordecai_test_bot", "/users"):
            await anna.says(said, group=group)
        await done(on)
        assert not await access.admits(BORIS)
        assert server.sent(group.id) == [], "nor does a group see who may use the bot"


async def test_an_edit_that_begins_a_reply_again_counts_as_a_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(
        server, tmp_path, quotas=QuotaLimits(messages_per_minute=2), options=options()
    ) as on:
        releases = [on.echo.hold(text) for text in ("one", "two", "three")]
        message = await server.user(BORIS).says("one")
        await server.wait_for(lambda: on.echo.running)
        await server.user(BORIS).edits(message, "one")
        await server.user(BORIS).edits(message, "two")
        await server.wait_for(lambda: on.echo.heard[-1].text == "two")
        await server.user(BORIS).edits(message, "three")
        await ask(server, "hi", CLARA)
        for release in releases:
            release.set()
        replies = await server.replies_to(BORIS, 2)
        assert replies[0] == "you said: two", "as it reads now, but for what is too much"
        assert replies[1] in {ENGLISH.limit_minute.format(seconds) for seconds in range(1, 61)}
        assert [heard.text for heard in on.echo.heard] == ["one", "two", "hi"]


async def test_what_somebody_asks_in_a_group_is_counted_as_theirs(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(BORIS).says("/ask Hello?", group=server.group(-501))
        await server.replies_to(-501, 1)
        [message] = on.echo.heard
        assert (message.origin.actor, message.origin.user_id) == (Actor.group(-501), BORIS)
