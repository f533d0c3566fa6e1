"""Finding, opening and ending sessions, each step with the actor's lock held."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from memory.background.locks import Locks
from memory.conversation.running_summaries import RunningSummaries
from memory.conversation.sessions import Live, LiveSessions
from memory.learning.endings import Ending, Outcome
from memory.learning.jobs import ExtractionJobs
from memory.records import Actor, Place


class Lifecycle:
    """The life of everybody's sessions. All methods raise StoreUnavailable."""

    def __init__(
        self,
        sessions: LiveSessions,
        running: RunningSummaries,
        jobs: ExtractionJobs,
        locks: Locks,
        clock: Callable[[], datetime],
        *,
        learns: bool,
    ) -> None:
        """`learns` says whether sessions that end are extracted from."""
        self._sessions, self._running, self._jobs = sessions, running, jobs
        self._locks, self._clock, self._learns = locks, clock, learns

    async def find(self, actor: Actor, place: Place) -> Live | None:
        """The open session of this place. Not read while it is written, ended or forgotten: what
        comes back from the journal stays in RAM."""
        if live := self._sessions.in_ram(actor, place):
            return live
        async with self._locks[actor]:
            return await self._sessions.find(actor, place)

    async def find_or_open(self, actor: Actor, place: Place) -> Live:
        """The session that what is said now belongs to: the open one, if it has not fallen silent,
        or a new one."""
        now = self._clock()
        live = self._sessions.in_ram(actor, place)
        if live is None or live.window.too_full:
            # Not while something is forgotten: what comes back from the journal must be the rest.
            async with self._locks[actor]:
                live = await self._sessions.find(actor, place)
                if live and live.window.too_full:
                    await self._sessions.trim(live)
                    self._running.look_again()
        if live and self._sessions.is_idle(live, now):
            await self.end(live, "idle")
            # Whoever writes on has not heard yet that it is private no more: so it still is.
            if live.session.private:
                return await self.open_private(actor, place)
            live = None
        return live or await self._open(actor, place)

    @asynccontextmanager
    async def writing(
        self, actor: Actor, place: Place, *, private: bool = False
    ) -> AsyncIterator[Live | None]:
        """The session that a finished turn is written to, for as long as that takes; None if the
        turn began in a `private` one that has ended meanwhile. Nothing is forgotten at the same
        time: a turn must not be written between two steps of that."""
        async with self._locks[actor]:
            if private:
                live = await self._sessions.find(actor, place)
                yield live if live and live.session.private else None
            else:
                yield await self._sessions.find_or_open(actor, place, self._clock())

    async def open_private(self, actor: Actor, place: Place) -> Live:
        """A private session, whatever somebody else has opened there meanwhile."""
        while not (live := await self._open(actor, place, private=True)).session.private:
            await self.end(live, "private")
        return live

    async def end(self, live: Live, reason: str) -> Ending | None:
        """End this session; None if it had ended already, or nothing was in it."""
        async with self._locks[live.session.actor]:
            if live.session.private or not live.session.message_count:
                gone = await self._sessions.discard(live)
                return Ending.discarded(live.session) if gone and live.session.private else None
            if not await self._sessions.end(live, reason, self._clock()):
                return None
        if not self._learns:
            await self._sessions.drop(live.session.id)
            return None
        return self._jobs.enqueue(live.session)

    async def end_idle(self) -> None:
        """End sessions that fell silent, also those of an earlier process."""
        now = self._clock()
        self._sessions.drop_idle(now)
        for session in await self._sessions.idle(now):
            live = await self.find(session.actor, session.place)
            if live and self._sessions.is_idle(live, now):
                ending = await self.end(live, "idle")
                if ending and live.session.private:
                    await self._jobs.endings.finish(live.session, Outcome.DISCARDED)

    async def _open(self, actor: Actor, place: Place, *, private: bool = False) -> Live:
        async with self._locks[actor]:
            return await self._sessions.find_or_open(actor, place, self._clock(), private=private)
