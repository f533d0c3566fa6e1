"""Whether AWS's strategies have learned from a session. AWS does not report it. It shows in the
session's summary, which appears after half a minute and is rewritten with each later turn."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from memory.errors import StoreUnavailable
from memory.records import Actor, Kind, Turn
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure
from memory.stores.agentcore.events.jobs import FailedJobs
from memory.stores.agentcore.events.outbox import Outbox
from memory.stores.agentcore.namespaces import belongs, namespace

#: So long after the last turn, a summary is taken for the final one even if its time does not say
#: so. Extraction has been seen to take minutes.
_SETTLED = timedelta(minutes=10)


class AwsExtraction:
    """See ExternalExtraction."""

    def __init__(
        self,
        calls: AwsCalls,
        outbox: Outbox,
        flush: Callable[[Actor], Awaitable[None]],
        clock: Callable[[], datetime],
        takes_new_turns: bool,
        jobs: FailedJobs,
    ) -> None:
        self._calls, self._outbox, self._flush, self._clock = calls, outbox, flush, clock
        self.takes_new_turns, self._jobs = takes_new_turns, jobs

    async def flush(self, actor: Actor) -> None:
        await self._flush(actor)

    async def retry_failed(self) -> int:
        """See ExternalExtraction."""
        return await self._jobs.allow() if self.takes_new_turns else 0

    async def has_extracted(self, actor: Actor, turns: Sequence[Turn], since: datetime) -> bool:
        """See ExternalExtraction. `timestamp` of a record is the time of what it was made of."""
        if await self._outbox.has_unsent(actor, [turn.id for turn in turns]):
            raise StoreUnavailable("AWS does not take some of these turns yet")
        # AWS may keep whole seconds.
        newest = max(turn.messages[0].at for turn in turns).replace(microsecond=0)
        session = turns[-1].session_id
        told = [row.get("timestamp") for row in await self._summaries(actor, session)]
        whole = any(moment >= newest for moment in told if moment)
        settled = bool(told) and self._clock() - since >= _SETTLED
        return (whole or settled) and not await self._has_failed(actor, session)

    async def _summaries(self, actor: Actor, session: str) -> list[dict[str, Any]]:
        here = namespace(Kind.SUMMARY, actor, session)
        rows = self._calls.rows("list_memory_records", "memoryRecordSummaries", namespace=here)
        return [
            row
            async for row in rows
            if belongs(next(iter(row["namespaces"]), ""), actor) == (Kind.SUMMARY, session)
        ]

    async def _has_failed(self, actor: Actor, session: str) -> bool:
        """True if a failed job waits to be started again: then a strategy still has to learn from
        the session."""
        where = {"actorId": actor.id, "sessionId": session}
        try:
            answer = await self._calls.ask("list_memory_extraction_jobs", filter=where)
        except AwsFailure:
            return False  # the summary has to be proof enough
        return bool(answer["jobs"])
