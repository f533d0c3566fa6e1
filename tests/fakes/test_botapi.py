"""The fake is as strict as the real Bot API, so that tests against it mean something."""

import asyncio
import json
import sys
from typing import Any

import httpx
import pytest
from aiohttp import web

from tests.fakes.botapi import BotApiServer, Json
from tests.fakes.plain_bot import PlainBot as Bot

# -- tokens and methods ---------------------------------------------------------------------------


async def test_a_wrong_token_is_unauthorized_and_a_malformed_one_not_found(
    server: BotApiServer, http: httpx.AsyncClient
) -> None:
    wrong = await http.get(f"{server.base_url}424242:wrong/getMe")
    assert wrong.json() == {"ok": False, "error_code": 401, "description": "Unauthorized"}
    malformed = await http.get(f"{server.base_url}nonsense/getMe")
    assert malformed.json() == {"ok": False, "error_code": 404, "description": "Not Found"}
    assert server.calls == []


async def test_methods_are_known_in_any_case_and_unknown_ones_refused(bot: Bot) -> None:
    assert (await bot.call("GETME"))["result"]["username"] == "mordecai_test_bot"
    assert await bot.refusal("sendTelepathy") == "404 Not Found: method not found"


# -- getUpdates -----------------------------------------------------------------------------------


async def test_updates_come_again_until_the_offset_acknowledges_them(
    server: BotApiServer, bot: Bot
) -> None:
    for text in ("one", "two", "three"):
        await server.user(1001).says(text)

    async def poll(**parameters: Any) -> list[tuple[int, str]]:
        result = (await bot.call("getUpdates", **parameters))["result"]
        return [(update["update_id"], update["message"]["text"]) for update in result]

    first = await poll()
    assert [text for _, text in first] == ["one", "two", "three"]
    assert await poll() == first
    assert await poll(limit=1) == first[:1]
    assert await poll(offset=first[1][0]) == first[1:]
    assert await poll(offset=-1) == first[2:], "a negative offset forgets all but the last"
    assert await poll() == first[2:]


async def test_a_poll_waits_for_the_next_update(server: BotApiServer, bot: Bot) -> None:
    poll = asyncio.create_task(bot.call("getUpdates", timeout=20))
    await server.wait_for(lambda: server.calls_of("getUpdates"))
    assert not poll.done()
    await server.user(1001).says("hi")
    assert (await poll)["result"][0]["message"]["text"] == "hi"


async def test_a_poll_ends_empty_after_its_time(bot: Bot) -> None:
    assert (await bot.call("getUpdates", timeout=0.05))["result"] == []


async def test_a_second_poller_ends_the_first(server: BotApiServer, bot: Bot) -> None:
    first = asyncio.create_task(bot.refusal("getUpdates", timeout=20))
    await server.wait_for(lambda: server.calls_of("getUpdates"))
    assert (await bot.call("getUpdates"))["result"] == []
    assert await first == (
        "409 Conflict: terminated by other getUpdates request; make sure that only one bot "
        "instance is running"
    )


async def test_a_poller_that_went_away_does_not_conflict(server: BotApiServer, bot: Bot) -> None:
    async with httpx.AsyncClient(timeout=0.2) as hasty:
        with pytest.raises(httpx.ReadTimeout):
            await hasty.get(f"{server.base_url}{server.token}/getUpdates?timeout=20")
    await server.user(1001).says("hi")
    assert len((await bot.call("getUpdates", timeout=20))["result"]) == 1


async def test_a_webhook_and_polling_exclude_each_other(bot: Bot) -> None:
    assert "HTTPS URL" in await bot.refusal("setWebhook", url="http://example.org")
    await bot.call("setWebhook", url="https://example.org/hook")
    assert (await bot.call("getWebhookInfo"))["result"]["url"] == "https://example.org/hook"
    assert (await bot.refusal("getUpdates")).startswith("409 Conflict: can't use getUpdates")
    await bot.call("deleteWebhook")
    assert (await bot.call("getUpdates"))["ok"]


async def test_only_allowed_kinds_of_updates_are_made_and_the_choice_is_remembered(
    server: BotApiServer, bot: Bot
) -> None:
    await bot.call("getUpdates", allowed_updates=["message"])
    message = await server.user(1001).says("hi")
    await server.user(1001).edits(message, "hello")
    kinds = [set(u) - {"update_id"} for u in (await bot.call("getUpdates"))["result"]]
    assert kinds == [{"message"}]


async def test_pending_updates_can_be_dropped(server: BotApiServer, bot: Bot) -> None:
    await server.user(1001).says("hi")
    await bot.call("deleteWebhook", drop_pending_updates=True)
    assert (await bot.call("getUpdates"))["result"] == []


async def test_commands_and_mentions_are_marked_in_utf16_units(
    server: BotApiServer, bot: Bot
) -> None:
    await server.user(1001).says("😀 /start@mordecai_test_bot and @somebody")
    [update] = (await bot.call("getUpdates"))["result"]
    assert update["message"]["entities"] == [
        {"type": "bot_command", "offset": 3, "length": 24},
        {"type": "mention", "offset": 32, "length": 9},
    ]


# -- trouble on demand ----------------------------------------------------------------------------


async def test_flood_control_for_one_method_and_chat(server: BotApiServer, bot: Bot) -> None:
    for user_id in (1001, 1002):
        await server.user(user_id).says("hi")
    server.fail("sendMessage", chat_id=1001, retry_after=7, skip=1)

    async def status(chat_id: int) -> int:
        answer = await bot.call("sendMessage", chat_id=chat_id, text="hi")
        return int(answer.get("error_code", 200))

    assert [await status(1002), await status(1001), await status(1001), await status(1001)] == [
        200,
        200,
        429,
        200,
    ]


async def test_an_answer_can_be_lost_before_or_after_the_work(
    server: BotApiServer, bot: Bot
) -> None:
    await server.user(1001).says("hi")
    for when, sent in (("before", 0), ("after", 1)):
        server.fail("sendMessage", drop=when)
        with pytest.raises(httpx.RemoteProtocolError):
            await bot.call("sendMessage", chat_id=1001, text="hi")
        assert len(server.sent(1001)) == sent
    assert [call.status for call in server.calls] == [0, 0]


async def test_an_answer_can_take_its_time(server: BotApiServer) -> None:
    server.fail("getMe", delay=5)
    async with httpx.AsyncClient(timeout=0.1) as hasty:
        with pytest.raises(httpx.ReadTimeout):
            await hasty.get(f"{server.base_url}{server.token}/getMe")


# -- another process ------------------------------------------------------------------------------


async def test_another_process_can_drive_it(http: httpx.AsyncClient) -> None:
    token = "4242:secret"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.botapi", "--token", token),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    try:
        root = (await process.stdout.readline()).decode().strip()

        async def post(name: str, **given: Any) -> Any:
            answer = await http.post(f"{root}/control/{name}", json=given)
            assert answer.status_code == 200, answer.text
            return answer.json()

        said = await post("say", user=1001, text="hi")
        assert said["text"] == "hi"
        keyboard = json.dumps({"inline_keyboard": [[{"text": "Y", "callback_data": "y"}]]})
        to = {"chat_id": 1001, "text": "hello", "reply_markup": keyboard}
        await http.post(f"{root}/bot{token}/sendMessage", data=to)
        [sent] = (await http.get(f"{root}/control/sent?chat=1001&count=1")).json()
        assert sent["text"] == "hello"
        await post("click", user=1001, message=sent["message_id"], data="y")
        await post("edit", user=1001, message=said["message_id"], text="hi!")
        await post("send", user=1001, kind="photo", caption="me")
        await post("group", chat=-1000500, topics=[7])
        await post("say", user=1001, chat=-1000500, topic=7, text="@mordecai_test_bot")
        await post("fail", method="getUpdates", retry_after=3)
        polls = [(await http.get(f"{root}/bot{token}/getUpdates")).json() for _ in range(2)]
        assert polls[0]["error_code"] == 429
        assert len(polls[1]["result"]) == 5
        await post("block", user=1001)
        [call] = (await http.get(f"{root}/control/calls?method=sendMessage")).json()
        assert call["status"] == 200
        late = await http.get(f"{root}/control/sent?chat=1001&count=9&timeout=0.05")
        assert late.status_code == 408
        wrong = await http.post(f"{root}/control/say", json={})
        assert wrong.status_code == 400
    finally:
        process.terminate()
        await process.wait()


# -- webhook --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "parameters"),
    [
        ("HTTPS URL", {"url": "http://bot.example.org/"}),
        ("ports 80, 88, 443 or 8443", {"url": "https://bot.example.org:5000/"}),
        ("unallowed characters", {"url": "https://bot.example.org/", "secret_token": "a b"}),
    ],
)
async def test_a_webhook_that_telegram_would_not_call_is_refused(
    bot: Bot, reason: str, parameters: Json
) -> None:
    assert reason in await bot.refusal("setWebhook", **parameters)
    assert (await bot.call("getWebhookInfo"))["result"]["url"] == ""


async def test_setting_a_webhook_ends_the_poll_that_waits(server: BotApiServer, bot: Bot) -> None:
    poll = asyncio.create_task(bot.refusal("getUpdates", timeout=20))
    await server.wait_for(lambda: server.calls_of("getUpdates"))
    await asyncio.sleep(0)
    await bot.call("setWebhook", url="https://bot.example.org/")
    assert (await poll).startswith("409")


async def test_a_webhook_gets_each_chat_in_order_and_everything_until_it_is_taken(
    server: BotApiServer, bot: Bot
) -> None:
    taken: list[tuple[int, str]] = []
    refusals = 3

    async def hook(request: web.Request) -> web.Response:
        nonlocal refusals
        assert request.headers["X-Telegram-Bot-Api-Secret-Token"] == "secret"
        if refusals:
            refusals -= 1
            return web.Response(status=503)
        message = (await request.json())["message"]
        taken.append((message["chat"]["id"], message["text"]))
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", hook)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        server.courier.gateways = [f"http://127.0.0.1:{runner.addresses[0][1]}"]
        await bot.call("setWebhook", url="https://bot.example.org/hook", secret_token="secret")
        for number in range(4):
            for user_id in (7, 8):
                await server.user(user_id).says(f"message {number}")
        await server.wait_for(lambda: len(taken) == 8)
        await server.wait_for(lambda: server.world.waiting == 0)
    finally:
        await runner.cleanup()
    for user_id in (7, 8):
        texts = [text for chat, text in taken if chat == user_id]
        assert texts == [f"message {number}" for number in range(4)]
    info = (await bot.call("getWebhookInfo"))["result"]
    assert "503" in info["last_error_message"]
