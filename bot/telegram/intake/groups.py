"""What is special about groups: who runs one, and who brought the bot there."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from telegram import Bot, Chat, ChatMember, ChatMemberRestricted, ChatMemberUpdated
from telegram.error import TelegramError

from bot.telegram.intake.updates import CHANNEL
from memory.background.caches import BoundedDict
from memory.records import Place

_log = structlog.get_logger(__name__)

#: For how long somebody is taken for an admin without asking Telegram again. In seconds.
_KNOWN_SECONDS = 60.0
_MOST_KNOWN = 1_000

_THERE = (ChatMember.MEMBER, ChatMember.ADMINISTRATOR, ChatMember.OWNER)
_ADMINS = (ChatMember.ADMINISTRATOR, ChatMember.OWNER)


@dataclass(frozen=True, slots=True)
class Membership:
    """The bot came to a chat or left it: where, by whom, in which language that person reads."""

    place: Place
    user_id: int
    is_group: bool
    came: bool
    language: str | None = None


def membership_of(change: ChatMemberUpdated) -> Membership | None:
    """What a change of the bot's own membership means; None if it still is where it was, or if the
    chat is neither a group nor somebody's own."""
    chat, before, after = change.chat, change.old_chat_member, change.new_chat_member
    was, is_ = _is_there(before), _is_there(after)
    ours = chat.type in (Chat.PRIVATE, Chat.GROUP, Chat.SUPERGROUP) and not chat.is_direct_messages
    if was == is_ or not ours:
        return None
    user = change.from_user
    is_group = chat.type != Chat.PRIVATE
    return Membership(Place(CHANNEL, chat.id), user.id, is_group, is_, user.language_code)


def _is_there(member: ChatMember) -> bool:
    """True for a member. Who is restricted may be one or not."""
    restricted = isinstance(member, ChatMemberRestricted) and member.is_member
    return restricted or member.status in _THERE


class Groups:
    """Asks Telegram who may manage a group."""

    def __init__(self, bot: Bot, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._bot, self._monotonic = bot, monotonic
        self._known = BoundedDict[tuple[int, int], float](_MOST_KNOWN)

    async def is_admin(self, place: Place, user_id: int) -> bool:
        """True if this person is an admin of the group. If Telegram does not say, nobody is."""
        key, now = (place.chat_id, user_id), self._monotonic()
        if now - self._known.get(key, -_KNOWN_SECONDS) < _KNOWN_SECONDS:
            return True
        try:
            member = await self._bot.get_chat_member(place.chat_id, user_id)
        except TelegramError as failure:
            _log.warning("admin_check_failed", chat=place.chat_id, error=type(failure).__name__)
            return False
        if member.status not in _ADMINS:
            return False
        self._known[key] = now
        return True
