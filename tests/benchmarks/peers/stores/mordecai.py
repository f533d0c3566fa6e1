"""Mordecai's own store, by the calls that the assistant makes."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.records import Actor, Kind, Message, Role, Turn
from memory.stores.sqlite import SqliteStore
from tests.benchmarks.peers.peer import Embedder, Said


class Mordecai:
    """A file a person; each turn is written durably, one after the other, as it is in life."""

    def __init__(self, directory: Path, embedder: Embedder | None = None) -> None:
        """A store of files in the directory, without vectors."""
        self._runner = asyncio.Runner()
        self._pool = ThreadPoolExecutor(1)
        self._store = SqliteStore(directory, self._pool)
        self._people: dict[str, tuple[Actor, datetime]] = {}

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer."""
        actor = Actor.person(len(self._people) + 1)
        written = [_turn(turn) for turn in turns]
        latest = max(turn.messages[0].at for turn in written)
        self._people[person] = (actor, latest + timedelta(minutes=1))
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


def _turn(said: Said) -> Turn:
    at = datetime.fromisoformat(said.at)
    message = Message(
        Role(said.role), said.text, at if at.tzinfo else at.replace(tzinfo=UTC), said.speaker
    )
    return Turn(said.id, said.session, (message,))
