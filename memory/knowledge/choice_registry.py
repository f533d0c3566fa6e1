"""What everybody has chosen: read, made and unmade."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from memory.background.actor_cache import ActorCache
from memory.background.locks import Locks
from memory.knowledge.choices import clean_choice, zone_of
from memory.options import MemoryOptions
from memory.ports import ChoiceStore
from memory.records import Actor, Choice, Choices


class ChoiceRegistry:
    """The settings that people made for themselves. Where long-term memory is switched off, there
    are none."""

    def __init__(
        self,
        store: ChoiceStore,
        locks: Locks,
        options: MemoryOptions,
        clock: Callable[[], datetime],
    ) -> None:
        self._store, self._locks, self._options, self._clock = store, locks, options, clock
        #: The choices as far as they have been asked for.
        self.known = ActorCache("choices", store.get)

    def of(self, actor: Actor) -> Choices | None:
        """What this actor has chosen, as far as it is known without asking the store: neither a
        search nor a sentence of the bot's can wait for it. None if it was never read."""
        return self.known.peek(actor) if self._options.memory_enabled else Choices()

    async def read(self, actor: Actor) -> Choices:
        """What this actor has chosen. Raises StoreUnavailable."""
        return await self.known.get(actor) if self._options.memory_enabled else Choices()

    async def set(self, actor: Actor, choice: Choice, value: str) -> str:
        """Keep what the actor chose, as a person says it: a language by its own name, a time zone
        by its place. The value as it was stored. Raises RefusedText, StoreUnavailable."""
        # The first time, the system's list of zones is read from the disk.
        value = await asyncio.to_thread(clean_choice, choice, value)
        self._options.require_enabled()
        async with self._locks[actor]:
            await self._store.set(actor, choice, value, self._clock())
            self._note(actor, choice, value)
        return value

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """Keep no such choice any more. Raises StoreUnavailable."""
        async with self._locks[actor]:
            await self._store.unset(actor, choice)
            self._note(actor, choice, None)

    def now(self) -> datetime:
        """The present moment, in any time zone."""
        return self._clock()

    def local_time(self, actor: Actor) -> datetime:
        """The present moment by the actor's own clock, as of the last reading of their choices."""
        chosen = self.known.peek(actor) or Choices()
        return self._clock().astimezone(zone_of(chosen.time_zone) or self._options.time_zone)

    def _note(self, actor: Actor, choice: Choice, value: str | None) -> None:
        """It counts from now on. Where the others are not known, all wait for the next reading."""
        known = self.known.peek(actor)
        if known is None:
            self.known.drop(actor)
        else:
            self.known.put(actor, replace(known, **{choice.value: value}))
