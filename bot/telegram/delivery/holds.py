"""Holds: the chats that Telegram wants left alone for a while (429, "retry after")."""

import structlog

from bot.clock import Clock
from memory.background.caches import BoundedDict

#: More chats than Telegram holds at once.
_MOST_HELD = 10_000

_log = structlog.get_logger(__name__)


class Holds:
    """Until when nothing may be sent to a chat. One chat's hold is no other's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = BoundedDict[int, float](_MOST_HELD)

    def note(self, chat_id: int, seconds: float) -> None:
        """The chat is to be left alone for this long from now on."""
        _log.warning("flood_limit", chat=chat_id, seconds=seconds)
        now = self._clock.now()
        self._until[chat_id] = max(now + seconds, self._until.get(chat_id, now))

    def left(self, chat_id: int) -> float:
        """How many seconds of a chat's hold are left; 0 if there is none."""
        return max(self._until.get(chat_id, 0.0) - self._clock.now(), 0.0)

    async def wait(self, chat_id: int) -> None:
        """Return when the chat may be written to."""
        while left := self.left(chat_id):
            await self._clock.sleep(left)
