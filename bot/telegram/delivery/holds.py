"""Chats under a flood limit of Telegram."""

import structlog

from bot.clock import Clock
from memory.background.caches import BoundedDict

_log = structlog.get_logger(__name__)

#: More chats than Telegram holds at once.
_MOST_HELD = 10_000


class Holds:
    """The chats under a flood limit, each until its own time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = BoundedDict[int, float](_MOST_HELD)

    def note(self, chat_id: int, seconds: float) -> None:
        """Hold back everything to this chat for so many seconds."""
        _log.warning("flood_limit", chat=chat_id, seconds=seconds)
        now = self._clock.now()
        self._until[chat_id] = max(now + seconds, self._until.get(chat_id, now))

    def left(self, chat_id: int) -> float:
        """The seconds left of a chat's hold; 0 if there is none."""
        return max(self._until.get(chat_id, 0.0) - self._clock.now(), 0.0)

    async def wait(self, chat_id: int) -> None:
        """Return when the chat may be written to."""
        while left := self.left(chat_id):
            await self._clock.sleep(left)
