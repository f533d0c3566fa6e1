"""Memory: one object that the conversation, the tools and the commands talk to."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Self, TypeVar

import structlog

from memory.background.rate_limited_log import RateLimitedLog
from memory.conversation.adaptive import points_back, turns_to_show
from memory.conversation.condensing import Condenser
from memory.conversation.running_summaries import RunningSummaries, SummaryLimits
from memory.conversation.sessions import Live, Sessions
from memory.conversation.tiers import Tiers
from memory.conversation.tokens import Tokens
from memory.errors import StoreUnavailable
from memory.knowledge.choices import Choices
from memory.knowledge.housekeeping import Housekeeper, Maintenance
from memory.knowledge.knowledge import Knowledge
from memory.knowledge.profiles import Profiles
from memory.knowledge.recall import profile_block, recalled_block
from memory.learning.extraction import Bounded
from memory.learning.jobs import Ending, ExtractionJobs
from memory.options import MemoryOptions, utc_now
from memory.ports import Backlog, Journal, LongTermMemory
from memory.records import (
    Actor,
    ConversationHistory,
    HistoryMetadata,
    Hit,
    Kind,
    Message,
    Place,
    Profile,
    Role,
    RunningSummary,
    Session,
    ToolUse,
    Turn,
)
from memory.understanding import Understanding

__all__ = ["Memory", "MemoryOptions", "utc_now"]

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: So many messages of the session that goes on come back when somebody points back to them: the
#: summary before the window tells of all that has left it.
_MOST_OLD = 2

#: Makes turn ids of names; any constant would do.
_TURNS = uuid.UUID("5d0f2c1e-2c0b-4c5e-9a57-1f6f0d8a7e11")


class Memory(Knowledge):
    """What is known, about whom, and what is being said. Use as `async with`: background work runs
    while it is open.

    Every method takes the actor; none finds, changes or deletes anything of another one."""

    def __init__(
        self,
        store: LongTermMemory,
        journal: Journal,
        understanding: Understanding,
        options: MemoryOptions | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.options = options or MemoryOptions()
        self.tokens = Tokens()
        self.rules = understanding.rules
        self._store, self._journal, self._clock = store, journal, clock
        limits = self.options.limits
        if not self.options.enabled:
            # Not even a summary outlives the window.
            limits = replace(limits, max_summaries=0)
        self._sessions = Sessions(journal, limits, self.tokens.count)
        self._jobs = ExtractionJobs(
            store,
            journal,
            Bounded(understanding.extractor, self.options.max_records_per_session),
            clock,
            timeout_seconds=self.options.extraction_seconds,
            attempts=self.options.extraction_attempts,
        )
        self._locks = self._jobs.locks
        self._jobs.on_change = self._profile_changed
        self._running = RunningSummaries(
            journal,
            understanding.summarizer,
            self._jobs.locks,
            clock,
            self._sessions.summarized,
            SummaryLimits(self.options.extraction_seconds, limits.summary_tokens),
            self.tokens.count,
        )
        self._condenser = Condenser(store, journal, self._sessions, self._running, self._jobs.locks)
        self._profiles = Profiles(store, journal, self.options.budget, self.tokens.count)
        tidying = Maintenance(
            store,
            journal,
            self.options.retention,
            clock,
            self._jobs.locks,
            self._profile_changed,
        )
        works = [self._end_idle, *([tidying.run_if_due] if self.options.enabled else [])]
        self._housekeeper = Housekeeper(works, self.options.housekeeping_seconds)
        self._log = RateLimitedLog(_log)

    async def __aenter__(self) -> Self:
        self._jobs.start()
        self._running.start()
        self._housekeeper.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._housekeeper.aclose()
        await self._jobs.aclose()
        await self._running.aclose()
        await self._profiles.aclose()

    def on_saved(self, observer: Callable[[Session], Awaitable[None]]) -> None:
        """Tell this observer when a session has been saved and nobody waited for it; or when a
        private one has ended by itself."""
        self._jobs.on_saved = observer

    # -- one turn ---------------------------------------------------------------------------------

    async def recall(
        self, actor: Actor, place: Place, text: str, language: str | None = None
    ) -> ConversationHistory:
        """Everything remembered that matters for answering this text. What the store does not
        deliver within its time is left out. `language` is the BCP 47 tag of who has not chosen
        one. Raises StoreUnavailable if the journal fails."""
        now = self._clock()
        live = await self._live(actor, place, now)
        profile, hits = await asyncio.gather(
            self._in_time("profile", self.profile(actor), None),
            self._in_time("search", self._related(actor, live, text, now), []),
        )
        known = profile or Profile()
        here, speech = self._here(actor, now), known.language or language
        about = live.profile
        if about is None:
            about = profile_block(known, here, self.options.budget, speech, self.tokens.count)
            # One that came too late, or that has changed meanwhile, is for this turn alone.
            if profile is not None and self._profiles.is_current(actor, profile):
                live.profile = about
                await self._condenser.begin(live, about)
        recalled = recalled_block(hits, known, here, self.options.budget, speech, self.tokens.count)
        messages = self._shown(live, text)
        metadata = HistoryMetadata(
            session_id=live.session.id,
            message_count=live.session.message_count,
            oldest=messages[0].at if messages else None,
            newest=messages[-1].at if messages else None,
            has_long_term_context=bool(about),
            has_semantic_context=bool(recalled),
            local_time=here,
            reunion=self._is_reunion(live, known, now),
            private=live.session.private,
            answer_length=(self.chosen(actor) or Choices()).answer_length,
        )
        return ConversationHistory(
            metadata, messages, about, live.notes(now), recalled, tuple(hits)
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
        private: bool = False,
    ) -> Ending | None:
        """Write a finished turn down. When it was the session's last, its ending comes back. `name`
        is what the turn is known by for good: recorded twice, it is one turn. What is not `kept`
        goes no further than the session. A turn that began in a `private` session, which has ended
        meanwhile, is not written.

        Raises StoreUnavailable if the turn could not be written: then it did not happen."""
        now = self._clock()
        id_ = _turn_id(actor, name) if name else uuid.uuid4().hex
        # "Yesterday" is asked for by the actor's calendar, so what was said is dated by it, too.
        zone = self._here(actor, now).tzinfo
        said = tuple(replace(message, at=message.at.astimezone(zone)) for message in messages)
        # Not while something is forgotten: a turn must not be written between two of its steps.
        async with self._locks[actor]:
            if private:
                live = await self._sessions.find(actor, place)
                if live is None or not live.session.private:
                    return None
            else:
                live = await self._sessions.find_or_open(actor, place, now)
            turn = Turn(id_, live.session.id, said, tuple(tools), kept, place)
            await self._condenser.append(live, turn)
            if self.options.enabled and kept and not live.session.private:
                try:
                    await self._condenser.archive(live, turn)
                except StoreUnavailable as failure:
                    # The journal has the turn; extraction hands it to the store again.
                    self._complain("add_turn", failure)
        return await self._end(live, "length", now) if self._sessions.is_full(live) else None

    async def answer(self, actor: Actor, name: str) -> str | None:
        """What was answered in the turn that was recorded under this name; None if there is none,
        or it is in memory alone by now. Raises StoreUnavailable."""
        turn = await self._journal.turn(_turn_id(actor, name))
        answers = [m.text for m in turn.messages if m.role is Role.ASSISTANT] if turn else []
        return answers[-1] if answers else None

    async def session(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this place, if there is one. Raises StoreUnavailable."""
        live = await self._found(actor, place)
        return live.session if live else None

    async def session_now(self, actor: Actor, place: Place) -> Session:
        """The session that what is said now belongs to: the open one, or else a new one. Raises
        StoreUnavailable."""
        return (await self._live(actor, place, self._clock())).session

    async def end_session(self, actor: Actor, place: Place, reason: str) -> Ending | None:
        """End the open session of this place; None if there was none, or nothing in it."""
        live = await self._found(actor, place)
        return await self._end(live, reason, self._clock()) if live else None

    async def begin_private(self, actor: Actor, place: Place) -> Ending | None:
        """End the open session of this place as usual and open a private one, of which nothing is
        kept; it goes on until it is ended or falls silent. The ending of the former one comes back
        as from `end_session`. Raises StoreUnavailable."""
        ending = await self.end_session(actor, place, "private")
        await self._opened_private(actor, place, self._clock())
        return ending

    async def settle(self) -> None:
        """Return when all extraction and all summaries that are due have been tried."""
        await self._jobs.settle()
        await self._running.settle()

    async def summarize_now(self, actor: Actor, place: Place) -> tuple[RunningSummary, ...]:
        """Sum up the open session of this place but for its last turns, without waiting for its
        window to be full; all its running summaries, oldest first. Raises StoreUnavailable."""
        return await self._condenser.summarize_now(actor, place)

    async def tiers(self, actor: Actor) -> Tiers:
        """What the actor's conversations are kept as: word for word, summed up, archived. Raises
        StoreUnavailable."""
        return await self._condenser.tiers(actor, archived=self.options.enabled)

    async def backlog(self) -> Backlog:
        """What of the ended sessions, everybody's, is not extracted yet. Raises
        StoreUnavailable."""
        return await self._journal.backlog()

    # -- inside -----------------------------------------------------------------------------------

    async def _live(self, actor: Actor, place: Place, now: datetime) -> Live:
        live = self._sessions.in_ram(actor, place)
        if live is None or live.window.too_full:
            # Not while something is forgotten: what comes back from the journal must be the rest.
            async with self._locks[actor]:
                live = await self._sessions.find(actor, place)
                if live and live.window.too_full:
                    await self._sessions.trim(live)
                    self._running.look_again()
        if live and self._sessions.is_idle(live, now):
            await self._end(live, "idle", now)
            # Whoever writes on has not heard yet that it is private no more: so it still is.
            if live.session.private:
                return await self._opened_private(actor, place, now)
            live = None
        return live or await self._opened(actor, place, now)

    async def _found(self, actor: Actor, place: Place) -> Live | None:
        """The open session of this place. Not read while it is written, ended or forgotten: what
        comes back from the journal stays in RAM."""
        if live := self._sessions.in_ram(actor, place):
            return live
        async with self._locks[actor]:
            return await self._sessions.find(actor, place)

    async def _opened(
        self, actor: Actor, place: Place, now: datetime, *, private: bool = False
    ) -> Live:
        async with self._locks[actor]:
            return await self._sessions.find_or_open(actor, place, now, private=private)

    async def _opened_private(self, actor: Actor, place: Place, now: datetime) -> Live:
        """A private session, whatever somebody else has opened there meanwhile."""
        while not (live := await self._opened(actor, place, now, private=True)).session.private:
            await self._end(live, "private", now)
        return live

    async def _end(self, live: Live, reason: str, now: datetime) -> Ending | None:
        async with self._locks[live.session.actor]:
            if live.session.private or not live.session.message_count:
                gone = await self._sessions.discard(live)
                return Ending.discarded(live.session) if gone and live.session.private else None
            if not await self._sessions.end(live, reason, now):
                return None
        if not self.options.enabled:
            await self._journal.done(live.session.id)
            return None
        return self._jobs.ended(live.session)

    async def _related(self, actor: Actor, live: Live, text: str, now: datetime) -> list[Hit]:
        # Preferences are in the profile. Where a kind is a network call, that is one less a turn.
        hits = await self.search(actor, text, (Kind.FACT, Kind.SUMMARY, Kind.MESSAGE))
        old = [hit for hit in hits if _is_of(hit, live.session)]
        wanted = [hit for hit in old if points_back(text) and _has_left(hit, live)][:_MOST_OLD]
        return [hit for hit in hits if hit not in old or hit in wanted]

    def _is_reunion(self, live: Live, known: Profile, now: datetime) -> bool:
        actor = live.session.actor
        if not self.options.greeting or live.session.message_count or not known.summaries:
            return False
        silent = now - known.summaries[-1].created_at >= self.options.limits.idle
        return silent and not self._sessions.was_here(actor, now)

    def _shown(self, live: Live, text: str) -> tuple[Message, ...]:
        """What of the window goes to the model with this text; the rest stays where it is."""
        there = len(live.window.turns)
        wanted = turns_to_show(text, there) if self.options.adaptive_window else there
        return live.window.latest(wanted)

    async def _in_time(self, what: str, work: Awaitable[T], otherwise: T) -> T:
        try:
            return await asyncio.wait_for(work, self.options.recall_seconds)
        except (StoreUnavailable, TimeoutError) as failure:
            self._complain(what, failure)
            return otherwise

    def _complain(self, what: str, failure: Exception) -> None:
        error = str(failure) or type(failure).__name__
        self._log.warning("memory_degraded", subject=what, part=what, error=error)

    async def _end_idle(self) -> None:
        """End sessions that fell silent, also those of an earlier process. Raises
        StoreUnavailable."""
        now = self._clock()
        self._sessions.drop_idle(now)
        self._profiles.keep(self._sessions.actors())
        for session in await self._sessions.idle(now):
            live = await self._found(session.actor, session.place)
            if live and self._sessions.is_idle(live, now):
                ending = await self._end(live, "idle", now)
                if ending and live.session.private and self._jobs.on_saved:
                    await self._jobs.on_saved(live.session)


def _turn_id(actor: Actor, name: str) -> str:
    return uuid.uuid5(_TURNS, f"{actor.id}/{name}").hex


def _is_of(hit: Hit, session: Session) -> bool:
    """Whether this was said in the session itself."""
    return hit.record.kind is Kind.MESSAGE and hit.record.session_id == session.id


def _has_left(hit: Hit, live: Live) -> bool:
    """Whether its turn is not in the window any more."""
    return {turn.id for turn in live.window.turns}.isdisjoint(hit.record.turn_ids)
