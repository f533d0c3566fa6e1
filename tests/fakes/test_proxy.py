"""The proxy passes on what both sides say, until it is cut."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fakes.proxy import Proxy


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while line := await reader.readline():
            writer.write(line)
    writer.close()


def _connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=10)


def _says(connection: socket.socket) -> bytes:
    connection.sendall(b"hello\n")
    return connection.recv(100)


async def test_connections_break_when_it_is_cut_and_pass_when_it_is_mended(tmp_path: Path) -> None:
    place = str(tmp_path / "socket")
    async with await asyncio.start_unix_server(_echo, place), Proxy(place) as proxy:
        with _connect(proxy) as before:
            assert await asyncio.to_thread(_says, before) == b"hello\n"
            proxy.cut()
            with pytest.raises(ConnectionError):
                await asyncio.to_thread(_says, before)
        with _connect(proxy) as meanwhile, pytest.raises(ConnectionError):
            await asyncio.to_thread(_says, meanwhile)
        proxy.mend()
        with _connect(proxy) as after:
            assert await asyncio.to_thread(_says, after) == b"hello\n"
