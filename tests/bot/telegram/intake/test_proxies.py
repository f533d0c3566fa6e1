"""The configurations of proxies in docs/telegram.md, tried with the proxies themselves where this
machine has them."""

import asyncio
import os
import re
import shutil
import signal
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from bot.telegram.options import ChannelOptions
from tests.bot.telegram.intake.test_webhook import (
    SECRET_HEADER,
    free_port,
    options,
    texts,
    update,
)
from tests.bot.telegram.stage import stage
from tests.bot.telegram.tls import self_signed
from tests.fakes.botapi import BotApiServer

HOST, URL = "bot.example.org", "https://bot.example.org/telegram"
DOCUMENT = Path(__file__).parents[4] / "docs" / "telegram.md"


def documented(language: str) -> str:
    """The configuration that the document shows in this language."""
    [snippet] = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return str(snippet)


def nginx(folder: Path, port: int, to: int, certificate: Path, key: Path) -> list[str]:
    """The command that runs it with what the document says, on other ports and paths."""
    site = documented("nginx").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    site = site.replace(f"/etc/letsencrypt/live/{HOST}/fullchain.pem", str(certificate))
    site = site.replace(f"/etc/letsencrypt/live/{HOST}/privkey.pem", str(key))
    site = site.replace("127.0.0.1:8443", f"127.0.0.1:{to}")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {folder / kind};" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"daemon off; {user} pid {folder / 'pid'}; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {paths}\n{site} }}"
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, to: int, certificate: Path, key: Path) -> list[str]:
    """The command that runs it with what the document says, on other ports and paths."""
    site = documented("caddyfile").replace(f"{HOST} {{", f"{HOST} {{\n    tls {certificate} {key}")
    site = site.replace("127.0.0.1:8443", f"127.0.0.1:{to}")
    others = (
        f"https_port {port}\n http_port {free_port()}\n admin off\n storage file_system {folder}"
    )
    (folder / "Caddyfile").write_text(f"{{\n {others}\n}}\n{site}")
    return ["caddy", "run", "--config", str(folder / "Caddyfile")]


PROXIES: dict[str, Callable[[Path, int, int, Path, Path], list[str]]] = {
    "nginx": nginx,
    "caddy": caddy,
}


@dataclass
class Proxy:
    """A proxy that runs: its address, the client that speaks to it, and the bot behind."""

    client: httpx.AsyncClient
    bot: ChannelOptions


@pytest.fixture(params=PROXIES)
async def proxy(
    request: pytest.FixtureRequest, server: BotApiServer, tmp_path: Path
) -> AsyncIterator[Proxy]:
    """Each proxy in turn, in front of a bot that is not there yet."""
    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} here")
    certificate, key = self_signed(tmp_path, HOST)
    port, given = free_port(), options(url=URL, secret="right")
    assert given.webhook is not None
    command = PROXIES[name](tmp_path, port, given.webhook.port, certificate, key)
    server.courier.gateways = [f"https://127.0.0.1:{port}"]
    server.courier.authority = certificate.read_bytes()
    trusting = ssl.create_default_context(cadata=certificate.read_text())
    headers = {"Host": HOST, SECRET_HEADER: "right"}
    async with (
        running(command, tmp_path, port),
        httpx.AsyncClient(
            base_url=f"https://127.0.0.1:{port}", headers=headers, verify=trusting
        ) as client,
    ):
        yield Proxy(client, given)


@asynccontextmanager
async def running(command: list[str], folder: Path, port: int) -> AsyncIterator[None]:
    """A server as a process, once somebody listens on its port."""
    with (folder / "proxy.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, env={**os.environ, "HOME": str(folder)}, stdout=log, stderr=log
        )
    try:
        async with asyncio.timeout(30):
            while not await _listens(port):
                said = (folder / "proxy.log").read_text()
                assert process.returncode is None, said
                await asyncio.sleep(0.05)
        yield
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


async def post(proxy: Proxy, path: str = "/telegram", **how: object) -> int:
    """Call as Telegram does, with that host's name; the status of the answer, 0 without a whole
    one."""
    extensions = {"sni_hostname": HOST}
    try:
        answer = await proxy.client.post(path, extensions=extensions, **how)  # type: ignore[arg-type]
    except httpx.RemoteProtocolError:
        return 0
    return answer.status_code


async def test_what_telegram_calls_through_the_proxy_is_answered(
    server: BotApiServer, tmp_path: Path, proxy: Proxy
) -> None:
    async with stage(server, tmp_path, options=proxy.bot) as on:
        await server.wait_for(lambda: server.world.webhook.url)
        for number in range(3):
            await server.user(1001).says(f"message {number}")
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()
        said = "\n".join(texts(server, 1001)).replace("you said: ", "")
        assert said.splitlines() == ["message 0", "message 1", "message 2"]
        assert [status for _, status in server.courier.deliveries] == [200, 200, 200]


async def test_the_proxy_lets_through_to_the_bot_what_it_has_to_refuse(
    server: BotApiServer, tmp_path: Path, proxy: Proxy
) -> None:
    async with stage(server, tmp_path, options=proxy.bot) as on:
        await server.wait_for(lambda: server.world.webhook.url)
        await server.user(1001).says("hi")
        await server.replies_to(1001, 1)
        assert await post(proxy, json=update(1), headers={SECRET_HEADER: "wrong"}) == 403
        assert await post(proxy, content=b"{") == 400
        assert await post(proxy, content=b"x" * (2**20 + 1)) in (0, 400, 413, 502)
        # Longer than any update, and not too long for a proxy or the bot.
        assert await post(proxy, json=update(2, "word " * 150_000)) == 200
        assert "749999 characters" in (await server.replies_to(1001, 2))[1]
        await on.channel.settle()
        assert [inbound.text for inbound in on.echo.heard] == ["hi"]


@pytest.mark.parametrize("path", ["/", "/telegram/", "/telegramm", "/telegram/hook"])
async def test_another_address_is_not_found_and_nothing_is_lost_there(
    server: BotApiServer, tmp_path: Path, proxy: Proxy, path: str
) -> None:
    """Where Telegram is told a success, it takes the update for received."""
    async with stage(server, tmp_path, options=proxy.bot):
        await server.wait_for(lambda: server.world.webhook.url)
        assert await post(proxy, path, json=update(1)) in (404, 405)


async def test_while_the_bot_is_away_telegram_is_told_so_and_comes_again(
    server: BotApiServer, tmp_path: Path, proxy: Proxy
) -> None:
    async with stage(server, tmp_path, options=proxy.bot):
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
    await server.user(1001).says("two")
    await server.wait_for(lambda: server.world.webhook.error_message)
    assert "502" in server.world.webhook.error_message
    async with stage(server, tmp_path, options=proxy.bot):
        assert (await server.replies_to(1001, 2))[1] == "you said: two"
