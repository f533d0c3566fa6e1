"""What polling and the webhook have in common."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog
from telegram import Update
from telegram.error import InvalidToken, NetworkError, RetryAfter

from bot.telegram.delivery.outcomes import name_of, seconds_of
from memory.background.pacing import Backoff, RateLimitedLog

_log = structlog.get_logger(__name__)

#: The kinds of updates that the bot handles.
UPDATES = (Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER)

#: How often a lasting failure is logged, in seconds.
REPEAT_LOG_SECONDS = 600.0


class RejectedToken(Exception):
    """Telegram rejects the bot token; the operator has to set another one."""

    def __init__(self) -> None:
        super().__init__(
            "TELEGRAM_BOT_TOKEN was rejected by Telegram: check it against what @BotFather shows, "
            "or have @BotFather make a new one"
        )


class Stalled(Exception):
    """No updates arrive any more, and only a restart of the process can help."""


class Sink(Protocol):
    """Gets the updates that an intake has stored: a queue, or the feed of several workers."""

    async def put(self, update: Update) -> None: ...


class Intake(Protocol):
    """A source of updates. It stores every update in the inbox before acknowledging it, then puts
    it into the channel's sink."""

    async def start(self) -> None:
        """Tell Telegram how to deliver updates; waits while Telegram is unreachable. Raises
        RejectedToken, and OperatorError if Telegram rejects the settings."""
        ...

    async def run(self) -> None:
        """Receive until cancelled. Raises RejectedToken, Stalled, OperatorError."""
        ...

    async def stop(self) -> None:
        """Stop receiving."""
        ...

    @property
    def silent_seconds(self) -> float:
        """Seconds since the Bot API last answered."""
        ...


def patience() -> Backoff:
    """The pauses while waiting for Telegram."""
    return Backoff(1.0, 30.0, factor=1.5)


def pause_after(failure: BaseException, backoff: Backoff) -> float:
    """How long to wait now, in seconds; if Telegram names a time, that counts, however long."""
    pause = backoff.fail()
    return seconds_of(failure) if isinstance(failure, RetryAfter) else pause


async def persistently(work: Callable[[], Awaitable[object]], complaints: RateLimitedLog) -> None:
    """Call Telegram, retrying while it is unreachable. Raises RejectedToken and any other error of
    the call."""
    backoff = patience()
    while True:
        try:
            await work()
        except InvalidToken:
            # The library's message contains the token, so neither it nor its traceback may show.
            raise RejectedToken from None
        except (NetworkError, RetryAfter) as failure:
            complaints.warning("telegram_unreachable", error=name_of(failure))
            await asyncio.sleep(pause_after(failure, backoff))
        else:
            return
