"""The Bot API that is the terminal, asked as python-telegram-bot asks it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telegram import (
    Bot,
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
)
from telegram.error import BadRequest, EndPointNotFound

from bot.terminal import TERMINAL_TOKEN, TerminalRequest
from bot.terminal.chat import Chat


@pytest.fixture
def chat() -> Chat:
    return Chat(7, 100)


@pytest.fixture
async def bot(chat: Chat, tmp_path: Path) -> AsyncIterator[Bot]:
    request = TerminalRequest(chat, tmp_path / "exports")
    async with Bot(TERMINAL_TOKEN, request=request, get_updates_request=request) as bot:
        yield bot


async def test_the_bot_knows_who_it_is_and_keeps_its_menu(bot: Bot):
    assert bot.username == "mordecai_bot"
    await bot.set_my_commands([BotCommand("help", "What I can do")])
    assert await bot.get_my_commands() == (BotCommand("help", "What I can do"),)
    assert await bot.delete_webhook()


async def test_a_method_that_does_not_exist_is_an_error_and_no_crash(bot: Bot):
    with pytest.raises(EndPointNotFound):
        await bot.do_api_request("sendTelegram")


async def test_updates_are_repeated_until_they_are_acknowledged(bot: Bot, chat: Chat):
    chat.receive("one")
    chat.receive("two")
    assert [u.update_id for u in await bot.get_updates()] == [100, 101]
    assert [u.update_id for u in await bot.get_updates(offset=100)] == [100, 101]
    assert [u.update_id for u in await bot.get_updates(offset=101)] == [101]
    assert not chat.drained
    assert await bot.get_updates(offset=102, timeout=0) == ()
    assert chat.drained


async def test_waiting_for_updates_ends_with_the_next_one(bot: Bot, chat: Chat):
    waiting = asyncio.create_task(bot.get_updates(timeout=30))
    await asyncio.sleep(0)
    chat.receive("late")
    (update,) = await waiting
    assert update.message is not None
    assert update.message.text == "late"


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("/start", [(0, 6)]),
        ("/forget f1", [(0, 7)]),
        ("/new@mordecai_bot now", [(0, 17)]),
        ("😀 /help", [(3, 5)]),
        ("a/b 1/2 http://x", []),
        ("/ nothing", []),
        ("/a " * 5000, [(n * 3, 2) for n in range(100)]),
    ],
)
async def test_commands_are_marked_in_utf16_units(
    bot: Bot, chat: Chat, text: str, commands: list[tuple[int, int]]
):
    chat.receive(text)
    (update,) = await bot.get_updates()
    assert update.message is not None
    found = [(e.offset, e.length) for e in update.message.entities]
    assert found == commands


async def test_a_sent_message_comes_back_as_telegram_shows_it(bot: Bot):
    sent = await bot.send_message(7, "😀 <b>bold</b>", parse_mode="HTML")
    assert sent.text == "😀 bold"
    assert sent.entities == (MessageEntity("bold", 3, 4),)
    assert sent.chat.id == 7
    assert sent.from_user is not None
    assert sent.from_user.is_bot
    again = await bot.send_message(7, "x", entities=[MessageEntity("italic", 0, 1)])
    assert again.entities == (MessageEntity("italic", 0, 1),)
    assert again.message_id > sent.message_id


async def test_message_ids_grow_from_one_run_to_the_next(bot: Bot):
    first = await bot.send_message(7, "x")
    await asyncio.sleep(0.01)
    later = Chat(7)
    later.receive("x")
    (update,) = await later.updates(0, 0)
    assert update["message"]["message_id"] > first.message_id


@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("", None, "text is empty"),
        (" \n ", None, "text is empty"),
        ("<b></b>", "HTML", "text is empty"),
        ("x" * 4097, None, "too long"),
        ("😀" * 2049, None, "too long"),
        ("<b>x", "HTML", "Can't parse entities"),
        ("*x*", "MarkdownV2", "parse_mode"),
    ],
)
async def test_what_telegram_refuses_is_refused(bot: Bot, text: str, mode: str | None, reason: str):
    with pytest.raises(BadRequest, match=reason):
        await bot.send_message(7, text, parse_mode=mode)


async def test_markup_does_not_count_towards_the_limit(bot: Bot):
    await bot.send_message(7, "<b>" + "x" * 4096 + "</b>", parse_mode="HTML")


async def test_nobody_else_can_be_written_to(bot: Bot):
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(8, "x")
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_chat_action(8, "typing")


async def test_an_edit_must_change_something_that_exists(bot: Bot):
    sent = await bot.send_message(7, "x")
    with pytest.raises(BadRequest, match="not modified"):
        await sent.edit_text("x")
    with pytest.raises(BadRequest, match="to edit not found"):
        await bot.edit_message_text("y", 7, sent.message_id + 1)
    assert await sent.delete()
    with pytest.raises(BadRequest, match="to delete not found"):
        await sent.delete()


def keyboard(data: str) -> InlineKeyboardMarkup:
    link = InlineKeyboardButton("Docs", url="http://127.0.0.1/")
    return InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data=data), link]])


async def test_a_press_is_answered_once(bot: Bot, chat: Chat):
    sent = await bot.send_message(7, "Sure?", reply_markup=keyboard("y"))
    assert chat.take()[0].buttons == ("[1] Yes", "Docs: http://127.0.0.1/")
    chat.enter("1")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    assert update.callback_query.data == "y"
    assert update.callback_query.message is not None
    assert update.callback_query.message.message_id == sent.message_id
    await update.callback_query.answer("Noted")
    assert [bubble.content.text for bubble in chat.take()] == ["Noted"]
    with pytest.raises(BadRequest, match="Query is too old"):
        await update.callback_query.answer()


async def test_a_keyboard_that_is_taken_away_can_not_be_pressed_and_the_others_keep_numbers(
    bot: Bot, chat: Chat
):
    first = await bot.send_message(7, "One?", reply_markup=keyboard("one"))
    await bot.send_message(7, "Two?", reply_markup=keyboard("two"))
    assert [bubble.buttons[0] for bubble in chat.take()] == ["[1] Yes", "[2] Yes"]
    await first.edit_reply_markup(None)
    assert chat.take() == []
    chat.enter("2")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    assert update.callback_query.data == "two"


async def test_button_data_is_at_most_64_bytes(bot: Bot):
    await bot.send_message(7, "x", reply_markup=keyboard("é" * 32))
    with pytest.raises(BadRequest, match="Button_data_invalid"):
        await bot.send_message(7, "x", reply_markup=keyboard("é" * 33))


async def test_a_photo_is_saved_or_named(bot: Bot, chat: Chat, tmp_path: Path):
    await bot.send_photo(7, b"\x89PNG", filename="cat.png")
    await bot.send_photo(7, "http://127.0.0.1/cat.png", caption="A cat")
    saved, named = (bubble.content.text for bubble in chat.take())
    assert saved == f"[photo] saved as {tmp_path / 'exports' / 'cat.png'}"
    assert named == "A cat\n[photo] http://127.0.0.1/cat.png"


async def test_a_file_that_cannot_be_written_is_refused(bot: Bot, tmp_path: Path):
    (tmp_path / "exports").write_text("in the way")
    with pytest.raises(BadRequest, match="could not be saved"):
        await bot.send_document(7, b"x", filename="x.json")


async def test_old_messages_are_let_go_of(bot: Bot, chat: Chat):
    first = await bot.send_message(7, "x")
    for number in range(600):
        await bot.send_message(7, str(number))
    assert len(chat.take()) == 601
    assert chat.find(first.message_id) is None
