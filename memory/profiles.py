"""The profiles that sessions begin with, read once and kept until something remembered changes."""

import asyncio
from collections.abc import Callable

from memory.ports import Journal, LongTermMemory
from memory.recall import Budget, build_profile
from memory.records import Actor, Profile
from memory.tokens import Count, estimate_tokens


class Profiles:
    """Everybody's profile, as far as it has been asked for."""

    def __init__(
        self,
        store: LongTermMemory,
        journal: Journal,
        budget: Budget,
        count: Count = estimate_tokens,
    ) -> None:
        self._store, self._journal, self._budget, self._count = store, journal, budget, count
        self._known: dict[Actor, Profile] = {}
        self._zones: dict[Actor, str | None] = {}
        self._readings: dict[Actor, asyncio.Task[Profile]] = {}

    async def get(self, actor: Actor) -> Profile:
        """The actor's profile. When whoever asks has no time left, reading goes on for the next
        one: a store that is always a little too slow is late once. Raises StoreUnavailable."""
        if actor in self._known:
            return self._known[actor]
        reading = self._readings.get(actor)
        if reading is None:
            reading = asyncio.create_task(self._read(actor), name=f"profile of {actor.id}")
            # Nobody may be waiting any more when it fails.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._readings[actor] = reading
        return await asyncio.shield(reading)

    def time_zone(self, actor: Actor) -> str | None:
        """The time zone that the actor has chosen, as of the last reading: known at once, as a
        search can't wait for the profile."""
        return self._zones.get(actor)

    def is_current(self, actor: Actor, profile: Profile) -> bool:
        """Whether nothing has changed since this one was read."""
        return self._known.get(actor) is profile

    def changed(self, actor: Actor) -> None:
        """Read the profile anew when it is next asked for, also if it is being read now."""
        self._known.pop(actor, None)
        self._readings.pop(actor, None)

    def forget(self, actor: Actor) -> None:
        """Keep nothing of this actor."""
        self.changed(actor)
        self._zones.pop(actor, None)

    def keep(self, wanted: Callable[[Actor], bool]) -> None:
        """Let go of everybody else's."""
        self._known = {actor: known for actor, known in self._known.items() if wanted(actor)}
        self._zones = {actor: zone for actor, zone in self._zones.items() if wanted(actor)}

    async def aclose(self) -> None:
        """Stop reading."""
        readings = list(self._readings.values())
        for reading in readings:
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)

    async def _read(self, actor: Actor) -> Profile:
        try:
            # First what is open: a session that ends meanwhile changes the profile once more.
            talks = {session.id for session in await self._journal.open_sessions(actor)}
            records = await self._store.records(actor)
            profile = build_profile(records, self._budget, talks, self._count)
            if self._readings.get(actor) is asyncio.current_task():
                self._known[actor], self._zones[actor] = profile, profile.time_zone
            return profile
        finally:
            if self._readings.get(actor) is asyncio.current_task():
                del self._readings[actor]
