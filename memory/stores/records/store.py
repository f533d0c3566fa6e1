"""Long-term memory in tables, whatever engine has them: the records and the search for them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from memory.errors import UnknownRecord
from memory.ports import Sending
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Amendment,
    Draft,
    Hit,
    Kind,
    Record,
    Turn,
)
from memory.stores.records.choices import TableChoices
from memory.stores.records.person import Person
from memory.understanding import Embedder

if TYPE_CHECKING:
    from memory.stores.records.semantics import Semantics
    from memory.stores.records.vectors import VectorTable

T = TypeVar("T")


class Engine(Protocol):
    """Where people's tables are. Work on one actor runs in order, in a thread. All methods raise
    StoreUnavailable."""

    async def read(self, actor: Actor, work: Callable[[Person], T]) -> T | None:
        """Work that only reads; None if nothing is stored of the actor."""
        ...

    async def change(self, actor: Actor, work: Callable[[Person], T]) -> T | None:
        """Work that changes what is stored; None if nothing is."""
        ...

    async def write(self, actor: Actor, work: Callable[[Person], T]) -> T:
        """Work that may store the first of an actor."""
        ...

    async def move(self, actor: Actor, to: Actor) -> None: ...

    async def erase(self, actor: Actor) -> None: ...

    async def actors(self) -> list[Actor]: ...

    async def aclose(self) -> None: ...


def vector_table(embedder: Embedder | None) -> "VectorTable | None":
    """Where the embedder's vectors are. Raises ImportError if there is an embedder and no numpy."""
    if embedder is None:
        return None
    # Not before it is needed: it brings numpy, which takes its time and may not be installed.
    from memory.stores.records.vectors import VectorTable

    return VectorTable(embedder.name)


class TableStore:
    """A Store. With an embedder search goes by meaning too: vectors are made in the background,
    and a query waits for its own no longer than `embedding_seconds`."""

    archives = True
    extraction = erasing = None
    sending: Sending | None = None

    def __init__(self, engine: Engine, embedder: Embedder | None, embedding_seconds: float) -> None:
        """The embedder stays the caller's."""
        self._engine = engine
        self.choices = TableChoices(engine)
        self._semantics = self._with(embedder, embedding_seconds) if embedder else None

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        """See LongTermMemory. Messages without any text are left out."""
        await self._engine.write(actor, lambda person: person.add_turns(turns, on_disk=on_disk))
        if self._semantics:
            self._semantics.note_new(actor)
        return list(turns)

    async def commit(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        """See LongTermMemory. Raises UnknownRecord, RefusedText."""
        if not (drafts or amendments):
            return []
        # A stranger has nothing to amend, and stays one.
        work = self._engine.write if drafts else self._engine.change
        written = await work(actor, lambda person: person.commit(drafts, amendments))
        if written is None:
            raise UnknownRecord("this actor has no records")
        if self._semantics:
            self._semantics.note_new(actor)
        return written

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
        at = now or datetime.now(UTC)
        meaning = await self._semantics.meaning(query, at) if self._semantics else None
        hits = await self._engine.read(
            actor, lambda person: person.search(query, kinds, limit, min_relevance, at, meaning)
        )
        if self._semantics:
            self._semantics.find_missing(actor)
        return hits or []

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        return (
            await self._engine.read(actor, lambda person: person.records(kinds, include_superseded))
            or []
        )

    async def find(self, actor: Actor, short_id: str) -> Record | None:
        return await self._engine.read(actor, lambda person: person.find(short_id))

    async def messages(self, actor: Actor, turn_ids: Sequence[str]) -> list[Record]:
        return await self._engine.read(actor, lambda person: person.messages(turn_ids)) or []

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        return await self._engine.change(actor, lambda person: person.delete(record_ids)) or []

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """See LongTermMemory. Ids stay, and so does the order of what was said. Raises
        UnknownRecord."""
        if not records:
            return []
        restored = await self._engine.change(actor, lambda person: person.restore(records))
        if restored is None:
            raise UnknownRecord("nothing of this actor was deleted")
        if self._semantics:
            self._semantics.note_new(actor)
        return restored

    def drop(self, actor: Actor) -> None:
        """See PersonalData."""
        if self._semantics:
            self._semantics.drop(actor)

    async def erase(self, actor: Actor) -> None:
        await self._engine.erase(actor)

    def has_loss_to_tell(self, actor: Actor) -> bool:
        return False

    async def note_loss_told(self, actor: Actor) -> None:
        """See Losses. There is none."""

    async def all_messages(self, actor: Actor) -> list[Record]:
        return await self.records(actor, kinds=(Kind.MESSAGE,))

    async def keep_copy(self, actor: Actor, generations: int) -> None:
        """See PersonalData. Nothing: a server has backups of its own."""

    async def move(self, actor: Actor, to: Actor) -> None:
        if actor != to:
            await self._engine.move(actor, to)
            if self._semantics:
                self._semantics.note_new(to)

    async def actors(self) -> list[Actor]:
        return await self._engine.actors()

    async def settle(self) -> None:
        """Return when all records have their vectors; at once without an embedder."""
        if self._semantics:
            await self._semantics.settle()

    async def aclose(self) -> None:
        """See Store. Vectors that are missing stay so."""
        if self._semantics:
            await self._semantics.aclose()
        await self._engine.aclose()

    def _with(self, embedder: Embedder, seconds: float) -> "Semantics":
        from memory.stores.records.semantics import Semantics

        return Semantics(embedder, seconds, self._missing_vectors, self._keep_vectors)

    async def _missing_vectors(self, actor: Actor, limit: int) -> dict[int, str]:
        return (
            await self._engine.read(actor, lambda person: person.rows_without_vector(limit)) or {}
        )

    async def _keep_vectors(
        self, actor: Actor, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]
    ) -> None:
        await self._engine.change(actor, lambda person: person.embed(texts, vectors))
