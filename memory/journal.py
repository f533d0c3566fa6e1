"""Where the memory keeps what goes on, as small protocols: the durable log of sessions and turns,
which makes it safe to kill the process at any moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.records import Actor, Place, RunningSummary, Session, Shift, Turn


@dataclass(frozen=True, slots=True)
class Job:
    """An ended session that waits for its extraction."""

    session: Session
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many ended sessions wait for extraction, how many are in quarantine because it kept
    failing, how many messages a service behind the store has refused or not been sent yet, and how
    many erasures it has not finished."""

    waiting: int
    quarantined: int
    refused: int = 0
    unsent: int = 0
    deletions: int = 0


@dataclass(frozen=True, slots=True)
class SummaryJob:
    """A running summary of an open session that waits for the summarizer."""

    session: Session
    summary: RunningSummary
    attempts: int


class Sessions(Protocol):
    """The sessions of the journal."""

    async def find(self, actor: Actor, place: Place) -> Session | None:
        """The actor's open session in this place, if any."""
        ...

    async def of(self, actor: Actor) -> list[Session]:
        """The actor's open sessions, in all places, oldest first."""
        ...

    async def unfinished(self, actor: Actor) -> list[Session]:
        """The actor's sessions, open or waiting for extraction, oldest first."""
        ...

    async def idle_since(self, before: datetime) -> list[Session]:
        """All actors' open sessions with messages, the last of them older than `before`."""
        ...

    async def open(self, session: Session) -> None:
        """Write a new open session."""
        ...

    async def end(self, session_id: str, reason: str, at: datetime) -> bool:
        """Close an open session, which makes it a job. False if it was not open."""
        ...

    async def discard(self, session_id: str) -> bool:
        """Delete an open session with its turns and every trace of them. False if it was not
        open."""
        ...


class Turns(Protocol):
    """The turns of the journal's sessions, and which of them have left the window."""

    async def of(self, session_id: str) -> list[Turn]:
        """The session's turns, oldest first."""
        ...

    async def get(self, turn_id: str) -> Turn | None:
        """The turn with this id, until extraction of its session is done."""
        ...

    async def append(
        self,
        session_id: str,
        turn: Turn,
        shift: Shift | None = None,
        replaces: Sequence[Turn] = (),
    ) -> bool:
        """Write a finished turn in place of those it `replaces`, count its messages, and apply the
        `shift` between the tiers that it causes. False, and nothing is written, if the turn exists.
        Raises SessionLost."""
        ...

    async def rewrite(self, *turns: Turn) -> None:
        """Give turns other words, where they stand. No trace is left of those before."""
        ...

    async def evicted_ids(self, session_id: str) -> list[str]:
        """The ids of the session's turns that have left its window."""
        ...

    async def shift(self, shift: Shift) -> None:
        """Apply a shift between the tiers of a session, all or nothing."""
        ...

    async def delete(self, turn_ids: Sequence[str], shifts: Sequence[Shift] = ()) -> None:
        """Delete these turns and every trace of them, and apply the `shifts` of the running
        summaries."""
        ...

    async def restore(self, actor: Actor, turns: Sequence[Turn]) -> list[str]:
        """Put deleted turns back into those of the actor's sessions that still exist, in their
        order and into their windows. Returns the ids put back. Turns that exist stay as they
        are."""
        ...


class Jobs(Protocol):
    """The journal's ended sessions, each a job until extraction is done. Only who holds the lease
    on the actor works on it."""

    async def due(self, now: datetime, limit: int) -> list[Job]:
        """The due jobs that are not in quarantine, oldest first and at most `limit`."""
        ...

    async def has(self, session: Session) -> bool:
        """False if the job was done or erased since, or belongs to another actor."""
        ...

    async def done(self, session_id: str) -> None:
        """Delete a finished job: the session, its turns and every trace of them. Turns that must
        not be kept, or that name what was forgotten, went no further than this."""
        ...

    async def retry(self, session: Session, next_at: datetime, error: str | None) -> None:
        """Retry not before `next_at`; an `error` counts as a failed attempt. Nothing if there is no
        such job any more, see `has`."""
        ...

    async def quarantine(self, session: Session, at: datetime, error: str) -> bool:
        """Keep a job that failed for the last time, without further tries. False if there is no
        such job any more, see `has`."""
        ...

    async def requeue(self, now: datetime) -> int:
        """Release all jobs from quarantine, due now and with no attempts. Returns how many."""
        ...

    async def backlog(self) -> Backlog:
        """The jobs that are not done."""
        ...


class Summaries(Protocol):
    """The running summaries of the journal's sessions."""

    async def of(self, session_id: str) -> list[RunningSummary]:
        """The session's running summaries, oldest first."""
        ...

    async def fallbacks(
        self, due: datetime | None = None, session_id: str | None = None
    ) -> list[SummaryJob]:
        """Open sessions' fallbacks that wait for the summarizer, or those of one session; with
        `due`, only those whose next try is due. Oldest first."""
        ...

    async def complete(self, summary_id: str, text: str) -> bool:
        """Replace a fallback with the summarizer's text. False if the fallback is gone: it was
        merged or forgotten."""
        ...

    async def retry(self, summary_id: str, next_at: datetime) -> None:
        """Count a failed attempt and retry not before `next_at`."""
        ...


class MaintenanceLog(Protocol):
    """The journal for maintenance: when it last ran, when the clock was last right, and copies."""

    async def last_maintenance(self) -> datetime | None:
        """When it last ran, if ever."""
        ...

    async def note_maintenance(self, at: datetime) -> None:
        """Note that it ran then."""
        ...

    async def last_right_time(self) -> datetime | None:
        """When the clock was last right, as far as noted."""
        ...

    async def note_right_time(self, at: datetime) -> None:
        """Note that the clock was right then."""
        ...

    async def keep_copy(self, generations: int) -> None:
        """Keep a copy of the journal, as PersonalData does of a person's data."""
        ...


class Journal(Protocol):
    """The journal. All methods, including those of its parts, raise StoreUnavailable."""

    @property
    def sessions(self) -> Sessions: ...

    @property
    def turns(self) -> Turns: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def summaries(self) -> Summaries: ...

    @property
    def maintenance(self) -> MaintenanceLog: ...

    async def move(self, actor: Actor, to: Actor, place: Place, to_place: Place) -> None:
        """Give the actor's sessions to another one, and move those in the chat of `place` to that
        of `to_place`, topic by topic, all at once. Where both have an open session, the actor's is
        ended."""
        ...

    async def erase(self, actor: Actor) -> None:
        """Drop all sessions and turns of the actor."""
        ...

    async def aclose(self) -> None:
        """Let go of the file."""
        ...
