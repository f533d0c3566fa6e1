"""Displays show the parts of a growing reply: as messages that are edited, as a draft, or not at
all."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import structlog
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.outcomes import (
    is_not_modified,
    is_out_of_reach,
    name_of,
    seconds_of,
    surely_not_sent,
)
from bot.telegram.delivery.sender import entities_of, reply_to, thread_of
from bot.telegram.delivery.shown import Shown
from bot.telegram.formatting.marked import Marked
from bot.telegram.leftovers import STOP, Leftovers
from memory.records import Place

_log = structlog.get_logger(__name__)

#: Telegram removes a draft after half a minute without updates.
_DRAFT_LASTS = 20.0


class Display(Protocol):
    """Shows the parts of a reply in place of what it showed before. Failures are ignored, because
    the reply itself is sent separately."""

    #: The last part vanishes unless it is shown again within this many seconds; None: it stays.
    lasts: float | None

    @property
    def shown(self) -> Shown:
        """What stands in the chat and stays there."""
        ...

    async def show(self, parts: Sequence[Marked]) -> bool:
        """Show these parts; False if showing more is useless."""
        ...

    async def keep(self) -> None:
        """Make what is shown permanent, because no reply follows now."""
        ...


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a reply is shown: it answers the message `answering`, and has a button that stops it
    while it grows. `on_unreachable` hears of it if nothing can be shown there."""

    bot: Bot
    holds: Holds
    place: Place
    stop_label: str
    on_unreachable: Callable[[], object]
    answering: int | None = None

    @property
    def keyboard(self) -> InlineKeyboardMarkup:
        return InlineKeyboardMarkup.from_button(
            InlineKeyboardButton(self.stop_label, callback_data=STOP)
        )

    def fail(self, failure: TelegramError) -> bool:
        """Note a failure; False if showing more is useless."""
        _log.debug("preview_failed", chat=self.place.chat_id, error=name_of(failure))
        if is_out_of_reach(failure):
            self.on_unreachable()
        return isinstance(failure, NetworkError) and not isinstance(failure, BadRequest)


class GrowingMessages:
    """Messages that are sent with their first text and then edited."""

    lasts: float | None = None

    def __init__(
        self,
        screen: Screen,
        leftovers: Leftovers,
        begun: Shown,
        note: Callable[[Shown], Awaitable[None]],
    ) -> None:
        """`begun` is what is there already; `note` hears of what is there, and before a message is
        sent of what may be."""
        self._screen, self._leftovers, self._note = screen, leftovers, note
        self.shown = self._maybe = begun
        #: What each message reads, as far as that is known.
        self._read: dict[int, Marked] = {}

    async def show(self, parts: Sequence[Marked]) -> bool:
        """See Display. Skips the update while Telegram limits the chat."""
        holds, chat_id = self._screen.holds, self._screen.place.chat_id
        for number, part in enumerate(parts):
            if holds.left(chat_id):
                return True
            if self._read.get(number) == part:
                continue
            keyboard = self._screen.keyboard if number == len(parts) - 1 else None
            try:
                await self._put(number, part, keyboard)
            except RetryAfter as limit:
                holds.note(chat_id, seconds_of(limit))
                return True
            except TelegramError as failure:
                if not await self._goes_on_after(failure, number):
                    return False
            else:
                self._read[number] = part
        await self._shorten(len(parts))
        return True

    async def keep(self) -> None:
        """See Display."""

    async def _put(self, number: int, part: Marked, keyboard: InlineKeyboardMarkup | None) -> None:
        bot, place, answering = self._screen.bot, self._screen.place, self._screen.answering
        entities = entities_of(part)
        if number < len(self.shown.messages):
            await bot.edit_message_text(
                part.text,
                chat_id=place.chat_id,
                message_id=self.shown.messages[number],
                entities=entities,
                reply_markup=keyboard,
            )
            return
        # Before the text is seen: after a kill, the next process looks there.
        self._maybe = replace(self.shown, maybe=self._leftovers.next_ids(place.chat_id))
        await self._note(self._maybe)
        sent = await bot.send_message(
            place.chat_id,
            part.text,
            entities=entities,
            message_thread_id=thread_of(place),
            reply_markup=keyboard,
            reply_parameters=reply_to(None if number else answering),
        )
        self.shown = Shown((*self.shown.messages, sent.message_id))
        await self._note(self.shown)

    async def _shorten(self, count: int) -> None:
        """Delete what is left of an earlier text, which needed more messages."""
        place, surplus = self._screen.place, self.shown.messages[count:]
        for message_id in surplus:
            with suppress(TelegramError):
                await self._screen.bot.delete_message(place.chat_id, message_id)
        if surplus:
            self.shown = replace(self.shown, messages=self.shown.messages[:count])
            self._read = {n: part for n, part in self._read.items() if n < count}

    async def _goes_on_after(self, failure: TelegramError, number: int) -> bool:
        if is_not_modified(failure):
            return True
        goes_on = self._screen.fail(failure)
        # An edit may be repeated, but a message that may have arrived must not be sent twice.
        if number >= len(self.shown.messages) and not surely_not_sent(failure):
            self.shown = await self._leftovers.find(self._screen.place, self._maybe)
            await self._note(self.shown)
            return not self.shown.maybe
        return goes_on


class DraftMessage:
    """A draft of the last part, which vanishes by itself when a message is sent; parts that are
    full are messages. For private chats only."""

    lasts: float | None = _DRAFT_LASTS

    def __init__(
        self,
        screen: Screen,
        draft_id: int,
        messages: GrowingMessages,
        *,
        on_unknown: Callable[[], None],
    ) -> None:
        """`on_unknown` hears of it if the Bot API server is too old to know drafts."""
        self._screen, self._draft_id = screen, draft_id
        self._messages, self._on_unknown = messages, on_unknown
        self._parts: Sequence[Marked] = ()

    @property
    def shown(self) -> Shown:
        """See Display."""
        return self._messages.shown

    async def show(self, parts: Sequence[Marked]) -> bool:
        """See Display."""
        screen, place = self._screen, self._screen.place
        if len(parts) > 1 and not await self._messages.show(parts[:-1]):
            return False
        if screen.holds.left(place.chat_id):
            return True
        last = parts[-1]
        try:
            await screen.bot.send_message_draft(
                place.chat_id,
                self._draft_id,
                last.text,
                message_thread_id=thread_of(place),
                entities=entities_of(last),
            )
            self._parts = parts
        except RetryAfter as limit:
            screen.holds.note(place.chat_id, seconds_of(limit))
        except InvalidToken:
            # The library's name for a 404: the method does not exist.
            self._on_unknown()
            return False
        except TelegramError as failure:
            return screen.fail(failure)
        return True

    async def keep(self) -> None:
        """See Display."""
        if self._parts:
            await self._messages.show(self._parts)


class NoDisplay:
    """Shows nothing before the reply itself."""

    lasts: float | None = None

    def __init__(self, begun: Shown) -> None:
        """`begun` is what is there already."""
        self.shown = begun

    async def show(self, parts: Sequence[Marked]) -> bool:
        """See Display."""
        return False

    async def keep(self) -> None:
        """See Display."""
