"""Extraction in the background: ended sessions become records, however often it takes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from weakref import WeakValueDictionary

import structlog

from memory.errors import MemoryFailure, StoreUnavailable
from memory.extraction import plan
from memory.ports import ExtractionFailed, Extractor, Job, Journal, LongTermMemory
from memory.records import Actor, Session, Turn
from memory.summaries import SummaryWatch

_log = structlog.get_logger(__name__)

#: First pause after a failed extraction; it doubles with every attempt up to the longest.
_FIRST_RETRY = timedelta(seconds=30)
_LONGEST_RETRY = timedelta(hours=6)


class Outcome(StrEnum):
    """How an extraction ended."""

    SAVED = "saved"
    NOTHING = "nothing"
    LATER = "later"


@dataclass(slots=True)
class Ending:
    """A session that was ended. Whoever ended it may wait for the outcome and tell the user; if
    nobody does, the observer is told when it is saved."""

    session: Session
    _outcome: "asyncio.Future[Outcome]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _awaited: bool = False

    async def wait(self, seconds: float) -> Outcome:
        """The outcome, or LATER if it is not there within this time; then the observer hears."""
        self._awaited = True
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(self._outcome), seconds)
        self._awaited = False
        return Outcome.LATER

    def finish(self, outcome: Outcome) -> bool:
        """Set the outcome; whether somebody waits for it."""
        if not self._outcome.done():
            self._outcome.set_result(outcome)
        return self._awaited


class Locks:
    """One lock an actor, for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Actor, asyncio.Lock] = WeakValueDictionary()

    def __getitem__(self, actor: Actor) -> asyncio.Lock:
        return self._locks.setdefault(actor, asyncio.Lock())


class ExtractionJobs:
    """Works off the journal's ended sessions: at once when woken, and again when a retry is due.

    `locks` are the actors' write locks, shared with everything that writes an actor's records, so
    that forgetting and extracting never overlap."""

    def __init__(
        self,
        store: LongTermMemory,
        journal: Journal,
        extractor: Extractor,
        clock: Callable[[], datetime],
        *,
        timeout_seconds: float = 30.0,
        parallel: int = 4,
    ) -> None:
        self._store, self._journal, self._extractor = store, journal, extractor
        self._clock, self._timeout = clock, timeout_seconds
        self._slots = asyncio.Semaphore(parallel)
        self.locks = Locks()
        self.on_saved: Callable[[Session], Awaitable[None]] | None = None
        self.on_change: Callable[[Actor], None] = lambda actor: None
        self._summaries = SummaryWatch(store, lambda actor: self.on_change(actor), timeout_seconds)
        self._endings: dict[str, Ending] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._looking = False
        self._quiet = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin working; sessions that an earlier process left are taken up first."""
        self._look_again()
        self._loop = asyncio.create_task(self._work(), name="extraction")

    async def aclose(self) -> None:
        """Stop. What is not finished stays in the journal for the next start."""
        tasks = [task for task in (self._loop, *self._running.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._summaries.aclose()

    def ended(self, session: Session) -> Ending:
        """Take note of a session that the journal has as ended; work on it begins."""
        ending = self._endings[session.id] = Ending(session)
        self._look_again()
        return ending

    async def settle(self) -> None:
        """Return when every job that is due has had its try."""
        await self._quiet.wait()

    def _look_again(self) -> None:
        self._quiet.clear()
        self._wake.set()

    def _note_quiet(self) -> None:
        if not (self._wake.is_set() or self._looking or self._running):
            self._quiet.set()

    async def _work(self) -> None:
        while True:
            self._looking = True
            self._wake.clear()
            try:
                due = await self._journal.jobs(self._clock())
            except StoreUnavailable as failure:
                _log.warning("journal_unavailable", error=str(failure))
                due = []
            for job in due:
                if job.session.id not in self._running:
                    task = asyncio.create_task(self._run(job), name=f"extract {job.session.id}")
                    self._running[job.session.id] = task
            self._looking = False
            self._note_quiet()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _FIRST_RETRY.total_seconds())

    async def _run(self, job: Job) -> None:
        session = job.session
        log = _log.bind(actor=session.actor.id, session=session.id, attempt=job.attempts + 1)
        outcome = Outcome.LATER
        try:
            async with self._slots:
                outcome = await self._extract(job)
            log.info("session_extracted", outcome=outcome.value, reason=job.reason)
        except (ExtractionFailed, MemoryFailure, TimeoutError) as failure:
            await self._retry(job, failure)
            log.warning("extraction_failed", error=type(failure).__name__, detail=str(failure))
        except Exception as failure:  # the background boundary: one job, not all
            await self._retry(job, failure)
            log.exception("extraction_broke")
        finally:
            try:
                await self._tell(session, outcome)
            finally:
                self._running.pop(session.id, None)
                self._note_quiet()

    async def _extract(self, job: Job) -> Outcome:
        session, actor = job.session, job.session.actor
        turns = await self._hand_over(session)
        if not turns:
            return Outcome.NOTHING
        if self._store.extracts:
            return await self._have_extracted(session)
        known = await self._store.records(actor)
        async with asyncio.timeout(self._timeout):
            extraction = await self._extractor.extract(turns, known)
        async with self.locks[actor]:
            # What was forgotten meanwhile must not come back, in no record and in no summary.
            left = await self._kept_turns(session)
            if left == turns:
                known = await self._store.records(actor)
                drafts = plan(extraction, turns, known, session.id, self._clock())
                if drafts:
                    await self._store.commit(actor, drafts)
                await self._journal.done(session.id)
                self.on_change(actor)
                return Outcome.SAVED if drafts else Outcome.NOTHING
        return await self._extract(job)

    async def _hand_over(self, session: Session) -> list[Turn]:
        """The session's turns, all of them in the store; without any, the job is done."""
        async with self.locks[session.actor]:
            turns = await self._kept_turns(session)
            for turn in turns:
                await self._store.add_turn(session.actor, turn)
            if not turns:
                await self._journal.done(session.id)
            return turns

    async def _have_extracted(self, session: Session) -> Outcome:
        """Leave the session to a store that extracts by itself."""
        async with asyncio.timeout(self._timeout):
            await self._store.flush(session.actor)
        if not await self._journal.turns(session.id):
            return Outcome.NOTHING
        await self._journal.done(session.id)
        self.on_change(session.actor)
        self._summaries.begin(session)
        return Outcome.SAVED

    async def _kept_turns(self, session: Session) -> list[Turn]:
        return [turn for turn in await self._journal.turns(session.id) if turn.kept]

    async def _retry(self, job: Job, failure: Exception) -> None:
        pause = min(_FIRST_RETRY * 2 ** min(job.attempts, 20), _LONGEST_RETRY)
        try:
            await self._journal.retry(job.session.id, self._clock() + pause, type(failure).__name__)
        except StoreUnavailable:
            _log.warning("journal_unavailable", session=job.session.id)

    async def _tell(self, session: Session, outcome: Outcome) -> None:
        """Who waits for the outcome gets it, and nobody else. A later try has nobody waiting."""
        ending = self._endings.pop(session.id, None)
        heard = ending.finish(outcome) if ending else False
        if outcome is Outcome.SAVED and not heard and self.on_saved:
            await self.on_saved(session)
