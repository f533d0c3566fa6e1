"""What became of a request to Telegram, by its error."""

import httpx
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from bot.telegram.connection import UnreadableAnswer

#: Failures before the request went out.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
#: Telegram's reasons if the bot can't write in a chat or topic.
_OUT_OF_REACH = (
    "chat not found",
    "not enough rights to send",
    "have no rights to send",
    "topic_closed",
    "chat_write_forbidden",
)


def seconds_of(limit: RetryAfter) -> float:
    """How long a flood limit lasts."""
    wait = limit.retry_after
    # A timedelta, as this package has asked for; a number if the operator's environment says so.
    return wait if isinstance(wait, int | float) else wait.total_seconds()


def surely_not_sent(failure: TelegramError) -> bool:
    """True if the request never went out, or if the server answered that it failed: with a status
    such as 502, whatever its body. False after a cut connection or a timeout: nobody knows."""
    cause = failure.__cause__
    if not isinstance(failure, NetworkError):
        return True
    if isinstance(failure, UnreadableAnswer):
        return False
    # The library turns a bad status into an error without a cause, or caused by an unreadable body.
    return cause is None or isinstance(cause, (TelegramError, *_NOT_SENT))


def is_out_of_reach(refusal: TelegramError) -> bool:
    """True if nothing can be sent there: the bot is blocked or muted, or the chat does not exist,
    or the topic is closed."""
    reason = refusal.message.lower()
    refused = isinstance(refusal, BadRequest) and any(sign in reason for sign in _OUT_OF_REACH)
    return refused or isinstance(refusal, Forbidden)


def is_not_modified(failure: TelegramError) -> bool:
    """True if an edit was rejected because it changes nothing."""
    return isinstance(failure, BadRequest) and "not modified" in failure.message.lower()


def name_of(failure: Exception) -> str:
    """The type of the root failure, for the log; never its text, which may contain the token."""
    return type(failure.__cause__ or failure).__name__


def is_about_entities(refusal: TelegramError) -> bool:
    """True if a message was rejected for its formatting."""
    reason = refusal.message.lower()
    return "entit" in reason or "url" in reason
