"""Sends: what the bot says, whatever Telegram answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TypeVar

import structlog
from telegram import Bot, InlineKeyboardMarkup, Message, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.assistant.events import Document
from bot.clock import Clock
from bot.telegram.delivery.failures import (
    GENERAL_TOPIC,
    is_about_entities,
    is_not_modified,
    is_out_of_reach,
    seconds_of,
    surely_not_sent,
    thread_of,
)
from bot.telegram.delivery.holds import Holds
from bot.telegram.formatting.marked import Marked
from memory.background.pacing import Backoff
from memory.records import Place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

Entities = Sequence[MessageEntity]
#: One request to Telegram: to a place, formatted with these entities.
Call = Callable[[Place, Entities], Awaitable[T]]


class Sender:
    """Sends to one place at a time, in order; whoever calls awaits the end of it.

    A send is repeated only when it surely was not carried out: a person who gets an answer twice is
    worse off than one who asks again. An edit may be repeated freely. A flood limit is waited out,
    however long it is."""

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        on_migrated: Callable[[int, int], None],
        clock: Clock,
        *,
        typing_seconds: float = 4.0,
    ) -> None:
        """`on_migrated` hears of a group that has got another id: the old one and the new one.
        Typing is shown by Telegram for five seconds; `typing_seconds` is when it is renewed."""
        self._bot, self._holds, self._on_migrated = bot, holds, on_migrated
        self._clock, self._typing_seconds = clock, typing_seconds

    async def send(
        self,
        place: Place,
        messages: Sequence[Marked],
        documents: Sequence[Document] = (),
        *,
        answering: int | None = None,
        instead_of: int | None = None,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> int | None:
        """Send messages and then documents: the first message as an answer to the message
        `answering`, or in the place of the bot's own message `instead_of` if that can be changed;
        the last message with the keyboard. The id of what was sent last, of the messages if there
        are any; None if it is not known to have arrived. Raises TelegramError if Telegram refuses
        the text."""
        last: int | None = None
        for number, message in enumerate(messages, 1):
            buttons = keyboard if number == len(messages) else None
            if number == 1 and instead_of is not None:
                changed = await self._edit(place, instead_of, message, buttons)
                if changed is None:
                    return None
                if changed:
                    last = instead_of
                    continue
            sent = await self._send(place, message, answering if number == 1 else None, buttons)
            if sent is None:
                return None
            place, last = _place_of_the_rest(place, sent), sent.message_id
        for document in documents:
            sent = await self._send_document(place, document)
            if sent is None:
                return None
            last = last or sent.message_id
        return last

    async def delete(self, place: Place, message_id: int) -> None:
        """Take one of the bot's messages back, if that is still possible."""

        async def delete(to: Place, _: Entities) -> object:
            _check_same_chat(place, to)
            return await self._bot.delete_message(to.chat_id, message_id)

        with suppress(TelegramError):
            await self._call(place, delete, repeatable=True)

    async def release(self, query_id: str, note: str | None = None) -> None:
        """Let a pressed button go, with a note if there is one to make. One that is too old is no
        matter."""
        with suppress(TelegramError):
            await self._bot.answer_callback_query(query_id, note)

    async def leave(self, place: Place) -> None:
        """Take the bot out of a group."""
        try:
            await self._bot.leave_chat(place.chat_id)
        except TelegramError as failure:
            _log.warning("group_leave_failed", chat=place.chat_id, error=type(failure).__name__)
        else:
            _log.info("left_group", chat=place.chat_id)

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
                pause = max(pause, seconds_of(limit))
            except (Forbidden, BadRequest, ChatMigrated):
                return
            except TelegramError as failure:
                _log.debug("typing_failed", chat=place.chat_id, error=type(failure).__name__)
            await self._clock.sleep(max(pause, self._holds.left(place.chat_id)))

    async def _send(
        self,
        place: Place,
        message: Marked,
        answering: int | None,
        keyboard: InlineKeyboardMarkup | None,
    ) -> Message | None:
        answer_to = (
            ReplyParameters(answering, allow_sending_without_reply=True) if answering else None
        )

        async def send(to: Place, entities: Entities) -> Message:
            return await self._bot.send_message(
                to.chat_id,
                message.text,
                entities=entities,
                message_thread_id=thread_of(to),
                reply_parameters=answer_to,
                reply_markup=keyboard,
            )

        return await self._call(place, send, message)

    async def _edit(
        self,
        place: Place,
        message_id: int,
        message: Marked,
        keyboard: InlineKeyboardMarkup | None,
    ) -> bool | None:
        """True if the bot's message reads so now, its keyboard included; False if it can't be
        changed, None if the person can't be reached."""

        async def edit(to: Place, entities: Entities) -> object:
            _check_same_chat(place, to)
            return await self._bot.edit_message_text(
                message.text,
                chat_id=to.chat_id,
                message_id=message_id,
                entities=entities,
                reply_markup=keyboard,
            )

        try:
            edited = await self._call(place, edit, message, repeatable=True)
        except BadRequest as refusal:
            return is_not_modified(refusal)
        return None if edited is None else True

    async def _send_document(self, place: Place, document: Document) -> Message | None:
        async def send(to: Place, _: Entities) -> Message:
            return await self._bot.send_document(
                to.chat_id,
                document.content,
                filename=document.name,
                caption=document.caption or None,
                message_thread_id=thread_of(to),
            )

        return await self._call(place, send)

    async def _call(
        self,
        place: Place,
        call: Call[T],
        content: Marked | None = None,
        *,
        repeatable: bool = False,
    ) -> T | None:
        """The result of the call, made until it was carried out; None if the person can't be
        reached or nobody knows whether it was. Raises BadRequest if it is refused. Formatting is
        never worth an answer: if Telegram refuses the content's entities, it goes without."""
        backoff = Backoff(0.5, 30.0)
        entities = [MessageEntity(**entity) for entity in content.entities] if content else []
        while True:
            await self._holds.wait(place.chat_id)
            try:
                return await call(place, entities)
            except RetryAfter as limit:
                self._holds.note(place.chat_id, seconds_of(limit))
            except ChatMigrated as moved:
                _log.info("chat_migrated", chat=place.chat_id, to=moved.new_chat_id)
                self._on_migrated(place.chat_id, moved.new_chat_id)
                place = replace(place, chat_id=moved.new_chat_id)
            except (Forbidden, BadRequest) as refusal:
                if is_out_of_reach(refusal):
                    _log.info("unreachable", chat=place.chat_id, reason=refusal.message)
                    return None
                if entities and is_about_entities(refusal):
                    _log.warning("formatting_refused", reason=refusal.message)
                    entities = []
                elif place.topic_id is not None and "thread not found" in refusal.message.lower():
                    place = replace(place, topic_id=None)
                else:
                    raise
            except NetworkError as failure:
                if not (repeatable or surely_not_sent(failure)):
                    _log.warning(
                        "delivery_unknown",
                        chat=place.chat_id,
                        error=type(failure.__cause__ or failure).__name__,
                    )
                    return None
                await self._clock.sleep(backoff.fail())


def _check_same_chat(place: Place, to: Place) -> None:
    """Raise BadRequest if the chat is another by now: there the number is another message's."""
    if to.chat_id != place.chat_id:
        raise BadRequest("message not found")


def _place_of_the_rest(place: Place, sent: Message) -> Place:
    """Where the rest goes: where the first part went."""
    topic = place.topic_id if sent.message_thread_id or place.topic_id == GENERAL_TOPIC else None
    return replace(place, chat_id=sent.chat.id, topic_id=topic)
