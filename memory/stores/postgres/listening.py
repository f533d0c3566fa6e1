"""What other workers announce with NOTIFY."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import structlog
from psycopg import sql

from memory.background.pacing import Backoff, RateLimitedLog

_log = structlog.get_logger(__name__)

_REPEAT_LOG_SECONDS = 600.0


async def listen(url: str, channel: str) -> AsyncIterator[str]:
    """The payloads of a channel, on a connection of its own. While there is none, as behind a
    pooler that ends LISTEN with the transaction, nothing comes: announcements may only wake."""
    complaints, backoff = RateLimitedLog(_log, _REPEAT_LOG_SECONDS), Backoff(1.0, 60.0)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                backoff.reset()
                async for announced in connection.notifies():
                    yield announced.payload
        except psycopg.Error as failure:
            complaints.warn_once("not_woken", error=type(failure).__name__)
        await asyncio.sleep(backoff.fail())
