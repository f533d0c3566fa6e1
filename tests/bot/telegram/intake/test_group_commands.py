"""Commands where several people talk: what the bot says of itself there, and who may give them."""

from pathlib import Path

import pytest

from bot.assistant.context import About
from bot.texts import ENGLISH
from memory.records import Actor
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
        assert (await on.memory.choices.read(Actor.group(group.id))).streaming is None
        assert await pressed(on, ANNA, streaming, ENGLISH.settings_streaming_off) == ""
        assert (await on.memory.choices.read(Actor.group(group.id))).streaming == "off"


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
