"""Tells the person who waits that something takes long, or how far a long deletion is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.assistant.context import Context
from bot.assistant.inbound import Origin

#: Seconds until it is told for the first time, and then between two times.
_FIRST, _AGAIN = 4.0, 30.0


class DeletionProgress:
    """How many of `total` are done."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0


@asynccontextmanager
async def tell_progress(
    origin: Origin, total: int, context: Context, first: float = _FIRST
) -> AsyncIterator[DeletionProgress]:
    """Tell the progress, which the block counts, if it takes long and `total` is more than one."""
    progress = DeletionProgress(total)
    telling = asyncio.create_task(_tell(origin, progress, context, first), name="progress")
    try:
        yield progress
    finally:
        telling.cancel()
        await asyncio.wait([telling])


@asynccontextmanager
async def tell_if_slow(
    origin: Origin, text: str, context: Context, first: float = _FIRST
) -> AsyncIterator[None]:
    """Say this text once if the block takes long."""

    async def tell() -> None:
        await asyncio.sleep(first)
        await context.channel.say(origin.place, text)

    telling = asyncio.create_task(tell(), name="progress")
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.wait([telling])


async def _tell(origin: Origin, progress: DeletionProgress, context: Context, first: float) -> None:
    await asyncio.sleep(first)
    while progress.total > 1:
        text = context.texts.forget_progress.format(done=progress.done, total=progress.total)
        await context.channel.say(origin.place, text)
        await asyncio.sleep(_AGAIN)
