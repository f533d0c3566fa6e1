"""Messages, files and buttons are refused where Telegram refuses them."""

from typing import Any

import httpx
import pytest

from tests.fakes.botapi import BotApiServer, Json
from tests.fakes.plain_bot import PlainBot as Bot

# -- sending --------------------------------------------------------------------------------------


async def test_a_text_has_at_most_4096_utf16_units(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    assert (await bot.call("sendMessage", chat_id=1001, text="😀" * 2048))["ok"]
    refusal = await bot.refusal("sendMessage", chat_id=1001, text="😀" * 2048 + "x")
    assert refusal == "400 Bad Request: message is too long"


@pytest.mark.parametrize("text", ["", " \n ", None])
async def test_an_empty_text_is_refused(server: BotApiServer, bot: Bot, text: str | None) -> None:
    await server.user(1001).says("hi")
    given = {} if text is None else {"text": text}
    refusal = await bot.refusal("sendMessage", chat_id=1001, **given)
    assert refusal == "400 Bad Request: message text is empty"


async def test_a_chat_that_never_wrote_is_not_found(bot: Bot) -> None:
    refusal = await bot.refusal("sendMessage", chat_id=1001, text="hi")
    assert refusal == "400 Bad Request: chat not found"


async def test_who_blocked_the_bot_gets_nothing(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    server.user(1001).blocks()
    for method in ("sendMessage", "sendChatAction"):
        refusal = await bot.refusal(method, chat_id=1001, text="hi", action="typing")
        assert refusal == "403 Forbidden: bot was blocked by the user"


@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("<b>x", "HTML", "can't parse entities: Can't find end tag"),
        ("<x>y</x>", "HTML", "can't parse entities: Unsupported start tag"),
        ("a</b>", "HTML", "can't parse entities: Unmatched end tag"),
        ("Hello.", "MarkdownV2", "can't parse entities: Character '.' is reserved"),
        ("*bold", "MarkdownV2", "can't parse entities: Can't find end of the entity"),
        ("*bold", "Markdown", "can't parse entities: Can't find end of the entity"),
        ("x", "XML", "unsupported parse_mode"),
    ],
)
async def test_markup_that_does_not_parse_is_refused(
    server: BotApiServer, bot: Bot, text: str, mode: str, reason: str
) -> None:
    await server.user(1001).says("hi")
    refusal = await bot.refusal("sendMessage", chat_id=1001, text=text, parse_mode=mode)
    assert refusal.startswith(f"400 Bad Request: {reason}")


async def test_entities_must_lie_within_the_text(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")

    async def send(**entity: Any) -> Json:
        return await bot.call("sendMessage", chat_id=1001, text="hello", entities=[entity])

    assert (await send(type="bold", offset=0, length=5))["ok"]
    assert "ENTITY_BOUNDS_INVALID" in (await send(type="bold", offset=9, length=1))["description"]
    assert "Unsupported type" in (await send(type="huge", offset=0, length=1))["description"]


async def test_an_edit_is_as_strict_about_entities(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("/start")
    sent = (await bot.call("sendMessage", chat_id=1001, text="hello"))["result"]
    place = {"chat_id": 1001, "message_id": sent["message_id"]}

    async def refusal(*entities: Json) -> str:
        return await bot.refusal("editMessageText", **place, text="😀 hello", entities=entities)

    def over(kind: str, offset: int, length: int, **more: Any) -> Json:
        return {"type": kind, "offset": offset, "length": length, **more}

    assert "in a middle of a UTF-16 symbol" in await refusal(over("bold", 1, 3))
    assert "in a middle of a UTF-16 symbol" in await refusal(over("bold", 0, 1))
    assert "ENTITY_BOUNDS_INVALID" in await refusal(over("bold", 3, 6))
    assert "cross" in await refusal(over("bold", 0, 4), over("italic", 3, 5))
    assert "nested" in await refusal(over("bold", 0, 8), over("code", 3, 5))
    assert "Wrong HTTP URL" in await refusal(over("text_link", 3, 5, url="javascript:x"))
    fine = [over("blockquote", 0, 8), over("bold", 3, 5), over("italic", 3, 2)]
    edited = await bot.call("editMessageText", **place, text="😀 hello", entities=fine)
    assert edited["result"]["entities"] == fine


async def test_white_space_around_a_text_goes_and_takes_entities_along(
    server: BotApiServer, bot: Bot
) -> None:
    await server.user(1001).says("/start")
    code = {"type": "pre", "offset": 2, "length": 8}
    sent = await bot.call("sendMessage", chat_id=1001, text="\n\n  code\n\n", entities=[code])
    assert sent["result"]["text"] == "  code"
    assert sent["result"]["entities"] == [{"type": "pre", "offset": 0, "length": 6}]


async def test_a_draft_is_for_private_chats_and_gone_with_the_next_message(
    server: BotApiServer, bot: Bot
) -> None:
    await server.user(1001).says("/start")
    server.group(-1000500)
    draft = {"draft_id": 7, "text": "so far"}
    assert "private" in await bot.refusal("sendMessageDraft", chat_id=-1000500, **draft)
    no_id = {"draft_id": 0, "text": "so far"}
    assert "non-zero" in await bot.refusal("sendMessageDraft", chat_id=1001, **no_id)
    assert (await bot.call("sendMessageDraft", chat_id=1001, **draft))["result"] is True
    assert server.world.chats[1001].drafts == {7: "so far"}
    await bot.call("sendMessage", chat_id=1001, text="done")
    assert server.world.chats[1001].drafts == {}


async def test_a_topic_and_a_message_to_answer_must_exist(server: BotApiServer, bot: Bot) -> None:
    group = server.group(-1000500)
    group.add_topic(7)
    to: Json = {"chat_id": group.id, "text": "hi"}
    assert (await bot.call("sendMessage", **to, message_thread_id=7))["ok"]
    for topic in (8, 1):
        refusal = await bot.refusal("sendMessage", **to, message_thread_id=topic)
        assert refusal == "400 Bad Request: message thread not found"
    action = {"chat_id": group.id, "action": "typing", "message_thread_id": 1}
    assert (await bot.call("sendChatAction", **action))["ok"]
    lost = {"message_id": 999}
    refusal = await bot.refusal("sendMessage", **to, reply_parameters=lost)
    assert refusal == "400 Bad Request: message to be replied not found"
    lost["allow_sending_without_reply"] = True
    assert (await bot.call("sendMessage", **to, reply_parameters=lost))["ok"]


async def test_a_group_that_moved_says_where(server: BotApiServer, bot: Bot) -> None:
    server.group(-500, kind="group").migrate(-1000500)
    answer = await bot.call("sendMessage", chat_id=-500, text="hi")
    assert answer["parameters"] == {"migrate_to_chat_id": -1000500}
    assert answer["error_code"] == 400


async def test_buttons_carry_at_most_64_bytes(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    for data, fits in (("x" * 64, True), ("я" * 33, False), ("", False)):
        keyboard = {"inline_keyboard": [[{"text": "ok", "callback_data": data}]]}
        answer = await bot.call("sendMessage", chat_id=1001, text="?", reply_markup=keyboard)
        assert answer["ok"] is fits


# -- editing, clicking ----------------------------------------------------------------------------


async def test_editing_is_for_own_messages_and_real_changes(server: BotApiServer, bot: Bot) -> None:
    theirs = await server.user(1001).says("hi")
    mine = (await bot.call("sendMessage", chat_id=1001, text="hello"))["result"]

    async def edit(message_id: int, text: str) -> Json:
        return await bot.call("editMessageText", chat_id=1001, message_id=message_id, text=text)

    assert "is not modified" in (await edit(mine["message_id"], "hello"))["description"]
    assert (await edit(mine["message_id"], "bye"))["result"]["text"] == "bye"
    assert [message["text"] for message in server.sent(1001)] == ["bye"]
    assert (await edit(999, "x"))["description"] == "Bad Request: message to edit not found"
    assert "can't be edited" in (await edit(theirs["message_id"], "x"))["description"]


async def test_a_click_is_answered_once(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}
    await bot.call("sendMessage", chat_id=1001, text="?", reply_markup=keyboard)
    query = await server.user(1001).presses(server.sent(1001)[0], "Yes")
    update = (await bot.call("getUpdates"))["result"][-1]
    assert update["callback_query"]["data"] == "y"
    assert (await bot.call("answerCallbackQuery", callback_query_id=query))["ok"]
    assert "query is too old" in await bot.refusal("answerCallbackQuery", callback_query_id=query)


async def test_commands_are_kept_by_scope_and_language(bot: Bot) -> None:
    menu = [{"command": "start", "description": "Begin"}]
    german = {"commands": menu, "language_code": "de", "scope": {"type": "all_private_chats"}}
    await bot.call("setMyCommands", **german)
    assert (await bot.call("getMyCommands"))["result"] == []
    assert (await bot.call("getMyCommands", **german))["result"] == menu
    await bot.call("deleteMyCommands", **german)
    assert (await bot.call("getMyCommands", **german))["result"] == []
    bad = [{"command": "Start!", "description": "Begin"}]
    assert "BOT_COMMAND_INVALID" in await bot.refusal("setMyCommands", commands=bad)


async def test_a_document_travels_both_ways(
    server: BotApiServer, bot: Bot, http: httpx.AsyncClient
) -> None:
    await server.user(1001).says("hi")
    root = f"{server.base_url}{server.token}"
    answer = await http.post(
        f"{root}/sendDocument",
        data={"chat_id": "1001", "caption": "Yours"},
        files={"document": ("x.json", b"{}")},
    )
    document = answer.json()["result"]["document"]
    assert (document["file_name"], document["file_size"]) == ("x.json", 2)
    path = (await bot.call("getFile", file_id=document["file_id"]))["result"]["file_path"]
    content = await http.get(f"{server.root}/file/bot{server.token}/{path}")
    assert content.content == b"{}"
    assert await server.replies_to(1001, 1) == ["Yours"]


async def test_members_and_leaving(server: BotApiServer, bot: Bot) -> None:
    group = server.group(-1000500, "Club")
    assert (await bot.call("getChat", chat_id=group.id))["result"]["title"] == "Club"
    member = (await bot.call("getChatMember", chat_id=group.id, user_id=1001))["result"]
    assert member["status"] == "member"
    assert (await bot.call("leaveChat", chat_id=group.id))["ok"]
    assert (await bot.refusal("sendMessage", chat_id=group.id, text="hi")).startswith("403")


async def test_a_button_has_something_to_do(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    keyboard = {"inline_keyboard": [[{"text": "ok"}]]}
    refusal = await bot.refusal("sendMessage", chat_id=1001, text="?", reply_markup=keyboard)
    assert "Text buttons are unallowed" in refusal


async def test_a_note_for_a_click_has_at_most_200_characters(
    server: BotApiServer, bot: Bot
) -> None:
    await server.user(1001).says("hi")
    keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}
    await bot.call("sendMessage", chat_id=1001, text="?", reply_markup=keyboard)
    query = await server.user(1001).presses(server.sent(1001)[0], "Yes")
    how = {"callback_query_id": query}
    assert "MESSAGE_TOO_LONG" in await bot.refusal("answerCallbackQuery", text="x" * 201, **how)
    assert (await bot.call("answerCallbackQuery", text="x" * 200, **how))["ok"]


async def test_in_a_group_only_admins_delete_what_others_wrote(
    server: BotApiServer, bot: Bot
) -> None:
    group = server.group(-1000500)
    theirs = (await server.user(1001).says("hi", group=group))["message_id"]
    how = {"chat_id": group.id, "message_id": theirs}
    assert "message can't be deleted" in await bot.refusal("deleteMessage", **how)
    group.make_admin(server.world.bot["id"])
    assert (await bot.call("deleteMessage", **how))["ok"]
    assert "message to delete not found" in await bot.refusal("deleteMessage", **how)
    mine = (await bot.call("sendMessage", chat_id=group.id, text="hello"))["result"]["message_id"]
    assert (await bot.call("deleteMessage", chat_id=group.id, message_id=mine))["ok"]


async def test_a_file_has_at_most_50_mb_and_no_text_to_edit(
    server: BotApiServer, http: httpx.AsyncClient, bot: Bot
) -> None:
    await server.user(1001).says("hi")
    url = f"{server.base_url}{server.token}/sendDocument"
    for size, status in ((50 * 2**20 + 1, 413), (1, 200)):
        files = {"document": ("x.txt", b"x" * size)}
        answer = await http.post(url, data={"chat_id": "1001"}, files=files)
        assert answer.status_code == status
    sent = answer.json()["result"]["message_id"]
    refusal = await bot.refusal("editMessageText", chat_id=1001, message_id=sent, text="x")
    assert "there is no text in the message to edit" in refusal


async def test_a_language_has_two_letters(bot: Bot) -> None:
    menu = [{"command": "start", "description": "Begin"}]
    refusal = await bot.refusal("setMyCommands", commands=menu, language_code="pt-br")
    assert "invalid language code" in refusal
