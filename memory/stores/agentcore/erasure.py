"""Deletes from AWS what people had erased: records, sessions' events, and what AWS makes of them
later.

AWS deletes slowly, and extraction may write minutes or days after the events are gone. So a request
stays in the outbox's file for as long as AWS keeps events: reads hide what it covers, and sweeps in
the background search AWS for it and delete it. Neither a kill nor an outage loses it."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog

from memory.background.waiting import Waiter, waited_for_by, who_waits
from memory.background.work import Boundary, log_outage
from memory.errors import ErasureUnfinished, LeaseLost, StoreUnavailable
from memory.leases import ALONE, Leases
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.erased import Erasure, Fingerprint, Trace
from memory.stores.agentcore.events.deleter import EventDeleter, SweepResult, collect, covers_event
from memory.stores.agentcore.events.outbox import Outbox
from memory.stores.agentcore.namespaces import home
from memory.stores.agentcore.rows.records import record_of_row
from memory.stores.agentcore.rows.writes import RecentWrites
from memory.traces import Remainder, Traces

_log = structlog.get_logger(__name__)

#: AWS keeps milliseconds.
_AFTER = timedelta(milliseconds=2)
#: After so many sweeps AWS may still have events: some arrive or are listed minutes later.
_SWEEPS_TOO_SOON = 2
#: The index of the longest pause after a sweep that failed.
_LAST_WHILE_FAILING = 2


@dataclass(frozen=True, slots=True)
class ErasingPace:
    """Times in seconds. The `pauses` come before each sweep, the last one again and again until
    nothing from before the request can come back: AWS keeps events for `event_life`."""

    pauses: tuple[float, ...] = (180.0, 600.0, 3600.0, 86400.0)
    event_life: float = 365 * 86400.0
    #: How often to look for sweeps that a worker which has ended did not get to.
    longest_rest: float = 30.0
    #: How long a person waits for the deletion of everything, and of one thing; the rest follows in
    #: the background.
    patience: float = 15.0
    patience_for_one: float = 4.0
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


class Eraser:
    """Remembers what was erased, hides it, and deletes it whenever AWS shows it again."""

    def __init__(
        self,
        calls: AwsCalls,
        outbox: Outbox,
        delete_rows: Callable[[Sequence[str]], Awaitable[int]],
        writes: RecentWrites,
        pace: ErasingPace,
        leases: Leases = ALONE,
    ) -> None:
        """`delete_rows` returns how many records AWS did not delete."""
        self._calls, self._outbox, self._delete_rows = calls, outbox, delete_rows
        self._writes, self._pace, self._leases = writes, pace, leases
        self._events = EventDeleter(calls, outbox)
        #: Of the actors known here.
        self._erasures: dict[Actor, list[Erasure]] = {}
        self._results: dict[Actor, SweepResult] = {}
        self._newest_times: dict[Actor, datetime] = {}
        self._restored = Counter[str]()
        self._reappeared: set[str] = set()
        #: Of these, what one read has come across.
        self._to_delete = defaultdict[Actor, list[str]](list)
        #: Erasures of everything that a person is waiting for. Nothing new is said meanwhile, so
        #: all that AWS shows is old, and no clock has to tell.
        self._ignoring_age: set[int] = set()
        self._sweeps: dict[Actor, tuple[asyncio.Task[SweepResult], Sequence[Erasure]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._changed = asyncio.Event()

    # -- what is erased ---------------------------------------------------------------------------

    async def know(self, actor: Actor) -> None:
        """Read what was erased of the actor, before anything else is. Raises StoreUnavailable."""
        if actor not in self._erasures:
            found, now = await self._outbox.erasures(actor), self._pace.clock()
            # A clock that was ahead must not hide what is said from now on.
            known = [replace(each, asked_at=min(each.asked_at, now)) for each in found]
            self._erasures.setdefault(actor, known)

    def drop(self, actor: Actor) -> None:
        """Drop what is in RAM of the actor."""
        for known in (self._erasures, self._results, self._newest_times):
            known.pop(actor, None)

    async def start(self) -> None:
        """Go on searching for what was erased."""
        self._spawn(self._keep_sweeping(), "erasures")

    async def aclose(self) -> None:
        """Stop. Unfinished erasures continue at the next start."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def hides(self, actor: Actor, row: dict[str, Any], record: Record) -> bool:
        """True if this was erased, although AWS shows it. Then it is deleted in the background."""
        if not any(erasure.covers(row, record) for erasure in self._of(actor)):
            return False
        if record.id not in self._reappeared:
            self._reappeared.add(record.id)
            if actor not in self._to_delete:
                self._spawn(self._delete_reappeared(actor), f"erase {actor.id}")
            self._to_delete[actor].append(record.id)
        return True

    def hides_event(self, actor: Actor, event: dict[str, Any]) -> bool:
        """True if this event was erased, although AWS shows it."""
        return any(covers_event(event, erasure) for erasure in self._of(actor))

    def set_times(self, actor: Actor, turn_id: str, events: Iterable[dict[str, Any]]) -> None:
        """Set the times of a new turn's events: never in the future, and later than everything that
        was erased. Channels give whole seconds by a clock of their own. A turn that was forgotten
        and restored is marked as another one, because AWS ignores an event that it had before."""
        for event in events:
            at = min(datetime.fromisoformat(event["at"]), self._pace.clock())
            told = max((erasure.asked_at + _AFTER for erasure in self._of(actor)), default=at)
            told = self._newest_times[actor] = max(at, told)
            event["at"] = told.isoformat()
            if again := self._restored[turn_id]:
                event["again"] = again

    def remainder(self, actor: Actor) -> Remainder:
        """What AWS has not deleted yet, as far as known."""
        erasures = self._of(actor)
        if not erasures:
            return Remainder()
        until = max(each.asked_at for each in erasures) + timedelta(seconds=self._pace.event_life)
        if result := self._results.get(actor):
            return Remainder(bool(result.records), bool(result.pending), until)
        return Remainder(messages=any(erasure.pending for erasure in erasures), until=until)

    async def pending(self) -> int:
        """See Erasing."""
        return await self._outbox.pending_erasures()

    def _of(self, actor: Actor) -> list[Erasure]:
        return self._erasures.get(actor, [])

    def _keep(self, erasure: Erasure) -> None:
        others = [each for each in self._of(erasure.actor) if each.row != erasure.row]
        self._erasures[erasure.actor] = [*others, erasure]

    # -- requests ---------------------------------------------------------------------------------

    async def hide_all(self, actor: Actor) -> Erasure:
        """Note the request to erase everything of the actor, which hides it from now on. Raises
        StoreUnavailable."""
        erasure = await self._outbox.add_erasure(self._request(actor))
        self._erasures[actor] = [erasure]
        self._results.pop(actor, None)
        self._changed.set()
        return erasure

    def _request(self, actor: Actor, trace: Trace | None = None) -> Erasure:
        now = self._pace.clock()
        due = now + timedelta(seconds=self._pace.pauses[0])
        return Erasure(actor, max(now, self._newest_times.get(actor, now)), due, trace)

    async def erase(self, erasure: Erasure) -> None:
        """Delete what AWS shows of this now. What takes too long goes on in the background, and
        what fails is tried again there. Raises ErasureUnfinished if anything is left."""
        trace = erasure.trace
        if trace is None:
            self._ignoring_age.add(erasure.row)
        sweep = await self._begin_sweep(erasure.actor, [erasure])
        try:
            pace = self._pace
            await asyncio.wait({sweep}, timeout=pace.patience_for_one if trace else pace.patience)
        finally:
            self._ignoring_age.discard(erasure.row)
        if not sweep.done() or sweep.cancelled():
            raise ErasureUnfinished("not everything is deleted yet: AWS is still deleting")
        result = sweep.result()
        if result.failures:
            raise ErasureUnfinished(
                f"not everything is deleted yet: {result.why}"
            ) from result.failures[0]
        if not result.done:
            raise ErasureUnfinished(
                f"AWS has not deleted {result.events} messages and {result.records} memories "
                "yet; this is tried again in the background"
            )

    @asynccontextmanager
    async def forgetting(
        self, actor: Actor, record_ids: Collection[str], traces: Traces
    ) -> AsyncIterator[None]:
        """See Erasing. The request is in the file before anything is deleted, so that after a kill
        in between nothing comes back."""
        await self.know(actor)
        turns = {turn.id for turn in traces.turns}
        trace = Trace(
            Fingerprint.of(traces.statements),
            frozenset(record_ids),
            frozenset(turns),
            frozenset(turn.session_id for turn in traces.turns),
            traces.moments,
            traces.whole,
        )
        erasure = await self._outbox.add_erasure(self._request(actor, trace))
        try:
            yield
        except BaseException:
            await self._outbox.drop_erasure(erasure)
            raise
        self._keep(erasure)
        self._results.pop(actor, None)
        await self._outbox.withdraw(actor, sorted(turns))
        with suppress(ErasureUnfinished):
            await self.erase(erasure)

    async def undo(self, actor: Actor, record_ids: Collection[str]) -> None:
        """See Erasing."""
        await self.know(actor)
        for erasure in self._of(actor):
            if erasure.trace and not erasure.trace.records.isdisjoint(record_ids):
                # What comes back has ids of its own; AWS goes on showing the old ones for a while.
                old_ids = replace(erasure, trace=Trace(Fingerprint.of(()), erasure.trace.records))
                await self._outbox.note_sweep(old_ids)
                self._keep(old_ids)
                await self._outbox.withdraw(actor, sorted(erasure.trace.turns), sent=True)
                self._restored.update(erasure.trace.turns)
                self._results.pop(actor, None)

    # -- sweeps ------------------------------------------------------------------------------------

    def _spawn(self, work: Any, name: str) -> "asyncio.Task[Any]":
        task: asyncio.Task[Any] = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)
        return task

    def _forget_task(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        self._changed.set()

    async def _keep_sweeping(self) -> None:
        while True:
            # Cleared first: what changes during the sweeps must be seen.
            self._changed.clear()
            pause = self._pace.longest_rest
            with Boundary(_log, "erasing_crashed"), log_outage(_log, "outbox_unavailable"):
                now = self._pace.clock()
                for actor in await self._outbox.due_sweeps(now):
                    with waited_for_by(Waiter.NOBODY):
                        await self._sweep_due(actor, now)
                if at := await self._outbox.next_sweep(now):
                    pause = min(pause, max(0.01, (at - self._pace.clock()).total_seconds()))
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._changed.wait()

    async def _sweep_due(self, actor: Actor, now: datetime) -> None:
        """Sweep unless another worker has the actor, or a sweep is under way."""
        if self._is_sweeping(actor):
            return
        async with self._leases.work_on(actor) as ours:
            if ours:
                await self.know(actor)
                if due := [each for each in self._of(actor) if each.next_sweep <= now]:
                    await asyncio.wait({await self._begin_sweep(actor, due)})

    async def _begin_sweep(
        self, actor: Actor, due: Sequence[Erasure]
    ) -> "asyncio.Task[SweepResult]":
        """Sweep in the background, in place of a sweep of the same actor that is under way: while
        one of two sweeps shortens a list, the pages of the other miss rows."""
        earlier, interrupted = self._sweeps.get(actor, (None, ()))
        if earlier and not earlier.done():
            earlier.cancel()
            await asyncio.wait({earlier})
            due = list({each.row: each for each in (*interrupted, *due)}.values())
        sweep = self._spawn(self._sweep(actor, due), f"erase {actor.id}")
        self._sweeps[actor] = sweep, due
        return sweep

    async def _sweep(self, actor: Actor, due: Sequence[Erasure]) -> SweepResult:
        """Search AWS for what these cover, and delete it: records first, because they are what is
        recalled, then events. If one part fails, the others still run. Whoever asked for it may
        give the actor back before it ends."""
        async with self._leases.work_on(actor) as ours:
            if not ours:
                return SweepResult(failures=[LeaseLost("another worker deletes it")])
            result = self._results[actor] = await self._delete_all(actor, due)
            if not result.done:
                _log.error(
                    "erasure_incomplete",
                    actor=actor.id,
                    messages=result.events,
                    memories=result.records,
                    error=result.why,
                    hint="nothing of it is shown to anybody, and it is tried again",
                )
            for erasure in due:
                await self._finish_sweep(erasure, result)
            return result

    def _is_sweeping(self, actor: Actor) -> bool:
        sweep = self._sweeps.get(actor)
        return sweep is not None and not sweep[0].done()

    async def _delete_all(self, actor: Actor, due: Sequence[Erasure]) -> SweepResult:
        result = SweepResult()
        with collect(result):
            await self._delete_records(actor, result)
        for erasure in due:
            if erasure.pending:
                result.pending.add(erasure.row)
                with collect(result):
                    ignore_age = partial(self._ignoring_age.__contains__, erasure.row)
                    if await self._events.delete(erasure, result, ignore_age) == 0:
                        result.pending.discard(erasure.row)
        return result

    async def _finish_sweep(self, erasure: Erasure, result: SweepResult) -> None:
        """Plan the next sweep, or drop an erasure of which nothing can come back."""
        if erasure not in self._of(erasure.actor):
            return  # undone, or everything was erased since
        now, pauses = self._pace.clock(), self._pace.pauses
        if (now - erasure.asked_at).total_seconds() > self._pace.event_life:
            self._erasures[erasure.actor].remove(erasure)
            await self._outbox.drop_erasure(erasure)
            return
        number = min(erasure.sweeps, len(pauses) - 1)
        if not result.done:
            number = min(number, _LAST_WHILE_FAILING)
        failed = result.has_failed(erasure.row)
        swept = replace(
            erasure,
            failing_since=(erasure.failing_since or now) if failed else None,
            why=result.why if failed else "",
            sweeps=erasure.sweeps + 1,
            next_sweep=now + timedelta(seconds=pauses[number]),
            pending=erasure.row in result.pending or erasure.sweeps < _SWEEPS_TOO_SOON,
            trace=erasure.trace and erasure.trace.add_sessions(result.sessions[erasure.row]),
        )
        self._keep(swept)
        await self._outbox.note_sweep(swept)

    # -- records ----------------------------------------------------------------------------------

    async def _delete_records(self, actor: Actor, result: SweepResult) -> None:
        """Delete the records that any of the actor's erasures covers."""
        # AWS may not list yet what was written lately.
        unseen = self._writes.unseen(actor, LEARNED_KINDS, ())
        found = dict.fromkeys(row["memoryRecordId"] for row in unseen if self._covers(actor, row))
        for kind in LEARNED_KINDS:
            with collect(result):
                found |= {id_: None async for id_ in self._covered(actor, kind)}
        if found:
            result.records += len(found)
            result.records -= len(found) - await self._delete_rows(list(found))

    async def _covered(self, actor: Actor, kind: Kind) -> AsyncIterator[str]:
        where, calm = home(kind, actor), who_waits() is Waiter.NOBODY
        async for row in self._calls.rows(
            "list_memory_records", "memoryRecordSummaries", calm=calm, **where
        ):
            if self._covers(actor, row):
                yield row["memoryRecordId"]

    def _covers(self, actor: Actor, row: dict[str, Any]) -> bool:
        """True if this is a record of the actor's that was erased."""
        record = record_of_row(row, actor)
        return record is not None and any(
            erasure.row in self._ignoring_age or erasure.covers(row, record)
            for erasure in self._of(actor)
        )

    async def _delete_reappeared(self, actor: Actor) -> None:
        """Delete the erased records that a read has come across."""
        ids = self._to_delete.pop(actor)
        try:
            left = await self._delete_rows(ids)
        except StoreUnavailable as failure:
            left = len(ids)
            _log.warning("erasure_incomplete", actor=actor.id, memories=left, error=str(failure))
        if left:
            self._reappeared.difference_update(ids)  # the next read that shows them tries again
