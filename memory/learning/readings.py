"""Collects what an extractor reads: the turns of a session, and the records related to them."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo

from memory.knowledge.twins import without_twins
from memory.ports import LongTermMemory
from memory.records import Actor, Kind, Record, Turn
from memory.understanding import Reading

#: How many known records a model sees at most. If search finds fewer than the second number, other
#: records fill up to it: "we broke up" finds nobody. That many or fewer are read without a search.
MAX_KNOWN, _ENOUGH = 40, 20
#: How many records search may find with one turn, how many of its characters are searched with,
#: and with how many turns: a session that says more is a document.
_PER_TURN, _QUERY, _QUERIES = 8, 400, 40

LEARNED = (Kind.FACT, Kind.PREFERENCE)


class Readings:
    """Makes readings of sessions."""

    def __init__(self, store: LongTermMemory, zone: Callable[[Actor], Awaitable[tzinfo]]) -> None:
        self._store, self._zone = store, zone

    async def of(self, actor: Actor, turns: Sequence[Turn]) -> Reading:
        """The turns with all the actor's current records. If these are many, only with those that
        search finds by what the user said in each turn, and the most important others. Raises
        StoreUnavailable."""
        known = without_twins(await self._store.records(actor, kinds=LEARNED))
        knows_all = len(known) <= _ENOUGH
        if not knows_all:
            known = await self._related(actor, turns, known)
        known.sort(key=lambda record: record.created_at)
        return Reading(tuple(turns), tuple(known), await self._zone(actor), knows_all)

    async def _related(
        self, actor: Actor, turns: Sequence[Turn], records: Sequence[Record]
    ) -> list[Record]:
        found: dict[str, Record] = {}
        for turn in turns[-_QUERIES:]:
            said = turn.said.strip()
            if said:
                hits = await self._store.search(
                    actor,
                    said[:_QUERY],
                    kinds=LEARNED,
                    limit=_PER_TURN,
                    now=turn.messages[0].at,
                )
                for hit in hits:
                    found.setdefault(hit.record.id, hit.record)
        others = (record for record in records if record.id not in found)
        weightiest = sorted(others, key=lambda r: (r.importance, r.created_at), reverse=True)
        related = list(found.values())[:MAX_KNOWN]
        return related + weightiest[: max(0, _ENOUGH - len(related))]
