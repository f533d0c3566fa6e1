"""Sends messages, and repeats what Telegram's errors allow to repeat."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import TypeVar

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
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.assistant.events import Document
from bot.clock import Clock
from bot.telegram.delivery.holds import Holds
from bot.telegram.delivery.outcomes import (
    is_about_entities,
    is_not_modified,
    is_out_of_reach,
    name_of,
    seconds_of,
    surely_not_sent,
)
from bot.telegram.delivery.progress import Delivery
from bot.telegram.delivery.stopping import Pauses
from bot.telegram.formatting.marked import LONGEST_MESSAGE, Marked
from memory.background.pacing import Backoff
from memory.records import Place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

Entities = Sequence[MessageEntity]
#: One request to Telegram: to a place, formatted with these entities.
Call = Callable[[Place, Entities], Awaitable[T]]
#: A part of a reply below a line: the request that sends it, and its content.
_Part = Callable[[str], tuple[Call[Message], Marked]]

#: Seconds before an answer that may have arrived is sent again, and how often to look whether
#: somebody waits for it meanwhile.
_UNSURE_PAUSE, _LOOK = 5.0, 0.25
#: How long Telegram may take with a file: without its answer, the file is sent again.
_UPLOAD_SECONDS = 120.0
#: Seconds after each try to release a button. It lets go by itself before long.
_RELEASE_PAUSES = (0.5, 2.0, 0.0)
#: The topic that every forum has. Bot API: messages go there without naming it.
GENERAL_TOPIC = 1


def thread_of(place: Place) -> int | None:
    """The topic to name when sending to a place."""
    return None if place.topic_id == GENERAL_TOPIC else place.topic_id


def reply_to(message_id: int | None) -> ReplyParameters | None:
    """How to answer a message, even if it is gone."""
    return ReplyParameters(message_id, allow_sending_without_reply=True) if message_id else None


def entities_of(content: Marked) -> Entities:
    return [MessageEntity(**entity) for entity in content.entities]


class Sender:
    """Sends messages in order, one place per call, until Telegram has them.

    What surely failed is repeated, however long. What may have arrived is repeated too: at once if
    a duplicate is harmless, otherwise after a pause and marked. Flood limits are waited out."""

    def __init__(
        self,
        bot: Bot,
        holds: Holds,
        on_migrated: Callable[[int, int], None],
        clock: Clock,
        *,
        typing_seconds: float = 4.0,
        is_awaited: Callable[[Place], bool] = lambda place: False,
    ) -> None:
        """`on_migrated` gets the old and the new id of a group that became a supergroup. Telegram
        shows "typing" for five seconds; `typing_seconds` is when to renew it. `is_awaited` tells
        whether something in the place waits for the end of a send."""
        self._bot, self._holds, self._on_migrated = bot, holds, on_migrated
        self._clock, self._typing_seconds, self._is_awaited = clock, typing_seconds, is_awaited
        self.pauses = Pauses(clock)

    async def send(
        self,
        place: Place,
        messages: Sequence[Marked],
        documents: Sequence[Document] = (),
        *,
        answering: int | None = None,
        instead_of: Sequence[int] = (),
        keyboard: InlineKeyboardMarkup | None = None,
        delivery: Delivery | None = None,
    ) -> int | None:
        """Send messages, then documents, from where the `delivery` has come. The first messages
        replace the bot's own ones `instead_of` where these can be edited; surplus ones are deleted.
        The first message replies to `answering`; the last one has the keyboard. Returns the id of
        the last message, or of the first document if there is no message; None if the person can't
        be reached. Raises TelegramError if Telegram rejects the text."""
        delivery = delivery or Delivery()
        done = len(delivery.progress.arrived)
        for number, message in enumerate(messages[done:], done):
            buttons = keyboard if number == len(messages) - 1 else None
            if number < len(instead_of):
                changed = await self._edit(place, instead_of[number], message, buttons)
                if changed is None:
                    return None
                if changed:
                    delivery.replace(instead_of[number])
                    continue
            part = self._message(message, None if number else answering, buttons)
            arrived_in = await self._deliver(place, part, delivery)
            if arrived_in is None:
                return None
            place = arrived_in
        for surplus in instead_of[len(messages) :]:
            await self.delete(place, surplus)
        for document in documents[max(done - len(messages), 0) :]:
            if await self._deliver(place, self._document(document), delivery) is None:
                return None
        arrived = delivery.progress.arrived
        return arrived[max(len(messages), 1) - 1] if arrived else None

    async def delete(self, place: Place, message_id: int) -> None:
        """Delete one of the bot's messages, if still possible."""
        await self._try(place, partial(self._bot.delete_message, place.chat_id, message_id))

    async def set_buttons(
        self, place: Place, message_id: int, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Give one of the bot's messages other buttons or none, if still possible."""
        edit = self._bot.edit_message_reply_markup
        await self._try(place, partial(edit, place.chat_id, message_id, reply_markup=keyboard))

    async def react(self, place: Place, message_id: int, emoji: str) -> bool:
        """React to a person's message; False if the chat does not allow that."""
        react = self._bot.set_message_reaction
        return bool(await self._try(place, partial(react, place.chat_id, message_id, emoji)))

    async def _try(self, place: Place, request: Callable[[], Awaitable[T]]) -> T | None:
        """The outcome of a request about a message in the place; None if it is not possible."""

        async def call(to: Place, _: Entities) -> T:
            _check_same_chat(place, to)
            return await request()

        with suppress(TelegramError):
            return await self._call(place, call)
        return None

    async def release(self, query_id: str, note: str | None = None) -> None:
        """Release a pressed button, optionally with a note. Ignores clicks that are too old."""
        for pause in _RELEASE_PAUSES:
            try:
                await self._bot.answer_callback_query(query_id, note)
            except (BadRequest, RetryAfter, Forbidden):
                return
            except TelegramError:
                await self.pauses.wait(pause)
            else:
                return

    async def leave(self, place: Place) -> None:
        """Take the bot out of a group."""
        try:
            await self._bot.leave_chat(place.chat_id)
        except TelegramError as failure:
            _log.warning("group_leave_failed", chat=place.chat_id, error=name_of(failure))
        else:
            _log.info("left_group", chat=place.chat_id)

    @asynccontextmanager
    async def typing(
        self, place: Place, on_unreachable: Callable[[], object]
    ) -> AsyncIterator[None]:
        """Show "typing" in the place while the block runs. Calls `on_unreachable` if nothing can be
        sent there."""
        typing = self._type(place, on_unreachable)
        task = asyncio.create_task(typing, name=f"typing {place.chat_id}")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _type(self, place: Place, on_unreachable: Callable[[], object]) -> None:
        while True:
            pause = self._typing_seconds
            try:
                await self._bot.send_chat_action(
                    place.chat_id, ChatAction.TYPING, message_thread_id=place.topic_id
                )
            except RetryAfter as limit:
                pause = max(pause, seconds_of(limit))
            except (Forbidden, BadRequest, ChatMigrated) as refusal:
                if is_out_of_reach(refusal):
                    on_unreachable()
                return
            except TelegramError as failure:
                _log.debug("typing_failed", chat=place.chat_id, error=name_of(failure))
            await self._clock.sleep(max(pause, self._holds.left(place.chat_id)))

    async def _deliver(self, place: Place, part: _Part, delivery: Delivery) -> Place | None:
        """Send the next part until it has arrived. Returns where; None if the person can't be
        reached. Raises TelegramError if Telegram rejects it."""
        pauses = Backoff(0.5, 30.0)
        while True:
            line = await delivery.mark()
            send, content = part(line)
            if line and content.units > LONGEST_MESSAGE:
                await self._call(place, self._message(Marked(line))("")[0], Marked(line))
                send, content = part("")
            try:
                sent = await self._call(place, send, content, delivery)
            except NetworkError as failure:
                if surely_not_sent(failure):
                    raise
                _log.warning("delivery_unknown", chat=place.chat_id, error=name_of(failure))
                delivery.lose()
                await self._pause(place, pauses.fail())
                continue
            if sent is None:
                return None
            delivery.arrive(sent.message_id)
            # The rest follows it: to the chat's new id, or out of a deleted topic.
            in_topic = sent.message_thread_id or place.topic_id == GENERAL_TOPIC
            topic_id = place.topic_id if in_topic else None
            return replace(place, chat_id=sent.chat.id, topic_id=topic_id)

    async def _pause(self, place: Place, least: float) -> None:
        """Wait before a part is sent that may have arrived already. With somebody waiting behind
        it, not longer than the least."""
        await self.pauses.wait(least)
        left = _UNSURE_PAUSE - least
        while left > 0 and not (self.pauses.stopped or self._is_awaited(place)):
            await self.pauses.wait(_LOOK)
            left -= _LOOK

    def _message(
        self,
        message: Marked,
        answering: int | None = None,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> _Part:
        answer_to = reply_to(answering)

        def part(line: str) -> tuple[Call[Message], Marked]:
            content = message.below(line)

            async def send(to: Place, entities: Entities) -> Message:
                return await self._bot.send_message(
                    to.chat_id,
                    content.text,
                    entities=entities,
                    message_thread_id=thread_of(to),
                    reply_parameters=answer_to,
                    reply_markup=keyboard,
                )

            return send, content

        return part

    def _document(self, document: Document) -> _Part:
        def part(line: str) -> tuple[Call[Message], Marked]:
            caption = Marked(document.caption).below(line)

            async def send(to: Place, _: Entities) -> Message:
                # As a stream: tens of megabytes in one piece would block the event loop.
                content = InputFile(
                    BytesIO(document.content), document.name, read_file_handle=False
                )
                return await self._bot.send_document(
                    to.chat_id,
                    content,
                    caption=caption.text or None,
                    read_timeout=_UPLOAD_SECONDS,
                    message_thread_id=thread_of(to),
                )

            return send, caption

        return part

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
            edited = await self._call(place, edit, message)
        except BadRequest as refusal:
            return is_not_modified(refusal)
        return None if edited is None else True

    async def _call(
        self,
        place: Place,
        call: Call[T],
        content: Marked | None = None,
        delivery: Delivery | None = None,
    ) -> T | None:
        """Repeat a call until it succeeds; None if the person can't be reached. If Telegram rejects
        the formatting, the content goes without. A call whose outcome is unknown is repeated too,
        unless it is of a delivery in which a duplicate does harm: then raises the NetworkError.
        Raises BadRequest if Telegram rejects it."""
        delivery, backoff = delivery or Delivery(), Backoff(0.5, 30.0)
        entities = entities_of(content) if content else []
        while True:
            if self._holds.left(place.chat_id):
                await delivery.settle()
                await self._holds.wait(place.chat_id)
            await delivery.begin()
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
                place, entities = _without_refused(refusal, place, entities)
            except TelegramError as failure:
                # Some servers lack a method, but none lacks those that send.
                if isinstance(failure, InvalidToken) and content is None:
                    raise
                await self._pause_after(failure, place, delivery, backoff)

    async def _pause_after(
        self, failure: TelegramError, place: Place, delivery: Delivery, backoff: Backoff
    ) -> None:
        """Return when to call again. Raises the failure if a duplicate would do harm."""
        if surely_not_sent(failure):
            await delivery.settle()
        elif not delivery.is_harmless:
            raise failure
        if not backoff.failures:
            _log.warning("delivery_delayed", chat=place.chat_id, error=name_of(failure))
        await self.pauses.wait(backoff.fail())


def _without_refused(
    refusal: Forbidden | BadRequest, place: Place, entities: Entities
) -> tuple[Place, Entities]:
    """Where and how to send after a refusal: without the formatting, or out of the deleted topic.
    Raises the refusal if it is about something else."""
    if entities and is_about_entities(refusal):
        _log.warning("formatting_refused", reason=refusal.message)
        return place, []
    if place.topic_id is not None and "thread not found" in refusal.message.lower():
        return replace(place, topic_id=None), entities
    raise refusal


def _check_same_chat(place: Place, to: Place) -> None:
    """Raise BadRequest if the chat has migrated: message ids differ there."""
    if to.chat_id != place.chat_id:
        raise BadRequest("message not found")
