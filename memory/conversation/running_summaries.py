"""Summarizes in the background what left a window: the summarizer's text replaces the fallback,
after as many tries as it takes. No reply waits for it."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from memory.background.locks import Locks
from memory.background.pacing import Backoff
from memory.background.work import PAUSE, Boundary, Worklist, log_outage
from memory.conversation.tiers import turns_to_read
from memory.conversation.tokens import Count, cut_to_tokens, estimate_tokens
from memory.errors import LeaseLost, MemoryFailure, StoreUnavailable
from memory.journal import Journal, SummaryJob
from memory.records import RunningSummary, Session
from memory.safety.secrets import mask_secrets
from memory.understanding import ExtractionFailed, Summarizer

_log = structlog.get_logger(__name__)

#: The longest pause between two tries. A session that is still open wants its summary sooner than
#: an ended one its extraction.
_BACKOFF = Backoff(PAUSE, 3600.0)


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """Limits of a summary: seconds to make it, tokens (by `count`) of the result, and how many
    sessions are summarized in parallel."""

    seconds: float = 30.0
    tokens: int = 200
    count: Count = estimate_tokens
    parallel: int = 4


class RunningSummaries:
    """Replaces the journal's fallbacks, one task a session: at once when woken, and when a retry is
    due. `on_made` is called with every summary while its actor's lock is held."""

    def __init__(
        self,
        journal: Journal,
        summarizer: Summarizer,
        locks: Locks,
        clock: Callable[[], datetime],
        on_made: Callable[[RunningSummary], None],
        limits: SummaryLimits,
    ) -> None:
        self._journal, self._summarizer, self._locks = journal, summarizer, locks
        self._clock, self._on_made, self._limits = clock, on_made, limits
        self._slots = asyncio.Semaphore(limits.parallel)
        self._work = Worklist("running_summaries", self._take_up, _log)

    def start(self) -> None:
        """Start, first with fallbacks that an earlier process left."""
        self._work.start()

    async def aclose(self) -> None:
        """Stop. What is unfinished stays a fallback in the journal until the next start."""
        await self._work.aclose()

    def look_again(self) -> None:
        """Look for new fallbacks in the journal."""
        self._work.look_again()

    async def settle(self) -> None:
        """Return when every due fallback has been tried."""
        await self._work.settle()

    async def finish(self, session: Session) -> None:
        """Try every fallback of this session now, due or not."""
        while running := self._work.tasks.get(session.id):
            await asyncio.wait([running])
        await asyncio.wait([self._begin(session)])

    async def _take_up(self) -> None:
        now = self._clock()
        jobs = await self._journal.summaries.fallbacks(due=now)
        sessions = {job.session.id: job.session for job in jobs}
        elsewhere = await self._locks.leases.elsewhere({each.actor for each in sessions.values()})
        for session in sessions.values():
            if session.actor not in elsewhere and session.id not in self._work.tasks:
                self._begin(session, now)

    def _begin(self, session: Session, due: datetime | None = None) -> "asyncio.Task[None]":
        return self._work.begin(session.id, self._run(session, due))

    async def _run(self, session: Session, due: datetime | None) -> None:
        settled = False
        log = _log.bind(session=session.id)
        try:
            async with self._slots:
                with (
                    Boundary(log, "running_summaries_crashed"),
                    log_outage(log, "journal_unavailable"),
                ):
                    async with self._locks.leases.work_on(session.actor) as ours:
                        settled = ours and await self._work_off(session.id, due)
        finally:
            # A fallback that could not even be put off waits until we look again by ourselves.
            self._work.end(session.id, look=settled)

    async def _work_off(self, session_id: str, due: datetime | None) -> bool:
        """Try each fallback of the session once. True if all are made or postponed. Raises
        StoreUnavailable."""
        settled, tried = True, set[str]()
        # Looked up one by one: while one is made, others are merged, forgotten, or end with their
        # session.
        while job := _first(await self._journal.summaries.fallbacks(due, session_id), tried):
            tried.add(job.summary.id)
            settled &= await self._attempt(job)
        return settled

    async def _attempt(self, job: SummaryJob) -> bool:
        """Try to make a summary. True if it is made or postponed."""
        log = _log.bind(actor=job.session.actor.id, session=job.session.id)
        # The background boundary: one summary, not all.
        with Boundary(log, "running_summary_crashed") as ended:
            try:
                await self._make(job)
            except LeaseLost:
                return False
            except (ExtractionFailed, MemoryFailure, TimeoutError) as failure:
                kind = type(failure).__name__
                log.warning("running_summary_failed", error=kind, detail=str(failure))
                return await self._put_off(job)
            log.info("turns_summarized", turns=len(job.summary.turn_ids), attempt=job.attempts + 1)
        return await self._put_off(job) if ended.failure else True

    async def _make(self, job: SummaryJob) -> None:
        text = await self._text(job)
        # What was forgotten meanwhile must not come back: its fallback has gone from the journal.
        async with self._locks[job.session.actor]:
            if await self._journal.summaries.complete(job.summary.id, text):
                done = replace(job.summary, text=text, fallback=False, base=None, base_turns=0)
                self._on_made(done)

    async def _text(self, job: SummaryJob) -> str:
        turns = turns_to_read(job.summary, await self._journal.turns.of(job.session.id))
        if not turns:
            raise ExtractionFailed("the turns to sum up are gone")
        async with asyncio.timeout(self._limits.seconds):
            said = await self._summarizer.summarize(turns, job.summary.base)
        line = " ".join(mask_secrets(said).split())
        text = cut_to_tokens(line, self._limits.tokens, self._limits.count)
        if not any(letter.isalnum() for letter in text):
            raise ExtractionFailed("the summary was blank")
        return text

    async def _put_off(self, job: SummaryJob) -> bool:
        pause = timedelta(seconds=_BACKOFF.pause(job.attempts))
        try:
            await self._journal.summaries.retry(job.summary.id, self._clock() + pause)
        except StoreUnavailable:
            _log.warning("journal_unavailable", session=job.session.id)
            return False
        return True


def _first(jobs: Sequence[SummaryJob], tried: Collection[str]) -> SummaryJob | None:
    return next((job for job in jobs if job.summary.id not in tried), None)
