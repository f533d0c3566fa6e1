"""Commands where several people talk: what the bot says of itself there, and who may give them."""

from pathlib import Path

import pytest

from bot.commands.introduction import About
from bot.telegram.delivery.menu import IN_GROUPS
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import Stage, ask, stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.botapi.people import Group

ANNA, BORIS = 1001, 1002
ME = "@mordecai_test_bot"


async def asked(on: Stage, group: Group, text: str, user_id: int = BORIS) -> str:
    """Say something in a group; the bot's next message there."""
    before = len(on.server.sent(group.id))
    await on.server.user(user_id).says(text, group=group)
    return (await on.server.replies_to(group.id, before + 1))[before]


async def pressed(on: Stage, user_id: int, message: dict[str, object], label: str) -> str:
    """Press a button; the note that comes of it."""
    query = await on.server.user(user_id).presses(message, label)
    await on.server.wait_for(lambda: query in on.server.world.answered_queries)
    await on.channel.settle()
    return str(on.server.world.answered_queries[query].get("text", ""))


# -- who the bot is there -------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["/start", f"/start{ME} from_a_link"])
async def test_start_in_a_group_speaks_to_the_group(
    server: BotApiServer, tmp_path: Path, command: str
) -> None:
    async with stage(server, tmp_path) as on:
        said = await asked(on, server.group(-1000500), command)
        hello = f"{ENGLISH.group_hello.format(name='Mordecai')} {ENGLISH.group_how}"
        assert said.startswith(f"{hello}\n\n{ENGLISH.group_keeps}")
        assert "privacy" not in said
        assert "about yourself and what you prefer" not in said
        assert (await ask(server, "/start")).startswith(ENGLISH.start.format(name="Mordecai"))


async def test_help_in_a_group_lists_what_makes_sense_there(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        said = await asked(on, server.group(-1000500), "/help")
        listed = [line[1:].split(" ")[0] for line in said.splitlines() if line.startswith("/")]
        assert tuple(listed) == IN_GROUPS
        assert said.startswith(ENGLISH.group_how)
        assert "Just write to me" not in said
        assert ENGLISH.group_commands["memory"] in said
        assert ENGLISH.commands["memory"] not in said


async def test_with_privacy_mode_start_and_help_say_what_is_hidden(tmp_path: Path) -> None:
    async with BotApiServer(privacy=True) as server, stage(server, tmp_path) as on:
        for command in ("/start", "/help"):
            assert ENGLISH.group_privacy in await asked(on, server.group(-1000500), command)


async def test_without_a_memory_nothing_is_promised_to_a_group(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, about=About(memory_enabled=False)) as on:
        group = server.group(-1000500)
        await server.user(ANNA).adds_bot(group)
        [hello] = await server.replies_to(group.id, 1)
        for said in (hello, await asked(on, group, "/start")):
            assert ENGLISH.start_forgets in said
            assert ENGLISH.group_keeps not in said


# -- who may do what ------------------------------------------------------------------------------


async def test_only_admins_make_a_group_s_conversation_private_and_end_that(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        assert await asked(on, group, "/private") == ENGLISH.admins_only
        assert (await asked(on, group, "/private", ANNA)).startswith("🔒 This conversation is")
        for ending in ("/private", "/new", f"{ME} new"):
            assert (await asked(on, group, ending)).endswith(ENGLISH.admins_only)
        session = await on.memory.talk.session(Actor.group(group.id), Place("telegram", group.id))
        assert session is not None
        assert session.private
        assert (await asked(on, group, "/new", ANNA)).startswith(ENGLISH.private_off)
        assert await asked(on, group, "/new") == ENGLISH.new, "what is saved, anybody may end"


async def test_an_empty_memory_and_an_export_speak_of_the_group(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        nothing = await asked(on, group, "/memory", ANNA)
        assert nothing == f"{ENGLISH.memory_empty_group} {ENGLISH.memory_adds}"
        assert await asked(on, group, "/export", ANNA) == ENGLISH.export_caption_group


async def test_settings_have_a_reason_of_their_own(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        group = server.group(-1000500)
        for command in ("/settings", "/language de", "/timezone UTC"):
            assert await asked(on, group, command) == ENGLISH.admins_only_settings
        assert (await asked(on, group, "/language")).startswith("The language is")


async def test_a_group_s_settings_change_by_nobody_else_s_click(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        await asked(on, group, "/settings", ANNA)
        shown = dict(server.sent(group.id)[-1])
        assert await pressed(on, BORIS, shown, ENGLISH.settings_streaming) == (
            ENGLISH.button_not_yours
        )
        assert await pressed(on, ANNA, shown, ENGLISH.settings_streaming) == ""
        streaming = dict(server.sent(group.id)[-1])
        labels = [b["text"] for row in streaming["reply_markup"]["inline_keyboard"] for b in row]
        assert not [label for label in labels if ENGLISH.settings_streaming_draft in label]
        data = streaming["reply_markup"]["inline_keyboard"][-2][0]["callback_data"]
        query = await server.user(BORIS).clicks(streaming, data)
        await server.wait_for(lambda: query in server.world.answered_queries)
        await on.channel.settle()
        assert await on.memory.known.records(Actor.group(group.id), everything=True) == []
        assert await pressed(on, ANNA, streaming, ENGLISH.settings_streaming_off) == ""
        [choice] = await on.memory.known.records(Actor.group(group.id), everything=True)
        assert choice.slot == "streaming"


async def test_what_is_opened_in_the_name_of_the_group_is_for_its_admins_to_press(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.group(group.id), "We meet on Fridays")
        await group.says("/settings")
        await server.replies_to(group.id, 1)
        settings = dict(server.sent(group.id)[-1])
        note = await pressed(on, BORIS, settings, ENGLISH.settings_length)
        assert note == ENGLISH.admins_only_settings
        await group.says("/memory")
        await server.replies_to(group.id, 2)
        memory = dict(server.sent(group.id)[-1])
        assert await pressed(on, BORIS, memory, "Facts (1)") == ENGLISH.admins_only
        assert server.sent(group.id)[-1]["text"] == memory["text"]
        assert await pressed(on, ANNA, memory, "Facts (1)") == ""
        assert server.sent(group.id)[-1]["text"] != memory["text"]


async def test_everything_is_deleted_in_the_name_of_the_group_by_an_admin_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    crowd = Actor.group(group.id)
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(crowd, "We meet on Fridays")
        await group.says("/forget all")
        await server.replies_to(group.id, 1)
        question = dict(server.sent(group.id)[-1])
        assert await pressed(on, BORIS, question, ENGLISH.forget_all_yes) == ENGLISH.admins_only
        assert await on.memory.known.records(crowd) == [fact]
        assert server.sent(group.id)[-1]["text"] == question["text"]
        assert await pressed(on, ANNA, question, ENGLISH.forget_all_yes) == ""
        assert await on.memory.known.records(crowd) == []


# -- /ask -----------------------------------------------------------------------------------------


async def test_ask_alone_says_how_to_use_it(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        for command in ("/ask", f"/ask{ME}", "/ask  \n"):
            assert await asked(on, server.group(-1000500), command) == ENGLISH.ask_how
        assert await ask(server, "/ask") == ENGLISH.ask_how
        assert on.echo.heard == []


async def test_ask_as_an_answer_asks_about_that_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        said = await server.user(ANNA, "Ann").says("The tower is 324 m high", group=group)
        await server.user(BORIS).says("/ask", group=group, reply_to=said)
        await server.replies_to(group.id, 1)
        await server.user(BORIS).says(ME, group=group, reply_to=said)
        await server.replies_to(group.id, 2)
        await server.user(BORIS).says("/ask is that so?", group=group, reply_to=said)
        await server.replies_to(group.id, 3)
        quoted = "> Ann:\n> The tower is 324 m high"
        assert [i.text for i in on.echo.heard] == [quoted, quoted, f"{quoted}\nis that so?"]


async def test_ask_for_another_bot_is_left_to_it(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        said = await server.user(ANNA).says("The tower is 324 m high", group=group)
        await server.user(BORIS).says("/ask@other_bot", group=group)
        await server.user(BORIS).says("/ask@other_bot is that so?", group=group, reply_to=said)
        await server.user(BORIS).sends("photo", group=group, caption="/ask@other_bot look")
        await server.user(BORIS).says("/ask me", group=group)
        await server.replies_to(group.id, 1)
        await on.channel.settle()
        assert [inbound.text for inbound in on.echo.heard] == ["me"]
