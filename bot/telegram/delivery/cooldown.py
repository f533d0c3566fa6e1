"""How often a chat hears that something went wrong."""

import time
from collections.abc import Callable

from memory.records import Place

#: At most one message about an error a chat in so many seconds.
COOLDOWN_SECONDS = 60.0


class Cooldown:
    """Lets one message about an error through a chat, and then none for a while: whoever writes on
    while the model is away is told so once, not at every message."""

    def __init__(
        self,
        seconds: float = COOLDOWN_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """With no `seconds` every error is told."""
        self._seconds, self._monotonic = seconds, monotonic
        # By channel and chat: a group is one, however many topics it has.
        self._told: dict[tuple[str, int], float] = {}

    def claim(self, place: Place) -> bool:
        """Whether the chat may hear of an error now; if so, of no other for a while."""
        now, chat = self._monotonic(), (place.channel, place.chat_id)
        self._told = {c: at for c, at in self._told.items() if now - at < self._seconds}
        if chat in self._told:
            return False
        self._told[chat] = now
        return True
