"""Sends what the outbox holds: in order within a session, at a gentle pace, for as long as it
takes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from memory.background.pacing import Backoff, RateLimitedLog
from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.calls.clients import CircuitOpen
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.calls.outbox import Lane, Outbox, Outgoing

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SendingPace:
    """Times in seconds. AWS takes 5 events a second of one session and 200 a second in all."""

    spacing: float = 0.25
    first_retry: float = 0.5
    longest_retry: float = 60.0
    #: How often to see whether a service that is being left alone may be asked again.
    look: float = 1.0
    #: Events under way at once: few enough that recall always finds a free thread.
    parallel: int = 4
    #: How long forgetting somebody waits for an event of theirs that is under way.
    grace: float = 10.0


class EventSender:
    """One task for each session that has something to send; none when nothing waits."""

    def __init__(
        self,
        outbox: Outbox,
        send: Callable[[Outgoing], Awaitable[None]],
        pace: SendingPace,
    ) -> None:
        self._outbox, self._send, self._pace = outbox, send, pace
        self._slots = asyncio.Semaphore(pace.parallel)
        self._tasks: dict[Lane, asyncio.Task[None]] = {}
        self._woken: set[Lane] = set()
        self._sending: set[Lane] = set()
        self._progress = asyncio.Event()
        self._log = RateLimitedLog(_log)

    async def start(self) -> None:
        """Go on with what an earlier process left."""
        for lane in await self._outbox.lanes():
            self.wake(lane)

    async def aclose(self) -> None:
        """Stop; what is not acknowledged stays in the outbox."""
        await self._stop(list(self._tasks))

    def wake(self, lane: Lane) -> None:
        """Something was put into this lane."""
        self._woken.add(lane)
        if lane not in self._tasks:
            task = asyncio.create_task(self._run(lane), name=f"outbox {lane.actor_id}")
            self._tasks[lane] = task

    async def drop(self, actor: Actor) -> None:
        """Stop sending for this actor, whose events are no longer in the outbox. What is on its
        way to AWS is waited for: only what has arrived can be deleted there."""
        lanes = [lane for lane in self._tasks if lane.actor_id == actor.id]
        under_way = [self._tasks[lane] for lane in lanes if lane in self._sending]
        if under_way:
            await asyncio.wait(under_way, timeout=self._pace.grace)
        await self._stop([lane for lane in lanes if lane in self._tasks])
        self._moved()

    async def flush(self, actor: Actor) -> None:
        """Return when nothing of the actor waits any more."""
        while True:
            progress = self._progress
            if not await self._outbox.pending(actor):
                return
            await progress.wait()

    # -- inside -----------------------------------------------------------------------------------

    async def _run(self, lane: Lane) -> None:
        try:
            await self._empty(lane)
        finally:
            # No await since the lane was found empty: who wakes it now starts a new task.
            if self._tasks.get(lane) is asyncio.current_task():
                del self._tasks[lane]

    async def _empty(self, lane: Lane) -> None:
        """Send all that waits in the lane, one after the other."""
        backoff = Backoff(self._pace.first_retry, self._pace.longest_retry, spread=0.5)
        while True:
            self._woken.discard(lane)
            try:
                event = await self._outbox.head(lane)
                if event is None and lane not in self._woken:
                    return
                if event is not None:
                    await self._deliver(event)
            except CircuitOpen as failure:
                # No attempt, so no reason to wait longer next time: looking costs nothing, and
                # once one session finds the service back, the others follow.
                self._complain(failure)
                await asyncio.sleep(self._pace.look)
            except StoreUnavailable as failure:
                self._complain(failure)
                await asyncio.sleep(backoff.fail())
            else:
                backoff.reset()
                await asyncio.sleep(self._pace.spacing)

    async def _deliver(self, event: Outgoing) -> None:
        """Send one event and note what became of it. Raises StoreUnavailable to be tried again."""
        try:
            async with self._slots:
                self._sending.add(event.lane)
                await self._send(event)
        except AwsFailure as failure:
            if failure.fate is Fate.LATER:
                raise
            if failure.fate is not Fate.DONE:
                await self._set_aside(event, failure)
                return
        finally:
            self._sending.discard(event.lane)
        await self._outbox.sent(event)
        self._moved()

    async def _set_aside(self, event: Outgoing, failure: AwsFailure) -> None:
        await self._outbox.refused(event)
        _log.error(
            "event_quarantined",
            actor=event.lane.actor_id,
            turn=event.turn_id,
            error=str(failure),
            set_aside=await self._outbox.set_aside(),
        )
        self._moved()

    def _moved(self) -> None:
        self._progress.set()
        self._progress = asyncio.Event()

    def _complain(self, failure: StoreUnavailable) -> None:
        self._log.warning("events_waiting", sessions=len(self._tasks), error=str(failure))

    async def _stop(self, lanes: list[Lane]) -> None:
        tasks = [self._tasks.pop(lane) for lane in lanes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
