"""Deletes records from AgentCore, many of them at AWS's pace."""

from collections.abc import Callable, Collection, Sequence

import structlog

from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.rows.records import batches, failed_records

_log = structlog.get_logger(__name__)

#: After so many batches that failed, the others are not tried.
_MAX_FAILURES = 2


class RecordDeleter:
    """Deletes records by their ids; whose they are has been checked."""

    def __init__(self, calls: AwsCalls, note_gone: Callable[[Collection[str]], None]) -> None:
        self._calls, self._note_gone = calls, note_gone

    async def delete(self, record_ids: Sequence[str]) -> int:
        """Delete the records in batches. After one failed batch the others are still tried, after
        two not. Returns how many records are left. Raises StoreUnavailable if batches failed
        and nothing was deleted."""
        left, failures = set(record_ids), list[StoreUnavailable]()
        for batch in batches(list(dict.fromkeys(record_ids))):
            try:
                left -= await self._delete(batch)
            except StoreUnavailable as failure:
                failures.append(failure)
                if len(failures) == _MAX_FAILURES:
                    break
        if failures and len(left) == len(set(record_ids)):
            raise failures[0]
        if failures:
            _log.warning("records_not_deleted", records=len(left), error=str(failures[0]))
        return len(left)

    async def _delete(self, batch: Sequence[str]) -> set[str]:
        """Delete a batch. Returns the ids of those that are gone."""
        entries = [{"memoryRecordId": record_id} for record_id in batch]
        answer = await self._calls.ask_paced("batch_delete_memory_records", records=entries)
        # What AWS no longer knows is as gone as it can be.
        kept = {r["memoryRecordId"] for r in failed_records(answer) if r.get("errorCode") != 404}
        gone = set(batch) - kept
        self._note_gone(gone)
        return gone
