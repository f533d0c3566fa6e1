"""The webhook over real HTTP: nothing is acknowledged that is not written down, nobody but Telegram
is believed, and polling can be gone back to."""

import asyncio
import io
import socket
import sqlite3
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.errors import OperatorError
from bot.operations.sockets import ServerLimits
from bot.telegram.intake.webhook import WebhookOptions, made_up_secret, tls_context
from bot.telegram.options import ChannelOptions
from tests.bot.telegram.stage import Stage, stage
from tests.bot.telegram.tls import self_signed
from tests.fakes.botapi import BotApiServer
from tests.fakes.botapi.world import Webhook
from tests.fakes.conversing import Echo

URL = "https://bot.example.org/telegram/hook"
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def options(**webhook: Any) -> ChannelOptions:
    settings = WebhookOptions(**{"url": URL, "port": free_port(), **webhook})
    return ChannelOptions(stop_seconds=5, poll_seconds=5, webhook=settings)


@asynccontextmanager
async def called(
    server: BotApiServer, folder: Path, given: ChannelOptions | None = None, **how: Any
) -> AsyncIterator[Stage]:
    """A bot behind a proxy that Telegram calls."""
    given = given or options()
    assert given.webhook is not None
    scheme = "https" if given.webhook.key else "http"
    server.courier.gateways = [f"{scheme}://127.0.0.1:{given.webhook.port}"]
    async with stage(server, folder, options=given, **how) as on:
        await server.wait_for(lambda: server.world.webhook.url)
        yield on


def local(given: ChannelOptions, path: str = "/telegram/hook") -> str:
    assert given.webhook is not None
    return f"http://127.0.0.1:{given.webhook.port}{path}"


def update(update_id: int, text: str = "hi", user_id: int = 1001) -> dict[str, Any]:
    person = {"id": user_id, "is_bot": False, "first_name": "Ann"}
    chat = {"id": user_id, "type": "private", "first_name": "Ann"}
    message = {"message_id": update_id, "from": person, "chat": chat, "date": 2_000_000_000}
    return {"update_id": update_id, "message": {**message, "text": text}}


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message["text"] for message in server.sent(chat_id)]


# -- what comes in --------------------------------------------------------------------------------


async def test_what_telegram_delivers_is_answered_in_order(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path) as on:
        for number in range(5):
            for user_id in (1001, 1002, 1003):
                await server.user(user_id).says(f"message {number}")
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()
        for user_id in (1001, 1002, 1003):
            said = "\n".join(texts(server, user_id)).replace("you said: ", "")
            assert said.splitlines() == [f"message {number}" for number in range(5)]
    assert server.calls_of("getUpdates") == [], "nobody polls beside a webhook"


async def test_telegram_is_told_where_what_and_with_which_secret_and_drops_nothing(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path, options(secret="s3cret_-")):
        [call] = server.calls_of("setWebhook")
        assert call.parameters["url"] == URL
        assert call.parameters["secret_token"] == "s3cret_-"
        assert call.parameters.get("drop_pending_updates") in (None, "false")
        assert "my_chat_member" in call.parameters["allowed_updates"]


async def test_without_a_secret_of_the_operators_every_start_has_one_of_its_own(
    server: BotApiServer, tmp_path: Path
) -> None:
    known = set()
    for _ in range(2):
        async with called(server, tmp_path):
            known.add(server.world.webhook.secret)
        server.world.set_webhook(Webhook())
    assert len(known) == 2
    assert min(map(len, known)) >= 40
    assert all(set(made_up_secret()) <= set(_SECRET_CHARACTERS) for _ in range(50))


_SECRET_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


async def test_nothing_is_acknowledged_before_it_is_on_the_disk(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        await on.channel.settle()
        with closing(sqlite3.connect(tmp_path / "inbox.sqlite")) as db:
            db.execute("ALTER TABLE inbound RENAME TO broken_disk")
            before = len(server.courier.deliveries)
            await server.user(1001).says("two")
            await server.wait_for(lambda: len(server.courier.deliveries) > before)
            assert server.courier.deliveries[-1][1] == 503
            assert server.world.waiting == 1, "Telegram still has it"
            assert texts(server, 1001) == ["you said: one"]
            db.execute("ALTER TABLE broken_disk RENAME TO inbound")
        assert (await server.replies_to(1001, 2))[1] == "you said: two"


@pytest.mark.parametrize("calls_us", [True, False], ids=["webhook", "polling"])
async def test_an_inbox_that_is_away_is_one_line_in_the_log_however_often_telegram_tries(
    server: BotApiServer, tmp_path: Path, everything_logged: io.StringIO, calls_us: bool
) -> None:
    async with called(server, tmp_path) if calls_us else stage(server, tmp_path) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        await on.channel.settle()
        with closing(sqlite3.connect(tmp_path / "inbox.sqlite")) as db:
            db.execute("ALTER TABLE inbound RENAME TO broken_disk")
            called_before = len(server.courier.deliveries), len(server.calls_of("getUpdates"))
            await server.user(1001).says("two")
            if calls_us:
                await server.wait_for(lambda: len(server.courier.deliveries) > called_before[0] + 1)
            else:
                await server.wait_for(
                    lambda: len(server.calls_of("getUpdates")) > called_before[1] + 2
                )
            db.execute("ALTER TABLE broken_disk RENAME TO inbound")
        await server.replies_to(1001, 2)
    logged = everything_logged.getvalue().splitlines()
    (line,) = (each for each in logged if "inbox_unavailable" in each)
    assert "Traceback" not in line


async def test_an_update_that_comes_again_is_acknowledged_and_dropped(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path) as on:
        message = await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        server.world.redeliver(700_000_001, "message", message)
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()
    server.world.redeliver(700_000_001, "message", message)
    async with called(server, tmp_path) as on:
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()
        assert texts(server, 1001) == ["you said: one"]
        assert on.echo.heard == []


async def test_what_telegram_could_not_deliver_comes_when_the_bot_is_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    given = options()
    async with called(server, tmp_path, given):
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
    await server.user(1001).says("two")
    await server.wait_for(lambda: server.world.webhook.error_message)
    async with called(server, tmp_path, given):
        assert (await server.replies_to(1001, 2))[1] == "you said: two"


async def test_what_was_taken_and_not_answered_is_answered_after_a_restart(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("one")
    hasty = replace(options(), stop_seconds=0.05)
    async with called(server, tmp_path, hasty, conversation=echo):
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard and server.world.waiting == 0)
    assert texts(server, 1001) == []
    async with called(server, tmp_path):
        assert await server.replies_to(1001, 1) == ["you said: one"]


async def test_an_update_that_can_not_be_read_is_taken_and_blocks_nothing(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path) as on:
        server.world.offer("message", {"message_id": "x", "date": [], "chat": {"id": 1001}})
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()


# -- who may call ---------------------------------------------------------------------------------


async def test_a_call_without_the_right_secret_is_refused_and_leaves_no_trace(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options(secret="right")
    async with called(server, tmp_path, given) as on, httpx.AsyncClient() as anybody:
        for headers in ({}, {SECRET_HEADER: "wrong"}, {SECRET_HEADER: ""}, {SECRET_HEADER: "é"}):
            raw = {key.encode(): value.encode() for key, value in headers.items()}
            answer = await anybody.post(local(given), json=update(1, "let me in"), headers=raw)
            assert answer.status_code == 403
            assert answer.content == b""
        await on.channel.settle()
        assert on.echo.heard == []
    assert _rows(tmp_path) == 0
    logged = capsys.readouterr().out
    assert logged.count("webhook_refused") == 1
    assert "right" not in logged.replace("copyright", "")
    assert "let me in" not in logged


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"update_id": "1"}', b'{"update_id": true}'])
async def test_what_is_no_update_is_refused(
    server: BotApiServer, tmp_path: Path, body: bytes
) -> None:
    given = options(secret="right")
    async with called(server, tmp_path, given), httpx.AsyncClient() as client:
        answer = await client.post(local(given), content=body, headers={SECRET_HEADER: "right"})
        assert answer.status_code == 400
    assert _rows(tmp_path) == 0


async def test_a_body_that_is_too_long_is_refused_unread(
    server: BotApiServer, tmp_path: Path
) -> None:
    given = options(secret="right")
    assert given.webhook is not None
    async with called(server, tmp_path, given):
        reader, writer = await asyncio.open_connection("127.0.0.1", given.webhook.port)
        writer.write(
            b"POST /telegram/hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n"
            b"X-Telegram-Bot-Api-Secret-Token: right\r\n\r\n"
        )
        answer = await asyncio.wait_for(reader.read(), 15)
        assert answer == b"" or answer.split()[1] in (b"400", b"413")
        writer.close()
        await writer.wait_closed()
        # The others go on being served.
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


@pytest.mark.parametrize("begun", [b"", b"POST /telegram", b"POST /telegram/hook HTTP/1.1\r\n"
    b"Host: x\r\nContent-Length: 20\r\n\r\n{"])  # fmt: skip
async def test_who_does_not_come_to_the_end_of_a_call_is_let_go_of(
    server: BotApiServer, tmp_path: Path, begun: bytes
) -> None:
    given = options(limits=ServerLimits(patience=0.1))
    assert given.webhook is not None
    async with called(server, tmp_path, given):
        reader, writer = await asyncio.open_connection("127.0.0.1", given.webhook.port)
        writer.write(begun)
        # That the connection is closed is the end of what there is to read.
        await asyncio.wait_for(reader.read(), 15)
        writer.close()
        await writer.wait_closed()


async def test_the_secret_is_asked_for_before_the_body(
    server: BotApiServer, tmp_path: Path
) -> None:
    given = options()
    assert given.webhook is not None
    async with called(server, tmp_path, given):
        reader, writer = await asyncio.open_connection("127.0.0.1", given.webhook.port)
        writer.write(b"POST /telegram/hook HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{")
        assert (await asyncio.wait_for(reader.readline(), 5)).split()[1] == b"403"
        writer.close()
        await writer.wait_closed()


async def test_only_the_path_of_the_webhook_and_only_post_is_served(
    server: BotApiServer, tmp_path: Path
) -> None:
    given = options(secret="right")
    headers = {SECRET_HEADER: "right"}
    async with called(server, tmp_path, given), httpx.AsyncClient(headers=headers) as client:
        assert (await client.post(local(given, "/"), json=update(1))).status_code == 404
        assert (
            await client.post(local(given, "/telegramXhook"), json=update(1))
        ).status_code == 404
        answer = await client.get(local(given))
        assert answer.status_code == 405
        assert "server" not in answer.headers
    assert _rows(tmp_path) == 0


def _rows(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "inbox.sqlite")) as db:
        return int(db.execute("SELECT count(*) FROM inbound").fetchone()[0])


# -- Telegram itself ------------------------------------------------------------------------------


async def test_an_unreachable_telegram_is_waited_for(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("setWebhook", status=502, description="Bad Gateway")
    async with called(server, tmp_path):
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


async def test_a_webhook_that_telegram_does_not_take_is_the_operators_matter(
    server: BotApiServer, tmp_path: Path
) -> None:
    refused = options(url="https://bot.example.org:1234/hook")
    async with stage(server, tmp_path, options=refused) as on:
        with pytest.raises(OperatorError, match="only on ports 80, 88, 443 or 8443"):
            await on.running


async def test_a_port_that_is_taken_is_the_operators_matter(
    server: BotApiServer, tmp_path: Path
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        given = options(port=taken.getsockname()[1])
        async with stage(server, tmp_path, options=given) as on:
            with pytest.raises(OperatorError, match="webhook_port"):
                await on.running


async def test_a_webhook_that_was_taken_away_is_set_again(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with called(server, tmp_path, options(look_seconds=0.05)):
        server.world.set_webhook(Webhook("https://rival.example.org/hook"))
        await server.wait_for(lambda: server.world.webhook.url == URL)
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
    assert "webhook_was_taken_away" in capsys.readouterr().out


async def test_what_telegram_says_of_failed_calls_is_logged_once(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with called(server, tmp_path, options(look_seconds=0.02)):
        server.world.webhook.failed("Wrong response from the webhook: 502 Bad Gateway")
        looks = len(server.calls_of("getWebhookInfo"))
        await server.wait_for(lambda: len(server.calls_of("getWebhookInfo")) > looks + 3)
    logged = capsys.readouterr().out
    assert logged.count("webhook_failed") == 1
    assert "502 Bad Gateway" in logged


async def test_going_back_to_polling_takes_the_webhook_away_and_loses_nothing(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with called(server, tmp_path):
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
    assert server.world.webhook.url == URL, "Telegram keeps what comes meanwhile"
    await server.user(1001).says("two")
    async with stage(server, tmp_path) as on:
        assert (await server.replies_to(1001, 2))[1] == "you said: two"
        await on.channel.settle()
    assert server.world.webhook.url == ""
    for call in server.calls_of("deleteWebhook"):
        assert call.parameters.get("drop_pending_updates") in (None, "false")
    assert texts(server, 1001) == ["you said: one", "you said: two"]


# -- TLS of its own -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate that signs itself, and its key."""
    return self_signed(tmp_path_factory.mktemp("tls"), "localhost")


async def test_with_a_certificate_of_its_own_the_bot_speaks_tls_and_telegram_knows_it_by_that(
    server: BotApiServer, tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    pem, key = certificate
    given = options(url="https://localhost:8443/hook", certificate=pem, key=key)
    async with called(server, tmp_path, given):
        assert server.world.webhook.certificate == pem.read_bytes()
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


async def test_handshakes_that_never_end_keep_telegram_out_no_more_than_others(
    server: BotApiServer, tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    pem, key = certificate
    limits = ServerLimits(connections=5, per_address=4)
    given = options(url="https://localhost:8443/hook", certificate=pem, key=key, limits=limits)
    assert given.webhook is not None
    async with called(server, tmp_path, given), AsyncExitStack() as strangers:
        for number in range(40):
            _, writer = await asyncio.open_connection("127.0.0.1", given.webhook.port)
            strangers.callback(writer.close)
            writer.write((b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n")[number % 3])
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


def test_files_that_are_no_certificate_are_the_operators_matter(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    pem, key = certificate
    (tmp_path / "nonsense.pem").write_text("nonsense")
    mine = WebhookOptions(URL, certificate=pem, key=key)
    assert isinstance(tls_context(mine), ssl.SSLContext)
    assert tls_context(replace(mine, key=None)) is None
    for wrong in (tmp_path / "nonsense.pem", tmp_path / "not-there.pem"):
        with pytest.raises(OperatorError, match="webhook_certificate"):
            tls_context(replace(mine, certificate=wrong))
