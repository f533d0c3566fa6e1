"""What AWS's strategies have made of a session. AWS does not report it: it shows in the summary of
the session, which is there after half a minute and is rewritten with each later turn."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from memory.errors import StoreUnavailable
from memory.records import Actor, Kind, Turn
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure
from memory.stores.agentcore.events.outbox import Outbox
from memory.stores.agentcore.namespaces import belongs, namespace

#: A summary that is there so long after the last turn has been written is taken for the last one,
#: even if it does not say that it is. Extraction has been seen to take minutes.
_SETTLED = timedelta(minutes=10)


class AwsExtraction:
    """See ExternalExtraction."""

    def __init__(
        self,
        calls: AwsCalls,
        outbox: Outbox,
        flush: Callable[[Actor], Awaitable[None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._calls, self._outbox, self._flush, self._clock = calls, outbox, flush, clock

    async def flush(self, actor: Actor) -> None:
        await self._flush(actor)

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
        """True if a strategy still has to learn from the session: jobs that failed are started
        again."""
        where = {"actorId": actor.id, "sessionId": session}
        try:
            answer = await self._calls.ask("list_memory_extraction_jobs", filter=where)
        except AwsFailure:
            return False  # only that much is certain: there is a summary
        return bool(answer["jobs"])
