"""Nothing received is lost, with real processes: by webhook, over signals, and back to polling."""

import asyncio
import os
import resource
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.command import PATIENCE, mordecai
from tests.e2e.test_telegram import ANNA, BORIS, Talk, all_answered, running
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import Completion, OpenAIServer, text

URL = "https://bot.example.org/telegram"


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def by_webhook(server: BotApiServer) -> dict[str, str]:
    """Settings of a bot that the server calls through what would be a proxy."""
    port = free_port()
    server.courier.gateways = [f"http://127.0.0.1:{port}"]
    return {"MORDECAI_WEBHOOK_URL": URL, "MORDECAI_WEBHOOK_PORT": str(port)}


def answered_by(model: OpenAIServer) -> dict[str, str]:
    return {
        "MORDECAI_MODEL": "openai:any",
        "MORDECAI_MODEL_BASE_URL": model.base_url,
        "MORDECAI_MODEL_API_KEY": model.api_key,
        "MORDECAI_STREAMING": "off",
        "MORDECAI_GREETING": "false",
    }


def texts(server: BotApiServer, user_id: int) -> list[str]:
    return [message["text"] for message in server.sent(user_id)]


# -- webhook --------------------------------------------------------------------------------------


async def test_a_kill_behind_a_webhook_loses_nothing_and_polling_goes_on_from_there(tmp_path: Path):
    async with OpenAIServer() as model, BotApiServer() as server:
        variables = {**by_webhook(server), **answered_by(model)}
        model.script(Completion(("too late",), delay=60))
        async with running(server, tmp_path, **variables) as process:
            await server.user(ANNA).says("one")
            await server.wait_for(lambda: model.requests and not server.world.waiting, PATIENCE)
            process.kill()
            await process.wait()
        assert texts(server, ANNA) == [], "taken, and not answered"
        await server.user(ANNA).says("two")
        await server.wait_for(lambda: server.world.webhook.error_message, PATIENCE)
        model.script(text("Here I am."))
        async with running(server, tmp_path, **variables):
            await server.wait_for(lambda: not server.world.waiting, PATIENCE)
            await all_answered(tmp_path / "data" / "inbox.sqlite")
        heard = "".join(_last_words(request) for request in model.requests)
        assert "one" in heard
        assert "two" in heard
        assert set(texts(server, ANNA)) == {"Here I am."}
        count = len(texts(server, ANNA))
        await server.user(ANNA).says("three")
        async with running(server, tmp_path, **answered_by(model)):
            assert (await server.replies_to(ANNA, count + 1, PATIENCE))[-1] == "Here I am."
            assert server.world.webhook.url == ""
    log = (tmp_path / "log").read_text()
    for call in server.calls_of("setWebhook"):
        assert call.parameters["secret_token"] not in log


def _last_words(request: dict[str, Any]) -> str:
    """What the person said that is to be answered."""
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


async def test_settings_of_a_webhook_that_can_not_work_end_the_start_with_what_to_do(
    tmp_path: Path,
):
    ran = await mordecai(
        "run",
        cwd=tmp_path,
        TELEGRAM_BOT_TOKEN="424242:AAFakeTokenForTestsAAAAAAAAAAAAAAAA",
        MORDECAI_WEBHOOK_URL="http://bot.example.org/",
        MORDECAI_WEBHOOK_SECRET="not a secret",
    )
    assert ran.code == 2
    assert "webhook_url" in ran.err
    assert "webhook_secret" in ran.err
    assert "not a secret" not in ran.err


# -- health ---------------------------------------------------------------------------------------


@asynccontextmanager
async def probing(port: int) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        yield client


async def _turns(client: httpx.AsyncClient, path: str, status: int) -> httpx.Response:
    """The answer, once it has this status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                answer = await client.get(path)
            except httpx.ConnectError:
                await asyncio.sleep(0.05)
                continue
            if answer.status_code == status:
                return answer
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("webhook", [True, False])
async def test_a_bot_is_alive_before_it_is_ready(tmp_path: Path, webhook: bool):
    port = free_port()
    async with BotApiServer() as server, probing(port) as client:
        cut_off = server.fail("getMe", status=502, description="Bad Gateway", times=1000)
        variables = by_webhook(server) if webhook else {}
        async with running(server, tmp_path, MORDECAI_HEALTH_PORT=str(port), **variables):
            assert (await _turns(client, "/healthz", 200)).json() == {"alive": True}
            answer = await _turns(client, "/readyz", 503)
            assert answer.json() == {
                "ready": False,
                "telegram": False,
                "handling": True,
                "memory": True,
                "data": True,
            }
            cut_off.times = 0
            assert (await _turns(client, "/readyz", 200)).json()["ready"] is True
            assert await Talk(server, ANNA).say("hello")


# -- signals --------------------------------------------------------------------------------------


async def _until_it_ends(process: asyncio.subprocess.Process, *signals: signal.Signals) -> None:
    """Send these signals over and over, from the first moment of the end to the last."""
    async with asyncio.timeout(PATIENCE):
        while process.returncode is None:
            for name in signals:
                # Not `send_signal`, which may reap the process before asyncio does.
                with suppress(ProcessLookupError):
                    os.kill(process.pid, name)
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT,), tuple(signal.Signals(n)
    for n in (signal.SIGINT, signal.SIGTERM))])  # fmt: skip
async def test_one_signal_and_a_hundred_let_replies_under_way_finish(
    tmp_path: Path, signals: tuple[signal.Signals, ...]
):
    async with OpenAIServer() as model, BotApiServer() as server:
        model.script(Completion(("All said.",), delay=1.5))
        async with running(server, tmp_path, **answered_by(model)) as process:
            for user_id in (ANNA, BORIS):
                await server.user(user_id).says("Take your time.")
            await server.wait_for(lambda: len(model.requests) == 2, PATIENCE)
            await _until_it_ends(process, *signals)
            assert process.returncode == 0
        assert texts(server, ANNA) == texts(server, BORIS) == ["All said."]
    assert "Traceback" not in (tmp_path / "log").read_text()


async def test_what_is_not_done_when_the_time_is_over_is_answered_after_the_restart(tmp_path: Path):
    async with OpenAIServer() as model, BotApiServer() as server:
        variables = {**answered_by(model), "MORDECAI_STOP_SECONDS": "0.5"}
        model.script(Completion(("too late",), delay=60))
        async with running(server, tmp_path, **variables) as process:
            await server.user(ANNA).says("Take your time.")
            await server.wait_for(lambda: model.requests, PATIENCE)
            await server.user(ANNA).says("And then?")
            await server.wait_for(lambda: not server.world.waiting, PATIENCE)
            await _until_it_ends(process, signal.SIGTERM)
            assert process.returncode == 0
        assert texts(server, ANNA) == []
        model.script(text("Now, all of it."))
        async with running(server, tmp_path, **variables):
            await server.replies_to(ANNA, 1, PATIENCE)
            await all_answered(tmp_path / "data" / "inbox.sqlite")
        assert texts(server, ANNA) == ["Now, all of it."]
        [request] = model.requests
        assert _last_words(request) == "Take your time.\nAnd then?"


async def test_a_signal_while_telegram_is_out_of_reach_ends_the_start(tmp_path: Path):
    async with BotApiServer() as server:
        server.fail("getMe", drop="before", times=1000)
        async with running(server, tmp_path) as process:
            await server.wait_for(lambda: server.calls_of("getMe"), PATIENCE)
            await _until_it_ends(process, signal.SIGTERM)
            assert process.returncode == 0


# -- attacks --------------------------------------------------------------------------------------


async def test_1100_half_open_connections_mute_neither_the_bot_nor_its_health(tmp_path: Path):
    health = free_port()
    async with OpenAIServer() as model, BotApiServer() as server, AsyncExitStack() as strangers:
        hook = by_webhook(server)
        variables = {**hook, **answered_by(model), "MORDECAI_HEALTH_PORT": str(health)}
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, limits[1]))
        strangers.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        model.script(*[text("Here I am.")] * 3)
        async with running(server, tmp_path, **variables) as process, probing(health) as client:
            # What systemd grants a service that asks for no more, and no way up.
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            await server.wait_for(lambda: server.world.webhook.url, PATIENCE)
            for port in (hook["MORDECAI_WEBHOOK_PORT"], health):
                for _ in range(1100):
                    _, writer = await asyncio.open_connection("127.0.0.1", int(port))
                    strangers.callback(writer.close)
                    writer.write(b"POST /telegram HTTP/1.1\r\nHost: x\r\n")
            for number in range(1, 4):
                await server.user(ANNA).says("hi")
                assert len(await server.replies_to(ANNA, number, PATIENCE)) == number
                assert (await client.get("/healthz")).status_code == 200
                assert (await client.get("/readyz")).status_code == 200
    log = (tmp_path / "log").read_text()
    assert 2 <= log.count("connections_dropped") <= 4, "a line a minute for each port"
    assert "Traceback" not in log
