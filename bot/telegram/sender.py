"""Sends: what the bot says, whatever Telegram answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

import httpx
import structlog
from telegram import Bot, InlineKeyboardMarkup, Message, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.telegram.rendering import clean, split
from memory.records import Place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: A failure before the request went out: nothing can have been sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
#: The topic that every forum has. Bot API: messages go there without naming it.
_GENERAL_TOPIC = 1


class Sender:
    """Sends to one place at a time, in order; whoever calls awaits the end of it.

    A send is repeated only when it surely was not carried out: a person who gets an answer twice is
    worse off than one who asks again. A flood limit is waited out, however long it is."""

    def __init__(self, bot: Bot, *, typing_seconds: float = 4.0) -> None:
        """Typing is shown by Telegram for five seconds; `typing_seconds` is when it is renewed."""
        self._bot, self._typing_seconds = bot, typing_seconds

    async def send(
        self,
        place: Place,
        text: str,
        *,
        answering: int | None = None,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> bool:
        """Send a text in as many messages as it takes, the first one as an answer to the message
        `answering`, the last one with the keyboard. Whether it arrived, as far as can be known.
        Raises TelegramError if Telegram refuses the text."""
        parts = split(clean(text))
        for number, part in enumerate(parts, 1):
            call = partial(
                self._send_part,
                text=part,
                answering=answering if number == 1 else None,
                keyboard=keyboard if number == len(parts) else None,
            )
            sent = await self._deliver(place, call)
            if sent is None:
                return False
            place = _moved(place, sent)
        return True

    async def _send_part(
        self,
        place: Place,
        *,
        text: str,
        answering: int | None,
        keyboard: InlineKeyboardMarkup | None,
    ) -> Message:
        return await self._bot.send_message(
            place.chat_id,
            text,
            message_thread_id=_thread(place),
            reply_parameters=_answer_to(answering),
            reply_markup=keyboard,
        )

    async def send_file(self, place: Place, name: str, content: bytes, caption: str) -> bool:
        """Send a file. Whether it arrived. Raises TelegramError if Telegram refuses it."""
        sent = await self._deliver(
            place,
            lambda to: self._bot.send_document(
                to.chat_id,
                content,
                filename=name,
                caption=caption,
                message_thread_id=_thread(to),
            ),
        )
        return sent is not None

    async def replace_text(self, place: Place, message_id: int, text: str) -> None:
        """Change one of the bot's messages; its keyboard goes. A message that reads so already
        counts as changed, one that is gone is sent anew."""
        try:
            await self._deliver(
                place,
                lambda to: self._bot.edit_message_text(
                    text, chat_id=to.chat_id, message_id=message_id
                ),
                repeatable=True,
            )
        except BadRequest as refusal:
            if "not modified" not in refusal.message.lower():
                await self.send(place, text)

    async def answer_click(self, query_id: str, text: str | None = None) -> None:
        """Let the button go, with a note if there is one to make. One that is too old is no
        matter."""
        with suppress(TelegramError):
            await self._bot.answer_callback_query(query_id, text)

    @asynccontextmanager
    async def typing(self, place: Place) -> AsyncIterator[None]:
        """Show "typing" in the place while the block runs, and not a moment longer."""
        task = asyncio.create_task(self._type(place), name=f"typing {place.chat_id}")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _type(self, place: Place) -> None:
        while True:
            pause = self._typing_seconds
            try:
                await self._bot.send_chat_action(
                    place.chat_id, ChatAction.TYPING, message_thread_id=place.topic_id
                )
            except RetryAfter as limit:
                pause = max(pause, _seconds(limit))
            except (Forbidden, BadRequest, ChatMigrated):
                return
            except TelegramError as failure:
                _log.debug("typing_failed", chat=place.chat_id, error=type(failure).__name__)
            await asyncio.sleep(pause)

    async def _deliver(
        self,
        place: Place,
        call: Callable[[Place], Awaitable[T]],
        *,
        repeatable: bool = False,
    ) -> T | None:
        """The result of the call, made until it was carried out; None if the person can't be
        reached or nobody knows whether it was. Raises BadRequest if it is refused."""
        pause = _FIRST_PAUSE
        while True:
            try:
                return await call(place)
            except RetryAfter as limit:
                _log.warning("flood_limit", chat=place.chat_id, seconds=_seconds(limit))
                await asyncio.sleep(_seconds(limit))
            except ChatMigrated as moved:
                _log.info("chat_migrated", chat=place.chat_id, to=moved.new_chat_id)
                place = replace(place, chat_id=moved.new_chat_id)
            except Forbidden as refusal:
                _log.info("unreachable", chat=place.chat_id, reason=refusal.message)
                return None
            except BadRequest as refusal:
                if "chat not found" in refusal.message.lower():
                    _log.info("unreachable", chat=place.chat_id, reason=refusal.message)
                    return None
                place = _place_after(refusal, place)
            except NetworkError as failure:
                if not (repeatable or isinstance(failure.__cause__, _NOT_SENT)):
                    _log.warning(
                        "delivery_unknown",
                        chat=place.chat_id,
                        error=type(failure.__cause__ or failure).__name__,
                    )
                    return None
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)


def _place_after(refusal: BadRequest, place: Place) -> Place:
    """Where to send what was refused for its place; raises the refusal if that was not it."""
    if place.topic_id is not None and "thread not found" in refusal.message.lower():
        return replace(place, topic_id=None)
    raise refusal


def _thread(place: Place) -> int | None:
    return None if place.topic_id == _GENERAL_TOPIC else place.topic_id


def _answer_to(message_id: int | None) -> ReplyParameters | None:
    if message_id is None:
        return None
    return ReplyParameters(message_id, allow_sending_without_reply=True)


def _moved(place: Place, sent: Message) -> Place:
    """Where the rest goes: where the first part went."""
    topic = place.topic_id if sent.message_thread_id or place.topic_id == _GENERAL_TOPIC else None
    return replace(place, chat_id=sent.chat.id, topic_id=topic)


def _seconds(limit: RetryAfter) -> float:
    wait = limit.retry_after
    # A timedelta, as this package has asked for; a number if the operator's environment says so.
    return wait if isinstance(wait, int | float) else wait.total_seconds()
