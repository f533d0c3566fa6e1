"""Long polling: calls getUpdates again and again, and stores each answer in the inbox first.

The library's own loop can't be stopped during a flood wait or a pause, and it hides timeouts, so a
poller without answers looks healthy. This one can be stopped at any moment, and knows when it has
stalled."""

import asyncio
import json
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import structlog
from telegram import Bot
from telegram.error import Conflict, InvalidToken, NetworkError, TelegramError
from telegram.request import BaseRequest

from bot.clock import Clock
from bot.telegram.connection import parse_answer
from bot.telegram.delivery.outcomes import name_of
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.raw import MalformedUpdate, updates_in
from bot.telegram.intake.receiving import (
    REPEAT_LOG_SECONDS,
    UPDATES,
    RejectedToken,
    Sink,
    Stalled,
    patience,
    pause_after,
    persistently,
)
from bot.telegram.options import ChannelOptions
from memory.background.pacing import Backoff, RateLimitedLog
from memory.background.work import log_outage
from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import Leases, check_lease

_log = structlog.get_logger(__name__)

#: Bot API, getUpdates: so many updates at once by default.
_BATCH = 100
#: Minimum pause after Telegram reports another poller, in seconds. Each poll aborts the other's, so
#: fast retries would keep both from receiving anything.
_CONFLICT_SECONDS = 5.0
#: After this many rebuilds without an answer, the process has to be restarted.
_MOST_REBUILDS = 3
#: How long to wait for hanging connections to close, in seconds.
_CLOSE_SECONDS = 5.0
#: Bot API: integers fit into 32 bits, if nothing else is said. Numbers of updates may start anew
#: after a week, but don't jump further than that.
_MOST_AHEAD = 2**31
#: A poll that brings nothing new in less than this time is followed by a pause as long, in seconds.
_HASTE = 1.0
#: The network is down, so rebuilding the poller would not help.
_UNREACHABLE = (httpx.ConnectError, httpx.ConnectTimeout)
#: What one worker does for all, and how often the others ask whether they can, in seconds.
_ROLE, _STAND_BY_SECONDS = "poller", 1.0


class JournalingRequest(BaseRequest):
    """Wraps another request, and stores every update it returns in the inbox.

    Telegram drops updates when the next getUpdates names a later offset. That offset is sent only
    after this request has returned, so by then the updates are in the file."""

    parse_json_payload = staticmethod(parse_answer)

    def __init__(self, inner: BaseRequest, inbox: Inbox) -> None:
        self._inner, self._inbox = inner, inbox
        self._complaints = RateLimitedLog(_log, REPEAT_LOG_SECONDS)
        #: Monotonic times, in seconds, of the last answer of any kind, and of the last successful
        #: getUpdates.
        self.last_round_trip = self.last_fetched = time.monotonic()

    @property
    def read_timeout(self) -> float | None:
        return self._inner.read_timeout

    async def initialize(self) -> None:
        await self._inner.initialize()

    async def shutdown(self) -> None:
        await self._inner.shutdown()

    async def do_request(self, url: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Send the request. Raises NetworkError if the updates can't be fetched or stored, so that
        they are fetched again."""
        status, payload = await self._inner.do_request(url, method, *args, **kwargs)
        self.last_round_trip = time.monotonic()
        if not (url.endswith("/getUpdates") and status == 200):
            return status, payload
        try:
            updates = updates_in(payload, self._complaints)
            if updates:
                await self._inbox.store(updates)
        except MalformedUpdate as failure:
            raise NetworkError(f"a response to getUpdates with {failure}") from failure
        except LeaseLost as failure:
            raise NetworkError("another worker polls now") from failure
        except StoreUnavailable as failure:
            self._complaints.warn_once("inbox_unavailable", error=str(failure))
            raise NetworkError("updates can't be stored") from failure
        payload = json.dumps({"ok": True, "result": updates}).encode()
        self.last_fetched = time.monotonic()
        return status, payload


class Polling:
    """Receives updates by polling. A poll without an answer times out; after `stalled_seconds`
    without any answer the connections are rebuilt, and if that does not help, it gives up."""

    def __init__(
        self,
        bot: Bot,
        sink: Sink,
        request: JournalingRequest,
        complaints: RateLimitedLog,
        options: ChannelOptions,
    ) -> None:
        """`request` is the one that the bot uses for getUpdates."""
        self._bot, self._sink, self._request = bot, sink, request
        self._complaints, self._clock = complaints, options.clock
        self._poll_seconds, self._stalled_seconds = options.poll_seconds, options.stalled_seconds
        self._offset, self._pause, self._more = 0, 0.0, False
        self._backoff, self._conflicts = patience(), Backoff(_CONFLICT_SECONDS, 30.0, factor=1.5)
        self._rebuilds, self._rebuilt_at = 0, 0.0

    @property
    def silent_seconds(self) -> float:
        """See Intake. A report of another poller is no answer."""
        return time.monotonic() - self._request.last_fetched

    async def start(self) -> None:
        """Delete the webhook, if any, because Telegram does not allow both. Then fetch the backlog,
        so that it can be answered together."""
        delete = partial(self._bot.delete_webhook, drop_pending_updates=False)
        await persistently(delete, self._complaints)
        self._pause, self._more = 0.0, True
        while self._more:
            self._pause = await self._fetch(0)

    async def run(self) -> None:
        """See Intake."""
        while True:
            if self._pause:
                await self._clock.sleep(self._pause)
            self._pause = await self._fetch(self._poll_seconds)

    async def stop(self) -> None:
        """Do nothing: the caller has cancelled `run`. Fetched updates need no acknowledgement; if
        they come again, they are recognized."""

    async def _fetch(self, seconds: float) -> float:
        """Poll once, for so long; returns the pause before the next poll, in seconds. Raises
        RejectedToken, Stalled."""
        # Longer than Telegram may hold the answer.
        longest = max(self._stalled_seconds - self._quiet_seconds, self._poll_seconds + 1)
        began, offset, self._more = time.monotonic(), self._offset, False
        try:
            # HTTP timeouts restart with every byte; this one does not.
            async with asyncio.timeout(longest):
                updates = await self._bot.get_updates(
                    offset=self._offset,
                    timeout=timedelta(seconds=seconds),
                    allowed_updates=UPDATES,
                )
        except InvalidToken:
            raise RejectedToken from None
        except (TelegramError, TimeoutError) as failure:
            # Another worker polls now, which is no conflict.
            check_lease()
            pause = self._pause_after(failure)
            if self._quiet_seconds < self._stalled_seconds:
                return pause
            await self._rebuild(unreachable=isinstance(failure.__cause__, _UNREACHABLE))
            return 0.0
        for update in updates:
            await self._sink.put(update)
        self._acknowledge([update.update_id for update in updates])
        self._backoff.reset()
        self._conflicts.reset()
        self._more = len(updates) >= _BATCH and self._offset > offset
        # What can't be acknowledged comes again at once.
        hasty = self._offset == offset and time.monotonic() - began < min(seconds, _HASTE)
        return _HASTE if hasty else 0.0

    def _acknowledge(self, numbers: list[int]) -> None:
        """Move the offset behind these updates. Telegram would drop everything below an offset that
        a false number has made too high."""
        first = self._offset or min(numbers, default=0)
        genuine = [number for number in numbers if number - first < _MOST_AHEAD]
        self._offset = max([self._offset, *(number + 1 for number in genuine)])

    # -- what goes wrong --------------------------------------------------------------------------

    @property
    def _quiet_seconds(self) -> float:
        """Seconds without an answer since the last rebuild."""
        return time.monotonic() - max(self._request.last_round_trip, self._rebuilt_at)

    def _pause_after(self, failure: TelegramError | TimeoutError) -> float:
        if isinstance(failure, Conflict):
            self._complaints.warn_once(
                "another_copy_is_running",
                hint="another copy is running with this token: stop one of them; trying on slowly",
            )
            return self._conflicts.fail()
        error = name_of(failure) if isinstance(failure, TelegramError) else "no answer"
        self._complaints.warning("polling_failed", error=error)
        return pause_after(failure, self._backoff)

    async def _rebuild(self, *, unreachable: bool) -> None:
        """Rebuild the connections. Raises Stalled if that failed several times, unless the network
        is down, which is waited for."""
        if self._request.last_round_trip > self._rebuilt_at:
            self._rebuilds = 0
        silent = round(time.monotonic() - self._request.last_round_trip)
        if self._rebuilds >= _MOST_REBUILDS and not unreachable:
            _log.critical("polling_abandoned", silent_seconds=silent, rebuilds=self._rebuilds)
            raise Stalled
        self._rebuilds += 1
        _log.warning("polling_stalled", silent_seconds=silent, rebuilds=self._rebuilds)
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._request.shutdown()
        await self._request.initialize()
        self._rebuilt_at = time.monotonic()


class PollingByTurns:
    """Polling by one of several workers at a time: Telegram refuses a second poller. If the worker
    stops, another takes over at once; if it is killed, as soon as its lease has run out."""

    def __init__(self, polling: Polling, leases: Leases, clock: Clock) -> None:
        self._polling, self._leases, self._clock = polling, leases, clock
        self._stood_by_at = time.monotonic()
        self._complaints = RateLimitedLog(_log, REPEAT_LOG_SECONDS)

    @property
    def silent_seconds(self) -> float:
        """See Intake. Who stands by hears of the database instead."""
        return min(self._polling.silent_seconds, time.monotonic() - self._stood_by_at)

    async def start(self) -> None:
        """See Intake. Who is not alone has no backlog to fetch."""
        async with self._leases.work_alone(_ROLE) as alone:
            if alone:
                await self._polling.start()

    async def run(self) -> None:
        """See Intake."""
        while True:
            with log_outage(self._complaints, "lease_unavailable"):
                async with self._leases.work_alone(_ROLE) as alone:
                    if alone:
                        await self._polling.run()
                self._stood_by_at = time.monotonic()
            await self._clock.sleep(_STAND_BY_SECONDS)

    async def stop(self) -> None:
        await self._polling.stop()
