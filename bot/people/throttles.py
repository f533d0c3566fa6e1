"""How often something may happen, counted for all workers together."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from memory.background.caches import BoundedDict
from memory.background.pacing import Throttle
from memory.stores.database import Database

#: Subjects that a process remembers; a forgotten one counts from nothing again.
_MOST = 100_000
#: How often a worker deletes what no longer counts, in seconds.
_TIDY_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something may happen: so many `times` in so many `seconds`. Rates of one name
    count together."""

    name: str
    times: int
    seconds: float


class Throttles(Protocol):
    """Counts what happened lately, for each rate and subject by itself. Every method raises
    StoreUnavailable."""

    async def take(self, rate: Rate, subject: str = "") -> float:
        """Count one more, and return 0; beyond the rate count nothing, and return the seconds until
        it may happen again."""
        ...

    async def wait(self, rate: Rate, subject: str = "") -> float:
        """The seconds until it may happen again; 0 if it may now. Counts nothing."""
        ...

    async def forget(self, rate: Rate, subject: str | None = None) -> None:
        """Count from nothing again, for one subject or for all."""
        ...


class RamThrottles:
    """See Throttles. For one process; a restart forgets everything."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        #: When each time stops counting, in that order.
        self._ends = BoundedDict[tuple[str, str], deque[float]](_MOST)

    async def take(self, rate: Rate, subject: str = "") -> float:
        if left := await self.wait(rate, subject):
            return left
        ends = self._ends.setdefault((rate.name, subject), deque())
        ends.append(self._monotonic() + rate.seconds)
        return 0.0

    async def wait(self, rate: Rate, subject: str = "") -> float:
        ends, now = self._ends.get((rate.name, subject), deque()), self._monotonic()
        while ends and ends[0] <= now:
            ends.popleft()
        return ends[0] - now if len(ends) >= rate.times else 0.0

    async def forget(self, rate: Rate, subject: str | None = None) -> None:
        for known in [(rate.name, subject)] if subject is not None else list(self._ends):
            if known[0] == rate.name:
                self._ends.pop(known, None)


_NOW = "(SELECT extract(epoch FROM clock_timestamp())::float8 AS moment) AS present"
# A crash of the server may forget a count: it is not worth a wait for the disk with each message.
_NO_WAIT = "set_config('synchronous_commit', 'off', true) = 'off'"
_TAKE = f"""INSERT INTO throttle AS known (name, subject, ends, asked, counted)
    SELECT ?, ?, ARRAY[moment + ?::float8], moment, 1 FROM {_NOW} WHERE {_NO_WAIT}
    ON CONFLICT (name, subject) DO UPDATE SET (ends, asked, counted) = (
        SELECT CASE WHEN count(each) < ?4 THEN array_agg(each ORDER BY each) || excluded.ends
            ELSE array_agg(each ORDER BY each) END,
            excluded.asked, CASE WHEN count(each) < ?4 THEN 1 ELSE 0 END
        FROM unnest(known.ends) AS each WHERE each > excluded.asked
    ) RETURNING CASE counted WHEN 1 THEN 0 ELSE ends[1] - asked END"""
_WAIT = f"""SELECT CASE WHEN count(each) >= ? THEN min(each - moment) ELSE 0 END
    FROM throttle, unnest(ends) AS each, {_NOW}
    WHERE name = ? AND subject = ? AND each > moment"""
_TIDY = f"""DELETE FROM throttle USING {_NOW}
    WHERE NOT EXISTS (SELECT 1 FROM unnest(ends) AS each WHERE each > moment)"""


class DatabaseThrottles:
    """See Throttles. In PostgreSQL, by its clock."""

    def __init__(self, db: Database) -> None:
        self._db, self._tidied = db, Throttle(_TIDY_SECONDS)

    async def take(self, rate: Rate, subject: str = "") -> float:
        if self._tidied.allow():
            await self._db.write(_TIDY)
        values = rate.name, subject, rate.seconds, rate.times
        [row] = await self._db.change(lambda db: db.execute(_TAKE, values).fetchall())
        return float(row[0])

    async def wait(self, rate: Rate, subject: str = "") -> float:
        [row] = await self._db.rows(_WAIT, rate.times, rate.name, subject)
        return float(row[0])

    async def forget(self, rate: Rate, subject: str | None = None) -> None:
        if subject is None:
            await self._db.write("DELETE FROM throttle WHERE name = ?", rate.name)
        else:
            sql = "DELETE FROM throttle WHERE name = ? AND subject = ?"
            await self._db.write(sql, rate.name, subject)
