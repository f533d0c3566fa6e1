"""Memory: one object that the conversation, the tools and the commands talk to."""

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

import structlog

from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.export import document
from memory.extraction import revises, same_statement
from memory.forgetting import telling_turns, traces
from memory.gate import admit, masked
from memory.jobs import Ending, ExtractionJobs
from memory.names import agent_name_of, agent_name_text, clean_name
from memory.ports import Extractor, Journal, LongTermMemory
from memory.profiles import Profiles
from memory.recall import Budget, profile_block, recalled_block
from memory.records import (
    AGENT_NAME_SLOT,
    LEARNED_KINDS,
    Actor,
    ConversationHistory,
    Draft,
    HistoryMetadata,
    Hit,
    Kind,
    Message,
    Place,
    Profile,
    Record,
    Session,
    ToolUse,
    Turn,
)
from memory.sessions import Live, SessionLimits, Sessions

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: Makes turn ids of names; any constant would do.
_TURNS = uuid.UUID("5d0f2c1e-2c0b-4c5e-9a57-1f6f0d8a7e11")

_ID = re.compile(r"[#/]?([A-Za-z0-9_-]{1,64})")


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """How the memory behaves. Times in seconds. With `enabled` false nothing outlives
    the window."""

    enabled: bool = True
    top_k: int = 10
    min_relevance: float = 0.2
    recall_seconds: float = 1.5
    extraction_seconds: float = 30.0
    housekeeping_seconds: float = 60.0
    limits: SessionLimits = field(default_factory=SessionLimits)
    budget: Budget = field(default_factory=Budget)


def utc_now() -> datetime:
    """The present moment, with its time zone."""
    return datetime.now(UTC)


class Memory:
    """What is known, about whom. Use as `async with`: background work runs while it is open.

    Every method takes the actor; none finds, changes or deletes anything of another one."""

    def __init__(
        self,
        store: LongTermMemory,
        journal: Journal,
        extractor: Extractor,
        options: MemoryOptions | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.options = options or MemoryOptions()
        self._store, self._journal, self._clock = store, journal, clock
        self._sessions = Sessions(journal, self.options.limits)
        self._jobs = ExtractionJobs(
            store, journal, extractor, clock, timeout_seconds=self.options.extraction_seconds
        )
        self._jobs.on_change = self._profile_changed
        self._profiles = Profiles(store, self.options.budget)
        self._housekeeper: asyncio.Task[None] | None = None
        self._complained: dict[str, datetime] = {}

    async def __aenter__(self) -> Self:
        self._jobs.start()
        self._housekeeper = asyncio.create_task(self._keep_house(), name="housekeeping")
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._housekeeper:
            self._housekeeper.cancel()
            await asyncio.gather(self._housekeeper, return_exceptions=True)
        await self._jobs.aclose()
        await self._profiles.aclose()

    def on_saved(self, observer: Callable[[Session], Awaitable[None]]) -> None:
        """Tell this observer when a session has been saved and nobody waited for it."""
        self._jobs.on_saved = observer

    # -- one turn ---------------------------------------------------------------------------------

    async def recall(self, actor: Actor, place: Place, text: str) -> ConversationHistory:
        """Everything remembered that matters for answering this text. What the store does not
        deliver within its time is left out. Raises StoreUnavailable if the journal fails."""
        now = self._clock()
        live = await self._live(actor, place, now)
        profile, hits = await asyncio.gather(
            self._in_time("profile", self.profile(actor), None),
            self._in_time("search", self._related(actor, live, text, now), []),
        )
        known = profile or Profile()
        about = live.profile
        if about is None:
            about = profile_block(known, now, self.options.budget)
            # One that came too late, or that has changed meanwhile, is for this turn alone.
            if profile is not None and self._profiles.is_current(actor, profile):
                live.profile = about
        recalled = recalled_block(hits, known, now, self.options.budget)
        messages = live.window.messages
        metadata = HistoryMetadata(
            session_id=live.session.id,
            message_count=live.session.message_count,
            oldest=messages[0].at if messages else None,
            newest=messages[-1].at if messages else None,
            has_long_term_context=bool(about),
            has_semantic_context=bool(recalled),
        )
        return ConversationHistory(
            metadata, messages, profile=about, recalled=recalled, hits=tuple(hits)
        )

    async def record(
        self,
        actor: Actor,
        place: Place,
        messages: Sequence[Message],
        tools: Sequence[ToolUse] = (),
        *,
        name: str | None = None,
        kept: bool = True,
    ) -> Ending | None:
        """Write a finished turn down. When it was the session's last, its ending comes back. `name`
        is what the turn is known by for good: recorded twice, it is one turn. What is not `kept`
        goes no further than the session.

        Raises StoreUnavailable if the turn could not be written: then it did not happen."""
        now = self._clock()
        id_ = uuid.uuid5(_TURNS, f"{actor.id}/{name}") if name else uuid.uuid4()
        # Not while something is forgotten: a turn must not be written between two of its steps.
        async with self._jobs.locks[actor]:
            live = await self._sessions.find_or_open(actor, place, now)
            turn = Turn(id_.hex, live.session.id, tuple(messages), tuple(tools), kept)
            await self._sessions.append(live, turn)
            if self.options.enabled and kept:
                try:
                    await self._store.add_turn(actor, masked(turn))
                except StoreUnavailable as failure:
                    # The journal has the turn; extraction hands it to the store again.
                    self._complain("add_turn", failure)
        return await self._end(live, "length", now) if self._sessions.is_full(live) else None

    async def session(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this place, if there is one. Raises StoreUnavailable."""
        live = await self._sessions.find(actor, place)
        return live.session if live else None

    async def end_session(self, actor: Actor, place: Place, reason: str) -> Ending | None:
        """End the open session of this place; None if there was none, or nothing in it."""
        live = await self._sessions.find(actor, place)
        return await self._end(live, reason, self._clock()) if live else None

    async def settle(self) -> None:
        """Return when all extraction that is due has been tried."""
        await self._jobs.settle()

    # -- what is known ----------------------------------------------------------------------------

    async def profile(self, actor: Actor) -> Profile:
        """What every session of this actor begins with. Raises StoreUnavailable."""
        return await self._profiles.get(actor) if self.options.enabled else Profile()

    async def agent_name(self, actor: Actor) -> str | None:
        """What this actor calls the assistant. Raises StoreUnavailable."""
        return (await self.profile(actor)).agent_name

    async def records(
        self, actor: Actor, kinds: Sequence[Kind] = LEARNED_KINDS, *, everything: bool = False
    ) -> list[Record]:
        """The actor's current records, oldest first; superseded ones too if `everything`.
        Raises StoreUnavailable."""
        if not self.options.enabled:
            return []
        return await self._store.records(actor, kinds=kinds, include_superseded=everything)

    async def search(
        self, actor: Actor, query: str, kinds: Sequence[Kind] = LEARNED_KINDS, limit: int = 0
    ) -> list[Hit]:
        """The actor's current records that have to do with the query, best first; at most `limit`,
        or the configured number if 0. Raises StoreUnavailable."""
        if not self.options.enabled:
            return []
        return await self._store.search(
            actor,
            query,
            kinds=kinds,
            limit=limit or self.options.top_k,
            min_relevance=self.options.min_relevance,
            now=self._clock(),
        )

    async def remember(self, actor: Actor, text: str, kind: Kind = Kind.FACT) -> Record:
        """Keep a statement at once. One that is known already is not written again. Raises
        RefusedText, StoreUnavailable."""
        self._require_enabled()
        text = admit(text)
        async with self._changing(actor):
            known = await self._store.records(actor, kinds=(Kind.FACT, Kind.PREFERENCE))
            for record in known:
                if same_statement(record.text, text):
                    return record
            old = next((record.id for record in known if revises(text, record.text)), None)
            draft = Draft(kind, text, self._clock(), importance=7, supersedes=old)
            (record,) = await self._store.commit(actor, [draft])
        return record

    async def set_agent_name(self, actor: Actor, name: str) -> str:
        """Keep what the actor calls the assistant; the name as it was stored. Raises RefusedText,
        StoreUnavailable."""
        self._require_enabled()
        name = clean_name(name)
        async with self._changing(actor):
            preferences = await self._store.records(actor, kinds=(Kind.PREFERENCE,))
            old = next((r for r in preferences if r.slot == AGENT_NAME_SLOT), None)
            if old and agent_name_of(old) == name:
                return name
            draft = Draft(
                Kind.PREFERENCE,
                agent_name_text(name),
                self._clock(),
                slot=AGENT_NAME_SLOT,
                importance=10,
                supersedes=old.id if old else None,
            )
            await self._store.commit(actor, [draft])
        return name

    # -- forgetting and taking along --------------------------------------------------------------

    async def find(self, actor: Actor, short_id: str) -> Record:
        """The actor's own record with this short id. Raises UnknownRecord, also for an id that two
        records share, and StoreUnavailable."""
        wanted = _ID.fullmatch(short_id.strip())
        found = [
            record
            for record in (await self.records(actor, everything=True) if wanted else [])
            if wanted and record.short_id.lower() == wanted.group(1).lower()
        ]
        if len(found) != 1:
            raise UnknownRecord(f"no memory has the id {short_id[:20]!r}")
        return found[0]

    async def forget(self, actor: Actor, short_id: str) -> Record:
        """Delete one of the actor's own records, with the archived messages, summaries and turns
        under way that say the same; the record that is gone. Raises UnknownRecord,
        StoreUnavailable."""
        async with self._changing(actor):
            record = await self.find(actor, short_id)
            others = await self._store.records(
                actor, kinds=(Kind.SUMMARY, Kind.MESSAGE), include_superseded=True
            )
            turns = await self._sessions.turns(actor)
            await self._sessions.unsay(actor, telling_turns(record, turns))
            doomed = dict.fromkeys((record.id, *traces(record, others)))
            if record.id not in await self._store.delete(actor, list(doomed)):
                raise UnknownRecord(f"no memory has the id {short_id[:20]!r}")
        return record

    async def forget_all(self, actor: Actor) -> None:
        """Delete everything about the actor: records, turns, open sessions. What is under way is
        not extracted. Raises StoreUnavailable."""
        async with self._changing(actor):
            await self._journal.erase(actor)
            self._sessions.forget(actor)
            # Also what was kept before the memory was switched off.
            await self._store.erase(actor)

    async def export(self, actor: Actor) -> dict[str, Any]:
        """Everything kept about the actor, as a JSON document. Raises StoreUnavailable."""
        kinds = (*LEARNED_KINDS, Kind.MESSAGE)
        records = await self.records(actor, kinds, everything=True)
        return document(actor, await self.agent_name(actor), records, self._clock())

    # -- inside -----------------------------------------------------------------------------------

    async def _live(self, actor: Actor, place: Place, now: datetime) -> Live:
        live = await self._sessions.find(actor, place)
        if live and self._sessions.is_idle(live, now):
            await self._end(live, "idle", now)
            live = None
        return live or await self._sessions.find_or_open(actor, place, now)

    async def _end(self, live: Live, reason: str, now: datetime) -> Ending | None:
        if not live.session.message_count or not await self._sessions.end(live, reason, now):
            return None
        if not self.options.enabled:
            await self._journal.done(live.session.id)
            return None
        return self._jobs.ended(live.session)

    async def _related(self, actor: Actor, live: Live, text: str, now: datetime) -> list[Hit]:
        # Preferences are in the profile. Where a kind is a network call, that is one less a turn.
        hits = await self.search(actor, text, (Kind.FACT, Kind.SUMMARY, Kind.MESSAGE))
        return [
            hit
            for hit in hits
            if hit.record.kind is not Kind.MESSAGE or hit.record.session_id != live.session.id
        ]

    async def _in_time(self, what: str, work: Awaitable[T], otherwise: T) -> T:
        try:
            return await asyncio.wait_for(work, self.options.recall_seconds)
        except (StoreUnavailable, TimeoutError) as failure:
            self._complain(what, failure)
            return otherwise

    def _complain(self, what: str, failure: Exception) -> None:
        """Log a failing part, at most once a minute: an outage is one fact, not thousands."""
        now = self._clock()
        last = self._complained.get(what)
        if last is None or (now - last).total_seconds() >= 60:
            self._complained[what] = now
            _log.warning("memory_degraded", part=what, error=str(failure) or type(failure).__name__)

    @asynccontextmanager
    async def _changing(self, actor: Actor) -> AsyncIterator[None]:
        """Alone with the actor's records. Whatever becomes of the change, broken off or cancelled,
        nobody goes on with what was known before."""
        async with self._jobs.locks[actor]:
            try:
                yield
            finally:
                self._profile_changed(actor)

    def _profile_changed(self, actor: Actor) -> None:
        self._profiles.changed(actor)
        self._sessions.profile_changed(actor)

    def _require_enabled(self) -> None:
        if not self.options.enabled:
            raise RefusedText("long-term memory is switched off here (memory_enabled is false)")

    async def _keep_house(self) -> None:
        """End sessions that fell silent, also those of an earlier process."""
        while True:
            now = self._clock()
            try:
                for session in await self._sessions.idle(now):
                    live = await self._sessions.find(session.actor, session.place)
                    if live and self._sessions.is_idle(live, now):
                        await self._end(live, "idle", now)
            except StoreUnavailable as failure:
                self._complain("housekeeping", failure)
            self._sessions.drop_idle(now)
            self._profiles.keep(self._sessions.has)
            await asyncio.sleep(self.options.housekeeping_seconds)
