"""What everybody has chosen: read, made and unmade."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from memory.background.locks import Locks
from memory.knowledge.choices import choice_of, choice_text, clean, zone_of
from memory.knowledge.profiles import Profiles
from memory.options import MemoryOptions
from memory.ports import LongTermMemory
from memory.records import Actor, Choice, Choices, Draft, Kind


class ChoiceRegistry:
    """What everybody has chosen. A choice is kept like a memory and is none."""

    def __init__(
        self,
        store: LongTermMemory,
        profiles: Profiles,
        locks: Locks,
        options: MemoryOptions,
        clock: Callable[[], datetime],
    ) -> None:
        self._store, self._profiles, self._locks = store, profiles, locks
        self._options, self._clock = options, clock

    def of(self, actor: Actor) -> Choices | None:
        """What this actor has chosen, as far as it is known without asking the store: as of the
        last reading. None if it was never read."""
        return self._profiles.choices(actor) if self._options.enabled else Choices()

    async def read(self, actor: Actor) -> Choices:
        """What this actor has chosen. Raises StoreUnavailable."""
        return (await self._profiles.get(actor)).choices if self._options.enabled else Choices()

    async def set(self, actor: Actor, choice: Choice, value: str) -> str:
        """Keep what the actor chose, as a person says it: a language by its own name, a time zone
        by its place. The value as it was stored. Raises RefusedText, StoreUnavailable."""
        # The first time, the system's list of zones is read from the disk.
        value = await asyncio.to_thread(clean, choice, value)
        self._options.require_enabled()
        async with self._locks.changing(actor):
            preferences = await self._store.records(actor, kinds=(Kind.PREFERENCE,))
            old = next((r for r in preferences if r.slot == choice), None)
            if old and choice_of(old) == value:
                return value
            draft = Draft(
                Kind.PREFERENCE,
                choice_text(choice, value),
                self._clock(),
                slot=choice,
                importance=10,
                supersedes=old.id if old else None,
            )
            await self._store.commit(actor, [draft])
        self._profiles.chose(actor, choice, value)
        return value

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """Keep no such choice any more, nor former ones. Raises StoreUnavailable."""
        async with self._locks.changing(actor):
            preferences = await self._store.records(
                actor, kinds=(Kind.PREFERENCE,), include_superseded=True
            )
            if made := [record.id for record in preferences if record.slot == choice]:
                await self._store.delete(actor, made)
        self._profiles.chose(actor, choice, None)

    def now(self) -> datetime:
        """The present moment, in any time zone."""
        return self._clock()

    def local_time(self, actor: Actor) -> datetime:
        """The present moment by the actor's own clock, as of the last reading of their choices."""
        chosen = self._profiles.choices(actor) or Choices()
        return self._clock().astimezone(zone_of(chosen.time_zone) or self._options.time_zone)
