"""Counts AWS's failed extraction jobs and starts them again. AWS never does that by itself, and
until somebody does, what was said in their events is not known."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from memory.background.work import Periodic, log_outage
from memory.leases import ALONE, Leases
from memory.options import utc_now
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.events.outbox import Outbox
from memory.stores.agentcore.namespaces import known_actor

_log = structlog.get_logger(__name__)

#: Rows of a page of ListMemoryExtractionJobs, from the service model.
_PAGE = 50
_MILLISECONDS = 1000


@dataclass(frozen=True, slots=True)
class JobsPace:
    """Times in seconds. A job is started again `tries` times at most, with pauses that double: six
    tries take a day and a half."""

    first: float = 300.0
    every: float = 3600.0
    tries: int = 6
    #: So many jobs a round: AWS limits the tokens that extraction may use in a minute.
    at_once: int = 100
    clock: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A failed job: whose events it did not extract, and why."""

    id: str
    actor_id: str
    session_id: str
    strategy_id: str
    reason: str
    event_ids: tuple[str, ...]

    @property
    def key(self) -> str:
        """What stays the same if the job fails again under another id."""
        what = "\n".join((self.strategy_id, *sorted(self.event_ids))) if self.event_ids else self.id
        return hashlib.sha256(what.encode()).hexdigest()

    @property
    def since(self) -> datetime | None:
        """When its first event reached AWS; None if the ids do not tell."""
        try:
            moment = min(int(id_.partition("#")[0]) for id_ in self.event_ids) / _MILLISECONDS
            return datetime.fromtimestamp(moment, UTC)
        except (ValueError, OverflowError, OSError):
            return None


async def failed_jobs(calls: AwsCalls) -> list[FailedJob]:
    """All failed jobs of the memory. Raises StoreUnavailable."""
    rows = calls.rows("list_memory_extraction_jobs", "jobs", page=_PAGE)
    return [_job(row) async for row in rows]


def _job(row: dict[str, Any]) -> FailedJob:
    messages = row["messages"].get("messagesList") or ()
    return FailedJob(
        row["jobID"],
        row.get("actorId") or "",
        row.get("sessionId") or "",
        row.get("strategyId") or "",
        row.get("failureReason") or "AWS gives no reason",
        tuple(dict.fromkeys(message["eventId"] for message in messages)),
    )


class FailedJobs:
    """Starts failed jobs again, once an hour; of several workers one at a time does."""

    def __init__(
        self, calls: AwsCalls, outbox: Outbox, pace: JobsPace, leases: Leases = ALONE
    ) -> None:
        self._calls, self._outbox, self._pace, self._leases = calls, outbox, pace, leases
        self._rounds = Periodic([self._restart_due], pace.every)

    def start(self) -> None:
        self._rounds.start(after=self._pace.first)

    async def aclose(self) -> None:
        """Stop. The tries of each job are kept."""
        await self._rounds.aclose()

    async def _restart_due(self) -> None:
        with log_outage(_log, "extraction_jobs_not_started"):
            async with self._leases.work_alone("extraction jobs") as ours:
                if ours:
                    await self.restart()

    async def restart(self) -> int:
        """Start the failed jobs that are due. Returns how many. Raises StoreUnavailable."""
        now, pace = self._pace.clock(), self._pace
        failed = await failed_jobs(self._calls)
        tries = await self._outbox.tries([job.key for job in failed])
        given_up = [job for job in failed if tries.get(job.key, (0, now))[0] >= pace.tries]
        due = [job for job in failed if self._is_due(tries.get(job.key), now)]
        started = 0
        for job in due[: pace.at_once]:
            # Asked right before the start: the actor may have erased everything meanwhile.
            if await self._may_start(job) and await self._start(job):
                tried = tries.get(job.key, (0, now))[0] + 1
                next_at = now + timedelta(seconds=pace.every * 2 ** (tried - 1))
                await self._outbox.note_try(job.key, tried, next_at)
                started += 1
        if failed:
            _log.warning(
                "extraction_jobs_failed",
                failed=len(failed),
                started=started,
                given_up=len(given_up),
                reasons=dict(Counter(job.reason for job in failed)),
            )
        return started

    async def allow(self) -> int:
        """Let failed jobs be started again, however often that was tried. Returns how many. Raises
        StoreUnavailable."""
        await self._outbox.forget_tries()
        return sum([await self._may_start(job) for job in await failed_jobs(self._calls)])

    def _is_due(self, tried: tuple[int, datetime] | None, now: datetime) -> bool:
        return tried is None or (tried[0] < self._pace.tries and tried[1] <= now)

    async def _may_start(self, job: FailedJob) -> bool:
        """False for a job of another program, and for one of erased words, which AWS would extract
        even though their events are deleted."""
        actor = known_actor(job.actor_id)
        if actor is None:
            return False
        erasures = await self._outbox.erasures(actor)
        if not erasures:
            return True
        # Erasing everything takes the actor's events out of the outbox: those it knows came later.
        turns = await self._outbox.turns_of(actor, job.event_ids)
        forgotten = {turn for each in erasures if each.trace for turn in each.trace.turns}
        return set(turns) == set(job.event_ids) and forgotten.isdisjoint(turns.values())

    async def _start(self, job: FailedJob) -> bool:
        """Start a job. False if AWS no longer has it."""
        try:
            await self._calls.ask_paced(
                "start_memory_extraction_job", extractionJob={"jobId": job.id}
            )
        except AwsFailure as failure:
            if failure.fate in (Fate.MISSING, Fate.NEVER):
                return False
            raise
        return True
