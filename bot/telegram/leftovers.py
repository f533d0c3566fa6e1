"""Leftovers: messages with half a reply whose ids nobody knows, because the answer to their send
was lost, or because the process was killed before it noted them.

A bot can't read a chat. But taking the buttons away from a message tells what it reads, and it
changes none but the bot's own messages that have buttons: a growing reply has one, a whole one
seldom. Messages whose author is known are never tried."""

from contextlib import suppress
from functools import partial

import structlog
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, RetryAfter, TelegramError

from bot.telegram.connection import ApiBot
from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.outcomes import name_of, seconds_of
from bot.telegram.delivery.sender import thread_of
from bot.telegram.delivery.shown import Shown
from bot.telegram.formatting.rendering import CURSOR
from memory.background.caches import BoundedDict
from memory.records import Place

_log = structlog.get_logger(__name__)

#: What the button under a growing reply sends.
STOP = "stop"
_BUTTON = InlineKeyboardMarkup.from_button(InlineKeyboardButton("⏹", callback_data=STOP))
#: More messages than are sent and received while a reply is being written.
_MOST_KNOWN = 10_000
#: Supergroups number their messages themselves; all other chats of a bot share one sequence.
_FIRST_SUPERGROUP = -1_000_000_000_000
#: How many ids to try after the last one known in the chat, and in its sequence: as many replies
#: may begin at once.
_IN_CHAT, _IN_SEQUENCE = 3, 16
#: How often to ask for one of them.
_TRIES = 3


class Leftovers:
    """Knows the messages of all chats by their ids, and finds those that nobody knows."""

    def __init__(self, bot: ApiBot, holds: Holds) -> None:
        self._bot, self._holds = bot, holds
        self._known = BoundedDict[tuple[int, int], None](_MOST_KNOWN)
        self._last = BoundedDict[int, int](_MOST_KNOWN)
        bot.on_sent(self.note)

    def note(self, chat_id: int, message_id: int) -> None:
        """Note that the author of a message is known."""
        self._known[chat_id, message_id] = None
        for sequence in {chat_id, _sequence(chat_id)}:
            self._last[sequence] = max(message_id, self._last.get(sequence, 0))

    def next_ids(self, chat_id: int) -> tuple[int, ...]:
        """The ids of which the next message in the chat will probably have one."""
        in_chat, in_sequence = self._last.get(chat_id, 0), self._last.get(_sequence(chat_id), 0)
        ids = {*range(in_chat, in_chat + _IN_CHAT), *range(in_sequence, in_sequence + _IN_SEQUENCE)}
        return tuple(sorted(id_ + 1 for id_ in ids))

    async def find(self, place: Place, shown: Shown) -> Shown:
        """With the message that may be at one of its ids, if it is there."""
        for message_id in shown.maybe:
            if (place.chat_id, message_id) in self._known:
                continue
            read = await self._read(place, message_id)
            if read is None:
                break
            if self._is_half_a_reply(read, place):
                self.note(place.chat_id, message_id)
                _log.info("leftover_found", chat=place.chat_id)
                return Shown((*shown.messages, message_id))
        return shown

    async def _read(self, place: Place, message_id: int) -> telegram.Message | bool | None:
        """The message, if it is the bot's and had buttons; None if that can't be known now. Flood
        limits are waited out: the reply has to wait for them too."""
        edit = partial(self._bot.edit_message_reply_markup, place.chat_id, message_id)
        gone = False
        for _ in range(_TRIES):
            await self._holds.wait(place.chat_id)
            try:
                if gone:
                    with suppress(BadRequest):
                        await edit(reply_markup=_BUTTON)
                return await edit()
            except RetryAfter as limit:
                self._holds.note(place.chat_id, seconds_of(limit))
            except BadRequest:
                # No message, a person's, or one without buttons.
                return True
            except TelegramError as failure:
                _log.debug("leftover_unknown", chat=place.chat_id, error=name_of(failure))
                # The buttons may be gone all the same, and nobody knows from which message.
                gone = True
        return None

    def _is_half_a_reply(self, read: telegram.Message | bool, place: Place) -> bool:
        return (
            isinstance(read, telegram.Message)
            and read.from_user is not None
            and read.from_user.id == self._bot.id
            and (read.message_thread_id if read.is_topic_message else None) == thread_of(place)
            and (read.text or "").endswith(CURSOR)
        )


def _sequence(chat_id: int) -> int:
    return chat_id if chat_id < _FIRST_SUPERGROUP else 0
