"""Where the memory keeps things, as small protocols. Adapters are in `memory.stores`. What
understands language is in `memory.understanding`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.records import (
    LEARNED_KINDS,
    Actor,
    Amendment,
    Choice,
    Choices,
    Draft,
    Hit,
    Kind,
    Place,
    Record,
    RunningSummary,
    Session,
    Shift,
    Turn,
)


class LongTermMemory(Protocol):
    """Where records live. Every method takes the actor and touches nothing of another one: another
    actor's record id is an unknown id. All raise StoreUnavailable if the store does not answer, and
    NewerStore if this version can't read it."""

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> None:
        """Store finished turns; the same turn id again changes nothing. A store that extracts by
        itself finds the turns after that; any other at once, word for word, as MESSAGE records.
        A power cut may undo it unless they are to be `on_disk` by then. All other changes are."""
        ...

    async def commit(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        """Write all drafts, mark what they supersede and make the amendments, or nothing at all.
        Returns the new records in order, then the amended ones. Raises UnknownRecord for a
        superseded or ended record that is not a current one, and for an amended one that is not
        there."""
        ...

    async def search(
        self,
        actor: Actor,
        query: str,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        limit: int = 10,
        min_relevance: float = 0.0,
        now: datetime | None = None,
    ) -> list[Hit]:
        """The current records that match the query, best first. Any text is a legal query: FTS
        syntax has no effect, an empty text finds nothing. `now` decides what "yesterday" means, in
        its own time zone. A hit also names the turns of its duplicates."""
        ...

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        """All records of these kinds, oldest first."""
        ...

    async def find(self, actor: Actor, short_id: str) -> Record | None:
        """The learned record with this short id in either case, even if superseded; None if there
        is none, or two share it."""
        ...

    async def messages(self, actor: Actor, turn_ids: Sequence[str]) -> list[Record]:
        """The archived MESSAGE records of these turns, oldest first; none from a store that
        archives no messages."""
        ...

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """Delete these records from tables, index and vectors. Returns the ids that were
        deleted."""
        ...

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """Restore recently deleted records of this actor as they were, superseded or current, and
        searchable again. All or none; records that are back already stay as they are, so that a
        second call changes nothing. Returns them in order, MESSAGE records only from a store that
        archives messages.

        A store that assigns ids itself reuses the old ones. Where AWS assigns them (AgentCore) the
        records get new ids, and references to the old ones are updated. Raises UnknownRecord for an
        id that the actor never had, or not since everything was erased."""
        ...


class ChoiceStore(Protocol):
    """Where people's own settings live. All methods raise StoreUnavailable."""

    async def get(self, actor: Actor) -> Choices:
        """The actor's choices."""
        ...

    async def set(self, actor: Actor, choice: Choice, value: str, at: datetime) -> None:
        """Store a choice made `at` this moment, unless a later one is stored."""
        ...

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """Delete this choice."""
        ...


class ExternalExtraction(Protocol):
    """Makes facts, preferences and summaries of the turns a store is given (AWS strategies do), so
    that we must not."""

    async def flush(self, actor: Actor) -> None:
        """Return once every turn of the actor given to `add_turn` has been acknowledged."""
        ...


class PersonalData(Protocol):
    """All data that an engine keeps of a person: records and choices."""

    async def actors(self) -> list[Actor]:
        """All actors with data in the store."""
        ...

    def has_loss_to_tell(self, actor: Actor) -> bool:
        """True if some of the actor's data could not be read and nobody has told them; known once
        their data has been asked for."""
        ...

    async def note_loss_told(self, actor: Actor) -> None:
        """Note that they have been told."""
        ...

    async def keep_copy(self, actor: Actor, generations: int) -> None:
        """Keep a copy of the actor's data on this machine if it has changed since the last one, and
        no more than so many copies. What is deleted leaves them. Nothing if the data is
        elsewhere."""
        ...

    async def move(self, actor: Actor, to: Actor) -> None:
        """Give everything of the actor to another one, who may have data already: nothing of either
        is lost, and what both have is there once. Nothing is left of the actor. A second call
        completes a move that was interrupted."""
        ...

    async def erase(self, actor: Actor) -> None:
        """Delete everything about the actor: records, turns, index, vectors, choices."""
        ...


class Store(LongTermMemory, PersonalData, Protocol):
    """One engine of long-term memory."""

    @property
    def choices(self) -> ChoiceStore: ...

    @property
    def extraction(self) -> ExternalExtraction | None:
        """Who extracts from the turns instead of us, if somebody does."""
        ...

    async def aclose(self) -> None:
        """Close files and connections. Later calls are errors."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """An ended session that waits for its extraction."""

    session: Session
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many ended sessions wait for extraction, and how many are in quarantine because it kept
    failing."""

    waiting: int
    quarantined: int


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

    async def unfinished(self, actor: Actor) -> list[str]:
        """The ids of the actor's sessions, open or waiting for extraction."""
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
    """The journal's ended sessions, each a job until extraction is done."""

    async def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Lease due jobs to this holder `until` then, oldest first and at most `limit`. Skips those
        leased or in quarantine."""
        ...

    async def renew(self, session_id: str, holder: str, until: datetime) -> bool:
        """Extend a lease. False if the job is no longer this holder's."""
        ...

    async def release(self, holder: str) -> None:
        """End all leases of this holder."""
        ...

    async def done(self, session_id: str) -> None:
        """Delete a finished job: the session, its turns and every trace of them. Turns that must
        not be kept, or that name what was forgotten, went no further than this."""
        ...

    async def retry(self, session_id: str, holder: str, next_at: datetime, error: str) -> bool:
        """Count a failed attempt, end the lease and retry not before `next_at`. False, and nothing
        is written, if the job is no longer this holder's."""
        ...

    async def quarantine(self, session_id: str, holder: str, at: datetime, error: str) -> bool:
        """Keep a job that failed for the last time, without further tries. False, and nothing is
        written, if the job is no longer this holder's."""
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
    """The durable log of sessions and turns, which makes it safe to kill the process at any moment.
    All methods, including those of its parts, raise StoreUnavailable."""

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
        ended. Leases end: their holders must claim the jobs again."""
        ...

    async def erase(self, actor: Actor) -> None:
        """Drop all sessions and turns of the actor."""
        ...

    async def aclose(self) -> None:
        """Let go of the file."""
        ...
