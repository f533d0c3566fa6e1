"""Extracts records from ended sessions in the background, and retries what fails.

A job runs under the lease on its actor: no job runs twice at once, and a killed worker's job is
another one's once its lease has expired. A job that keeps failing goes into quarantine with its
turns, for the operator to inspect and requeue."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from memory.background.locks import Locks
from memory.background.pacing import Backoff
from memory.background.work import PAUSE, Boundary, Worklist, log_outage
from memory.errors import LeaseLost, MemoryFailure
from memory.journal import Job, Journal
from memory.learning.endings import Ending, Endings, Handovers, Outcome
from memory.learning.learner import Learner, Lesson
from memory.ports import Store
from memory.records import Change, Session, Turn
from memory.understanding import ExtractionFailed

_log = structlog.get_logger(__name__)

#: The longest pause between two tries of one session.
_BACKOFF = Backoff(PAUSE, 6 * 3600.0)
#: A job goes into quarantine after this many tries. With the pauses above they take 14 hours, so a
#: model that is down for a night sends no job there. A session that no model can read costs a dozen
#: calls, not thousands.
ATTEMPTS = 12
#: So many due jobs are looked at, of which other workers may hold the actors.
_LOOKED_AT = 100

#: How an extraction ended, and what it changed.
_Learned = tuple[Outcome, tuple[Change, ...]]


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """`seconds` is the time for each answer of a model. `attempts` is the number of tries before
    quarantine, `parallel` that of sessions worked on at once."""

    seconds: float = 30.0
    attempts: int = ATTEMPTS
    parallel: int = 4


class ExtractionJobs:
    """Works through the journal's ended sessions: at once when woken, again when a retry is due."""

    def __init__(
        self,
        store: Store,
        journal: Journal,
        learner: Learner,
        locks: Locks,
        clock: Callable[[], datetime],
        limits: ExtractionLimits,
    ) -> None:
        self._store, self._journal, self._learner = store, journal, learner
        self._locks, self._clock, self._limits = locks, clock, limits
        self.endings = Endings()
        self._handovers = Handovers(store.extraction, clock, limits.seconds)
        self._work = Worklist("extraction_jobs", self._take_up, _log)

    def start(self) -> None:
        """Begin working, with the sessions that an earlier process left."""
        self._work.start()

    async def aclose(self) -> None:
        """Stop. What is not finished stays in the journal for the next start."""
        await self._work.aclose()

    def enqueue(self, session: Session) -> Ending:
        """Begin to work on a session that has ended in the journal; returns its Ending to wait
        for."""
        ending = self.endings.expect(session)
        self._work.look_again()
        return ending

    async def settle(self) -> None:
        """Return when every due job has been tried."""
        await self._work.settle()

    async def _take_up(self) -> None:
        """Begin as many of the due jobs as there is room for. Each job that ends makes us look
        again."""
        room = self._limits.parallel - len(self._work.tasks)
        if room < 1:
            return
        waited_for = self.endings.sessions()
        due = await self._journal.jobs.due(self._clock(), _LOOKED_AT)
        elsewhere = await self._locks.leases.elsewhere({job.session.actor for job in due})
        free = [job for job in due if job.session.actor not in elsewhere]
        ours = [job for job in free if job.session.id not in self._work.tasks]
        for job in ours[:room]:
            self._work.begin(job.session.id, self._run(job))
        if len(ours) <= room and len(due) < _LOOKED_AT:
            # The others are no jobs, usually because they were forgotten: end the wait for them.
            for session in waited_for:
                if session.id in self.endings and session.id not in self._work.tasks:
                    await self.endings.finish(session, await self._outcome_elsewhere(session))

    async def _run(self, job: Job) -> None:
        session, settled = job.session, False
        log = _log.bind(actor=session.actor.id, session=session.id, attempt=job.attempts + 1)
        try:
            with log_outage(log, "journal_unavailable"):
                async with self._locks.leases.work_on(session.actor) as ours:
                    settled = not ours or await self._work_off(job, log)
        finally:
            # What could not even be put off waits until we look again by ourselves.
            self._work.end(session.id, look=settled)

    async def _work_off(self, job: Job, log: Any) -> bool:
        """Try a job. True if it is done or put off."""
        outcome: Outcome = Outcome.LATER
        changes: tuple[Change, ...] = ()
        failure: Exception | None = None
        try:
            # The boundary of background work: an error ends one job, not all.
            with Boundary(log, "extraction_crashed") as ended:
                try:
                    outcome, changes = await self._extract(job)
                except LeaseLost:
                    log.info("extraction_cancelled", why="another worker has the actor now")
                    return False
                except (ExtractionFailed, MemoryFailure, TimeoutError) as error:
                    failure, kind = error, type(error).__name__
                    log.warning("extraction_failed", error=kind, detail=str(error))
            if failure := failure or ended.failure:
                return await self._put_off(job, failure, log)
        finally:
            with Boundary(log, "observer_crashed"):
                await self.endings.finish(job.session, outcome, changes)
        if outcome is not Outcome.HANDED_OVER:
            reason = job.reason
            log.info(
                "session_extracted", outcome=outcome.value, reason=reason, changes=len(changes)
            )
        return True

    async def _extract(self, job: Job) -> _Learned:
        session, actor = job.session, job.session.actor
        while await self._journal.jobs.has(session):
            async with asyncio.timeout(self._limits.seconds):
                handed_over = await self._hand_over(session)
            if handed_over is None:
                break
            turns, ours = handed_over
            if not turns:
                return Outcome.NOTHING, ()
            theirs = [turn for turn in turns if turn not in ours]
            outcome, pause = await self._handovers.look(session, theirs)
            if pause:
                return await self._look_again(session, outcome, pause), ()
            if not ours:
                return await self._finish(session, outcome), ()
            if not theirs and await self._learner.has_learned(session):
                # A worker was killed, or lost its lease, right after it had written.
                return await self._finish(session, Outcome.SAVED), ()
            lesson = await self._learner.study(actor, ours)
            saved = await self._save(session, turns, lesson)
            if saved is not None:
                return saved
        return await self._outcome_elsewhere(session), ()

    async def _outcome_elsewhere(self, session: Session) -> Outcome:
        """The outcome of a session that is not, or no longer, our job."""
        return Outcome.LATER if await self._journal.turns.of(session.id) else Outcome.NOTHING

    async def _hand_over(self, session: Session) -> tuple[list[Turn], list[Turn]] | None:
        """Put the session's turns into the store. Returns them, and those left to us to learn from;
        if there are none, the job is done. None if the session may have moved to another actor."""
        async with self._locks[session.actor]:
            if not await self._journal.jobs.has(session):
                return None
            turns = await self._kept_turns(session)
            if not turns:
                await self._journal.jobs.done(session.id)
                return [], []
            # The journal, which has them on the disk, is about to drop them.
            return turns, await self._store.add_turn(session.actor, *turns, on_disk=True)

    async def _save(
        self, session: Session, turns: Sequence[Turn], lesson: Lesson
    ) -> _Learned | None:
        """Write what these turns teach, all or nothing. None if some of the turns were forgotten
        meanwhile, because no record or summary may bring them back."""
        actor = session.actor
        async with self._locks[actor]:
            if await self._kept_turns(session) != turns:
                return None
            if not await self._journal.jobs.has(session):
                return Outcome.LATER, ()
            changes = await self._learner.write(session, turns, lesson, self._clock())
            await self._journal.jobs.done(session.id)
            self._locks.changed(actor)
            return (Outcome.NOTHING, ()) if changes is None else (Outcome.SAVED, changes)

    async def _look_again(self, session: Session, outcome: Outcome, pause: float) -> Outcome:
        """Keep the session until the store has learned from its part."""
        at = self._clock() + timedelta(seconds=pause)
        await self._journal.jobs.retry(session, at, None)
        self._work.look_again_in(pause)
        if session.id in self.endings:
            self._locks.changed(session.actor)  # it is no open session now
        return outcome

    async def _finish(self, session: Session, outcome: Outcome) -> Outcome:
        """Finish a session from which the store has learned what there is."""
        if not await self._journal.jobs.has(session):
            return await self._outcome_elsewhere(session)
        await self._journal.jobs.done(session.id)
        self._locks.changed(session.actor)
        return outcome

    async def _kept_turns(self, session: Session) -> list[Turn]:
        kept = (t.learnable for t in await self._journal.turns.of(session.id) if t.kept)
        return [turn for turn in kept if turn.messages]

    async def _put_off(self, job: Job, failure: Exception, log: Any) -> bool:
        """Schedule a retry, or quarantine the job after its last try. False if the journal
        fails."""
        session, why, tries = job.session, type(failure).__name__, job.attempts + 1
        now, jobs = self._clock(), self._journal.jobs
        with Boundary(log, "journal_crashed"), log_outage(log, "journal_unavailable"):
            if tries < self._limits.attempts:
                pause = timedelta(seconds=_BACKOFF.pause(job.attempts))
                await jobs.retry(session, now + pause, why)
            elif await jobs.quarantine(session, now, why):
                log.warning(
                    "session_quarantined",
                    tries=tries,
                    error=why,
                    effect="its turns are kept, but nothing was learned from them",
                    remedy="fix what fails, stop the bot, then run `mordecai maintain --retry`",
                )
            return True
        return False
