"""The token, and who else gets the bot's messages; looked at without taking any of them."""

import asyncio
import socket
import time
from contextlib import closing, suppress
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from bot.operations.doctor.check import CheckResult, Mark
from bot.settings import Settings
from bot.telegram.checkup import check_token, check_webhook
from tests.fakes.botapi import BotApiServer
from tests.fakes.botapi.world import Webhook


async def found(
    server: BotApiServer,
    *,
    token: str | None = None,
    running: bool = False,
    webhook_url: str | None = None,
) -> dict[str, CheckResult]:
    settings = Settings(
        telegram_bot_token=SecretStr(token or server.token),
        telegram_base_url=server.root,
        webhook_url=webhook_url,
    )
    findings = await check_token(settings, running=running)
    for finding in findings:
        assert (token or server.token) not in finding.text
    return {finding.subject: finding for finding in findings}


async def test_a_good_token_says_whose_it_is():
    async with BotApiServer() as server:
        findings = await found(server)
    assert {finding.mark for finding in findings.values()} == {Mark.OK}
    assert "@mordecai_test_bot" in findings["token"].text


async def test_no_token_is_a_warning_that_says_what_runs_instead():
    (finding,) = await check_token(Settings(), running=False)
    assert finding.mark is Mark.WARNING
    assert "TELEGRAM_BOT_TOKEN" in finding.text


@pytest.mark.parametrize("token", ["424242:" + "B" * 35, "1:x"])
async def test_a_token_that_telegram_rejects_is_wrong(token: str):
    async with BotApiServer() as server:
        findings = await found(server, token=token)
    assert list(findings) == ["token"]
    assert findings["token"].mark is Mark.WRONG
    assert "@BotFather" in findings["token"].text


async def test_a_server_that_is_not_there_is_wrong_and_named():
    address = "http://ann:s3cret@127.0.0.1:1"
    settings = Settings(telegram_bot_token=SecretStr("1:x"), telegram_base_url=address)
    (finding,) = await check_token(settings, running=False)
    assert finding.mark is Mark.WRONG
    assert finding.text.startswith("127.0.0.1:1 can't be reached"), "and no password is named"


async def test_being_asked_to_come_later_is_no_fault():
    async with BotApiServer() as server:
        server.fail("getMe", retry_after=7)
        findings = await found(server)
    assert findings["token"].mark is Mark.WARNING


async def test_a_webhook_is_told_by_its_host_alone():
    async with BotApiServer() as server:
        server.world.set_webhook(Webhook("https://hooks.example.org/secret-path"))
        finding = (await found(server))["updates"]
    assert finding.mark is Mark.WARNING
    assert "hooks.example.org" in finding.text
    assert "secret-path" not in finding.text


async def test_another_program_that_gets_the_messages_is_found():
    async with BotApiServer() as server:
        rival = asyncio.create_task(_poll(server))
        try:
            await server.wait_for(lambda: server.calls_of("getUpdates"))
            finding = (await found(server))["updates"]
        finally:
            rival.cancel()
            with suppress(asyncio.CancelledError):
                await rival
    assert finding.mark is Mark.WRONG
    assert "another program" in finding.text


async def _poll(server: BotApiServer) -> None:
    """As other bots do: at once again after a result, soon again after a refusal."""
    async with httpx.AsyncClient(timeout=60) as client:
        while True:
            answer = await client.get(f"{server.base_url}{server.token}/getUpdates?timeout=25")
            if answer.status_code != 200:
                await asyncio.sleep(0.3)


async def test_messages_that_wait_are_counted_and_go_on_waiting():
    async with BotApiServer() as server:
        await server.user(7).says("hello")
        finding = (await found(server))["updates"]
        assert server.world.waiting == 1
    assert finding.mark is Mark.OK
    assert finding.text.startswith("1 messages wait")


async def test_a_running_mordecai_is_not_thrown_out_by_the_doctor():
    async with BotApiServer() as server:
        finding = (await found(server, running=True))["updates"]
        assert server.calls_of("getUpdates") == []
    assert finding.mark is Mark.OK


async def test_privacy_mode_is_explained():
    async with BotApiServer(privacy=True) as server:
        assert "/setprivacy" in (await found(server, running=True))["groups"].text
    async with BotApiServer() as server:
        assert "everything" in (await found(server, running=True))["groups"].text


# -- with a webhook -------------------------------------------------------------------------------

URL = "https://bot.example.org/hook"


async def test_a_webhook_that_telegram_calls_is_well():
    async with BotApiServer() as server:
        server.world.set_webhook(Webhook(URL))
        finding = (await found(server, webhook_url=URL, running=True))["updates"]
    assert finding.mark is Mark.OK
    assert "calls bot.example.org" in finding.text


async def test_a_webhook_that_is_not_set_is_wrong_only_while_the_bot_runs():
    async with BotApiServer() as server:
        before = (await found(server, webhook_url=URL))["updates"]
        running = (await found(server, webhook_url=URL, running=True))["updates"]
        server.world.set_webhook(Webhook("https://rival.example.org/"))
        taken = (await found(server, webhook_url=URL, running=True))["updates"]
        assert server.calls_of("getUpdates") == []
    assert before.mark is Mark.OK
    assert running.mark is Mark.WRONG
    assert taken.mark is Mark.WRONG
    assert "rival.example.org" in taken.text


async def test_what_telegram_says_of_its_last_call_is_passed_on_while_it_is_news():
    async with BotApiServer() as server:
        hook = Webhook(URL)
        hook.failed("Wrong response from the webhook: 502 Bad Gateway")
        server.world.set_webhook(hook)
        finding = (await found(server, webhook_url=URL))["updates"]
        hook.error_date = int(time.time()) - 7200
        old = (await found(server, webhook_url=URL))["updates"]
    assert finding.mark is Mark.WARNING
    assert "502 Bad Gateway" in finding.text
    assert old.mark is Mark.OK


async def test_a_webhooks_port_has_to_be_free_until_the_bot_runs():
    assert await check_webhook(Settings(), running=False) == []
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        settings = Settings(webhook_url=URL, webhook_port=taken.getsockname()[1])
        (before,) = await check_webhook(settings, running=False)
        (running,) = await check_webhook(settings, running=True)
    assert before.mark is Mark.WRONG
    assert "webhook_port" in before.text
    assert running.mark is Mark.OK


async def test_a_certificate_that_can_not_be_read_is_wrong(tmp_path: Path):
    missing = tmp_path / "missing.pem"
    settings = Settings(webhook_url=URL, webhook_certificate=missing, webhook_key=missing)
    (finding,) = await check_webhook(settings, running=True)
    assert finding.mark is Mark.WRONG
    assert "missing.pem" in finding.text
