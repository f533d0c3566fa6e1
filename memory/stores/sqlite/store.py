"""Long-term memory on SQLite: one file a person, nothing to install and nothing to run.

A file a person makes isolation a fact of the file system: forgetting somebody is deleting a file,
and a search costs the same with one person in the data directory as with a million. SQLite blocks,
so all of it runs on the thread pool that is handed in, one call at a time for each actor."""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory.errors import StoreUnavailable, UnknownRecord
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
from memory.search.ranking import Weights
from memory.stores.files import (
    COMPANIONS,
    erase_copies,
    make_directory,
    set_aside_files,
    sync_directory,
)
from memory.stores.sqlite.choices import SqliteChoices
from memory.stores.sqlite.layout import PERSON_LAYOUT
from memory.stores.sqlite.migrations import is_damage
from memory.stores.sqlite.person import PersonFile
from memory.stores.sqlite.salvage import begin, can_mend, is_lost, salvage
from memory.understanding import Embedder

if TYPE_CHECKING:
    from memory.stores.sqlite.semantics import Semantics

T = TypeVar("T")

#: Open files at most. Each takes three descriptors (file, log, log index) and some 100 KB, and
#: opening one again takes about 2 ms; 1024 descriptors a process are a common limit.
MAX_OPEN = 128


@dataclass(slots=True)
class _Place:
    """One actor's place in the store: its file while it is open, who uses it or waits."""

    file: PersonFile | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    mended: bool = False

    def close(self) -> None:
        """Close the file if it is open."""
        if self.file is not None:
            file, self.file = self.file, None
            file.close()


class SqliteStore:
    """The embedded Store. `relevance_decay` is the share of freshness a memory keeps each
    month, 0 to 1. With an embedder search goes by meaning too: vectors are made in the background,
    and a query waits for its own no longer than `embedding_seconds`."""

    archives = True
    extraction = erasing = None
    sending: Sending | None = None

    def __init__(
        self,
        directory: Path,
        pool: Executor,
        *,
        relevance_decay: float = 0.9,
        max_open: int = MAX_OPEN,
        embedder: Embedder | None = None,
        embedding_seconds: float = 0.7,
    ) -> None:
        """A store of the files in `directory`, which is made when first needed. The pool and the
        embedder stay the caller's. Raises ImportError if there is an embedder and no numpy."""
        self._directory = directory
        self._pool = pool
        self._weights = Weights(decay=relevance_decay)
        self._max_open = max_open
        self._places: OrderedDict[Actor, _Place] = OrderedDict()
        #: What threads of the pool are doing.
        self._running: set[asyncio.Future[Any]] = set()
        self._closed = False
        self.choices = SqliteChoices(self)
        self._semantics = self._with(embedder, embedding_seconds) if embedder else None

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        """See LongTermMemory. Messages without any text are left out."""
        await self.write(actor, lambda file: file.add_turns(turns, on_disk=on_disk))
        if self._semantics:
            self._semantics.note_new(actor)
        return list(turns)

    async def commit(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        """See LongTermMemory. Raises UnknownRecord, RefusedText."""
        if not (drafts or amendments):
            return []
        # A stranger has nothing to amend, and leaves no file.
        work = self.write if drafts else self.ask
        written = await work(actor, lambda file: file.commit(drafts, amendments))
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
        hits = await self.ask(
            actor, lambda file: file.search(query, kinds, limit, min_relevance, at, meaning)
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
        return await self.ask(actor, lambda file: file.records(kinds, include_superseded)) or []

    async def find(self, actor: Actor, short_id: str) -> Record | None:
        return await self.ask(actor, lambda file: file.find(short_id))

    async def messages(self, actor: Actor, turn_ids: Sequence[str]) -> list[Record]:
        return await self.ask(actor, lambda file: file.messages(turn_ids)) or []

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        return await self.ask(actor, lambda file: file.delete(record_ids)) or []

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """See LongTermMemory. Ids stay, and so does the order of what was said. Raises
        UnknownRecord."""
        if not records:
            return []
        restored = await self.ask(actor, lambda file: file.restore(records))
        if restored is None:
            raise UnknownRecord("nothing of this actor was deleted")
        if self._semantics:
            self._semantics.note_new(actor)
        return restored

    async def erase(self, actor: Actor) -> None:
        """See PersonalData. Copies go as well, and files that were set aside."""
        await self._in_turn(partial(self._erase, actor), actor)

    def has_loss_to_tell(self, actor: Actor) -> bool:
        place = self._places.get(actor)
        return bool(place and place.file and place.file.has_loss_to_tell)

    async def note_loss_told(self, actor: Actor) -> None:
        await self.ask(actor, PersonFile.note_loss_told)

    async def all_messages(self, actor: Actor) -> list[Record]:
        return await self.records(actor, kinds=(Kind.MESSAGE,))

    async def keep_copy(self, actor: Actor, generations: int) -> None:
        await self.ask(actor, lambda file: file.keep_copy(generations))

    async def move(self, actor: Actor, to: Actor) -> None:
        """See PersonalData. The file gets another name; where there is one of that name already,
        it takes in the other's records."""
        if actor != to:
            await self._in_turn(partial(self._move, actor, to), actor, to)
            if self._semantics:
                self._semantics.note_new(to)

    async def actors(self) -> list[Actor]:
        """See PersonalData. Everybody who has a file."""
        if self._closed:
            raise StoreUnavailable("the memory is closed")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._actors)

    async def settle(self) -> None:
        """Return when all records have their vectors; at once without an embedder."""
        if self._semantics:
            await self._semantics.settle()

    async def aclose(self) -> None:
        """Finish what runs, and close all files. Vectors that are missing stay so."""
        self._closed = True
        if self._semantics:
            await self._semantics.aclose()
        while self._running:
            await asyncio.wait(self._running)
        loop = asyncio.get_running_loop()
        while self._places:
            _, place = self._places.popitem()
            await loop.run_in_executor(self._pool, place.close)

    def _with(self, embedder: Embedder, seconds: float) -> "Semantics":
        # Not before it is needed: it brings numpy, which takes its time and may not be installed.
        from memory.stores.sqlite.semantics import Semantics

        return Semantics(embedder, seconds, self._missing_vectors, self._keep_vectors)

    async def _missing_vectors(self, actor: Actor, limit: int) -> dict[int, str]:
        return await self.ask(actor, lambda file: file.unembedded(limit)) or {}

    async def _keep_vectors(
        self, actor: Actor, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]
    ) -> None:
        await self.ask(actor, lambda file: file.embed(texts, vectors))

    async def write(self, actor: Actor, work: Callable[[PersonFile], T]) -> T:
        """Work on the actor's file, which is made if it is not there."""
        return await self._in_turn(partial(self._work, actor, work), actor)

    async def ask(self, actor: Actor, work: Callable[[PersonFile], T]) -> T | None:
        """Work on the actor's file, if there is one: asking about a stranger leaves no file."""

        def look() -> T | None:
            with _failures(path := self._path(actor)):
                open_ = self._places[actor].file is not None
                if not (open_ or path.exists() or is_lost(path)):
                    return None
            return self._work(actor, work)

        return await self._in_turn(look, actor)

    async def _in_turn(self, work: Callable[[], T], *actors: Actor) -> T:
        """Run in a thread of the pool, after everything that was asked of these actors before."""
        if self._closed:
            raise StoreUnavailable("the memory is closed")
        # Always in one order, so that two moves never wait for each other.
        places = [self._places.setdefault(actor, _Place()) for actor in sorted(actors)]
        for actor, place in zip(sorted(actors), places, strict=True):
            self._places.move_to_end(actor)
            place.users += 1
        held: list[_Place] = []
        try:
            for place in places:
                await place.lock.acquire()
                held.append(place)
            hop = asyncio.get_running_loop().run_in_executor(self._pool, work)
        except BaseException:
            self._leave(places, held)
            raise
        # Not when the caller gives up (a deadline of recall): the next one must not come in while
        # the thread still works on the file.
        hop.add_done_callback(lambda _: self._leave(places, held))
        self._track(hop)
        return await asyncio.shield(hop)

    def _leave(self, places: Sequence[_Place], held: Sequence[_Place]) -> None:
        for place in held:
            place.lock.release()
        for place in places:
            place.users -= 1
        self._make_room()

    def _make_room(self) -> None:
        """Close the files that were not used for longest, while there are too many."""
        surplus = max(0, len(self._places) - self._max_open)
        if surplus:
            idle = [actor for actor, place in self._places.items() if not place.users]
            for place in [self._places.pop(actor) for actor in idle[:surplus]]:
                loop = asyncio.get_running_loop()
                self._track(loop.run_in_executor(self._pool, place.close))

    def _track(self, hop: "asyncio.Future[Any]") -> None:
        self._running.add(hop)
        hop.add_done_callback(self._running.discard)

    def _actors(self) -> list[Actor]:
        with _failures(self._directory):
            # One whose file is gone may still have a copy.
            there = (*self._directory.glob("*.sqlite"), *self._directory.glob("copies/*.sqlite"))
            names = {path.stem for path in there}
        found: list[Actor] = []
        for name in sorted(names):
            # Not every file there is ours.
            with suppress(ValueError):
                found.append(Actor(name))
        return found

    def _path(self, actor: Actor) -> Path:
        return self._directory / f"{actor.id}.sqlite"

    def _work(self, actor: Actor, work: Callable[[PersonFile], T]) -> T:
        """In a thread: work on the actor's file, which is made if it is not there; on what can be
        read of it if it turns out to be damaged, or to hold what can't be read."""
        path, place = self._path(actor), self._places[actor]
        with _failures(path):
            try:
                return work(self._open_file(path, place))
            except Exception as error:
                if not can_mend(path, PERSON_LAYOUT, error, again=place.mended):
                    raise
                place.close()
                place.mended = True
                salvage(path, PERSON_LAYOUT, error)
            return work(self._open_file(path, place))

    def _open_file(self, path: Path, place: _Place) -> PersonFile:
        if place.file is None:
            make_directory(self._directory)
            if is_lost(path):
                salvage(path, PERSON_LAYOUT, "the file is empty or gone")
            elif not path.exists():
                begin(path, PERSON_LAYOUT)
            table = self._semantics.table if self._semantics else None
            place.file = PersonFile(path, self._weights, table)
        return place.file

    def _move(self, actor: Actor, to: Actor) -> None:
        """In a thread. Each step leaves a state from which the next ones can be taken later."""
        path, new = self._path(actor), self._path(to)
        with _failures(path):
            there = path.exists() or is_lost(path)
            if there and (new.exists() or is_lost(new)):
                contents = self._work(actor, PersonFile.contents)
                self._work(to, lambda file: file.absorb(contents))
            elif there:
                self._work(actor, PersonFile.fold)
                self._places[actor].close()
                erase_copies(path)
                for companion in COMPANIONS[1:]:
                    # A log that was left over would be taken for this file's.
                    new.with_name(new.name + companion).unlink(missing_ok=True)
                path.rename(new)
            # Last: only now it is known whether the file itself was damaged.
            for aside in set_aside_files(path):
                aside.rename(new.with_name(aside.name.replace(path.name, new.name, 1)))
            if self._directory.is_dir():
                sync_directory(self._directory)
        self._erase(actor)

    def _erase(self, actor: Actor) -> None:
        path = self._path(actor)
        with _failures(path):
            self._places[actor].close()
            # Before the file: it would be restored from them.
            erase_copies(path)
            if there := sorted(self._directory.glob(f"{path.name}*")):
                for each in there:
                    each.unlink(missing_ok=True)
                sync_directory(self._directory)


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file system as StoreUnavailable. Mistakes of ours in SQL or in
    its use come through as they are."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        raise StoreUnavailable(f"{path}: {error}") from error
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        raise StoreUnavailable(f"{path}: {error}") from error
