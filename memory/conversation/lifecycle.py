"""Finds, opens, archives and ends sessions, each step with the actor's lock held."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from memory.background.locks import Locks
from memory.background.waiting import Waiter, waited_for_by
from memory.conversation.live import Live
from memory.conversation.running_summaries import RunningSummaries
from memory.conversation.sessions import LiveSessions
from memory.conversation.tiers import Tiers, archive
from memory.knowledge.recall import Profile
from memory.learning.endings import Ending, Outcome
from memory.learning.jobs import ExtractionJobs
from memory.ports import LongTermMemory
from memory.records import Actor, Choices, Kind, Place, Role, RunningSummary, Turn

#: Turns that stay word for word when a conversation is summed up on request: the last thing said
#: and its answer.
TURNS_KEPT = 2


class Lifecycle:
    """The life of all sessions. All methods raise StoreUnavailable."""

    def __init__(
        self,
        sessions: LiveSessions,
        running: RunningSummaries,
        jobs: ExtractionJobs,
        locks: Locks,
        clock: Callable[[], datetime],
        store: LongTermMemory | None,
    ) -> None:
        """Without a `store`, nothing is archived or learned."""
        self._sessions, self._running, self._jobs = sessions, running, jobs
        self._locks, self._clock, self._store = locks, clock, store

    async def find(self, actor: Actor, place: Place) -> Live | None:
        """The open session of this place. Waits while it is written, ended or forgotten, because a
        session read from the journal stays in RAM."""
        if live := self._sessions.in_ram(actor, place):
            return live
        async with self._locks[actor]:
            return await self._sessions.find(actor, place)

    async def find_or_open(self, actor: Actor, place: Place) -> Live:
        """The session for what is said now: the open one if it is not idle, else a new one."""
        now = self._clock()
        live = self._sessions.in_ram(actor, place)
        if live is None or live.window.too_full:
            # Not while something is forgotten: what comes back from the journal must be the rest.
            async with self._locks[actor]:
                live = await self._sessions.find(actor, place)
                if live and live.window.too_full:
                    await self._sessions.trim(live)
        if live and self._sessions.is_idle(live, now):
            await self.end(live, "idle")
            # The writer does not know yet that the private session ended: the next is private too.
            if live.session.private:
                return await self.open_private(actor, place)
            live = None
        return live or await self._open(actor, place)

    @asynccontextmanager
    async def session_to_write(
        self, actor: Actor, place: Place, *, private: bool = False
    ) -> AsyncIterator[Live | None]:
        """The session to write a finished turn to; None if the turn began in a `private` session
        that has ended since. Holds the lock: a turn must not be written between two steps of
        forgetting."""
        async with self._locks[actor]:
            if private:
                live = await self._sessions.find(actor, place)
                yield live if live and live.session.private else None
            else:
                yield await self._sessions.find_or_open(actor, place, self._clock())

    async def open_private(self, actor: Actor, place: Place) -> Live:
        """Open a private session. Ends any other session that was opened in between."""
        while not (live := await self._open(actor, place, private=True)).session.private:
            await self.end(live, "private")
        return live

    async def end(self, live: Live, reason: str) -> Ending | None:
        """End this session; None if it had ended already or was empty."""
        async with self._locks[live.session.actor]:
            if live.session.private or not live.session.message_count:
                gone = await self._sessions.discard(live)
                return Ending.of_private(live.session) if gone and live.session.private else None
            if not await self._sessions.end(live, reason, self._clock()):
                return None
        if self._store is None:
            await self._sessions.journal.jobs.done(live.session.id)
            return None
        return self._jobs.enqueue(live.session)

    async def end_idle(self) -> None:
        """End idle sessions, including those of an earlier process."""
        now, leases = self._clock(), self._locks.leases
        self._sessions.drop_idle(now)
        idle = await self._sessions.idle(now)
        elsewhere = await leases.elsewhere({session.actor for session in idle})
        for session in idle:
            if session.actor in elsewhere:
                continue  # who holds it sees it too
            async with leases.work_on(session.actor) as ours:
                live = await self.find(session.actor, session.place) if ours else None
                if live and self._sessions.is_idle(live, now):
                    ending = await self.end(live, "idle")
                    if ending and live.session.private:
                        await self._jobs.endings.finish(live.session, Outcome.DISCARDED)

    async def show_profile(self, live: Live, known: tuple[Profile, Choices], block: str) -> None:
        """Begin the model's input with this profile block from now on. If the block has changed
        within the session, no prompt cache has what follows it either: then a batch leaves the
        window at once, which would otherwise change the beginning again some turns later."""
        live.show(known, block)
        changed, live.begun = live.begun not in (None, block), block
        if changed:
            async with self._locks[live.session.actor]:
                await self._sessions.make_room(live)

    async def archive(self, live: Live, turn: Turn) -> None:
        """Archive a turn as the journal has it, unless it must not be kept. If earlier turns may be
        missing (the store was away, or the process was killed), all are sent again: the store
        ignores turns it has. A turn without an answer waits for the next one: it may get one."""
        if self._store is None or not turn.kept or live.session.private:
            return
        if turn.interrupted and turn.answer is None:
            live.archived = False
            return
        certain, live.archived = live.archived, False
        journaled = self._sessions.journal.turns
        turns = [turn] if certain else await journaled.of(live.session.id)
        await self._store.add_turn(live.session.actor, *(each for each in turns if each.kept))
        live.archived = True

    async def drop_archived(self, actor: Actor, turns: Sequence[Turn]) -> None:
        """Delete what the archive has of turns that others replace."""
        if self._store and turns:
            records = await self._store.messages(actor, [turn.id for turn in turns])
            await self._store.delete(actor, [record.id for record in records])

    async def reword_archived(self, actor: Actor, turn: Turn) -> None:
        """Give what the archive has of a turn's question the words that the turn has now."""
        if self._store and turn.question:
            found = await self._store.messages(actor, [turn.id])
            said = [record for record in found if record.role is Role.USER]
            await self._store.delete(actor, [record.id for record in said])
            text = turn.question.text
            await self._store.restore(actor, [replace(record, text=text) for record in said])

    async def summarize_now(self, actor: Actor, place: Place) -> tuple[RunningSummary, ...]:
        """Move all but the last turns of the open session out of its window and return once they
        are summarized, with the fallback if the summarizer fails."""
        async with self._locks[actor]:
            live = await self._sessions.find(actor, place)
            if live is None:
                return ()
            await self._sessions.compact(live, TURNS_KEPT)
        await self._running.finish(live.session)
        return tuple(await self._sessions.journal.summaries.of(live.session.id))

    async def tiers(self, actor: Actor) -> Tiers:
        """Everything kept of the actor's conversations."""
        journal = self._sessions.journal
        async with self._locks[actor]:
            open_sessions = await self._sessions.all_open(actor)
            active = tuple(turn for live in open_sessions for turn in live.window.turns)
            summaries: list[RunningSummary] = []
            for session in await journal.sessions.unfinished(actor):
                summaries += await journal.summaries.of(session.id)
        kinds = (Kind.MESSAGE, Kind.SUMMARY)
        with waited_for_by(Waiter.PERSON):
            records = await self._store.records(actor, kinds=kinds) if self._store else []
        return Tiers(active, tuple(summaries), archive(records, active, summaries))

    async def _open(self, actor: Actor, place: Place, *, private: bool = False) -> Live:
        async with self._locks[actor]:
            return await self._sessions.find_or_open(actor, place, self._clock(), private=private)
