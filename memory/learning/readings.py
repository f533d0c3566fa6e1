"""What an extractor reads: the turns of a session beside the records that have to do with them."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo

from memory.ports import LongTermMemory, Reading
from memory.records import Actor, Kind, Profile, Record, Turn

#: How many known records a model is shown, and how many of them one statement may bring.
MAX_KNOWN = 40
_PER_STATEMENT = 8
#: So much of a statement is searched with, and so many statements: a session that says more is a
#: document.
_QUERY, _QUERIES = 400, 40

LEARNED = (Kind.FACT, Kind.PREFERENCE)


class Readings:
    """Makes readings of sessions."""

    def __init__(
        self,
        store: LongTermMemory,
        profile: Callable[[Actor], Awaitable[Profile]],
        zone: Callable[[Actor], Awaitable[tzinfo]],
    ) -> None:
        self._store, self._profile, self._zone = store, profile, zone

    async def of(self, actor: Actor, turns: Sequence[Turn]) -> Reading:
        """The turns with the actor's current records that search finds with what the user said in
        each of them, and those of the profile. Raises StoreUnavailable."""
        found: dict[str, Record] = {}
        for turn in turns[-_QUERIES:]:
            said = turn.said.strip()
            if said:
                hits = await self._store.search(
                    actor,
                    said[:_QUERY],
                    kinds=LEARNED,
                    limit=_PER_STATEMENT,
                    now=turn.messages[0].at,
                )
                for hit in hits:
                    found.setdefault(hit.record.id, hit.record)
        profile = await self._profile(actor)
        for record in (*profile.preferences, *profile.facts):
            found.setdefault(record.id, record)
        known = sorted(list(found.values())[:MAX_KNOWN], key=lambda record: record.created_at)
        return Reading(tuple(turns), tuple(known), await self._zone(actor))
