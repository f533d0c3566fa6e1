"""Half a reply whose message nobody knows is found, and no other message is touched."""

from pathlib import Path
from typing import Any

import pytest

from bot.texts import ENGLISH
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import CURSOR, options, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Writer


@pytest.mark.parametrize("search", [{}, {"drop": "before"}, {"drop": "after"}])
@pytest.mark.parametrize("chat_id", [1001, -1000500, -1001234567890])
async def test_a_preview_whose_answer_was_lost_is_found_and_continued(
    server: BotApiServer, tmp_path: Path, chat_id: int, search: dict[str, Any]
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        group = server.group(chat_id) if chat_id < 0 else None
        server.fail("sendMessage", chat_id=chat_id, drop="after")
        if search:
            server.fail("editMessageReplyMarkup", **search)
        await server.user(1001).says("@mordecai_test_bot hi", group=group)
        writer.writes("Hello")
        await server.wait_for(lambda: server.calls_of("sendMessage", chat_id))
        writer.writes(" you")
        await shows(server, f"Hello you{CURSOR}", chat_id)
        writer.finishes("Hello you!")
        await shows(server, "Hello you!", chat_id)
        await on.channel.settle()
        assert texts(server, chat_id) == ["Hello you!"], "once, and without a mark"


async def test_a_flood_limit_does_not_keep_half_a_reply_from_being_found(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        server.fail("sendMessage", chat_id=1001, drop="after")
        server.fail("editMessageReplyMarkup", chat_id=1001, retry_after=1)
        await server.user(1001).says("hi")
        writer.writes("Hello")
        await server.wait_for(lambda: server.calls_of("editMessageReplyMarkup", 1001))
        writer.finishes("Hello you!")
        await on.channel.settle()
        assert texts(server) == ["Hello you!"]


async def test_a_preview_that_a_kill_left_unnoted_is_found_by_the_next_process(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        server.fail("sendMessage", chat_id=1001, late=60)
        await server.user(1001).says("a story")
        writer.writes("Once")
        await shows(server, f"Once{CURSOR}")
        await on.end()
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options()) as on:
        again.writes("There was")
        await shows(server, f"There was{CURSOR}")
        again.finishes("There was a king.")
        await on.channel.settle()
        assert texts(server) == ["There was a king."]


async def test_a_preview_that_arrives_late_is_taken_away_beside_the_reply(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        server.fail("sendMessage", chat_id=1001, drop="before")
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await server.wait_for(lambda: server.calls_of("editMessageReplyMarkup", 1001))
        chat, bot = server.world.chats[1001], server.world.bot
        button = {"inline_keyboard": [[{"text": "Stop", "callback_data": "stop"}]]}
        server.world.message(chat, bot, text=f"Hel{CURSOR}", reply_markup=button)
        writer.finishes("Hello")
        await on.channel.settle()
        assert texts(server) == [f"{ENGLISH.sent_again}\nHello"]


async def test_messages_that_are_known_are_left_alone(server: BotApiServer, tmp_path: Path) -> None:
    """Also one with buttons, and one that reads like half a reply."""
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        server.fail("sendMessage", chat_id=1001, drop="before", delay=1)
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await server.wait_for(lambda: not server.faults[-1].times)
        await server.user(1001).says("/settings")
        await server.user(1001).says(f"me{CURSOR}")
        await server.wait_for(lambda: server.sent(1001))
        panel = server.sent(1001)[-1]
        before = dict(panel)
        writer.finishes("Hello")
        writer.finishes("You too")
        await on.channel.settle()
        assert panel == before
        tries = server.calls_of("editMessageReplyMarkup", 1001)
        assert tries
        assert str(panel["message_id"]) not in [call.parameters["message_id"] for call in tries]
        said = [one["text"] for one in server.world.chats[1001].messages.values()]
        assert {"hi", "/settings", f"me{CURSOR}"} <= set(said)
