"""People's memories in files: one file a person.

A file a person makes isolation a fact of the file system: forgetting somebody is deleting a file,
and a search costs the same with one person in the data directory as with a million. SQLite blocks,
so all of it runs on the thread pool that is handed in, one call at a time for each actor."""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memory.errors import StoreUnavailable
from memory.records import (
    Actor,
)
from memory.search.ranking import Weights
from memory.stores.files import (
    COMPANIONS,
    erase_copies,
    make_directory,
    set_aside_files,
    sync_directory,
)
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.records.queues import ActorQueues
from memory.stores.sqlite.migrations import is_damage
from memory.stores.sqlite.person import PersonFile
from memory.stores.sqlite.salvage import begin, can_mend, is_lost, salvage

if TYPE_CHECKING:
    pass

if TYPE_CHECKING:  # numpy is there only if there is an embedder
    from memory.stores.records.vectors import VectorTable

T = TypeVar("T")

#: Open files at most. Each takes three descriptors (file, log, log index) and some 100 KB, and
#: opening one again takes about 2 ms; 1024 descriptors a process are a common limit.
MAX_OPEN = 128


@dataclass(slots=True)
class _Place:
    """One actor's place in the store: its file while it is open."""

    file: PersonFile | None = None
    mended: bool = False

    def close(self) -> None:
        """Close the file if it is open."""
        if self.file is not None:
            file, self.file = self.file, None
            file.close()


class PersonFiles:
    """See Engine: a file a person."""

    def __init__(
        self,
        directory: Path,
        pool: Executor,
        weights: Weights,
        vectors: "VectorTable | None" = None,
        max_open: int = MAX_OPEN,
    ) -> None:
        """The files in `directory`, which is made when first needed. The pool stays the
        caller's."""
        self._directory = directory
        self._pool = pool
        self._weights = weights
        self._vectors = vectors
        self._max_open = max_open
        self._places: OrderedDict[Actor, _Place] = OrderedDict()
        self._queues = ActorQueues(pool, self._make_room)

    async def read(self, actor: Actor, work: Callable[[PersonFile], T]) -> T | None:
        return await self.change(actor, work)

    async def change(self, actor: Actor, work: Callable[[PersonFile], T]) -> T | None:
        """See Engine. Asking about a stranger leaves no file."""

        def look() -> T | None:
            with _failures(path := self._path(actor)):
                open_ = self._places[actor].file is not None
                if not (open_ or path.exists() or is_lost(path)):
                    return None
            return self._work(actor, work)

        return await self._in_turn(look, actor)

    async def write(self, actor: Actor, work: Callable[[PersonFile], T]) -> T:
        return await self._in_turn(partial(self._work, actor, work), actor)

    async def erase(self, actor: Actor) -> None:
        """See Engine. Copies go as well, and files that were set aside."""
        await self._in_turn(partial(self._erase, actor), actor)

    async def move(self, actor: Actor, to: Actor) -> None:
        """See Engine. The file gets another name; where there is one of that name already, it takes
        in the other's records."""
        await self._in_turn(partial(self._move, actor, to), actor, to)

    async def actors(self) -> list[Actor]:
        """See Engine. Everybody who has a file."""
        return await self._queues.run(self._actors)

    def has_loss_to_tell(self, actor: Actor) -> bool:
        """See Losses."""
        place = self._places.get(actor)
        return bool(place and place.file and place.file.has_loss_to_tell)

    async def aclose(self) -> None:
        """Finish what runs, and close all files."""
        await self._queues.aclose()
        loop = asyncio.get_running_loop()
        while self._places:
            _, place = self._places.popitem()
            await loop.run_in_executor(self._pool, place.close)

    async def _in_turn(self, work: Callable[[], T], *actors: Actor) -> T:
        """Run in a thread of the pool, after everything that was asked of these actors before."""
        for actor in sorted(actors):
            self._places.setdefault(actor, _Place())
            self._places.move_to_end(actor)
        return await self._queues.run(work, *actors)

    def _make_room(self) -> None:
        """Close the files that were not used for longest, while there are too many."""
        surplus = max(0, len(self._places) - self._max_open)
        if surplus:
            idle = [actor for actor in self._places if not self._queues.is_busy(actor)]
            for place in [self._places.pop(actor) for actor in idle[:surplus]]:
                loop = asyncio.get_running_loop()
                self._queues.track(loop.run_in_executor(self._pool, place.close))

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
            place.file = PersonFile(path, self._weights, self._vectors)
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
