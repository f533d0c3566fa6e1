"""Daily maintenance deletes what is too old, was replaced long ago, or exceeds the limits.

It works on one person after another and rests after each for as long as it took: messages and
questions go first. It logs what it removed as numbers, never as words."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import structlog

from memory.background.locks import Locks
from memory.background.pacing import RateLimitedLog
from memory.background.threads import compute
from memory.background.waiting import Waiter, waited_for_by
from memory.background.wall import WallClock
from memory.errors import MemoryFailure
from memory.journal import MaintenanceLog
from memory.ports import Store
from memory.records import Actor, Kind, Record

_log = structlog.get_logger(__name__)

#: How often everybody's memory is looked through, and when again if the store did not even say
#: whose it holds.
_EVERY = timedelta(days=1)
_AFTER_FAILURE = timedelta(hours=1)
#: How often to note that the clock is right.
_NOTE_EVERY = timedelta(minutes=10)

#: From this importance on, what was replaced is kept for twice as long: it may be asked about
#: ("where did I work before?").
_WEIGHTY = 8

_REPEAT_LOG_SECONDS = 86_400.0

_NEVER = datetime.min.replace(tzinfo=UTC)


#: So many records are removed at once: a person who says something meanwhile waits for this long,
#: some 300 ms in the embedded store.
_AT_ONCE = 1_000
#: After so many parts that could not be deleted, the others are left for another day.
_MOST_FAILURES = 2


class Why(StrEnum):
    OLD = "old"
    REPLACED = "replaced"
    TOO_MANY = "too many"


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept of a person, and for how long. Days count from when a record was written; None
    means forever. `superseded_days` count from when it was replaced, and double for important
    records. `max_records` limits facts, preferences and summaries together, `max_archived_turns`
    the archived turns, whose messages go together. `copies` is how many copies of each file are
    kept."""

    fact_days: int | None = None
    preference_days: int | None = None
    summary_days: int | None = 730
    message_days: int | None = 730
    superseded_days: int | None = 365
    max_records: int | None = 5_000
    max_archived_turns: int | None = 10_000
    copies: int = 3

    def days(self, kind: Kind) -> int | None:
        """How long records of this kind are kept."""
        return {
            Kind.FACT: self.fact_days,
            Kind.PREFERENCE: self.preference_days,
            Kind.SUMMARY: self.summary_days,
            Kind.MESSAGE: self.message_days,
        }[kind]


@dataclass(slots=True)
class Removed:
    """What a run has removed: records by kind and reason. `failed` counts people whose memory could
    not be processed, `busy` those whom other workers were busy with until the end."""

    counts: Counter[tuple[Kind, Why]] = field(default_factory=Counter)
    people: int = 0
    failed: int = 0
    busy: int = 0

    def counts_by_name(self) -> dict[str, int]:
        """Counts for the log, such as "fact_replaced": 3. Leaves out zeros."""
        return {
            f"{kind.value}_{why.replace(' ', '_')}": count
            for (kind, why), count in sorted(self.counts.items())
        }


def expired_records(
    records: Sequence[Record], retention: Retention, now: datetime
) -> dict[str, Why]:
    """The ids of a person's records that are to be deleted, and why."""
    going = {r.id: Why.OLD for r in records if _is_old(r, retention, now)}
    going |= {r.id: Why.REPLACED for r in records if _is_stale(r, retention, now)}
    left = [r for r in records if r.id not in going]
    over = [
        *_least([r for r in left if r.kind is not Kind.MESSAGE], retention.max_records),
        *_first_turns([r for r in left if r.kind is Kind.MESSAGE], retention.max_archived_turns),
    ]
    return going | {r.id: Why.TOO_MANY for r in over}


def _take_expired(
    records: list[Record], retention: Retention, now: datetime
) -> dict[str, tuple[Kind, Why]]:
    """The kinds of the expired records, and why they are to go, by their ids. Empties the list:
    where 100,000 records are let go of, they keep others waiting as well."""
    going = expired_records(records, retention, now)
    found = {record.id: (record.kind, going[record.id]) for record in records if record.id in going}
    records.clear()
    return found


def _is_old(record: Record, retention: Retention, now: datetime) -> bool:
    days = retention.days(record.kind)
    return days is not None and now - record.created_at > timedelta(days=days)


def _is_stale(record: Record, retention: Retention, now: datetime) -> bool:
    """True if it was replaced long ago."""
    days = retention.superseded_days
    if days is None or record.superseded_at is None:
        return False
    patience = timedelta(days=2 * days if record.importance >= _WEIGHTY else days)
    return now - record.superseded_at > patience


def _least(records: Sequence[Record], limit: int | None) -> list[Record]:
    """The records beyond the limit: first those replaced, then the least important, then the
    oldest."""
    if limit is None or len(records) <= limit:
        return []
    ranked = sorted(records, key=lambda r: (r.current, r.importance, r.created_at))
    return ranked[: len(records) - limit]


def _first_turns(messages: Sequence[Record], limit: int | None) -> list[Record]:
    """The messages of the oldest turns beyond the limit."""
    if limit is None:
        return []
    last: dict[tuple[str, ...], datetime] = {}
    for message in messages:
        last[message.turn_ids] = max(message.created_at, last.get(message.turn_ids, _NEVER))
    surplus = sorted(last, key=lambda turn: last[turn])[: max(0, len(last) - limit)]
    gone = set(surplus)
    return [message for message in messages if message.turn_ids in gone]


class Maintenance:
    """Deletes expired records of everybody, one lock at a time."""

    #: The pauses, in seconds, before it comes back to people whom other workers were busy with.
    returns: Sequence[float] = (60.0, 600.0, 3600.0)

    def __init__(
        self,
        store: Store,
        runs: MaintenanceLog,
        retention: Retention,
        clock: Callable[[], datetime],
        locks: Locks | None = None,
    ) -> None:
        """Of a WallClock it asks whether it is right before it deletes anything."""
        self._store, self._runs, self._retention = store, runs, retention
        self._clock, self._locks = clock, locks or Locks()
        self._not_before: datetime | None = None
        self._complaints = RateLimitedLog(_log, _REPEAT_LOG_SECONDS)

    async def run_if_due(self) -> None:
        """Run if the last run, also that of another process, is a day ago, and the clock is right.
        Of several workers one runs it. Raises StoreUnavailable."""
        if not (await self.clock_is_right() and await self._is_due()):
            return
        async with self._locks.leases.work_alone("maintenance") as ours:
            # Another worker may have run it meanwhile.
            if ours and await self._is_due():
                self._not_before = self._clock() + _AFTER_FAILURE
                await self.run()

    async def _is_due(self) -> bool:
        now, last = self._clock(), await self._runs.last_maintenance()
        # A clock that was wrong may have noted a day to come.
        due = last is None or not timedelta() <= now - last < _EVERY
        return due and (self._not_before is None or now >= self._not_before)

    async def clock_is_right(self) -> bool:
        """False if the clock may have leapt: then whatever is due by date stays, which is logged.
        Raises StoreUnavailable."""
        if not isinstance(self._clock, WallClock):
            return True
        now, last = self._clock(), await self._runs.last_right_time()
        if not self._clock.is_right(last):
            self._complaints.warn_once(
                "clock_unconfirmed",
                days_ahead=(now - last).days if last else None,
                hint="the clock may have leapt since the bot last ran, so nothing expires until "
                "Telegram's time confirms it, or `mordecai maintain --clock-is-right`",
            )
            return False
        if last is None or abs(now - last) >= _NOTE_EVERY:
            await self._runs.note_right_time(now)
        return True

    async def run(self) -> Removed:
        """Process everybody's memory now, last that of people whom other workers are busy with.
        Logs and counts memories that can't be read or written, and continues. Raises
        StoreUnavailable if the actors can't be listed."""
        removed, started_at = Removed(), self._clock()
        left = await self._store.actors()
        removed.people = len(left)
        for pause in (0.0, *self.returns):
            if left:
                await asyncio.sleep(pause)
                left = [actor for actor in left if not await self._process(actor, removed)]
        removed.busy = len(left)
        await self._runs.note_maintenance(started_at)
        await self._runs.keep_copy(self._retention.copies)
        _log.info(
            "maintenance_done",
            people=removed.people,
            failed=removed.failed,
            busy=removed.busy,
            **removed.counts_by_name(),
        )
        return removed

    async def _process(self, actor: Actor, removed: Removed) -> bool:
        """False if another worker is busy with this actor."""
        begun = asyncio.get_running_loop().time()
        ours = True
        try:
            async with self._locks.leases.work_on(actor) as ours:
                if ours:
                    with waited_for_by(Waiter.NOBODY):
                        await self._tidy(actor, removed.counts)
                    await self._store.keep_copy(actor, self._retention.copies)
        except MemoryFailure as failure:
            removed.failed += 1
            _log.warning("maintenance_failed", actor=actor.id, error=str(failure))
        await asyncio.sleep(asyncio.get_running_loop().time() - begun)
        return ours

    async def _tidy(self, actor: Actor, removed: Counter[tuple[Kind, Why]]) -> None:
        """Delete what has expired, and count it as `removed`. If the store can't delete a part, the
        others are still deleted. Raises MemoryFailure."""
        failures: list[MemoryFailure] = []
        lock, changes = self._locks[actor], -1
        while lock.changes != changes and not failures:
            async with lock:
                changes = lock.changes
                records = await self._store.records(
                    actor, kinds=tuple(Kind), include_superseded=True
                )
            # Of 20,000 messages this takes long enough to be felt by everybody else.
            going = await compute(_take_expired, records, self._retention, self._clock())
            ids = list(going)
            for start in range(0, len(ids), _AT_ONCE):
                async with lock:
                    # What was found may not hold any more: if everything was forgotten meanwhile,
                    # what has been said since has the same ids.
                    if lock.changes != changes or len(failures) == _MOST_FAILURES:
                        break
                    # Also when this is broken off half way.
                    try:
                        gone = await self._store.delete(actor, ids[start : start + _AT_ONCE])
                        removed.update(going[id_] for id_ in gone)
                    except MemoryFailure as failure:
                        failures.append(failure)
                    finally:
                        self._locks.changed(actor)
        if failures:
            raise failures[0]
