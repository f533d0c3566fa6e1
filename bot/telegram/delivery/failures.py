"""What Telegram's errors mean for somebody who sends."""

import httpx
from telegram.error import BadRequest, Forbidden, RetryAfter, TelegramError

from memory.records import Place

#: A failure before the request went out: nothing can have been sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
#: What Telegram says of chats and topics where the bot can't write.
_OUT_OF_REACH = (
    "chat not found",
    "not enough rights to send",
    "have no rights to send",
    "topic_closed",
    "chat_write_forbidden",
)
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


def is_out_of_reach(refusal: Forbidden | BadRequest) -> bool:
    """True if nothing can be sent there: the bot is blocked, there is no such chat, or none that
    the bot may write in (it was muted, or the topic is closed)."""
    reason = refusal.message.lower()
    return isinstance(refusal, Forbidden) or any(sign in reason for sign in _OUT_OF_REACH)


def is_not_modified(failure: TelegramError) -> bool:
    """True if an edit was refused because the message reads so already."""
    return isinstance(failure, BadRequest) and "not modified" in failure.message.lower()


def is_about_entities(refusal: TelegramError) -> bool:
    """True if a message was refused for its formatting."""
    reason = refusal.message.lower()
    return "entit" in reason or "url" in reason
