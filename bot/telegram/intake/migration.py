"""Groups that become supergroups: Telegram gives them another id, and what is known of them goes
along.

Telegram says so twice, once in the old chat and once in the new one, and refuses what is sent to
the old one. Whichever comes first is enough; a move that is done already changes nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from telegram import Message

from bot.clock import Clock
from bot.telegram.intake.updates import CHANNEL
from bot.telegram.lanes import Job, Lanes
from memory.background.pacing import Backoff
from memory.errors import StoreUnavailable
from memory.records import Place

_log = structlog.get_logger(__name__)

#: How long the new chat waits for its memory, in seconds.
_PATIENCE = 15.0


def migration_of(message: Message) -> tuple[int, int] | None:
    """The old and the new chat id, if the message says that a group has become a supergroup."""
    if message.migrate_to_chat_id:
        return message.chat.id, message.migrate_to_chat_id
    if message.migrate_from_chat_id:
        return message.migrate_from_chat_id, message.chat.id
    return None


class Migrations:
    """Moves what is known of groups, each after what is under way there."""

    def __init__(
        self, move: Callable[[Place, Place], Awaitable[None]], lanes: Lanes, clock: Clock
    ) -> None:
        """`move` takes along what is known of one place to another, and may be done again. Raises
        StoreUnavailable."""
        self._move, self._lanes, self._clock = move, lanes, clock

    def follow(self, old_id: int, new_id: int, receipts: tuple[int, ...] = ()) -> None:
        """Move everything of the old chat to the new one, once what was said in the old one is
        answered. What is said in the new one waits for that, but not for long."""
        old, new, moved = Place(CHANNEL, old_id), Place(CHANNEL, new_id), asyncio.Event()

        async def move() -> None:
            try:
                await self._move_at_last(old, new)
            finally:
                moved.set()

        async def wait() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await moved.wait()

        self._lanes.put(old, Job("move", move, receipts))
        self._lanes.put(new, Job("await_move", wait))

    async def _move_at_last(self, old: Place, new: Place) -> None:
        """Until it is done: while it is not, its update stays open, also for the next start."""
        backoff = Backoff(1.0, 60.0)
        while True:
            try:
                await self._move(old, new)
            except StoreUnavailable as failure:
                _log.warning(
                    "group_move_failed", old=old.chat_id, new=new.chat_id, error=str(failure)
                )
                await self._clock.sleep(backoff.fail())
            else:
                _log.info("group_moved", old=old.chat_id, new=new.chat_id)
                return
