"""Summaries in the background: what stands in for the turns that left a window is replaced by what
the summarizer makes of them, however often it takes. No reply waits for it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from memory.boundary import Boundary
from memory.errors import MemoryFailure, StoreUnavailable
from memory.gate import mask_secrets
from memory.jobs import Locks
from memory.ports import ExtractionFailed, Journal, Summarizer, SummaryJob
from memory.records import RunningSummary
from memory.shortening import cut_to_tokens
from memory.tiers import unread
from memory.tokens import Count, estimate_tokens

_log = structlog.get_logger(__name__)

#: First pause after a failure; it doubles with every attempt up to the longest. A session that is
#: still open wants its summary sooner than an ended one its extraction.
_FIRST_RETRY = timedelta(seconds=30)
_LONGEST_RETRY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """What a summary may take: seconds to make it, tokens once it is made, and how many sessions'
    are made at once."""

    seconds: float = 30.0
    tokens: int = 200
    parallel: int = 4


class RunningSummaries:
    """Works off the journal's fallbacks, one task a session: at once when woken, and again when a
    retry is due. `locks` are the actors' write locks; `on_made` hears of every summary, while its
    actor's lock is held."""

    def __init__(
        self,
        journal: Journal,
        summarizer: Summarizer,
        locks: Locks,
        clock: Callable[[], datetime],
        on_made: Callable[[RunningSummary], None],
        limits: SummaryLimits,
        count: Count = estimate_tokens,
    ) -> None:
        self._journal, self._summarizer, self._locks = journal, summarizer, locks
        self._clock, self._on_made, self._limits, self._count = clock, on_made, limits, count
        self._slots = asyncio.Semaphore(limits.parallel)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._looking = False
        self._quiet = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin working; fallbacks that an earlier process left are taken up first."""
        self.look_again()
        self._loop = asyncio.create_task(self._work(), name="running summaries")

    async def aclose(self) -> None:
        """Stop. What is not finished stays a fallback in the journal for the next start."""
        tasks = [task for task in (self._loop, *self._running.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def look_again(self) -> None:
        """Take note that there are new fallbacks in the journal."""
        self._quiet.clear()
        self._wake.set()

    async def settle(self) -> None:
        """Return when every fallback that is due has had its try."""
        await self._quiet.wait()

    async def finish(self, session_id: str) -> None:
        """Try every fallback of this session now, whether its next try is due or not. Raises
        StoreUnavailable."""
        while running := self._running.get(session_id):
            await asyncio.wait([running])
        jobs = await self._journal.fallbacks(session_id=session_id)
        if jobs and session_id not in self._running:
            await asyncio.wait([self._begin(session_id, jobs)])

    async def _work(self) -> None:
        while True:
            self._looking = True
            self._wake.clear()
            # Whatever becomes of the journal, this goes on looking.
            with Boundary(_log, "running_summaries_not_found"):
                await self._take_up()
            self._looking = False
            self._note_quiet()
            with suppress(TimeoutError):
                # Not wait_for: Python 3.11's loses a cancellation that comes with the wake.
                async with asyncio.timeout(_FIRST_RETRY.total_seconds()):
                    await self._wake.wait()

    def _note_quiet(self) -> None:
        if not (self._wake.is_set() or self._looking or self._running):
            self._quiet.set()

    async def _take_up(self) -> None:
        try:
            jobs = await self._journal.fallbacks(due=self._clock())
        except StoreUnavailable as failure:
            _log.warning("journal_unavailable", error=str(failure))
            return
        for session_id in dict.fromkeys(job.session.id for job in jobs):
            if session_id not in self._running:
                self._begin(session_id, [job for job in jobs if job.session.id == session_id])

    def _begin(self, session_id: str, jobs: Sequence[SummaryJob]) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._run(session_id, jobs), name=f"sum up {session_id}")
        self._running[session_id] = task
        return task

    async def _run(self, session_id: str, jobs: Sequence[SummaryJob]) -> None:
        settled = False
        try:
            async with self._slots:
                settled = all([await self._settled(job) for job in jobs])
        finally:
            self._running.pop(session_id, None)
            # A fallback that could not even be put off waits until we look again by ourselves.
            if settled:
                self.look_again()
            self._note_quiet()

    async def _settled(self, job: SummaryJob) -> bool:
        """Try to make a summary; whether it is made, or put off."""
        log = _log.bind(actor=job.session.actor.id, session=job.session.id)
        # The background boundary: one summary, not all.
        with Boundary(log, "running_summary_broke") as ended:
            try:
                await self._make(job)
            except (ExtractionFailed, MemoryFailure, TimeoutError) as failure:
                kind = type(failure).__name__
                log.warning("running_summary_failed", error=kind, detail=str(failure))
                return await self._put_off(job)
            log.info("turns_summed_up", turns=len(job.summary.turn_ids), attempt=job.attempts + 1)
        return await self._put_off(job) if ended.failure else True

    async def _make(self, job: SummaryJob) -> None:
        text = await self._text(job)
        # What was forgotten meanwhile must not come back: its fallback has gone from the journal.
        async with self._locks[job.session.actor]:
            if await self._journal.summarized(job.summary.id, text):
                done = replace(job.summary, text=text, fallback=False, base=None, base_turns=0)
                self._on_made(done)

    async def _text(self, job: SummaryJob) -> str:
        turns = unread(job.summary, await self._journal.turns(job.session.id))
        if not turns:
            raise ExtractionFailed("the turns to sum up are gone")
        async with asyncio.timeout(self._limits.seconds):
            said = await self._summarizer.summarize(turns, job.summary.base)
        line = " ".join(mask_secrets(said).split())
        text = cut_to_tokens(line, self._limits.tokens, self._count)
        if not any(letter.isalnum() for letter in text):
            raise ExtractionFailed("the summary was blank")
        return text

    async def _put_off(self, job: SummaryJob) -> bool:
        pause = min(_FIRST_RETRY * 2 ** min(job.attempts, 20), _LONGEST_RETRY)
        try:
            await self._journal.retry_summary(job.summary.id, self._clock() + pause)
        except StoreUnavailable:
            _log.warning("journal_unavailable", session=job.session.id)
            return False
        return True
