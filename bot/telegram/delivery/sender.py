"""Sends messages, and repeats what Telegram's errors allow to repeat."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from io import BytesIO
from typing import Any, TypeVar

import httpx
import structlog
from telegram import (
    Bot,
    InlineKeyboardMarkup,
    InputFile,
    Message,
    MessageEntity,
    ReplyParameters,
)
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
from bot.telegram.formatting.marked import Marked
from memory.background.caches import BoundedDict
from memory.background.pacing import Backoff
from memory.records import Place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

Entities = Sequence[MessageEntity]
#: One request to Telegram: to a place, formatted with these entities.
Call = Callable[[Place, Entities], Awaitable[T]]

#: Failures before the request went out, so nothing was sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
#: Telegram's reasons if the bot can't write in a chat or topic.
_OUT_OF_REACH = (
    "chat not found",
    "not enough rights to send",
    "have no rights to send",
    "topic_closed",
    "chat_write_forbidden",
)
#: How many seconds longer what is on its way may take when the bot stops. Telegram nearly always
#: answers within one.
_MOMENT = 2.0
#: The topic that every forum has. Bot API: messages go there without naming it.
GENERAL_TOPIC = 1


def thread_of(place: Place) -> int | None:
    """The topic to name when sending to a place."""
    return None if place.topic_id == GENERAL_TOPIC else place.topic_id


def seconds_of(limit: RetryAfter) -> float:
    """How long a flood limit lasts."""
    wait = limit.retry_after
    # A timedelta, as this package has asked for; a number if the operator's environment says so.
    return wait if isinstance(wait, int | float) else wait.total_seconds()


def surely_not_sent(failure: TelegramError) -> bool:
    """True if the request never went out."""
    return isinstance(failure.__cause__, _NOT_SENT)


async def end_soon(sending: "asyncio.Future[Any]", clock: Clock) -> None:
    """Give what is on its way to Telegram a moment to end, then cancel it. What was sent must be
    noted, or the next process sends it again."""
    moment = asyncio.ensure_future(clock.sleep(_MOMENT))
    try:
        await asyncio.wait((sending, moment), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, moment):
            task.cancel()
        await asyncio.gather(sending, moment, return_exceptions=True)


async def see_through(delivery: Coroutine[Any, Any, T], clock: Clock) -> T:
    """The result of the delivery, which ends soon if it is cancelled."""
    sending = asyncio.ensure_future(delivery)
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        await end_soon(sending, clock)
        raise


def is_out_of_reach(refusal: Forbidden | BadRequest) -> bool:
    """True if nothing can be sent there: the bot is blocked or muted, or the chat does not exist,
    or the topic is closed."""
    reason = refusal.message.lower()
    return isinstance(refusal, Forbidden) or any(sign in reason for sign in _OUT_OF_REACH)


def is_not_modified(failure: TelegramError) -> bool:
    """True if an edit was rejected because it changes nothing."""
    return isinstance(failure, BadRequest) and "not modified" in failure.message.lower()


def is_about_entities(refusal: TelegramError) -> bool:
    """True if a message was rejected for its formatting."""
    reason = refusal.message.lower()
    return "entit" in reason or "url" in reason


#: More chats than Telegram holds at once.
_MOST_HELD = 10_000


class Holds:
    """The chats that Telegram wants left alone, each until its own time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = BoundedDict[int, float](_MOST_HELD)

    def note(self, chat_id: int, seconds: float) -> None:
        """Hold back everything to this chat for so many seconds."""
        _log.warning("flood_limit", chat=chat_id, seconds=seconds)
        now = self._clock.now()
        self._until[chat_id] = max(now + seconds, self._until.get(chat_id, now))

    def left(self, chat_id: int) -> float:
        """The seconds left of a chat's hold; 0 if there is none."""
        return max(self._until.get(chat_id, 0.0) - self._clock.now(), 0.0)

    async def wait(self, chat_id: int) -> None:
        """Return when the chat may be written to."""
        while left := self.left(chat_id):
            await self._clock.sleep(left)


class Sender:
    """Sends messages in order, one place per call.

    A send is repeated only if it certainly failed: getting a reply twice is worse than having to
    ask again. Edits may be repeated freely. Flood limits are waited out, however long."""

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        on_migrated: Callable[[int, int], None],
        clock: Clock,
        *,
        typing_seconds: float = 4.0,
    ) -> None:
        """`on_migrated` gets the old and the new id of a group that became a supergroup. Telegram
        shows "typing" for five seconds; `typing_seconds` is when to renew it."""
        self._bot, self._holds, self._on_migrated = bot, holds, on_migrated
        self._clock, self._typing_seconds = clock, typing_seconds

    async def send(
        self,
        place: Place,
        messages: Sequence[Marked],
        documents: Sequence[Document] = (),
        *,
        answering: int | None = None,
        instead_of: Sequence[int] = (),
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> int | None:
        """Send messages, then documents. The first messages replace the bot's own ones `instead_of`
        where these can be edited; surplus ones are deleted. The first message replies to
        `answering`; the last one has the keyboard. Returns the id of the last message, or of the
        first document if there is no message; None if it may not have arrived. Raises TelegramError
        if Telegram rejects the text."""
        last: int | None = None
        for number, message in enumerate(messages, 1):
            buttons = keyboard if number == len(messages) else None
            if number <= len(instead_of):
                changed = await self._edit(place, instead_of[number - 1], message, buttons)
                if changed is None:
                    return None
                if changed:
                    last = instead_of[number - 1]
                    continue
            sent = await self._send(place, message, answering if number == 1 else None, buttons)
            if sent is None:
                return None
            # The rest follows the first part: to the chat's new id, or out of a deleted topic.
            in_topic = sent.message_thread_id or place.topic_id == GENERAL_TOPIC
            topic_id = place.topic_id if in_topic else None
            place, last = replace(place, chat_id=sent.chat.id, topic_id=topic_id), sent.message_id
        for surplus in instead_of[len(messages) :]:
            await self.delete(place, surplus)
        for document in documents:
            sent = await self._send_document(place, document)
            if sent is None:
                return None
            last = last or sent.message_id
        return last

    async def delete(self, place: Place, message_id: int) -> None:
        """Delete one of the bot's messages, if still possible."""

        async def delete(to: Place, _: Entities) -> object:
            _check_same_chat(place, to)
            return await self._bot.delete_message(to.chat_id, message_id)

        with suppress(TelegramError):
            await self._call(place, delete, repeatable=True)

    async def remove_buttons(self, place: Place, message_id: int) -> None:
        """Remove the buttons of one of the bot's messages, if still possible."""

        async def edit(to: Place, _: Entities) -> object:
            _check_same_chat(place, to)
            return await self._bot.edit_message_reply_markup(to.chat_id, message_id)

        with suppress(TelegramError):
            await self._call(place, edit, repeatable=True)

    async def react(self, place: Place, message_id: int, emoji: str) -> None:
        """React to a person's message, where the chat allows that."""

        async def react(to: Place, _: Entities) -> object:
            _check_same_chat(place, to)
            return await self._bot.set_message_reaction(to.chat_id, message_id, emoji)

        with suppress(TelegramError):
            await self._call(place, react, repeatable=True)

    async def release(self, query_id: str, note: str | None = None) -> None:
        """Release a pressed button, optionally with a note. Ignores clicks that are too old."""
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
        """Show "typing" in the place while the block runs."""
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
        """True if the bot's message now has this content and keyboard; False if it can't be edited,
        None if the person can't be reached."""

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
            # As a stream: tens of megabytes in one piece would block the event loop.
            content = InputFile(BytesIO(document.content), document.name, read_file_handle=False)
            return await self._bot.send_document(
                to.chat_id,
                content,
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
        """Repeat a call until it succeeds; None if the person can't be reached or the outcome is
        unknown. Raises BadRequest if Telegram rejects it. If Telegram rejects the formatting, the
        content goes without."""
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
    """Raise BadRequest if the chat has migrated: message ids differ there."""
    if to.chat_id != place.chat_id:
        raise BadRequest("message not found")
