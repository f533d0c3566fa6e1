"""Deletes the events that contain what people had erased. AWS deletes one event at a time."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memory.background.pacing import Backoff
from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.erased import Erasure, Trace
from memory.stores.agentcore.events.outbox import Outbox

#: DeleteEvent takes 5 a second of one session, and 20 a second in all.
_SPACING = 0.2
_SESSIONS_AT_ONCE = 3
#: Pauses between the tries of one deletion, before it counts as left over.
_TRIES, _BACKOFF = 4, Backoff(_SPACING, 8 * _SPACING)


@dataclass(slots=True)
class SweepResult:
    """How many records and events a sweep could not delete at AWS, and why."""

    records: int = 0
    events: int = 0
    failures: list[StoreUnavailable] = field(default_factory=list)
    #: The rows of erasures of which AWS may still have events.
    pending: set[int] = field(default_factory=set)
    #: The sessions whose events told it, by erasure.
    sessions: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def done(self) -> bool:
        return not (self.records or self.events or self.failures)

    @property
    def why(self) -> str:
        return "; ".join(dict.fromkeys(map(str, self.failures)))

    def has_failed(self, row: int) -> bool:
        """True if this erasure is unfinished. Records and lists that fail count for each."""
        return row in self.pending or not (self.done or self.pending)


@contextmanager
def collect(result: SweepResult) -> Iterator[None]:
    """Keep a StoreUnavailable of the block in the result instead of raising it."""
    try:
        yield
    except StoreUnavailable as failure:
        result.failures.append(failure)


class EventDeleter:
    """Deletes events, in a few sessions at a time."""

    def __init__(self, calls: AwsCalls, outbox: Outbox) -> None:
        self._calls, self._outbox = calls, outbox
        self._slots = asyncio.Semaphore(_SESSIONS_AT_ONCE)

    async def delete(
        self, erasure: Erasure, result: SweepResult, ignore_age: Callable[[], bool]
    ) -> int:
        """Delete the events that contain what was erased, session by session; newer ones too as
        long as `ignore_age()`. Returns how many are left. Raises StoreUnavailable if that is not
        known."""
        actor_id, trace = erasure.actor.id, erasure.trace
        left = 0
        if trace:
            for sent in await self._outbox.events_of(erasure.actor, sorted(trace.turns)):
                place = {"actorId": actor_id, "sessionId": sent.session_id}
                left += not await self._delete_event(sent.event_id, place)
        sessions = [
            row["sessionId"]
            async for row in self._calls.rows("list_sessions", "sessionSummaries", actorId=actor_id)
        ]
        sweeps = (self._sweep_session(erasure, session, result, ignore_age) for session in sessions)
        left += sum(await asyncio.gather(*sweeps))
        result.events += left
        return left

    async def _sweep_session(
        self, erasure: Erasure, session_id: str, result: SweepResult, ignore_age: Callable[[], bool]
    ) -> int:
        """Delete the events of one session. Returns how many are left."""
        place: dict[str, Any] = {"actorId": erasure.actor.id, "sessionId": session_id}
        found: list[str] = []
        left = 1  # at least, unless it comes to an end
        with collect(result):
            async with self._slots:
                texts = erasure.trace is not None
                rows = self._calls.rows("list_events", "events", includePayloads=texts, **place)
                # All ids first: deleting while paging would make pages skip rows.
                found = [
                    row["eventId"]
                    async for row in rows
                    if ignore_age() or covers_event(row, erasure)
                ]
                left = len(found)
                if found:
                    result.sessions[erasure.row].add(session_id)
                for number, event_id in enumerate(found):
                    if number:
                        await asyncio.sleep(_SPACING)
                    left -= await self._delete_event(event_id, place)
        return left

    async def _delete_event(self, event_id: str, place: dict[str, Any]) -> bool:
        """Delete an event. True if it is gone."""
        for attempt in range(_TRIES):
            try:
                await self._calls.ask("delete_event", eventId=event_id, **place)
            except AwsFailure as failure:
                if failure.fate is Fate.MISSING:
                    return True
                if failure.code not in ("ThrottledException", "ThrottlingException"):
                    raise
                await asyncio.sleep(_BACKOFF.pause(attempt))
            else:
                return True
        return False


def covers_event(event: dict[str, Any], erasure: Erasure) -> bool:
    """True if AWS must no longer have this event."""
    if event["eventTimestamp"] > erasure.asked_at:
        return False
    return erasure.trace is None or _tells(event, erasure.trace)


def _tells(event: dict[str, Any], trace: Trace) -> bool:
    """True if an event tells the forgotten thing."""
    parts = (item.get("conversational") for item in event.get("payload") or ())
    texts = [part["content"]["text"] for part in parts if part]
    return any(map(trace.fingerprint.is_told_in, texts)) or (
        trace.was_said_at(event["eventTimestamp"])
        and any(map(trace.fingerprint.is_mostly_in, texts))
    )
