"""Groups that become supergroups: Telegram gives them another id, and what is known of them goes
along.

Telegram says so twice, once in the old chat and once in the new one, and refuses what is sent to
the old one. Whichever comes first is enough; a move that is done already changes nothing."""

import asyncio
from contextlib import suppress

import structlog
from telegram import Message

from bot.people.usage import Accounts
from bot.telegram.delivery.clock import Clock
from bot.telegram.lanes import Errand, Lanes
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: The pauses between two tries, and how long the new chat waits for its memory. In seconds.
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_PATIENCE = 15.0


def migration_of(message: Message) -> tuple[int, int] | None:
    """The old and the new chat id, if the message says that a group has become a supergroup."""
    if message.migrate_to_chat_id:
        return message.chat.id, message.migrate_to_chat_id
    if message.migrate_from_chat_id:
        return message.migrate_from_chat_id, message.chat.id
    return None


class Migrations:
    """Moves memory, sessions and accounts of groups, each after what is under way there."""

    def __init__(
        self,
        memory: Memory,
        accounts: Accounts,
        lanes: Lanes,
        channel: str,
        clock: Clock | None = None,
    ) -> None:
        self._memory, self._accounts, self._lanes = memory, accounts, lanes
        self._channel, self._clock = channel, clock or Clock()

    def follow(self, old: int, new: int, update_ids: tuple[int, ...] = ()) -> None:
        """Move everything of the chat `old` to the chat `new`, once what was said in the old one is
        answered. What is said in the new one waits for that, but not for long."""
        moved = asyncio.Event()

        async def move() -> None:
            try:
                await self._move(old, new)
            finally:
                moved.set()

        async def wait() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await moved.wait()

        self._lanes.put(Place(self._channel, old), Errand("move", move, update_ids))
        self._lanes.put(Place(self._channel, new), Errand("await_move", wait))

    async def _move(self, old: int, new: int) -> None:
        """Until it is done: while it is not, its update stays open, also for the next start."""
        actor, to = Actor.group(old), Actor.group(new)
        pause = _FIRST_PAUSE
        while True:
            try:
                await self._memory.move(
                    actor, to, Place(self._channel, old), Place(self._channel, new)
                )
                await self._accounts.move(actor, to)
            except StoreUnavailable as failure:
                _log.warning("group_move_failed", old=old, new=new, error=str(failure))
                await self._clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                _log.info("group_moved", old=old, new=new)
                return
