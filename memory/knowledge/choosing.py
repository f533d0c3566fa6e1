"""What an actor has chosen: the assistant's name, the language, the time zone, how answers come. A
choice is kept like a memory and is none."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from memory.conversation.sessions import Sessions
from memory.errors import Refusal, RefusedText
from memory.knowledge.choices import (
    CHOICES,
    Choices,
    choice_of,
    choice_text,
    clean_answer_length,
    clean_language,
    clean_streaming,
    clean_time_zone,
    zone_of,
)
from memory.knowledge.profiles import Profiles
from memory.learning.jobs import Locks
from memory.options import MemoryOptions
from memory.ports import LongTermMemory
from memory.records import (
    AGENT_NAME_SLOT,
    ANSWER_LENGTH_SLOT,
    LANGUAGE_SLOT,
    SETTING_SLOTS,
    STREAMING_SLOT,
    TIME_ZONE_SLOT,
    Actor,
    Draft,
    Kind,
    Profile,
    Record,
)
from memory.safety.names import clean_name


class Choosing:
    """The part of the memory that keeps choices; and what all changes have in common: to be alone
    with the actor's records, and to let nobody go on with what was known before."""

    options: MemoryOptions
    _store: LongTermMemory
    _clock: Callable[[], datetime]
    _sessions: Sessions
    _profiles: Profiles
    #: Whoever writes an actor's records holds their lock.
    _locks: Locks

    async def profile(self, actor: Actor) -> Profile:
        """What every session of this actor begins with. Raises StoreUnavailable."""
        return await self._profiles.get(actor) if self.options.enabled else Profile()

    async def agent_name(self, actor: Actor) -> str | None:
        """What this actor calls the assistant. Raises StoreUnavailable."""
        return (await self.profile(actor)).agent_name

    def chosen(self, actor: Actor) -> Choices | None:
        """What this actor has chosen, as far as it is known without asking the store: as of the
        last reading of their profile. None if it was never read."""
        return self._profiles.choices(actor) if self.options.enabled else Choices()

    def local_time(self, actor: Actor) -> datetime:
        """The present moment by the actor's own clock, as of the last reading of their profile."""
        return self._here(actor, self._clock())

    async def set_agent_name(self, actor: Actor, name: str) -> str:
        """Keep what the actor calls the assistant; the name as it was stored. Raises RefusedText,
        StoreUnavailable."""
        name = clean_name(name)
        await self._choose(actor, AGENT_NAME_SLOT, name)
        return name

    async def set_language(self, actor: Actor, language: str) -> str:
        """Keep the actor's language, given as a BCP 47 tag or by its own name; the tag as it was
        stored. Raises RefusedText, StoreUnavailable."""
        language = clean_language(language)
        await self._choose(actor, LANGUAGE_SLOT, language)
        return language

    async def set_time_zone(self, actor: Actor, time_zone: str) -> str:
        """Keep the time zone in which the actor is told dates; its IANA name. Raises RefusedText,
        StoreUnavailable."""
        # The first time, the system's list of zones is read from the disk.
        name = await asyncio.to_thread(clean_time_zone, time_zone)
        await self._choose(actor, TIME_ZONE_SLOT, name)
        return name

    async def set_answer_length(self, actor: Actor, length: str) -> str:
        """Keep how long the actor wants answers to be, an AnswerLength. Raises RefusedText,
        StoreUnavailable."""
        length = clean_answer_length(length)
        await self._choose(actor, ANSWER_LENGTH_SLOT, length)
        return length

    async def set_streaming(self, actor: Actor, streaming: str) -> str:
        """Keep how the actor sees an answer while it is written. Raises RefusedText,
        StoreUnavailable."""
        streaming = clean_streaming(streaming)
        await self._choose(actor, STREAMING_SLOT, streaming)
        return streaming

    async def unset(self, actor: Actor, slot: str) -> None:
        """Keep no choice of this slot any more, nor former ones. Raises StoreUnavailable."""
        async with self._changing(actor):
            preferences = await self._store.records(
                actor, kinds=(Kind.PREFERENCE,), include_superseded=True
            )
            if made := [r.id for r in preferences if slot in SETTING_SLOTS and r.slot == slot]:
                await self._store.delete(actor, made)
        self._note_choice(actor, slot, None)

    # -- inside -----------------------------------------------------------------------------------

    async def _choose(self, actor: Actor, slot: str, value: str) -> Record:
        """Keep the actor's one choice of this slot; its record."""
        self._require_enabled()
        async with self._changing(actor):
            preferences = await self._store.records(actor, kinds=(Kind.PREFERENCE,))
            old = next((r for r in preferences if r.slot == slot), None)
            if old and choice_of(old) == value:
                return old
            draft = Draft(
                Kind.PREFERENCE,
                choice_text(slot, value),
                self._clock(),
                slot=slot,
                importance=10,
                supersedes=old.id if old else None,
            )
            (record,) = await self._store.commit(actor, [draft])
        self._note_choice(actor, slot, value)
        return record

    def _note_choice(self, actor: Actor, slot: str, value: str | None) -> None:
        if field := CHOICES.get(slot):
            self._profiles.chose(actor, lambda made: replace(made, **{field: value}))

    def _here(self, actor: Actor, now: datetime) -> datetime:
        chosen = self._profiles.choices(actor) or Choices()
        return now.astimezone(zone_of(chosen.time_zone) or self.options.time_zone)

    @asynccontextmanager
    async def _changing(self, actor: Actor) -> AsyncIterator[None]:
        """Alone with the actor's records. Whatever becomes of the change, broken off or cancelled,
        nobody goes on with what was known before."""
        async with self._locks[actor]:
            try:
                yield
            finally:
                self._profile_changed(actor)

    def _profile_changed(self, actor: Actor) -> None:
        self._profiles.changed(actor)
        self._sessions.profile_changed(actor)

    def _require_enabled(self) -> None:
        if not self.options.enabled:
            raise RefusedText(
                "long-term memory is switched off here (memory_enabled is false)", Refusal.OFF
            )
