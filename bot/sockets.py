"""Sockets that the program listens on."""

import socket

from bot.errors import OperatorError


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
