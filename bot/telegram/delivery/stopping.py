"""Ends requests and retries to Telegram when the bot stops."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from bot.clock import Clock
from memory.background.tasks import first_of

T = TypeVar("T")

#: How many seconds longer what is on its way may take when the bot stops. Telegram nearly always
#: answers within one.
_MOMENT = 2.0


class LeftToNextStart(asyncio.CancelledError):
    """The bot stops before Telegram took it. The next start sends what the inbox keeps."""


class Pauses:
    """Pauses between the tries to send something, which end when the bot stops."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._stopping = clock, asyncio.Event()

    def stop(self) -> None:
        """End the pauses: one last try each."""
        self._stopping.set()

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    async def wait(self, seconds: float) -> None:
        """Return when to try again. Raises LeftToNextStart after the last try."""
        if self.stopped:
            raise LeftToNextStart
        await first_of(self._clock.sleep(seconds), self._stopping.wait())


async def end_soon(sending: "asyncio.Future[Any]", clock: Clock) -> None:
    """Give what is on its way to Telegram a moment to end, then cancel it. What was sent must be
    noted, or the next process sends it again."""
    moment = asyncio.ensure_future(clock.sleep(_MOMENT))
    try:
        await asyncio.wait((sending, moment), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, moment):
            task.cancel()
        await asyncio.gather(sending, moment, return_exceptions=True)


async def see_through(delivery: Coroutine[Any, Any, T], clock: Clock) -> T:
    """The result of the delivery, which ends soon if it is cancelled."""
    sending = asyncio.ensure_future(delivery)
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        await end_soon(sending, clock)
        raise
