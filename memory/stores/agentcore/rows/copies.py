"""Records that AgentCore has to write a second time: for another actor, or because a deletion is
undone.

AWS moves no record, takes no deletion back and gives every record an id of its own. Whose a deleted
id was is known here alone: AWS can't be asked about a record that is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import UnknownRecord
from memory.knowledge.merging import identity
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from memory.stores.agentcore.rows import records as agentcore_records
from memory.stores.agentcore.rows.records import Pairs, batches
from memory.stores.agentcore.rows.writes import Updates

Entries = list[dict[str, Any]]
_Update = Callable[[Updates], Awaitable[None]]


class Copier:
    """Copies an actor's records for another one. AWS has no call for that. Only AWS writes events,
    so they are not copied."""

    def __init__(
        self,
        read: Callable[[Actor], Awaitable[Pairs]],
        create: Callable[[Entries], Awaitable[dict[str, str]]],
        update: _Update,
        strategies: Mapping[Kind, str],
    ) -> None:
        """`create` takes no more than a batch and returns the ids by label."""
        self._read, self._create, self._update = read, create, update
        self._strategies = strategies

    async def copy(self, actor: Actor, to: Actor) -> None:
        """Write what the other actor does not have yet. Raises StoreUnavailable; what was written
        until then is not written again."""
        there = {identity(record): record.id for _, record in await self._read(to)}
        pairs = await self._read(actor)
        missing = [pair for pair in pairs if identity(pair[1]) not in there]
        entries = [
            agentcore_records.copy_entry(row, record, to, number, self._strategies)
            for number, (row, record) in enumerate(missing)
        ]
        made: dict[str, str] = {}
        for batch in batches(entries):
            made |= await self._create(batch)
        ids = {record.id: there.get(identity(record), "") for _, record in pairs}
        ids |= {
            record.id: made[agentcore_records.label(number)]
            for number, (_, record) in enumerate(missing)
        }
        await self._update(
            [
                (row, agentcore_records.link_entry(row, ids[record.id], ids[record.supersedes]))
                for row, record in missing
                if record.supersedes in ids
            ]
        )


class Deletions:
    """The deletions of the last `seconds`: hidden while AWS still shows the records, and
    restorable."""

    def __init__(
        self,
        read: Callable[[Actor], Awaitable[Pairs]],
        create: Callable[[Entries], Awaitable[dict[str, str]]],
        update: _Update,
        strategies: Mapping[Kind, str],
        seconds: float,
    ) -> None:
        """`read` gives an actor's rows with their records; `create` takes no more than a batch and
        returns the ids by label."""
        self._read, self._create, self._update = read, create, update
        self._strategies, self._seconds = strategies, seconds
        self._until: dict[str, float] = {}
        self._whose: dict[str, Actor] = {}
        self._again: dict[str, Record] = {}

    def hide(self, record_ids: Iterable[str]) -> None:
        """Hide these records, whatever AWS shows."""
        self._drop_expired()
        until = _now() + self._seconds
        self._until |= dict.fromkeys(record_ids, until)

    def hides(self, record_id: str) -> bool:
        """True if this record was deleted recently."""
        return self._until.get(record_id, 0.0) > _now()

    def note(self, actor: Actor, record_ids: Iterable[str]) -> None:
        """Remember whose records these were, in case the actor wants them back."""
        gone = set(record_ids)
        self._whose |= dict.fromkeys(gone, actor)
        self._again = {old: r for old, r in self._again.items() if r.id not in gone}

    def forget(self, actor: Actor) -> None:
        """Make the actor's deletions final."""
        self._whose = {id_: whose for id_, whose in self._whose.items() if whose != actor}
        self._again = {old: r for old, r in self._again.items() if old in self._whose}

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """Write missing records again. Raises UnknownRecord for one that this actor did not delete
        recently, StoreUnavailable; what was written until then is not written again."""
        self._drop_expired()
        wanted = [record for record in records if record.kind in LEARNED_KINDS]
        for record in wanted:
            if self._whose.get(record.id) != actor:
                raise UnknownRecord(f"no memory with the id {record.id!r} was deleted")
        missing = [record for record in wanted if record.id not in self._again]
        while missing:
            # Those that others supersede first: only then their new ids are known.
            ids = {record.id for record in missing}
            ready = [record for record in missing if record.supersedes not in ids] or missing
            for batch in batches(ready):
                await self._write(actor, batch)
            missing = [record for record in missing if record.id not in self._again]
        if wanted:
            await self._link(actor, self._new_ids(actor))
        return [self._again[record.id] for record in wanted]

    def _new_ids(self, actor: Actor) -> dict[str, str]:
        """The new ids of what the actor has restored, by the old ones."""
        return {old: r.id for old, r in self._again.items() if self._whose.get(old) == actor}

    async def _write(self, actor: Actor, records: Sequence[Record]) -> None:
        new_ids = self._new_ids(actor)
        linked = [
            replace(record, supersedes=new_ids.get(record.supersedes or "", record.supersedes))
            for record in records
        ]
        made = await self._create(
            [
                agentcore_records.create_entry(record, actor, number, self._strategies)
                for number, record in enumerate(linked)
            ]
        )
        for number, record in enumerate(linked):
            self._again[record.id] = replace(record, id=made[agentcore_records.label(number)])

    async def _link(self, actor: Actor, new_ids: Mapping[str, str]) -> None:
        """Update references to the records with their new ids."""
        await self._update(
            [
                (row, agentcore_records.link_entry(row, record.id, new_id))
                for row, record in await self._read(actor)
                if (new_id := new_ids.get(record.supersedes or ""))
            ]
        )

    def _drop_expired(self) -> None:
        """Drop what was deleted longer ago."""
        now = _now()
        self._until = {id_: until for id_, until in self._until.items() if until > now}
        self._whose = {id_: who for id_, who in self._whose.items() if id_ in self._until}
        self._again = {old: record for old, record in self._again.items() if old in self._whose}


def _now() -> float:
    return asyncio.get_running_loop().time()
