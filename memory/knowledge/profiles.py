"""The profiles that sessions begin with, read once and kept until something remembered changes."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from memory.conversation.tokens import Count, estimate_tokens
from memory.knowledge.recall import Budget, build_profile, profile_block, recalled_block
from memory.ports import LongTermMemory, Sessions
from memory.records import Actor, Choice, Choices, Hit, Profile


class Profiles:
    """Everybody's profile, as far as it has been asked for."""

    def __init__(
        self,
        store: LongTermMemory,
        sessions: Sessions,
        budget: Budget,
        count: Count = estimate_tokens,
    ) -> None:
        self._store, self._sessions, self._budget, self._count = store, sessions, budget, count
        self._known: dict[Actor, Profile] = {}
        self._choices: dict[Actor, Choices] = {}
        self._readings: dict[Actor, asyncio.Task[Profile]] = {}
        self._tasks: set[asyncio.Task[Profile]] = set()

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
            # One that is out of date when it is done runs on, too.
            self._tasks.add(reading)
            reading.add_done_callback(self._tasks.discard)
        return await asyncio.shield(reading)

    def choices(self, actor: Actor) -> Choices | None:
        """What the actor has chosen, as of the last reading or choosing: known at once, as neither
        a search nor a sentence of the bot's can wait for the profile. None before the first."""
        return self._choices.get(actor)

    def chose(self, actor: Actor, choice: Choice, value: str | None) -> None:
        """The actor has made a choice: it counts from now on. Where the others are not known, all
        wait for the next reading."""
        if actor in self._choices:
            field = choice.name.lower()
            self._choices[actor] = replace(self._choices[actor], **{field: value})

    def block(self, profile: Profile, now: datetime, language: str | None) -> str:
        """The profile as the model reads it; empty when nothing is known."""
        return profile_block(profile, now, self._budget, language, self._count)

    def recalled_block(
        self, hits: Sequence[Hit], profile: Profile, now: datetime, language: str | None
    ) -> str:
        """What search found and the profile does not hold already; may be empty."""
        return recalled_block(hits, profile, now, self._budget, language, self._count)

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
        self._choices.pop(actor, None)

    def keep(self, wanted: Collection[Actor]) -> None:
        """Let go of everybody else's."""
        self._known = {actor: known for actor, known in self._known.items() if actor in wanted}
        self._choices = {actor: made for actor, made in self._choices.items() if actor in wanted}

    async def aclose(self) -> None:
        """Stop reading."""
        readings = list(self._tasks)
        for reading in readings:
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)

    async def _read(self, actor: Actor) -> Profile:
        try:
            # First what is open: a session that ends meanwhile changes the profile once more.
            talks = {session.id for session in await self._sessions.of(actor)}
            records = await self._store.records(actor)
            # Of 10,000 records this takes long enough to be felt by everybody else.
            profile = await asyncio.to_thread(
                build_profile, records, self._budget, talks, self._count
            )
            if self._readings.get(actor) is asyncio.current_task():
                self._known[actor], self._choices[actor] = profile, profile.choices
            return profile
        finally:
            if self._readings.get(actor) is asyncio.current_task():
                del self._readings[actor]
