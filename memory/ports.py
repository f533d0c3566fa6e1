"""Where the memory keeps things for good, as small protocols. Adapters are in `memory.stores`. The
journal is in `memory.journal`, what understands language in `memory.understanding`."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
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
    Record,
    Turn,
)
from memory.traces import Remainder, Traces


class LongTermMemory(Protocol):
    """Where records live. Every method takes the actor and touches nothing of another one: another
    actor's record id is an unknown id. All raise StoreUnavailable if the store does not answer, and
    NewerStore if this version can't read it."""

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        """Store finished turns; the same turn id again changes nothing. A store that archives
        messages finds the turns at once, word for word, as MESSAGE records; another one when
        something has been learned from them. Returns those that it leaves to us to learn from: all
        unless the store extracts by itself. A power cut may undo it unless they are to be `on_disk`
        by then. All other changes are."""
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


class Erasing(Protocol):
    """Deletes from a service behind the store, which may take its time."""

    def remainder(self, actor: Actor) -> Remainder:
        """What was erased and is shown to nobody, but is not deleted yet."""
        ...

    async def pending(self) -> int:
        """How many requests to erase, of all actors, are not finished. Raises StoreUnavailable."""
        ...

    def forgetting(
        self, actor: Actor, record_ids: Collection[str], traces: Traces
    ) -> AbstractAsyncContextManager[None]:
        """To be wrapped around the deletion of records. If the block succeeds, whatever else the
        service has of what they say is hidden and deleted, now and whenever it appears later; if
        the block fails, nothing is. Raises StoreUnavailable, but not for what can't be deleted
        yet."""
        ...

    async def undo(self, actor: Actor, record_ids: Collection[str]) -> None:
        """Stop hiding and deleting what these records say. The messages are gone, but their turns
        may be added again. Raises StoreUnavailable."""
        ...


class Archive(LongTermMemory, Protocol):
    """A LongTermMemory with all that was said, whether search finds it there or not."""

    @property
    def erasing(self) -> Erasing | None:
        """What deletes erased data from a service behind the store; None if there is no service."""
        ...

    async def all_messages(self, actor: Actor) -> list[Record]:
        """Every message of the actor that the store has, word for word, as MESSAGE records, oldest
        first. May take a minute if a service has them. Raises StoreUnavailable."""
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

    @property
    def takes_new_turns(self) -> bool:
        """False if it only finishes turns that it was given under other settings."""
        ...

    async def flush(self, actor: Actor) -> None:
        """Return once every turn of the actor given to `add_turn` has been acknowledged."""
        ...

    async def has_extracted(self, actor: Actor, turns: Sequence[Turn], since: datetime) -> bool:
        """True once the records show what these turns of one session taught. The extraction has had
        them `since` that moment. False while that may still come. Raises StoreUnavailable, also
        while it does not have all of them."""
        ...

    async def retry_failed(self) -> int:
        """Let extractions that failed be tried again, however often they were. Returns how many.
        Raises StoreUnavailable."""
        ...


class Sending(Protocol):
    """Hands turns to a service behind the store, which may refuse some for good. These are kept."""

    async def refused(self) -> int:
        """How many messages (a turn may be sent in several) have been refused for good. Raises
        StoreUnavailable."""
        ...

    async def waiting(self) -> int:
        """How many messages wait to be sent. Raises StoreUnavailable."""
        ...

    async def retry_refused(self) -> int:
        """Send them again. Returns how many. Raises StoreUnavailable."""
        ...


class PersonalData(Protocol):
    """All data that an engine keeps of a person: records and choices."""

    async def actors(self) -> list[Actor]:
        """All actors with data in the store."""
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

    def drop(self, actor: Actor) -> None:
        """Drop what is in RAM of the actor: another worker may have changed it, or may yet."""
        ...

    async def erase(self, actor: Actor) -> None:
        """Delete everything about the actor: records, turns, index, vectors, choices. Raises
        ErasureUnfinished if none of it is shown any more, and some not deleted yet."""
        ...


class Losses(Protocol):
    """Whose data could not be read, in part or at all."""

    def has_loss_to_tell(self, actor: Actor) -> bool:
        """True if some of the actor's data could not be read and nobody has told them; known once
        their data has been asked for."""
        ...

    async def note_loss_told(self, actor: Actor) -> None:
        """Note that they have been told. Raises StoreUnavailable."""
        ...


class Store(Archive, PersonalData, Losses, Protocol):
    """One engine of long-term memory."""

    @property
    def choices(self) -> ChoiceStore: ...

    @property
    def archives(self) -> bool:
        """True if search finds messages in it, word for word."""
        ...

    @property
    def extraction(self) -> ExternalExtraction | None:
        """What extracts from the turns instead of us; None if we do."""
        ...

    @property
    def sending(self) -> Sending | None:
        """What hands turns to a service; None if there is no service."""
        ...

    async def aclose(self) -> None:
        """Close files and connections. Later calls are errors."""
        ...
