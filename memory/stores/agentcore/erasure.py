"""Deletes an actor from AWS: sessions, their events, and the records made of them.

AWS deletes slowly and its extraction may still be writing, so a second sweep follows after a while.
The request stays in the outbox's file until that sweep finds nothing left: neither a kill nor an
outage loses it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog

from memory.background.pacing import Backoff
from memory.errors import StoreUnavailable
from memory.records import LEARNED_KINDS, Actor
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.events.outbox import Erasure, Outbox
from memory.stores.agentcore.namespaces import belongs, home
from memory.stores.agentcore.rows.records import record_of_row

_log = structlog.get_logger(__name__)

#: DeleteEvent takes 5 a second of one session, and 20 a second in all.
_SPACING = 0.2
_SESSIONS_AT_ONCE = 3
_END = datetime.max.replace(tzinfo=UTC)
#: Pauses between the tries of one deletion, before it counts as left over.
_TRIES, _BACKOFF = 4, Backoff(_SPACING, 8 * _SPACING)


class Eraser:
    """Erases actors, and sweeps again `second_look` seconds later."""

    def __init__(
        self,
        calls: AwsCalls,
        outbox: Outbox,
        delete_rows: Callable[[Sequence[str]], Awaitable[int]],
        second_look: float,
    ) -> None:
        self._calls, self._outbox, self._delete_rows = calls, outbox, delete_rows
        self._second_look = second_look
        self._tasks: dict[Actor, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(_SESSIONS_AT_ONCE)

    async def start(self) -> None:
        """Continue the erasures of an earlier process."""
        for erasure in await self._outbox.erasures():
            self._come_back(erasure)

    async def aclose(self) -> None:
        """Stop. Unfinished erasures continue at the next start."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def erase(self, actor: Actor) -> None:
        """Delete everything that AWS shows of the actor. Raises StoreUnavailable with what is left;
        the rest is retried later."""
        asked = {erasure.actor: erasure for erasure in await self._outbox.erasures()}[actor]
        # Of lists that another sweep shortens meanwhile, pages miss rows.
        if earlier := self._tasks.pop(actor, None):
            earlier.cancel()
        try:
            events, records = await self._sweep(asked, everything=True)
        except StoreUnavailable as failure:
            raise StoreUnavailable(f"not everything is deleted yet: {failure}") from failure
        finally:
            self._come_back(asked)
        if events or records:
            raise StoreUnavailable(
                f"AWS has not deleted {events} messages and {records} memories yet; "
                "this is tried again in the background"
            )

    def _come_back(self, erasure: Erasure) -> None:
        earlier = self._tasks.pop(erasure.actor, None)
        if earlier:
            earlier.cancel()
        task = asyncio.create_task(self._again(erasure), name=f"forget {erasure.actor.id}")
        self._tasks[erasure.actor] = task

    async def _again(self, erasure: Erasure) -> None:
        """Sweep after the lag, and after every further lag until nothing is left."""
        while True:
            await asyncio.sleep(self._second_look)
            try:
                events, records = await self._sweep(erasure)
                if not events and not records:
                    await self._outbox.mark_erased(erasure)
                    break
                _log.error("erasure_failed", actor=erasure.actor.id, events=events, records=records)
            except StoreUnavailable as failure:
                _log.error("erasure_failed", actor=erasure.actor.id, error=str(failure))
        if self._tasks.get(erasure.actor) is asyncio.current_task():
            del self._tasks[erasure.actor]

    async def _sweep(self, erasure: Erasure, *, everything: bool = False) -> tuple[int, int]:
        """Delete everything, or what is older than the request. Returns the numbers of events and
        records that AWS kept."""
        actor_id = erasure.actor.id
        before = _END if everything else erasure.asked_at
        sessions = [
            row["sessionId"]
            async for row in self._calls.rows("list_sessions", "sessionSummaries", actorId=actor_id)
        ]
        kept = await asyncio.gather(*(self._sweep_session(actor_id, s, before) for s in sessions))
        records = await self._records(erasure, everything=everything)
        return sum(kept), await self._delete_rows(records)

    async def _sweep_session(self, actor_id: str, session_id: str, before: datetime) -> int:
        place: dict[str, Any] = {"actorId": actor_id, "sessionId": session_id}
        kept = 0
        async with self._slots:
            rows = self._calls.rows("list_events", "events", includePayloads=False, **place)
            # All ids first: deleting while paging would make pages skip rows.
            old = [r["eventId"] async for r in rows if r["eventTimestamp"] <= before]
            for number, event_id in enumerate(old):
                if number:
                    await asyncio.sleep(_SPACING)
                kept += not await self._delete_event(event_id, place)
        return kept

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

    async def _records(self, erasure: Erasure, *, everything: bool) -> list[str]:
        """The ids of the actor's records: all, or all but those asked for since the wish."""
        actor = erasure.actor
        found: list[dict[str, Any]] = []
        for kind in LEARNED_KINDS:
            where = home(kind, actor)
            rows = self._calls.rows("list_memory_records", "memoryRecordSummaries", **where)
            found += [row async for row in rows]
        return [
            row["memoryRecordId"]
            for row in found
            if belongs(next(iter(row["namespaces"]), ""), actor)
            and (everything or not _newer(row, erasure))
        ]


def _newer(row: dict[str, Any], erasure: Erasure) -> bool:
    """True if the record was written after the request to be forgotten. AWS does not say when the
    words behind its own extractions were said, so all of those count as old: better one memory too
    few than one too many."""
    record = record_of_row(row, erasure.actor)
    ours = "created_at" in (row.get("metadata") or {})
    newest = max(record.created_at, row["createdAt"]) if ours and record else None
    return newest is not None and newest > erasure.asked_at
