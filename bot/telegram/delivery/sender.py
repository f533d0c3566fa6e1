"""Sends: what the bot says, whatever Telegram answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
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

from bot.telegram.delivery.clock import Clock
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
from bot.telegram.formatting.rendering import Rendered
from bot.telegram.formatting.splitting import split
from bot.telegram.formatting.text import clean
from memory.records import Place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
#: What the file of a long answer is called.
_ANSWER_FILE = "answer.md"


@dataclass(frozen=True, slots=True)
class _Sent:
    """Where a message went, and its id there."""

    place: Place
    message_id: int


class Sender:
    """Sends to one place at a time, in order; whoever calls awaits the end of it.

    A send is repeated only when it surely was not carried out: a person who gets an answer twice is
    worse off than one who asks again. An edit may be repeated freely. A flood limit is waited out,
    however long it is."""

    def __init__(
        self, bot: Bot, *, typing_seconds: float = 4.0, clock: Clock | None = None
    ) -> None:
        """Typing is shown by Telegram for five seconds; `typing_seconds` is when it is renewed."""
        self._bot, self._typing_seconds = bot, typing_seconds
        self._clock = clock or Clock()
        self.holds = Holds(self._clock)
        #: Hears of a group that has got another id: the old one and the new one.
        self.on_migrated: Callable[[int, int], None] = lambda old, new: None

    async def send(
        self,
        place: Place,
        text: str,
        *,
        answering: int | None = None,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> bool:
        """Send a text, as it is, in as many messages as it takes: the first one as an answer to the
        message `answering`, the last one with the keyboard. Whether it arrived, as far as can be
        known. Raises TelegramError if Telegram refuses the text."""
        return await self.post(place, text, answering=answering, keyboard=keyboard) is not None

    async def post(
        self,
        place: Place,
        text: str,
        *,
        answering: int | None = None,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> int | None:
        """Send a text like `send`. The id of the last message, which has the keyboard; None if it
        is not known to have arrived."""
        parts = list(split(Marked(clean(text))))
        sent = await self._send_all(place, parts, answering, keyboard)
        return sent.message_id if sent else None

    async def send_answer(
        self,
        place: Place,
        rendered: Rendered,
        *,
        answering: int | None = None,
        instead_of: int | None = None,
    ) -> bool:
        """Send an answer as it was rendered, the first message in the place of the bot's own
        message `instead_of` if there is one and it can be. Else like `send`."""
        messages = list(rendered.messages)
        if instead_of is not None:
            edited = await self._edited(place, instead_of, messages[0])
            if edited is None:
                return False
            if edited:
                del messages[0]
        if messages:
            sent = await self._send_all(place, messages, answering, None)
            if sent is None:
                return False
            place = sent.place
        if rendered.document is None:
            return True
        return await self.send_file(place, _ANSWER_FILE, rendered.document, "")

    async def _send_all(
        self,
        place: Place,
        parts: Sequence[Marked],
        answering: int | None,
        keyboard: InlineKeyboardMarkup | None,
    ) -> _Sent | None:
        """Where all of it went; None if not all of it went anywhere, or there was nothing."""
        last: _Sent | None = None
        for number, part in enumerate(parts, 1):
            call = partial(
                self._send_part,
                content=part,
                answering=answering if number == 1 else None,
                keyboard=keyboard if number == len(parts) else None,
            )
            sent = await self._deliver(place, call)
            if sent is None:
                return None
            place = _moved(place, sent)
            last = _Sent(place, sent.message_id)
        return last

    async def _send_part(
        self,
        place: Place,
        *,
        content: Marked,
        answering: int | None,
        keyboard: InlineKeyboardMarkup | None,
    ) -> Message:
        return await _formatted_or_plain(
            content,
            lambda entities: self._bot.send_message(
                place.chat_id,
                content.text,
                entities=entities,
                message_thread_id=thread_of(place),
                reply_parameters=_answer_to(answering),
                reply_markup=keyboard,
            ),
        )

    async def _edited(
        self,
        place: Place,
        message_id: int,
        content: Marked,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> bool | None:
        """Whether a message of the bot's reads so now; False if it can't be changed, None if the
        person can't be reached."""

        async def edit(to: Place) -> object:
            if to.chat_id != place.chat_id:
                # Of another chat: there the number is another message's.
                raise BadRequest("message to edit not found")
            return await _formatted_or_plain(
                content,
                lambda entities: self._bot.edit_message_text(
                    content.text,
                    chat_id=to.chat_id,
                    message_id=message_id,
                    entities=entities,
                    reply_markup=keyboard,
                ),
            )

        try:
            done = await self._deliver(place, edit, repeatable=True)
        except BadRequest as refusal:
            return is_not_modified(refusal)
        return None if done is None else True

    async def delete(self, place: Place, message_id: int) -> None:
        """Take one of the bot's messages back, if that is still possible."""

        async def delete(to: Place) -> object:
            if to.chat_id != place.chat_id:
                # Of another chat: there the number is another message's.
                raise BadRequest("message to delete not found")
            return await self._bot.delete_message(to.chat_id, message_id)

        with suppress(TelegramError):
            await self._deliver(place, delete, repeatable=True)

    async def send_file(self, place: Place, name: str, content: bytes, caption: str) -> bool:
        """Send a file. Whether it arrived. Raises TelegramError if Telegram refuses it."""
        sent = await self._deliver(
            place,
            lambda to: self._bot.send_document(
                to.chat_id,
                content,
                filename=name,
                caption=caption or None,
                message_thread_id=thread_of(to),
            ),
        )
        return sent is not None

    async def replace_text(
        self,
        place: Place,
        message_id: int,
        text: str,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> int | None:
        """Change one of the bot's messages; its keyboard goes, or becomes this one. A message that
        reads so already counts as changed, one that is gone is sent anew. The id of the message
        that reads so now; None if it is not known to."""
        edited = await self._edited(place, message_id, Marked(text), keyboard)
        if edited is False:
            return await self.post(place, text, keyboard=keyboard)
        return message_id if edited else None

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
                pause = max(pause, seconds_of(limit))
            except (Forbidden, BadRequest, ChatMigrated):
                return
            except TelegramError as failure:
                _log.debug("typing_failed", chat=place.chat_id, error=type(failure).__name__)
            await self._clock.sleep(max(pause, self.holds.left(place.chat_id)))

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
            await self.holds.wait(place.chat_id)
            try:
                return await call(place)
            except RetryAfter as limit:
                self.holds.note(place.chat_id, seconds_of(limit))
            except ChatMigrated as moved:
                _log.info("chat_migrated", chat=place.chat_id, to=moved.new_chat_id)
                self.on_migrated(place.chat_id, moved.new_chat_id)
                place = replace(place, chat_id=moved.new_chat_id)
            except Forbidden as refusal:
                _log.info("unreachable", chat=place.chat_id, reason=refusal.message)
                return None
            except BadRequest as refusal:
                if is_out_of_reach(refusal):
                    _log.info("unreachable", chat=place.chat_id, reason=refusal.message)
                    return None
                place = _place_after(refusal, place)
            except NetworkError as failure:
                if not (repeatable or surely_not_sent(failure)):
                    _log.warning(
                        "delivery_unknown",
                        chat=place.chat_id,
                        error=type(failure.__cause__ or failure).__name__,
                    )
                    return None
                await self._clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)


async def _formatted_or_plain(
    content: Marked, call: Callable[[list[MessageEntity]], Awaitable[T]]
) -> T:
    """The result of a call with the content's entities; without them, should Telegram refuse them:
    formatting is never worth an answer."""
    entities = [MessageEntity(**entity) for entity in content.entities]
    try:
        return await call(entities)
    except BadRequest as refusal:
        if not entities or not is_about_entities(refusal):
            raise
        _log.warning("formatting_refused", reason=refusal.message)
        return await call([])


def _place_after(refusal: BadRequest, place: Place) -> Place:
    """Where to send what was refused for its place; raises the refusal if that was not it."""
    if place.topic_id is not None and "thread not found" in refusal.message.lower():
        return replace(place, topic_id=None)
    raise refusal


def _answer_to(message_id: int | None) -> ReplyParameters | None:
    if message_id is None:
        return None
    return ReplyParameters(message_id, allow_sending_without_reply=True)


def _moved(place: Place, sent: Message) -> Place:
    """Where the rest goes: where the first part went."""
    topic = place.topic_id if sent.message_thread_id or place.topic_id == GENERAL_TOPIC else None
    return replace(place, chat_id=sent.chat.id, topic_id=topic)
