"""Searches AgentCore under one deadline.

AWS may answer with short or empty pages that carry a token. Where it matches a namespace as a
string prefix, other people's rows are among the best matches; then as many rows as possible are
asked for."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import structlog

from memory.background.pacing import RateLimitedLog
from memory.errors import StoreUnavailable
from memory.records import Actor, Kind
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.namespaces import belongs, home
from memory.stores.agentcore.rows.records import AwsRow

_log = structlog.get_logger(__name__)

#: Rows of one search, from the service model.
MAX_ROWS = 100
#: Pages read of one search: AWS might go on with empty ones for ever.
_MAX_PAGES = 20


class RecordSearch:
    """Finds rows by meaning, within `seconds`."""

    def __init__(self, calls: AwsCalls, seconds: float) -> None:
        self._calls, self._seconds = calls, seconds
        #: Whether AWS has ever found rows of others in somebody's namespace.
        self._finds_others = False
        self._log = RateLimitedLog(_log)

    async def rows(
        self, actor: Actor, query: str, kinds: Sequence[Kind], limit: int
    ) -> list[AwsRow]:
        """What matches, of each kind the best; rows of others may be among them. The kinds are
        asked at once. Raises StoreUnavailable when not a single kind answered in time."""
        found: list[list[AwsRow]] = [[] for _ in kinds]
        await self._in_time(
            [
                self._search(actor, kind, query, limit, rows)
                for kind, rows in zip(kinds, found, strict=True)
            ],
            found,
        )
        return [row for rows in found for row in rows]

    async def _search(
        self, actor: Actor, kind: Kind, query: str, limit: int, found: list[AwsRow]
    ) -> None:
        """Put the rows of one kind into `found` as they come."""
        # Superseded records are among the best matches, so more are asked for than needed.
        top = MAX_ROWS if self._finds_others else min(MAX_ROWS, 2 * limit)
        await self._retrieve(actor, kind, query, top, found)
        own = [row for row in found if belongs(next(iter(row["namespaces"]), ""), actor)]
        if len(own) == len(found):
            return
        self._finds_others = True
        if top < MAX_ROWS and len(own) < limit:
            every: list[AwsRow] = []
            await self._retrieve(actor, kind, query, MAX_ROWS, every)
            found[:] = every

    async def _retrieve(
        self, actor: Actor, kind: Kind, query: str, top: int, found: list[AwsRow]
    ) -> None:
        asked = {"searchCriteria": {"searchQuery": query, "topK": top}, **home(kind, actor)}
        more: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            answer = await self._calls.ask(
                "retrieve_memory_records", maxResults=top, **asked, **more
            )
            found += answer["memoryRecordSummaries"]
            token = answer.get("nextToken")
            if not token or len(found) >= top:
                break
            more = {"nextToken": token}

    async def _in_time(
        self, parts: Sequence[Coroutine[Any, Any, None]], found: Sequence[list[AwsRow]]
    ) -> None:
        """Run the parts until the deadline. Raises StoreUnavailable if none is done or has found
        anything by then."""
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            _, late = await asyncio.wait(tasks, timeout=self._seconds)
        finally:
            for task in tasks:
                task.cancel()
        failures = [error for t in tasks if t not in late and (error := t.exception())]
        for error in failures:
            if not isinstance(error, StoreUnavailable):
                raise error
        missing = len(failures) + len(late)
        why = str(failures[0]) if failures else "AWS did not answer in time"
        if missing == len(tasks) and not any(found):
            raise StoreUnavailable(why) from next(iter(failures), None)
        if missing:
            self._log.warning("recall_incomplete", missing=missing, why=why)
