"""The program's HTTP servers: their sockets and limits.

Strangers may reach them. Their connections must not keep others out, use up this process's files,
or fill the log."""

import asyncio
import errno
import resource
import socket
import ssl
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from tornado.http1connection import HTTP1Connection, HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream, SSLIOStream
from tornado.web import Application, RequestHandler

from bot.errors import OperatorError
from memory.background.pacing import CountedWarning

_log = structlog.get_logger(__name__)

#: How long to wait for clients to disconnect, in seconds.
_CLOSE_SECONDS = 2.0
_LONGEST_HEADERS = 16 * 1024
#: In bytes. A handler that expects more says so with `expect_body`.
_LONGEST_BODY = 1024
#: `accept` fails for want of files or memory. That lasts, so it pauses, in seconds.
_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """So many connections at once, at most `per_address` of one address; Telegram opens 40 at most.
    A client has `patience` seconds for the headers of a request, and as many for its body."""

    connections: int = 256
    per_address: int = 64
    patience: float = 10.0


class Server:
    """An HTTP server on one socket. When there are too many connections, it drops the oldest one
    that is not protected."""

    def __init__(
        self,
        routes: Sequence[tuple[str, type[RequestHandler], dict[str, Any]]],
        taking: socket.socket,
        limits: ServerLimits,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Serves until it is closed, on a socket that is listening."""
        # Nobody needs a line in the log for every request.
        application = Application(list(routes), log_function=lambda handler: None, server=self)
        self._limits, self._tls, self._taking = limits, tls, taking
        self._address = "{}:{}".format(*taking.getsockname())
        self._http = _Http(
            application,
            idle_connection_timeout=limits.patience,
            body_timeout=limits.patience,
            max_header_size=_LONGEST_HEADERS,
            max_body_size=_LONGEST_BODY,
        )
        # The rest of the files is for everything else.
        self._most = min(limits.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._dropped = CountedWarning(_log, "connections_dropped")
        self._failed = CountedWarning(_log, "accept_failed")
        self._accepting = asyncio.create_task(self._accept(), name=f"accept {self._address}")

    async def aclose(self) -> None:
        """Stop accepting connections, and close the open ones."""
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        self._taking.close()
        for counted in (self._dropped, self._failed):
            counted.flush()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._http.close_all_connections()

    def protect(self, stream: IOStream, *, wanted: bool) -> None:
        """Drop this connection only if all others are protected, too."""
        change = self._http.protected.add if wanted else self._http.protected.discard
        change(stream)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._taking)
            except OSError as failure:
                if failure.errno in _EXHAUSTED:
                    self._failed.add(address=self._address, error=failure.strerror)
                    self._drop_one(self._http.addresses)
                    await asyncio.sleep(_PAUSE)
                continue
            self._serve(connection, address)
            # While connections wait, accepting them does not yield to the event loop.
            await asyncio.sleep(0)

    def _serve(self, connection: socket.socket, address: Any) -> None:
        try:
            stream = self._stream(connection)
        except OSError:
            # The client has gone already.
            connection.close()
            return
        addresses = self._http.addresses
        same = [other for other, from_ in addresses.items() if from_ == address[0]]
        if len(same) >= self._limits.per_address:
            self._drop_one(same)
        elif len(addresses) >= self._most:
            self._drop_one(addresses)
        addresses[stream] = address[0]
        self._http.handle_stream(stream, address)

    def _stream(self, connection: socket.socket) -> IOStream:
        if self._tls is None:
            return IOStream(connection)
        return SSLIOStream(
            self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        )

    def _drop_one(self, streams: Collection[IOStream]) -> None:
        """Drop the oldest of these connections that is not protected, else the oldest."""
        if streams:
            stream = min(streams, key=self._http.protected.__contains__)
            self._dropped.add(address=self._address, open=len(self._http.addresses))
            self._http.forget(stream)
            stream.close()


class _Http(HTTPServer):
    """Knows its connections, in the order of their beginning."""

    def initialize(self, *args: Any, **options: Any) -> None:
        super().initialize(*args, **options)
        self.addresses: dict[IOStream, str] = {}
        self.protected: set[IOStream] = set()

    def on_close(self, server_conn: object) -> None:
        super().on_close(server_conn)
        if isinstance(server_conn, HTTP1ServerConnection):
            self.forget(server_conn.stream)

    def forget(self, stream: IOStream) -> None:
        self.addresses.pop(stream, None)
        self.protected.discard(stream)


class RouteHandler(RequestHandler):
    """What the endpoints have in common."""

    def set_default_headers(self) -> None:
        """Hide the software."""
        self.clear_header("Server")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send the status without a body."""
        self.finish()

    def protect(self, *, wanted: bool = True) -> None:
        """Protect the connection: the request is complete or genuine."""
        self.settings["server"].protect(self._connection.stream, wanted=wanted)

    def expect_body(self, longest: int) -> None:
        """Accept a body of so many bytes."""
        self._connection.set_max_body_size(longest)

    @property
    def _connection(self) -> HTTP1Connection:
        assert isinstance(self.request.connection, HTTP1Connection)  # noqa: S101 - for mypy
        return self.request.connection


def listening_socket(address: str, port: int, settings: str) -> socket.socket:
    """A listening socket. `settings` names the operator's settings in the error message. Raises
    OperatorError."""
    try:
        family, *_, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        taking = socket.create_server(where[:2], family=family, backlog=128)
    except OSError as failure:
        raise OperatorError(
            f"{settings}: can't listen at {address}, port {port}: {failure.strerror}. Stop what "
            "listens there already, or set another port or address"
        ) from failure
    taking.setblocking(False)
    return taking
