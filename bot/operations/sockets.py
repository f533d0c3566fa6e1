"""The program's HTTP servers: where they listen, and what they put up with."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.web import Application

from bot.errors import OperatorError

#: What whoever is connected gets to let go, in seconds.
_CLOSE_SECONDS = 2.0
#: Whoever is connected has so many seconds to send a request. Tornado would wait for an hour, and
#: for a body for ever: who sends slowly enough, or nothing, would keep everybody else out.
PATIENCE = 60.0


def http_server(
    application: Application, longest_body: int, patience: float = PATIENCE, **options: Any
) -> HTTPServer:
    """A server that takes bodies of so many bytes, and is patient for so many seconds."""
    return HTTPServer(
        application,
        max_body_size=longest_body,
        idle_connection_timeout=patience,
        body_timeout=patience,
        **options,
    )


def listening_socket(address: str, port: int, settings: str) -> socket.socket:
    """A socket that takes connections there. `settings` names what the operator has set, for the
    message. Raises OperatorError."""
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
    """Take nothing more, and let go of those who are connected."""
    server.stop()
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await server.close_all_connections()
