"""What the memory needs from outside, as small protocols. Adapters are in `memory.stores` and, for
those that ask a model, in `bot.models`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.records import (
    LEARNED_KINDS,
    Actor,
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
    """Where records live. Every method takes the actor and touches nothing of anybody else's; a
    record id of another actor is an unknown id. All raise StoreUnavailable when the store does not
    answer, and NewerStore when it can't be read by this version."""

    async def add_turn(self, actor: Actor, turn: Turn) -> None:
        """Keep a finished turn. The same turn id twice is one turn. A store that extracts by itself
        finds it once it has; any other at once, word for word, as MESSAGE records."""
        ...

    async def commit(self, actor: Actor, drafts: Sequence[Draft]) -> list[Record]:
        """Write all drafts, or none, and mark what they supersede. Records come back in order."""
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
        """The current records that have to do with the query, best first. Any text is a legal
        query: FTS syntax means nothing, an empty one finds nothing. `now` decides what "yesterday"
        means, in its own time zone. A hit stands for its duplicates and names their turns too."""
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
        """The learned record with this short id, superseded ones too, in upper or lower case; None
        if there is none, or two share it."""
        ...

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """Delete the records with these ids, with index and vectors; the ids really deleted."""
        ...

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """Bring back records, as they were, that were deleted here for this actor a short while
        ago: superseded or current, and found by search again. All or none; what is back already
        stays as it is, so that doing it again changes nothing. They come back in order, MESSAGE
        records only from a store that archives messages.

        A store that gives ids itself gives them their old ones. Where somebody else does
        (AgentCore) they get others, and what names the old ones is changed to name these. Raises
        UnknownRecord for an id that the actor never had, or not since everything was erased."""
        ...


class ChoiceStore(Protocol):
    """Where the settings live that people made for themselves. All methods raise
    StoreUnavailable."""

    async def get(self, actor: Actor) -> Choices:
        """All that the actor has chosen."""
        ...

    async def set(self, actor: Actor, choice: Choice, value: str, at: datetime) -> None:
        """Keep this instead of what was chosen before `at`."""
        ...

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """Keep no such choice."""
        ...


class ExternalExtraction(Protocol):
    """Makes facts, preferences and summaries of the turns a store is given (AWS strategies do), so
    that we must not."""

    async def flush(self, actor: Actor) -> None:
        """Return once every turn of the actor given to `add_turn` has been acknowledged."""
        ...


class PersonalData(Protocol):
    """Everything that an engine keeps of a person, records and choices, at once."""

    async def actors(self) -> list[Actor]:
        """Everybody of whom the store has something."""
        ...

    async def move(self, actor: Actor, to: Actor) -> None:
        """Give everything of the actor to another one, who may have something already: nothing of
        either is lost, and what both have is there once. Afterwards nothing is known of the actor.
        What was broken off is completed by doing it again."""
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
        """Let go of files and connections. Later calls are errors."""
        ...


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something an extractor would keep. `turn_id` names the turn the user said it in;
    `replaces` is the id of a known record that it updates, if the extractor saw one."""

    kind: Kind
    text: str
    turn_id: str
    slot: str | None = None
    importance: int = 5
    event_date: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in a session. An empty one means "nothing worth keeping", never
    "it failed": failures are raised. Of the proposals, at most `most` become records."""

    proposals: tuple[Proposal, ...] = ()
    summary: str | None = None
    topics: tuple[str, ...] = ()
    most: int = 30


class ExtractionFailed(Exception):
    """The extractor gave no usable answer; the session is kept and tried again."""


class Extractor(Protocol):
    """Decides what of a session may be worth keeping; code decides what happens to it."""

    async def extract(self, turns: Sequence[Turn], known: Sequence[Record]) -> Extraction:
        """Read a session's turns, oldest first, with the current records of the actor at hand.
        Raises ExtractionFailed."""
        ...


class Summarizer(Protocol):
    """Puts turns that leave the window into a few sentences."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """A summary of the turns, going on from an earlier one. Raises ExtractionFailed."""
        ...


class EmbeddingFailed(Exception):
    """The embedder gave no vectors. Search goes on by words alone."""


class Embedder(Protocol):
    """Turns texts into vectors of one length. Optional: search works without."""

    #: Names the model: vectors of one name can be compared, those of another are made anew.
    name: str

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """One vector a text, in order; `query` for texts that are searched with. Raises
        EmbeddingFailed."""
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
    """The sessions of the journal, each open until it is ended."""

    async def find(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this actor in this place, if there is one."""
        ...

    async def of(self, actor: Actor) -> list[Session]:
        """The actor's open sessions, in all places, oldest first."""
        ...

    async def unfinished(self, actor: Actor) -> list[str]:
        """The ids of the actor's sessions, open or waiting for extraction."""
        ...

    async def idle_since(self, before: datetime) -> list[Session]:
        """Everybody's open sessions whose last message is older than `before`."""
        ...

    async def open(self, session: Session) -> None:
        """Write a new open session."""
        ...

    async def end(self, session_id: str, reason: str, at: datetime) -> bool:
        """Close an open session, which makes it a job. False if it was not open."""
        ...

    async def discard(self, session_id: str) -> bool:
        """Drop an open session, its turns and every trace of them: it becomes no job. False if it
        was not open."""
        ...


class Turns(Protocol):
    """The turns of the journal's sessions, and which of them have left the window."""

    async def of(self, session_id: str) -> list[Turn]:
        """The session's turns, oldest first."""
        ...

    async def get(self, turn_id: str) -> Turn | None:
        """The turn with this id, whatever has become of its session, until that is done."""
        ...

    async def append(self, session_id: str, turn: Turn, shift: Shift | None = None) -> bool:
        """Write a finished turn and count its messages, and what moves between the tiers because
        of it. False, and nothing is written, if there is such a turn already."""
        ...

    async def evicted(self, session_id: str) -> list[str]:
        """The ids of the session's turns that have left its window."""
        ...

    async def shift(self, shift: Shift) -> None:
        """Write down what moves between the tiers of a session: all of it or nothing."""
        ...

    async def delete(self, turn_ids: Sequence[str], shifts: Sequence[Shift] = ()) -> None:
        """Delete these turns and every trace of them, and change the running summaries with it."""
        ...

    async def restore(self, actor: Actor, turns: Sequence[Turn]) -> list[str]:
        """Put turns that were deleted back into those of the actor's sessions that are still there,
        each before what was said after it, and into their windows; the ids really put back. A turn
        that is there stays as it is."""
        ...


class Jobs(Protocol):
    """The ended sessions of the journal, each a job until it is extracted from."""

    async def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Lease the ended sessions whose extraction is due, oldest first and at most `limit`, to
        this holder until then. What is leased already or in quarantine is not among them."""
        ...

    async def renew(self, session_id: str, holder: str, until: datetime) -> bool:
        """Go on with a lease until then. False if the job is no longer this holder's."""
        ...

    async def release(self, holder: str) -> None:
        """Give all leases of this holder back."""
        ...

    async def done(self, session_id: str) -> None:
        """The job is finished: drop the session and its turns."""
        ...

    async def retry(self, session_id: str, holder: str, next_at: datetime, error: str) -> bool:
        """The job failed: count the attempt, end the lease and try again not before `next_at`.
        False, and nothing is written, if the job is no longer this holder's."""
        ...

    async def quarantine(self, session_id: str, holder: str, at: datetime, error: str) -> bool:
        """The job failed for the last time: keep it, and try it no more. False, and nothing is
        written, if the job is no longer this holder's."""
        ...

    async def requeue(self, now: datetime) -> int:
        """Make jobs of all that is in quarantine, due now and with no attempts; how many."""
        ...

    async def backlog(self) -> Backlog:
        """What of the ended sessions is not extracted yet."""
        ...


class Summaries(Protocol):
    """The running summaries of the journal's sessions."""

    async def of(self, session_id: str) -> list[RunningSummary]:
        """The session's running summaries, oldest first."""
        ...

    async def fallbacks(
        self, due: datetime | None = None, session_id: str | None = None
    ) -> list[SummaryJob]:
        """The summaries of open sessions, or of this one, that wait for the summarizer; those alone
        whose next try is due, if `due` is given. Oldest first."""
        ...

    async def complete(self, summary_id: str, text: str) -> bool:
        """The summarizer has made this of a fallback. False if there is no such fallback any more:
        it was merged or forgotten meanwhile."""
        ...

    async def retry(self, summary_id: str, next_at: datetime) -> None:
        """The summarizer failed: count the attempt and try again not before `next_at`."""
        ...


class MaintenanceLog(Protocol):
    """When everybody's memory was last looked through."""

    async def last_maintenance(self) -> datetime | None:
        """When that was, if ever."""
        ...

    async def note_maintenance(self, at: datetime) -> None:
        """It was done then."""
        ...


class Journal(Protocol):
    """The durable log of sessions and turns that makes everything else safe to kill. All methods,
    those of its parts too, raise StoreUnavailable."""

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
        """Give the actor's sessions to another one, and the chat of `place` to that of `to_place`,
        topic by topic, all at once. Where both have an open session, the actor's is ended. Leases
        end: whoever has a job under way must take it up anew."""
        ...

    async def erase(self, actor: Actor) -> None:
        """Drop all sessions and turns of the actor."""
        ...

    async def aclose(self) -> None:
        """Let go of the file."""
        ...
