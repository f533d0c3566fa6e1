"""Displays: where a growing reply is shown, as a message that is edited or as a draft."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog
from telegram import Bot, ReplyParameters
from telegram.error import BadRequest, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.delivery.failures import (
    is_not_modified,
    seconds_of,
    surely_not_sent,
    thread_of,
)
from bot.telegram.delivery.holds import Holds
from memory.records import Place

_log = structlog.get_logger(__name__)

#: Telegram takes a draft away after half a minute without news.
_DRAFT_LASTS = 20.0


class Display(Protocol):
    """Shows a text in the place of the one before. What goes wrong is never worth an error: the
    answer itself is sent by others."""

    #: After so many seconds a text must be shown again to stay, if at all.
    lasts: float | None

    async def show(self, text: str) -> bool:
        """Show a text; False if there is no use in showing another one."""
        ...


class EditedMessage:
    """A message, sent with the first text and edited from then on."""

    lasts: float | None = None

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        place: Place,
        *,
        answering: int | None,
        message_id: int | None = None,
        on_sent: Callable[[int], Awaitable[None]],
    ) -> None:
        """`message_id` is a message that is there already; `on_sent` hears of a new one."""
        self._bot, self._holds, self._place = bot, holds, place
        self._answering, self._on_sent = answering, on_sent
        self.message_id = message_id

    async def show(self, text: str) -> bool:
        """See Display. A chat that Telegram wants left alone is left alone."""
        chat_id = self._place.chat_id
        if self._holds.left(chat_id):
            return True
        try:
            if self.message_id is None:
                await self._send(text)
            else:
                await self._bot.edit_message_text(text, chat_id=chat_id, message_id=self.message_id)
        except RetryAfter as limit:
            self._holds.note(chat_id, seconds_of(limit))
        except TelegramError as failure:
            return self._goes_on_after(failure)
        return True

    async def _send(self, text: str) -> None:
        answering = self._answering
        sent = await self._bot.send_message(
            self._place.chat_id,
            text,
            message_thread_id=thread_of(self._place),
            reply_parameters=ReplyParameters(answering, allow_sending_without_reply=True)
            if answering is not None
            else None,
        )
        self.message_id = sent.message_id
        await self._on_sent(sent.message_id)

    def _goes_on_after(self, failure: TelegramError) -> bool:
        if is_not_modified(failure):
            return True
        _log.debug("preview_failed", chat=self._place.chat_id, error=type(failure).__name__)
        if isinstance(failure, BadRequest) or not isinstance(failure, NetworkError):
            return False
        # An edit may be tried again; a message that may have been sent must not be sent twice.
        return self.message_id is not None or surely_not_sent(failure)


class Draft:
    """A draft: it vanishes by itself when the answer is sent. For private chats only."""

    lasts: float | None = _DRAFT_LASTS

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        place: Place,
        draft_id: int,
        *,
        on_unknown: Callable[[], None],
    ) -> None:
        """`on_unknown` hears of it if the Bot API server is too old to know drafts."""
        self._bot, self._holds, self._place, self._draft_id = bot, holds, place, draft_id
        self._on_unknown = on_unknown

    async def show(self, text: str) -> bool:
        """See Display."""
        place = self._place
        if self._holds.left(place.chat_id):
            return True
        try:
            await self._bot.send_message_draft(
                place.chat_id, self._draft_id, text, message_thread_id=thread_of(place)
            )
        except RetryAfter as limit:
            self._holds.note(place.chat_id, seconds_of(limit))
        except InvalidToken:
            # So the library calls a 404: there is no such method.
            self._on_unknown()
            return False
        except BadRequest as refusal:
            _log.debug("draft_refused", chat=place.chat_id, reason=refusal.message)
            return False
        except NetworkError as failure:
            _log.debug("preview_failed", chat=place.chat_id, error=type(failure).__name__)
        except TelegramError:
            return False
        return True


class NoDisplay:
    """Nothing is shown before the answer."""

    lasts: float | None = None

    async def show(self, text: str) -> bool:
        """See Display."""
        return False
