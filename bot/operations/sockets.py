"""The program's HTTP servers: their sockets and limits."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.web import Application

from bot.errors import OperatorError

#: How long to wait for clients to disconnect, in seconds.
_CLOSE_SECONDS = 2.0
#: A client has so many seconds to send a request. Tornado would wait for an hour, and forever for a
#: body: slow or silent clients could block all others.
PATIENCE = 60.0


def http_server(
    application: Application, longest_body: int, patience: float = PATIENCE, **options: Any
) -> HTTPServer:
    """A server that accepts bodies of `longest_body` bytes and waits `patience` seconds."""
    return HTTPServer(
        application,
        max_body_size=longest_body,
        idle_connection_timeout=patience,
        body_timeout=patience,
        **options,
    )


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


async def close_server(server: HTTPServer) -> None:
    """Stop accepting connections, and close the open ones."""
    server.stop()
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await server.close_all_connections()
