"""Connections to the Bot API, Telegram's or another server's."""

from functools import cache
from ssl import SSLContext

import httpx
from telegram import Bot
from telegram.request import BaseRequest, HTTPXRequest


def bot_at(token: str, root: str | None, request: BaseRequest, get_updates: BaseRequest) -> Bot:
    """`root` is the address of another Bot API server, without `/bot`."""
    if not root:
        return Bot(token, request=request, get_updates_request=get_updates)
    root = root.rstrip("/")
    return Bot(token, f"{root}/bot", f"{root}/file/bot", request, get_updates)


def http_request(connections: int, connect: float = 10, read: float = 20) -> HTTPXRequest:
    """Timeouts in seconds, by default for a phone network."""
    return HTTPXRequest(
        connection_pool_size=connections,
        httpx_kwargs={"verify": _tls_context()},
        connect_timeout=connect,
        read_timeout=read,
        write_timeout=20,
        pool_timeout=20,
    )


@cache
def _tls_context() -> SSLContext:
    # Reading the certificates takes 20 to 50 ms for each client.
    return httpx.create_ssl_context()
