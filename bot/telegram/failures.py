"""What Telegram's errors mean for somebody who sends."""

import httpx
from telegram.error import BadRequest, RetryAfter, TelegramError

from memory.records import Place

#: A failure before the request went out: nothing can have been sent.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
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
    """Whether the request never went out."""
    return isinstance(failure.__cause__, _NOT_SENT)


def is_not_modified(failure: TelegramError) -> bool:
    """Whether an edit was refused because the message reads so already."""
    return isinstance(failure, BadRequest) and "not modified" in failure.message.lower()


def is_about_entities(refusal: BadRequest) -> bool:
    """Whether a message was refused for its formatting."""
    reason = refusal.message.lower()
    return "entit" in reason or "url" in reason
