"""Long-term memory on SQLite: one file a person, nothing to install and nothing to run.

A file a person makes isolation a fact of the file system: forgetting somebody is deleting a file,
and a search costs the same with one person in the data directory as with a million. SQLite blocks,
so all of it runs on the thread pool that is handed in, one call at a time for each actor."""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from memory.errors import StoreUnavailable, UnknownRecord
from memory.ports import Embedder
from memory.records import LEARNED_KINDS, Actor, Draft, Hit, Kind, Record, Turn
from memory.search.ranking import Weights
from memory.stores.sqlite.person import PersonFile

if TYPE_CHECKING:
    from memory.stores.sqlite.semantics import Semantics

_log = structlog.get_logger(__name__)

_T = TypeVar("_T")

#: Open files at most. Each takes three descriptors (file, log, log index) and some 100 KB, and
#: opening one again takes about 2 ms; 1024 descriptors a process are a common limit.
MAX_OPEN = 128

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRIMARY_CODE = 0xFF
_COMPANIONS = ("", "-wal", "-shm", "-journal")


@dataclass(slots=True)
class _Drawer:
    """One actor's place in the store: its file while it is open, and who uses it or waits."""

    file: PersonFile | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class SqliteStore:
    """The embedded LongTermMemory. `relevance_decay` is the share of freshness a memory keeps each
    month, 0 to 1. With an embedder search goes by meaning too: vectors are made in the background,
    and a query waits for its own no longer than `embedding_seconds`."""

    extracts = False

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
        self._drawers: OrderedDict[Actor, _Drawer] = OrderedDict()
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._semantics = self._with(embedder, embedding_seconds) if embedder else None

    async def add_turn(self, actor: Actor, turn: Turn) -> None:
        """See LongTermMemory. Messages without any text are left out."""
        await self._do(actor, lambda file: file.add_turn(turn))
        if self._semantics:
            self._semantics.changed(actor)

    async def commit(self, actor: Actor, drafts: Sequence[Draft]) -> list[Record]:
        """See LongTermMemory. Raises UnknownRecord, RefusedText."""
        if not drafts:
            return []
        written = await self._do(actor, lambda file: file.commit(drafts))
        if self._semantics:
            self._semantics.changed(actor)
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
        """See LongTermMemory."""
        at = now or datetime.now(UTC)
        meaning = await self._semantics.meaning(query, at) if self._semantics else None
        hits: list[Hit] = await self._ask(
            actor, lambda file: file.search(query, kinds, limit, min_relevance, at, meaning), []
        )
        if self._semantics:
            self._semantics.seen(actor)
        return hits

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        """See LongTermMemory."""
        return await self._ask(actor, lambda file: file.records(kinds, include_superseded), [])

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """See LongTermMemory."""
        return await self._ask(actor, lambda file: file.delete(record_ids), [])

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """See LongTermMemory. Ids stay, and so does the order of what was said. Raises
        UnknownRecord."""
        restored: list[Record] | None = await self._ask(
            actor, lambda file: file.restore(records), None if records else []
        )
        if restored is None:
            raise UnknownRecord("nothing of this actor was deleted")
        if self._semantics:
            self._semantics.changed(actor)
        return restored

    async def erase(self, actor: Actor) -> None:
        """See LongTermMemory. Copies that were set aside because of damage go as well."""
        await self._guarded(actor, lambda drawer: self._erase(actor, drawer))

    async def move(self, actor: Actor, to: Actor) -> None:
        """See LongTermMemory. The file gets another name; where there is one of that name already,
        it takes in the other's records."""
        if actor != to:
            await self._shielded(self._moved(actor, to))
            if self._semantics:
                self._semantics.changed(to)

    async def actors(self) -> list[Actor]:
        """See LongTermMemory. Everybody who has a file."""
        if self._closed:
            raise StoreUnavailable("the memory is closed")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._found)

    async def flush(self, actor: Actor) -> None:
        """See LongTermMemory. What was added is in place already."""

    async def settle(self) -> None:
        """Return when all records have their vectors; at once without an embedder."""
        if self._semantics:
            await self._semantics.settle()

    async def aclose(self) -> None:
        """Finish what runs, and close all files. Vectors that are missing stay so."""
        self._closed = True
        if self._semantics:
            await self._semantics.aclose()
        if self._running:
            await asyncio.wait(self._running)
        loop = asyncio.get_running_loop()
        while self._drawers:
            _, drawer = self._drawers.popitem()
            await loop.run_in_executor(self._pool, _close, drawer)

    def _with(self, embedder: Embedder, seconds: float) -> "Semantics":
        # Not before it is needed: it brings numpy, which takes its time and may not be installed.
        from memory.stores.sqlite.semantics import Semantics

        return Semantics(embedder, seconds, self._unembedded, self._keep_vectors)

    async def _unembedded(self, actor: Actor, limit: int) -> dict[int, str]:
        return await self._ask(actor, lambda file: file.unembedded(limit), {})

    async def _keep_vectors(
        self, actor: Actor, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]
    ) -> None:
        await self._ask(actor, lambda file: file.embed(texts, vectors), None)

    async def _do(self, actor: Actor, work: Callable[[PersonFile], _T]) -> _T:
        """Work on the actor's file, which is made if it is not there."""
        return await self._guarded(actor, lambda drawer: self._work(actor, drawer, work))

    async def _ask(self, actor: Actor, work: Callable[[PersonFile], _T], nothing: _T) -> _T:
        """Work on the actor's file if there is one: asking about a stranger leaves no file."""

        def look(drawer: _Drawer) -> _T:
            path = self._path(actor)
            with _failures(path):
                if drawer.file is None and not path.exists():
                    return nothing
            return self._work(actor, drawer, work)

        return await self._guarded(actor, look)

    async def _guarded(self, actor: Actor, work: Callable[[_Drawer], _T]) -> _T:
        """Run on the pool, after everything that was asked of this actor before."""
        return await self._shielded(self._in_turn(actor, work))

    async def _shielded(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Shielded: a caller that gives up (a deadline of recall) must not let the next one in
        while the thread still works on the file."""
        if self._closed:
            work.close()
            raise StoreUnavailable("the memory is closed")
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, actor: Actor, work: Callable[[_Drawer], _T]) -> _T:
        async with self._held(actor) as drawer:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, drawer)

    async def _moved(self, actor: Actor, to: Actor) -> None:
        # Always in one order, so that two moves never wait for each other.
        first, second = sorted((actor, to))
        async with self._held(first) as one, self._held(second) as other:
            drawers = (one, other) if first == actor else (other, one)
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._pool, self._move, actor, to, *drawers)

    @asynccontextmanager
    async def _held(self, actor: Actor) -> AsyncIterator[_Drawer]:
        """The actor's drawer, for nobody else meanwhile."""
        drawer = self._drawers.setdefault(actor, _Drawer())
        self._drawers.move_to_end(actor)
        drawer.users += 1
        try:
            async with drawer.lock:
                yield drawer
        finally:
            drawer.users -= 1
            await self._make_room()

    async def _make_room(self) -> None:
        """Close the files that were not used for longest, while there are too many."""
        surplus = max(0, len(self._drawers) - self._max_open)
        idle = [actor for actor, drawer in self._drawers.items() if not drawer.users]
        for drawer in [self._drawers.pop(actor) for actor in idle[:surplus]]:
            await asyncio.get_running_loop().run_in_executor(self._pool, _close, drawer)

    def _found(self) -> list[Actor]:
        with _failures(self._directory):
            names = sorted(path.stem for path in self._directory.glob("*.sqlite"))
        return [actor for name in names if (actor := _actor(name))]

    def _path(self, actor: Actor) -> Path:
        return self._directory / f"{actor.id}.sqlite"

    def _work(self, actor: Actor, drawer: _Drawer, work: Callable[[PersonFile], _T]) -> _T:
        """On the pool: work on the open file, on a fresh one if it turns out to be damaged."""
        path = self._path(actor)
        with _failures(path):
            try:
                return work(self._opened(path, drawer))
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                _set_aside(path, drawer, error)
            return work(self._opened(path, drawer))

    def _opened(self, path: Path, drawer: _Drawer) -> PersonFile:
        if drawer.file is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            table = self._semantics.table if self._semantics else None
            drawer.file = PersonFile(path, self._weights, table)
        return drawer.file

    def _move(self, actor: Actor, to: Actor, drawer: _Drawer, target: _Drawer) -> None:
        """On the pool. Each step leaves a state from which the next ones can be taken later."""
        path, new = self._path(actor), self._path(to)
        with _failures(path):
            if path.exists() and new.exists():
                turns, records = self._work(actor, drawer, PersonFile.contents)
                self._work(to, target, lambda file: file.absorb(turns, records))
            elif path.exists():
                # The write-ahead log goes into the file, which then is all there is.
                self._work(actor, drawer, PersonFile.fold)
                _close(drawer)
                for companion in _COMPANIONS[1:]:
                    # A log that was left over would be taken for this file's.
                    new.with_name(new.name + companion).unlink(missing_ok=True)
                path.rename(new)
            # Last: only now it is known whether the file itself was damaged.
            for aside in sorted(self._directory.glob(f"{path.name}.damaged-*")):
                aside.rename(new.with_name(aside.name.replace(path.name, new.name, 1)))
        self._erase(actor, drawer)

    def _erase(self, actor: Actor, drawer: _Drawer) -> None:
        path = self._path(actor)
        with _failures(path):
            _close(drawer)
            for companion in sorted(self._directory.glob(f"{path.name}*")):
                companion.unlink(missing_ok=True)


def _actor(name: str) -> Actor | None:
    """Whose file has this name; None if it is none of ours."""
    try:
        return Actor(name)
    except ValueError:
        return None


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file system as StoreUnavailable. Mistakes of ours in SQL or in
    its use come through as they are."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        raise StoreUnavailable(f"{path}: {error}") from error
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        raise StoreUnavailable(f"{path}: {error}") from error


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in _DAMAGED


def _set_aside(path: Path, drawer: _Drawer, error: sqlite3.DatabaseError) -> None:
    """Keep a damaged file under another name: it may be repaired, and is never written to."""
    _close(drawer)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    kept = path.with_name(f"{path.name}.damaged-{moment}")
    for companion in _COMPANIONS:
        part = path.with_name(path.name + companion)
        if part.exists():
            part.rename(kept.with_name(kept.name + companion))
    _log.error(
        "memory_file_damaged",
        file=str(path),
        kept_as=str(kept),
        error=str(error),
        remedy="this person starts with an empty memory; try `.recover` of the sqlite3 shell on it",
    )


def _close(drawer: _Drawer) -> None:
    if drawer.file is not None:
        file, drawer.file = drawer.file, None
        file.close()
