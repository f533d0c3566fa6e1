"""The time, on a machine whose clock may be wrong."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog

from memory.background.pacing import RateLimitedLog

_log = structlog.get_logger(__name__)

#: Clocks that differ by less agree.
_AGREEMENT = timedelta(hours=1)
#: A bot may have been off for so long without anybody asking whether its clock has leapt.
_OFF = timedelta(days=2)
_REPEAT_LOG_SECONDS = 3600.0


class WallClock:
    """This machine's clock, or the one that several workers share; once a server's date shows that
    it is wrong, the server's time."""

    def __init__(
        self,
        own: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
        off: timedelta = _OFF,
    ) -> None:
        """`own` is this machine's clock. `monotonic`, in seconds, does not leap. The program may
        have been `off` for so long before a later date needs to be confirmed."""
        self._own, self._monotonic, self._off = own, monotonic, off
        #: What a server told, what the shared clock showed, and the last time that was right, each
        #: with the monotonic time.
        self._heard: tuple[datetime, float] | None = None
        self._shared: tuple[datetime, float] | None = None
        self._right: tuple[datetime, float] | None = None
        self._complaints = RateLimitedLog(_log, _REPEAT_LOG_SECONDS)

    def __call__(self) -> datetime:
        """Now."""
        own, told = self._base, self._since(self._heard)
        return own if told is None or abs(own - told) <= _AGREEMENT else told

    def follow(self, now: datetime) -> None:
        """Go by a clock that all workers share, which shows this now, instead of this machine's:
        what one of them dates, another one compares."""
        self._shared = now, self._monotonic()

    def hear(self, date: datetime) -> None:
        """Note the time that a server tells."""
        self._heard = date, self._monotonic()
        ahead = self._base - date
        if abs(ahead) > _AGREEMENT:
            self._complaints.warn_once(
                "clock_wrong",
                hours_ahead=round(ahead / timedelta(hours=1), 1),
                hint="this machine's clock and Telegram's differ: set it, best by NTP. Meanwhile "
                "Telegram's counts, and no memory expires",
            )

    def is_right(self, last: datetime | None) -> bool:
        """True if it is safe to end or delete something by date: a server agrees; or the clock has
        kept pace since it was right; or, after a start, it is not much later than `last`, when it
        was right in an earlier process."""
        own, now, told = self._base, self._monotonic(), self._since(self._heard)
        if told is not None:
            right = abs(own - told) <= _AGREEMENT
        elif self._right:
            then, at = self._right
            right = abs(own - then - timedelta(seconds=now - at)) <= _AGREEMENT
        else:
            right = last is None or -_AGREEMENT <= own - last <= self._off
        if right:
            self._right = own, now
        return right

    @property
    def _base(self) -> datetime:
        return self._since(self._shared) or self._own()

    def _since(self, heard: tuple[datetime, float] | None) -> datetime | None:
        """What a clock shows now that showed this then."""
        return heard and heard[0] + timedelta(seconds=self._monotonic() - heard[1])
