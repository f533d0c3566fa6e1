"""A way to a server that can be cut."""

import asyncio
from contextlib import suppress
from typing import Self


class Proxy:
    """Listens on 127.0.0.1 for a server at a Unix socket. Use as `async with`."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._open = True
        self._streams: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server
        self._server.close()
        self.cut()
        await asyncio.gather(*self._serving)
        await asyncio.sleep(0)  # until the sockets are closed

    @property
    def port(self) -> int:
        """Where it listens."""
        assert self._server
        return int(self._server.sockets[0].getsockname()[1])

    def cut(self) -> None:
        """Break all connections; new ones are broken at once until `mend`."""
        self._open = False
        for stream in self._streams:
            stream.transport.abort()

    def mend(self) -> None:
        """Let new connections through."""
        self._open = True

    def _begin(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(near, to_near))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        if not self._open:
            to_near.transport.abort()
            return
        try:
            far, to_far = await asyncio.open_unix_connection(self._socket)
        except OSError:
            to_near.transport.abort()
            return
        both = {to_near, to_far}
        self._streams |= both
        await asyncio.gather(_pass(near, to_far), _pass(far, to_near))
        self._streams -= both


async def _pass(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(2**16):
            to.write(piece)
            await to.drain()
    to.close()
    with suppress(OSError):
        await to.wait_closed()
