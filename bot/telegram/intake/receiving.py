"""How updates reach the bot: what polling and the webhook have in common."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import structlog
from telegram import Update
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.delivery.sender import seconds_of
from memory.background.pacing import Backoff, RateLimitedLog

_log = structlog.get_logger(__name__)

#: The kinds of updates that the bot does something with.
UPDATES = (Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER)

#: A failure that lasts is logged once in so many seconds.
REPEAT_LOG_SECONDS = 600.0


class RejectedToken(Exception):
    """Telegram does not accept the bot token; the operator has to set another one."""

    def __init__(self) -> None:
        super().__init__(
            "TELEGRAM_BOT_TOKEN was rejected by Telegram: check it against what @BotFather shows, "
            "or have @BotFather make a new one"
        )


class Stalled(Exception):
    """Nothing comes in any more, and nothing that this process can do helps: it has to begin
    anew."""


class Intake(Protocol):
    """A way in. Every update is in the inbox before Telegram is told that it was received, and then
    in the application's queue."""

    async def start(self) -> None:
        """Tell Telegram which way updates are to come. An unreachable Telegram is waited for.
        Raises RejectedToken, and OperatorError for what Telegram does not agree to."""
        ...

    async def run(self) -> None:
        """Receive until cancelled. Raises RejectedToken, Stalled, OperatorError."""
        ...

    async def stop(self) -> None:
        """Receive nothing more."""
        ...

    @property
    def silent_seconds(self) -> float:
        """Seconds since the Bot API was last heard of."""
        ...


def patience() -> Backoff:
    """The pauses of somebody who waits for Telegram."""
    return Backoff(1.0, 30.0, factor=1.5)


def pause_after(failure: BaseException, backoff: Backoff) -> float:
    """How long to wait now, in seconds; what Telegram asks for counts, however long it is."""
    pause = backoff.fail()
    return seconds_of(failure) if isinstance(failure, RetryAfter) else pause


def readable(update: dict[str, Any]) -> dict[str, Any]:
    """The update, or its bare number if the library can't read it: one such update must not keep
    all later ones from being received."""
    try:
        Update.de_json(update, None)
    except (KeyError, TypeError, ValueError, AttributeError):
        _log.exception("unreadable_update", update_id=update["update_id"])
        return {"update_id": update["update_id"]}
    return update


async def persistently(work: Callable[[], Awaitable[object]], complaints: RateLimitedLog) -> None:
    """Do something at Telegram, however long it can't be reached. Raises RejectedToken, and
    whatever else the work raises that no patience mends."""
    backoff = patience()
    while True:
        try:
            await work()
        except InvalidToken:
            # The library's message has the token in it: neither it nor its traceback may show.
            raise RejectedToken from None
        except (NetworkError, RetryAfter) as failure:
            complaints.warning("telegram_unreachable", error=name_of(failure))
            await asyncio.sleep(pause_after(failure, backoff))
        else:
            return


def name_of(failure: TelegramError) -> str:
    """What kind of failure it is at bottom, for the log; never its text, which may hold a token."""
    return type(failure.__cause__ or failure).__name__
