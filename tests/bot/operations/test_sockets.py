"""Connections that never come to a request keep nobody else out, over real sockets."""

import asyncio
import errno
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from tornado.web import stream_request_body

from bot.operations.process import raise_file_limit
from bot.operations.sockets import RouteHandler, Server, ServerLimits

LIMITS = ServerLimits(connections=6, per_address=4, patience=20)


@stream_request_body
class Told(RouteHandler):
    """Protects whoever knows the word, and says how much they sent."""

    def initialize(self) -> None:
        self.length = 0

    def prepare(self) -> None:
        self.expect_body(10_000)
        if self.request.headers.get("Word") == "right":
            self.protect()

    def data_received(self, chunk: bytes) -> None:
        self.length += len(chunk)

    def post(self) -> None:
        self.write(str(self.length))


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, text: str) -> None:
        self.writer.write(text.replace("\n", "\r\n").encode())

    async def status(self) -> int:
        async with asyncio.timeout(10):
            return int((await self.reader.readuntil(b"\r\n\r\n")).split()[1])

    async def is_dropped(self) -> bool:
        try:
            async with asyncio.timeout(0.3):
                return await self.reader.read(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True


Connect = Callable[..., Any]


@asynccontextmanager
async def serving(
    limits: ServerLimits = LIMITS, taking: socket.socket | None = None
) -> AsyncIterator[Connect]:
    taking = taking or socket.create_server(("127.0.0.1", 0))
    taking.setblocking(False)
    port = taking.getsockname()[1]
    server = Server([("/", Told, {})], taking, limits)
    async with AsyncExitStack() as stack:

        async def connect(address: str = "127.0.0.1", begin: str = "") -> Client:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(address, 0)
            )
            stack.callback(writer.close)
            client = Client(reader, writer)
            client.say(begin)
            await asyncio.sleep(0.01)
            return client

        try:
            yield connect
        finally:
            await server.aclose()


def call(word: str = "", length: int = 0) -> str:
    return f"POST / HTTP/1.1\nHost: x\nContent-Length: {length}\nWord: {word}\n\n"


@pytest.mark.parametrize("begun", ["", "POST / HT", "POST / HTTP/1.1\n", call(length=9)])
async def test_unfinished_calls_keep_nobody_out(
    begun: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving() as connect:
        for number in range(60):
            await connect(f"127.0.0.{number % 5 + 1}", begun)
            if number % 20 == 19:
                telegram = await connect("127.0.0.9", call("right"))
                assert await telegram.status() == 200
    logged = capsys.readouterr().out
    assert logged.count("connections_dropped") == 1
    assert "count=57" in logged


async def test_one_address_can_not_use_up_the_connections_of_others() -> None:
    async with serving() as connect:
        first = await connect("127.0.0.2", "POST / HT")
        for _ in range(30):
            await connect("127.0.0.1", "POST / HT")
        assert not await first.is_dropped()


async def test_whoever_is_genuine_stays_connected_while_strangers_come_and_go() -> None:
    async with serving() as connect:
        telegram = await connect(begin=call("right", 10) + "half ")
        stranger = await connect(begin=call("wrong", 10) + "half ")
        for _ in range(30):
            await connect(begin="POST")
        assert await stranger.is_dropped()
        telegram.say("whole" + call("right"))
        assert await telegram.status() == 200
        assert await telegram.status() == 200, "the connection is used again"


async def test_even_protected_connections_do_not_go_beyond_the_limit() -> None:
    async with serving() as connect:
        clients = [await connect(begin=call("right", 10)) for _ in range(5)]
        assert await clients[0].is_dropped()
        assert not await clients[-1].is_dropped()


async def test_headers_and_bodies_have_a_time_and_a_size() -> None:
    async with serving(ServerLimits(patience=0.2)) as connect:
        for begun in ("", "POST / HT", call("right", 10) + "half"):
            assert await (await connect(begin=begun)).is_dropped()
        long = await connect(begin="POST / HTTP/1.1\n" + "X: y\n" * 10_000)
        assert await long.is_dropped()


class Exhausted(socket.socket):
    """Has no files left for some connections."""

    failures = 3

    def accept(self) -> Any:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


async def test_without_files_the_server_waits_and_complains_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    taking = socket.create_server(("127.0.0.1", 0))
    async with serving(taking=Exhausted(fileno=taking.detach())) as connect:
        client = await connect(begin=call())
        assert await client.status() == 200
    logged = capsys.readouterr().out
    assert logged.count("accept_failed") == 1
    assert "count=3" in logged
    assert "Traceback" not in logged


def test_the_process_takes_the_files_that_the_system_grants() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        raise_file_limit()
        raised = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert raised == (65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
