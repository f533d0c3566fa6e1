"""Giving an actor's records in AgentCore to another one: copies in the other's namespaces."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from memory.knowledge.merging import identity
from memory.records import Actor, Kind, Record
from memory.stores.agentcore import records as agentcore_records

#: Rows with their records, in the order they were written.
Pairs = list[tuple[dict[str, Any], Record]]
Entries = list[dict[str, Any]]

#: Records of one call, from the service model.
_BATCH = 100


class Copier:
    """Copies what there is of one actor for another one. AWS has no call for that; the events,
    which only AWS writes, are not among it."""

    def __init__(
        self,
        read: Callable[[Actor], Awaitable[Pairs]],
        create: Callable[[Entries], Awaitable[dict[str, str]]],
        update: Callable[[Entries], Awaitable[None]],
        strategies: Mapping[Kind, str],
    ) -> None:
        """`create` takes no more than a batch and returns the ids by label."""
        self._read, self._create, self._update = read, create, update
        self._strategies = strategies

    async def copy(self, actor: Actor, to: Actor) -> None:
        """Write what the other one does not have yet. Raises StoreUnavailable; what was written
        until then is there, and not written again."""
        there = {identity(record): record.id for _, record in await self._read(to)}
        pairs = await self._read(actor)
        missing = [pair for pair in pairs if identity(pair[1]) not in there]
        entries = [
            agentcore_records.copy_entry(row, record, to, number, self._strategies)
            for number, (row, record) in enumerate(missing)
        ]
        made: dict[str, str] = {}
        for first in range(0, len(entries), _BATCH):
            made |= await self._create(entries[first : first + _BATCH])
        ids = {record.id: there.get(identity(record), "") for _, record in pairs}
        ids |= {
            record.id: made[agentcore_records.label(number)]
            for number, (_, record) in enumerate(missing)
        }
        await self._update(
            [
                agentcore_records.link_entry(row, ids[record.id], ids[record.supersedes])
                for row, record in missing
                if record.supersedes in ids
            ]
        )
