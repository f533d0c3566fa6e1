"""How updates reach the bot: what polling and the webhook have in common."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog
from telegram import Update
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.delivery.failures import seconds_of

_log = structlog.get_logger(__name__)

#: The kinds of updates that the bot does something with.
UPDATES = (Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER)

#: A failure that lasts is logged once in so many seconds.
_REPEAT_LOG_SECONDS = 600.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0


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


class Complaints:
    """Logs what keeps failing, once in a while: an outage is one fact, not thousands."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last: dict[str, float] = {}

    def log(self, event: str, **details: str) -> None:
        """A warning, unless there was the same one a short while ago."""
        now = self._monotonic()
        last = self._last.get(event)
        if last is None or now - last >= _REPEAT_LOG_SECONDS:
            self._last[event] = now
            _log.warning(event, **details)

    def log_once(self, event: str, **details: str) -> None:
        """A warning, unless there was the same one and it has gone on since."""
        self.log(event, **details)
        self._last[event] = self._monotonic()


class Backoff:
    """Longer and longer pauses, up to half a minute, in seconds."""

    def __init__(self) -> None:
        self._next = _FIRST_PAUSE

    def reset(self) -> None:
        """It went well: begin with the shortest again."""
        self._next = _FIRST_PAUSE

    def after(self, failure: Exception, at_least: float = 0.0) -> float:
        """How long to wait now; what Telegram asks for counts, however long it is."""
        pause = max(self._next, at_least)
        self._next = min(pause * 1.5, _LONGEST_PAUSE)
        return seconds_of(failure) if isinstance(failure, RetryAfter) else pause


async def persistently(work: Callable[[], Awaitable[object]], complaints: Complaints) -> None:
    """Do something at Telegram, however long it can't be reached. Raises RejectedToken, and
    whatever else the work raises that no patience mends."""
    backoff = Backoff()
    while True:
        try:
            await work()
        except InvalidToken:
            # The library's message has the token in it: neither it nor its traceback may show.
            raise RejectedToken from None
        except (NetworkError, RetryAfter) as failure:
            complaints.log("telegram_unreachable", error=name_of(failure))
            await asyncio.sleep(backoff.after(failure))
        else:
            return


def name_of(failure: TelegramError) -> str:
    """What kind of failure it is at bottom, for the log; never its text, which may hold a token."""
    return type(failure.__cause__ or failure).__name__
