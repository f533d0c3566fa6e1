"""Groups: their admins, the bot's membership, and migration to supergroups.

A supergroup gets a new id, and everything about the group moves to it. Telegram announces this in
the old chat and in the new one, and rejects what is sent to the old one. Any of these starts the
move; repeating it changes nothing."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog
from telegram import Bot, Chat, ChatMember, ChatMemberRestricted, ChatMemberUpdated
from telegram.error import TelegramError

from bot.clock import Clock
from bot.telegram.delivery.outcomes import name_of
from bot.telegram.intake.updates import CHANNEL
from bot.telegram.lanes import Lanes, LaneTask
from memory.background.caches import BoundedDict
from memory.background.pacing import Backoff
from memory.errors import StoreUnavailable
from memory.leases import Leases
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: How long to trust that a person is an admin without asking Telegram again, in seconds.
_KNOWN_SECONDS = 60.0
_MOST_KNOWN = 1_000
#: How long the new chat waits for its memory, in seconds.
_PATIENCE = 15.0

_THERE = (ChatMember.MEMBER, ChatMember.ADMINISTRATOR, ChatMember.OWNER)
_ADMINS = (ChatMember.ADMINISTRATOR, ChatMember.OWNER)


@dataclass(frozen=True, slots=True)
class Membership:
    """The bot was added to a chat or removed; `user_id` and `language` are those of the person who
    did it."""

    place: Place
    user_id: int
    is_group: bool
    came: bool
    language: str | None = None


def membership_of(change: ChatMemberUpdated) -> Membership | None:
    """The change of the bot's membership; None if it stays in or out of the chat, or if the chat is
    neither private nor a group."""
    chat, before, after = change.chat, change.old_chat_member, change.new_chat_member
    was, is_ = _is_there(before), _is_there(after)
    ours = chat.type in (Chat.PRIVATE, Chat.GROUP, Chat.SUPERGROUP) and not chat.is_direct_messages
    if was == is_ or not ours:
        return None
    user = change.from_user
    is_group = chat.type != Chat.PRIVATE
    return Membership(Place(CHANNEL, chat.id), user.id, is_group, is_, user.language_code)


def _is_there(member: ChatMember) -> bool:
    """True for a member; a restricted user may be one or not."""
    restricted = isinstance(member, ChatMemberRestricted) and member.is_member
    return restricted or member.status in _THERE


class Groups:
    """Asks Telegram for the admins of groups."""

    def __init__(self, bot: Bot, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._bot, self._monotonic = bot, monotonic
        self._known = BoundedDict[tuple[int, int], float](_MOST_KNOWN)

    async def is_admin(self, place: Place, user_id: int) -> bool:
        """True if this person is an admin of the group; False if Telegram does not answer."""
        key, now = (place.chat_id, user_id), self._monotonic()
        if now - self._known.get(key, -_KNOWN_SECONDS) < _KNOWN_SECONDS:
            return True
        try:
            member = await self._bot.get_chat_member(place.chat_id, user_id)
        except TelegramError as failure:
            _log.warning("admin_check_failed", chat=place.chat_id, error=name_of(failure))
            return False
        if member.status not in _ADMINS:
            return False
        self._known[key] = now
        return True


class Migrations:
    """Moves groups to their new ids, each after what is under way there."""

    def __init__(
        self,
        move: Callable[[Place, Place], Awaitable[None]],
        lanes: Lanes,
        clock: Clock,
        leases: Leases,
    ) -> None:
        """`move` moves everything from one place to another; it can be repeated, and raises
        StoreUnavailable."""
        self._move, self._lanes, self._clock, self._leases = move, lanes, clock, leases

    def follow(self, old_id: int, new_id: int, receipts: tuple[int, ...] = ()) -> None:
        """Move the old chat to the new one after everything said in the old one is answered. The
        new chat's lane waits for that, but not for long."""
        old, new, moved = Place(CHANNEL, old_id), Place(CHANNEL, new_id), asyncio.Event()

        async def move() -> None:
            try:
                await self._move_with_retries(old, new)
            finally:
                moved.set()

        async def wait() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await moved.wait()

        self._lanes.put(old, LaneTask("move", move, receipts, blocks=True))
        self._lanes.put(new, LaneTask("await_move", wait, blocks=True))

    async def _move_with_retries(self, old: Place, new: Place) -> None:
        """Retry until it is done: the update stays open until then, even across a restart."""
        backoff = Backoff(1.0, 60.0)
        while True:
            try:
                # Whoever works on the new chat does not know its memory yet.
                to = self._leases.work_on(Actor.group(new.chat_id), by_force=True)
                async with self._leases.work_on(Actor.group(old.chat_id), by_force=True), to:
                    await self._move(old, new)
            except StoreUnavailable as failure:
                _log.warning(
                    "group_move_failed", old=old.chat_id, new=new.chat_id, error=str(failure)
                )
                await self._clock.sleep(backoff.fail())
            else:
                _log.info("group_moved", old=old.chat_id, new=new.chat_id)
                return
