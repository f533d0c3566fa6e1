"""What other workers announce with NOTIFY."""

from collections.abc import AsyncIterator

import psycopg
import structlog
from psycopg import sql

from memory.background.pacing import RateLimitedLog

_log = structlog.get_logger(__name__)

_complaints = RateLimitedLog(_log, 600.0)


async def listen(url: str, channel: str) -> AsyncIterator[str]:
    """The payloads of a channel, on a connection of its own; an empty one once it listens. Ends
    when the connection breaks. Behind a pooler that ends LISTEN with the transaction nothing comes,
    so use them only to look sooner."""
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            yield ""
            async for announced in connection.notifies():
                yield announced.payload
    except psycopg.Error as failure:
        _complaints.warn_once("not_woken", error=type(failure).__name__)
