"""Mordecai's own store, by the calls that the assistant makes."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.records import Actor, Kind, Role, Speaker, Turn, Utterance
from memory.search.text import storable
from memory.stores.sqlite.store import SqliteStore
from tests.benchmarks.peers.peer import Embedder, Said

#: Seconds a question may wait for its vector: a slow machine must not turn into another result.
_PATIENCE = 60.0


class Mordecai:
    """A file a person; each turn is written durably, one after the other, as it is in life."""

    def __init__(self, directory: Path, embedder: Embedder | None = None) -> None:
        """A store of files in the directory, with vectors if there is an embedder."""
        self._vectors = _Vectors(embedder) if embedder else None
        self._runner = asyncio.Runner()
        self._pool = ThreadPoolExecutor(1)
        self._store = SqliteStore(
            directory, self._pool, embedder=self._vectors, embedding_seconds=_PATIENCE
        )
        self._people: dict[str, tuple[Actor, datetime]] = {}

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. With an embedder it returns when all turns have their vectors."""
        actor = Actor.person(len(self._people) + 1)
        written = [_turn(turn) for turn in turns]
        latest = max(turn.messages[0].at for turn in written)
        self._people[person] = (actor, latest + timedelta(minutes=1))
        if self._vectors:
            self._vectors.expect(turns)
        self._runner.run(self._write(actor, written))

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer. Asked a minute after the last turn."""
        actor, now = self._people[person]
        hits = self._runner.run(
            self._store.search(actor, query, kinds=(Kind.MESSAGE,), limit=k, now=now)
        )
        return [turn for hit in hits for turn in hit.record.turn_ids]

    def close(self) -> None:
        """See Peer."""
        self._runner.run(self._store.aclose())
        self._runner.close()
        self._pool.shutdown()

    async def _write(self, actor: Actor, turns: Sequence[Turn]) -> None:
        for turn in turns:
            await self._store.add_turn(actor, turn)
        await self._store.settle()


class _Vectors:
    """The shared embedder as the store wants it. It knows the turns by the beginnings that the
    store has embedded of them; what it was not told of, it embeds now: what the store tries the
    model on, and questions."""

    name = "MiniLM"

    def __init__(self, shared: Embedder) -> None:
        self._shared = shared
        self._whole: dict[str, str] = {}

    def expect(self, turns: Sequence[Said]) -> None:
        """These turns are about to be embedded."""
        from memory.stores.records.vectors import MAX_EMBEDDED_CHARS

        for turn in turns:
            kept = replace(turn, text=storable(turn.text)).attributed
            self._whole[kept[:MAX_EMBEDDED_CHARS]] = turn.attributed

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """See memory.ports.Embedder."""
        return [self._vector(text, query) for text in texts]

    def _vector(self, text: str, query: bool) -> list[float]:
        whole = None if query else self._whole.get(text)
        return self._shared.query(text) if whole is None else self._shared.document(whole)


def _turn(said: Said) -> Turn:
    at = datetime.fromisoformat(said.at)
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    speaker = Speaker(None, said.speaker) if said.speaker else None
    message = Utterance(Role(said.role), said.text, at, speaker)
    return Turn(said.id, said.session, (message,))
