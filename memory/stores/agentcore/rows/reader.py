"""Reads an actor's rows. Every read is checked against the exact namespace, whatever AWS thinks
that one matches, and against what was deleted or written lately: AWS goes on to show the first, and
takes its time to show the second."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

import structlog

from memory.background.caches import BoundedDict
from memory.background.waiting import Waiter, who_waits
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.namespaces import home
from memory.stores.agentcore.rows.records import AwsRow, Pairs, record_of_row, writing_order
from memory.stores.agentcore.rows.writes import RecentWrites

_log = structlog.get_logger(__name__)

#: Up to so many rows are read by their ids; more are taken from the lists.
_FEW = 5
#: Of so many rows it is remembered whose they are: enough for a person's maintenance.
_OWNERS = 10_000


class RowReader:
    """`gone` tells of an id whether it was deleted lately, `erased` of a row whether its actor had
    it erased. AWS may be silent for `seconds` while a person waits."""

    def __init__(
        self,
        calls: AwsCalls,
        seconds: float,
        gone: Callable[[str], bool],
        erased: Callable[[Actor, AwsRow, Record], bool],
        writes: RecentWrites,
    ) -> None:
        self._calls, self._seconds, self._gone, self._erased = calls, seconds, gone, erased
        self._writes = writes
        #: Whose the rows are that AWS has shown lately. A row never gets another owner.
        self._owners = BoundedDict[str, Actor](_OWNERS)

    @property
    def silence(self) -> float | None:
        """For how many seconds AWS may be silent before a list is given up."""
        return self._seconds if who_waits() is Waiter.PERSON else None

    async def all_of(self, actor: Actor, kinds: Sequence[Kind] = LEARNED_KINDS) -> Pairs:
        """All the actor's rows of these kinds, as they were written."""
        parts = await asyncio.gather(*(self._list(actor, kind) for kind in kinds))
        rows = [row for part in parts for row in part]
        rows += self._writes.unseen(actor, kinds, rows)
        return self.own(actor, sorted(rows, key=writing_order))

    def unseen(self, actor: Actor, kinds: Sequence[Kind], seen: Sequence[AwsRow]) -> Pairs:
        """What was written lately and is not among these rows."""
        return self.own(actor, self._writes.unseen(actor, kinds, seen))

    def own(self, actor: Actor, rows: Iterable[AwsRow]) -> Pairs:
        """Those of the rows that are exactly the actor's own and were not deleted, as they were
        last written."""
        pairs, foreign = [], 0
        for row in map(self._writes.renew, rows):
            record = record_of_row(row, actor)
            if record is None:
                foreign += 1
            elif not (self._gone(record.id) or self._erased(actor, row, record)):
                self._owners[record.id] = actor
                pairs.append((row, record))
        if foreign:
            _log.warning("foreign_records_dropped", actor=actor.id, count=foreign)
        return pairs

    async def by_ids(self, actor: Actor, record_ids: Iterable[str]) -> dict[str, AwsRow]:
        """The actor's own rows with these ids, by their ids. Many come from one listing, because
        AWS takes few reads by id."""
        wanted = list(dict.fromkeys(record_ids))
        listed = await self.all_of(actor) if len(wanted) > _FEW else []
        rows = {record.id: row for row, record in listed}
        unlisted = [id_ for id_ in wanted if id_ not in rows]
        found = await asyncio.gather(*(self._get(actor, id_) for id_ in unlisted))
        rows |= {id_: row for id_, row in zip(unlisted, found, strict=True) if row}
        return {id_: rows[id_] for id_ in wanted if id_ in rows}

    async def own_ids(self, actor: Actor, record_ids: Iterable[str]) -> Sequence[str]:
        """Those of the ids that are the actor's own. Nothing is read for rows seen lately."""
        wanted = list(dict.fromkeys(record_ids))
        await self.by_ids(actor, (id_ for id_ in wanted if id_ not in self._owners))
        own = (id_ for id_ in wanted if self._owners.get(id_) == actor)
        return [id_ for id_ in own if not self._gone(id_)]

    async def _list(self, actor: Actor, kind: Kind) -> Sequence[AwsRow]:
        rows = self._calls.rows(
            "list_memory_records",
            "memoryRecordSummaries",
            silence=self.silence,
            calm=who_waits() is Waiter.NOBODY,
            **home(kind, actor),
        )
        return [row async for row in rows]

    async def _get(self, actor: Actor, record_id: str) -> AwsRow | None:
        """The row with this id if it is the actor's own. AWS's calls by id don't check that."""
        if self._gone(record_id):
            return None
        try:
            answer = await self._calls.ask_paced("get_memory_record", memoryRecordId=record_id)
        except AwsFailure as failure:
            if failure.fate not in (Fate.MISSING, Fate.NEVER):
                raise
            row = self._writes.get(record_id)
        else:
            row = answer["memoryRecord"]
        own = self.own(actor, [row] if row else [])
        return own[0][0] if own else None
