"""Writes records to AgentCore, all or none. AWS has no transactions: what was written before a
failure is taken back."""

import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import structlog

from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.merging import change_all
from memory.records import Actor, Amendment, Draft, Kind, Record
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure
from memory.stores.agentcore.rows import records as agentcore_records
from memory.stores.agentcore.rows.records import batches, record_of_row, require, written_records
from memory.stores.agentcore.rows.writes import RecentWrites, Updates

_log = structlog.get_logger(__name__)


class RecordWriter:
    """Creates records, and changes those they supersede or that are amended."""

    def __init__(
        self,
        calls: AwsCalls,
        strategies: Mapping[Kind, str],
        own_rows: Callable[[Actor, Iterable[str]], Awaitable[dict[str, dict[str, Any]]]],
        delete: Callable[[Sequence[str]], Awaitable[int]],
        writes: RecentWrites,
    ) -> None:
        """`own_rows` gives the actor's rows with these ids, `delete` tells how many rows are
        left."""
        self._calls, self._strategies = calls, strategies
        self._own_rows, self._delete_rows, self._writes = own_rows, delete, writes

    async def write(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        """See LongTermMemory.commit. Raises UnknownRecord, RefusedText, StoreUnavailable."""
        entries = [
            agentcore_records.create_entry(draft, actor, number, self._strategies)
            for number, draft in enumerate(drafts)
        ]
        before = await self._rows_to_change(actor, drafts, amendments)
        after = change_all({id_: record for id_, (_, record) in before.items()}, drafts, amendments)
        changes = {
            id_: agentcore_records.change_entry(row, after[id_]) for id_, (row, _) in before.items()
        }
        ids: dict[str, str] = {}
        may_be_changed: list[tuple[dict[str, Any], Record]] = []
        try:
            for batch in batches(entries):
                ids |= await self.create(batch)
            may_be_changed = list(before.values())
            await self.update([(row, changes[id_]) for id_, (row, _) in before.items()])
        except StoreUnavailable as failure:
            if _is_refused(failure) and len(batches(may_be_changed)) == 1:
                # The one call that changes them: asked to change them back, AWS would refuse, too.
                may_be_changed = []
            await self._undo(ids.values(), may_be_changed)
            raise
        made = [
            agentcore_records.created_record(draft, ids[entry["requestIdentifier"]], entry)
            for draft, entry in zip(drafts, entries, strict=True)
        ]
        changed = {
            id_: agentcore_records.changed_record(after[id_], row, changes[id_])
            for id_, (row, _) in before.items()
        }
        return made + [changed[each.record_id] for each in amendments]

    async def _rows_to_change(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment]
    ) -> dict[str, tuple[dict[str, Any], Record]]:
        """The rows and records, by their ids, that the drafts supersede or the amendments
        change."""
        superseded = [draft.supersedes for draft in drafts if draft.supersedes]
        ids = dict.fromkeys([*superseded, *(amendment.record_id for amendment in amendments)])
        rows = await self._own_rows(actor, ids)
        pairs = {}
        for record_id in ids:
            row = rows.get(record_id)
            record = record_of_row(row, actor) if row else None
            if row is None or record is None:
                raise UnknownRecord(f"no memory has the id {record_id!r}")
            pairs[record_id] = row, record
        return pairs

    async def create(self, entries: list[dict[str, Any]]) -> dict[str, str]:
        """Write records. Returns their ids by label. Raises StoreUnavailable unless all were
        written."""
        begun_at = self._writes.clock()
        answer = await self._calls.ask_paced(
            "batch_create_memory_records", records=entries, clientToken=uuid.uuid4().hex
        )
        made = {row["requestIdentifier"]: row["memoryRecordId"] for row in written_records(answer)}
        if len(made) < len(entries):
            await self._undo(made.values(), [])
        require(answer)
        self._writes.note_created(entries, made, begun_at)
        return made

    async def update(self, changes: Updates) -> None:
        """Change records. Raises StoreUnavailable unless all were changed."""
        for batch in batches(changes):
            entries = [entry for _, entry in batch]
            require(await self._calls.ask_paced("batch_update_memory_records", records=entries))
            self._writes.note_updates(batch)

    async def _undo(
        self, created: Iterable[str], changed: Iterable[tuple[dict[str, Any], Record]]
    ) -> None:
        """Make the old records again what they were, then delete the new ones, as far as AWS
        allows. In this order, an interruption leaves one record too many, never one too few."""
        made = list(created)
        try:
            await self.update(
                [(row, agentcore_records.change_entry(row, record)) for row, record in changed]
            )
            left = await self._delete_rows(made)
        except StoreUnavailable as failure:
            _log.error("records_left_behind", records=len(made), error=str(failure))
        else:
            if left:
                _log.error("records_left_behind", records=left)


def _is_refused(failure: StoreUnavailable) -> bool:
    """True if AWS answered, and did nothing."""
    return isinstance(failure, AwsFailure) and failure.answered
