"""How often a chat may see something new of a growing reply."""

from collections.abc import MutableMapping
from dataclasses import dataclass

from bot.clock import Clock


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of previews, in seconds. Telegram allows about one message or edit a second in a
    private chat and twenty a minute in a group, and tolerates a few more at once: `private` and
    `group` are what one of them costs.

    The first words are shown as soon as they make a line, but not before `settle`, because a short
    reply is finished by then and comes whole; and not later than `patience`, line or not."""

    private: float = 1.0
    group: float = 3.0
    settle: float = 0.2
    patience: float = 0.5


class Budget:
    """What one chat may still be sent. A preview waits until everything before it is paid. A whole
    reply never waits: the next previews pay for it."""

    def __init__(
        self, paid_at: MutableMapping[int, float], chat_id: int, cost: float, clock: Clock
    ) -> None:
        """`paid_at` tells of all chats when everything sent there will be paid; `cost` is that of
        one message, in seconds."""
        self._paid_at, self._chat_id = paid_at, chat_id
        self._cost, self._clock = cost, clock

    def spend(self) -> None:
        """Count one message or edit."""
        now = self._clock.now()
        self._paid_at[self._chat_id] = max(self._paid_at.get(self._chat_id, now), now) + self._cost

    async def wait(self) -> None:
        """Return when everything is paid."""
        while (left := self._paid_at.get(self._chat_id, 0.0) - self._clock.now()) > 0:
            await self._clock.sleep(left)
