"""The memory as the conversation, the tools and the commands use it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Self

from memory.background.locks import Locks
from memory.background.work import Periodic
from memory.conversation.lifecycle import Lifecycle
from memory.conversation.recent import RecentMessages
from memory.conversation.running_summaries import RunningSummaries, SummaryLimits
from memory.conversation.sessions import LiveSessions
from memory.conversation.talk import Talk
from memory.conversation.tokens import Tokens
from memory.erasing import erase_all
from memory.errors import StoreUnavailable
from memory.journal import Backlog, Journal
from memory.knowledge.choices import ChoiceRegistry
from memory.knowledge.knowledge import Knowledge
from memory.knowledge.maintenance import Maintenance
from memory.knowledge.recall import Profiles
from memory.learning.endings import Observer
from memory.learning.jobs import ExtractionJobs, ExtractionLimits
from memory.learning.learner import Learner
from memory.learning.readings import Readings
from memory.leases import ALONE, Leases
from memory.options import MemoryOptions, utc_now
from memory.ports import Losses, Store
from memory.records import Actor, Change, Choice, Kind, Place, Speaker
from memory.safety.gate import admit
from memory.traces import Remainder
from memory.understanding import Proposal, Reading, Understanding

__all__ = ["Memory", "MemoryOptions", "utc_now"]


class Memory:
    """What is known of each actor, and what is being said. Use with `async with`: background work
    runs while it is open.

    Every method takes the actor and never finds, changes or deletes anything of another one."""

    def __init__(
        self,
        store: Store,
        journal: Journal,
        understanding: Understanding,
        options: MemoryOptions | None = None,
        clock: Callable[[], datetime] = utc_now,
        leases: Leases = ALONE,
    ) -> None:
        self.options = options = options or MemoryOptions()
        self.clock, self.tokens, self.rules = clock, Tokens(), understanding.rules
        count, limits = self.tokens.count, options.limits_in_force
        seconds = options.extraction_timeout_seconds
        self._store, self._journal = store, journal
        #: What could not be read any more.
        self.losses: Losses = store
        #: Whether the store itself learns from what is said, before its session ends.
        self.learns_while_talking = bool(store.extraction and store.extraction.takes_new_turns)
        archive = store if store.archives else RecentMessages(store, journal)
        self._sessions = LiveSessions(
            journal, limits, count, on_eviction=lambda: self._running.look_again()
        )
        self._profiles = Profiles(store, journal.sessions, options.budget, count)
        self._locks = Locks(self._profiles.known.drop, leases)
        #: What people have chosen for themselves.
        self.choices = ChoiceRegistry(store.choices, self._locks, options, clock)
        readings, most = Readings(store, self._zone), options.max_records_per_session
        self._learner = Learner(store, understanding, readings, seconds, most)
        tries = ExtractionLimits(seconds, options.extraction_attempts)
        self._jobs = ExtractionJobs(store, journal, self._learner, self._locks, clock, tries)
        self._running = RunningSummaries(
            journal,
            understanding.summarizer,
            self._locks,
            clock,
            self._sessions.complete_summary,
            SummaryLimits(seconds, limits.summary_tokens, count),
        )
        kept = archive if options.memory_enabled else None
        places = self._sessions, self._running, self._jobs, self._locks
        self._lifecycle = Lifecycle(*places, clock, kept)
        #: What is known of people.
        self.known = Knowledge(
            archive, self._sessions, self.choices, self._locks, options, understanding.rules
        )
        #: What is being said.
        self.talk = Talk(
            self._lifecycle, self._sessions, self.known, self._profiles, self.choices, options
        )
        runs, retention = journal.maintenance, options.retention
        self._maintenance = Maintenance(store, runs, retention, clock, self._locks)
        tidy = [self._maintenance.run_if_due] if options.memory_enabled else []
        self._periodic = Periodic([self._end_idle, *tidy], options.background_seconds)
        leases.subscribe(self.drop)

    async def __aenter__(self) -> Self:
        for work in (self._jobs, self._running, self._periodic):
            work.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        for work in (self._periodic, self._jobs, self._running):
            await work.aclose()
        await self._profiles.known.aclose()
        await self.choices.known.aclose()

    def on_saved(self, observer: Observer) -> None:
        """Call this observer when a session was saved and nobody waited for it, or when a private
        one ended by itself."""
        self._jobs.endings.subscribe(observer)

    async def remember(
        self, actor: Actor, text: str, kind: Kind = Kind.FACT, speaker: Speaker | None = None
    ) -> Change | None:
        """Store what somebody wants remembered: a statement, or the assistant's name. Returns None
        if it was only the name. Raises RefusedText, also for a question, and StoreUnavailable."""
        meant = self.rules.meaning(admit(text))
        if meant.agent_name:
            await self.choices.set(actor, Choice.AGENT_NAME, meant.agent_name)
            if meant.only_names:
                return None
        return await self.known.remember(actor, text, kind, speaker)

    async def learn(self, actor: Actor, proposal: Proposal, reading: Reading) -> Change:
        """Store what a model proposes during a conversation, after the checks and the review that a
        session's proposals go through; `reading` holds the turns it may cite, with the current
        one, and the records it may name. A statement that is known already is returned as NOTED,
        with itself as `before`. Raises RefusedText with the reason for the model, ExtractionFailed,
        StoreUnavailable."""
        self.options.require_enabled()
        judged = await self._learner.judge(proposal, reading)
        async with self._locks.changing(actor):
            return await self._learner.store(actor, judged, reading, self.clock())

    async def forget_all(self, actor: Actor) -> Remainder:
        """Delete everything about the actor: records, turns, open sessions. Nothing of an
        unfinished extraction is stored. Returns what a store has yet to delete, of which nothing is
        shown any more. Raises StoreUnavailable if anything else is left."""
        async with self._locks.changing(actor):
            try:
                return await erase_all(actor, self._journal, self._store)
            finally:
                self._drop_values(actor)

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        """Give everything of the actor, including open sessions, to another one, and move the
        conversations in the chat of `place` to that of `to_place`. A second call completes a move
        that was interrupted. Raises StoreUnavailable, also while another worker has the actor."""
        if actor == to:
            return
        leases, (first, second) = self._locks.leases, sorted((actor, to))
        # What a worker that has the other one has of them in RAM stays true, and may lack some.
        async with leases.work_on(to), leases.work_on(actor) as ours:
            if not ours:
                raise StoreUnavailable("another worker has the actor: try again")
            async with self._locks.changing(first), self._locks.changing(second):
                await self._store.move(actor, to)
                await self._journal.move(actor, to, place, to_place)
                # The journal restores them as they are after the move.
                self._drop_values(actor, to)

    def drop(self, actor: Actor) -> None:
        """Drop what is in RAM of the actor, who may be at another worker. What still runs here for
        them ends when it writes."""
        self._drop_values(actor)
        self._store.drop(actor)

    def _drop_values(self, *actors: Actor) -> None:
        for actor in actors:
            for drop in (self._sessions.forget, self._profiles.known.drop, self.choices.known.drop):
                drop(actor)

    async def settle(self) -> None:
        """Return when all due extractions and summaries have been tried."""
        await self._jobs.settle()
        await self._running.settle()

    async def backlog(self) -> Backlog:
        """What of all actors is not saved yet. Raises StoreUnavailable."""
        backlog, store = await self._journal.jobs.backlog(), self._store
        if sending := store.sending:
            refused, unsent = await sending.refused(), await sending.waiting()
            backlog = replace(backlog, refused=refused, unsent=unsent)
        if erasing := store.erasing:
            backlog = replace(backlog, deletions=await erasing.pending())
        return backlog

    async def _zone(self, actor: Actor) -> tzinfo:
        await self.choices.read(actor)
        return self.choices.local_time(actor).tzinfo or UTC

    async def _end_idle(self) -> None:
        talking = self._sessions.actors()
        self._profiles.known.keep(talking)
        self.choices.known.keep(talking)
        # A clock that has leapt makes everybody look idle.
        if await self._maintenance.clock_is_right():
            await self._lifecycle.end_idle()
