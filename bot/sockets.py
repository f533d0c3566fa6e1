"""What the program's HTTP servers listen on."""

import asyncio
import socket
from contextlib import suppress

from tornado.httpserver import HTTPServer

from bot.errors import OperatorError

#: What whoever is connected gets to let go, in seconds.
_CLOSE_SECONDS = 2.0


def listening(address: str, port: int, settings: str) -> socket.socket:
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


async def close(server: HTTPServer) -> None:
    """Take nothing more, and let go of those who are connected."""
    server.stop()
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await server.close_all_connections()
