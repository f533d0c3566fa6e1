"""Both engines remember and find the same, to the last digit."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import MemoryFailure
from memory.records import (
    Actor,
    Amendment,
    Draft,
    Hit,
    Kind,
    Record,
    Role,
    Speaker,
    Turn,
    Utterance,
)
from memory.stores.postgres.records.store import PostgresStore
from memory.stores.records.store import TableStore
from memory.stores.records.tables import SMALL_INDEX
from memory.stores.sqlite.store import SqliteStore
from tests.benchmarks.scale import Talk
from tests.contracts.long_term_memory import NOON
from tests.fakes.embedders import WordEmbedder
from tests.fakes.postgres import plain_url, postgres_server

T = TypeVar("T")
EVERYTHING = tuple(Kind)
WORDS = "dog dogs Rex sister Anna cello Lisbon hund schwester 猫 tea 2026 May not my the in".split()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
kinds = st.sampled_from([Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY])
places = st.integers(0, 8)


@dataclass
class Life:
    """What one actor says and asks on one engine."""

    store: TableStore
    actor: Actor
    written: list[Record] = field(default_factory=list)
    deleted: list[Record] = field(default_factory=list)
    said: int = 0

    def one(self, place: int) -> str:
        """The id of one of the records, or of none."""
        return self.written[place].id if place < len(self.written) else "f99"

    async def say(self, text: str) -> object:
        self.said += 1
        at = NOON + timedelta(minutes=self.said)
        messages = (
            Utterance(Role.USER, text, at, Speaker(3, "Anna")),
            Utterance(Role.ASSISTANT, "Tell me more about Rex", at),
        )
        told = Turn(f"t-{self.said}", f"s-{self.said // 3}", messages)
        return await self.store.add_turn(self.actor, told, on_disk=self.said % 2 == 0)

    async def learn(self, kind: Kind, text: str, replaced: int) -> object:
        old = self.one(replaced) if replaced < 3 else None
        draft = Draft(kind, text, NOON, supersedes=old, speaker=Speaker(3, "Anna"))
        found = await self.store.commit(self.actor, [draft])
        self.written += found
        return found

    async def end(self, place: int, reopened: bool) -> object:
        at = None if reopened else NOON
        return await self.store.commit(
            self.actor, [], [Amendment(self.one(place), ended_at=at, reopened=reopened)]
        )

    async def forget(self, place: int) -> object:
        records = await self.store.records(self.actor, kinds=EVERYTHING, include_superseded=True)
        chosen = [record for n, record in enumerate(records) if n % 4 == place % 4]
        self.deleted = chosen or self.deleted
        return await self.store.delete(self.actor, [record.id for record in chosen])

    async def regret(self) -> object:
        return await self.store.restore(self.actor, self.deleted)

    async def ask(self, text: str) -> list[Hit]:
        await self.store.settle()
        return await self.store.search(self.actor, text, kinds=EVERYTHING, now=NOON)


Step = Callable[[Life], Awaitable[object]]
steps: st.SearchStrategy[Step] = st.one_of(
    texts.map(lambda text: lambda life: life.say(text)),
    st.tuples(kinds, texts, places).map(lambda given: lambda life: life.learn(*given)),
    st.tuples(places, st.booleans()).map(lambda given: lambda life: life.end(*given)),
    places.map(lambda place: lambda life: life.forget(place)),
    st.just(lambda life: life.regret()),
    texts.map(lambda text: lambda life: life.ask(text)),
)


@pytest.fixture(scope="module", params=["by words", "by meaning too"])
def engines(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[asyncio.Runner, list[TableStore]]]:
    embedder = WordEmbedder() if request.param == "by meaning too" else None
    directory: Path = tmp_path_factory.mktemp("memory")
    with (
        postgres_server(url=plain_url()) as server,
        ThreadPoolExecutor(2) as pool,
        asyncio.Runner() as runner,
    ):
        stores: list[TableStore] = [
            SqliteStore(directory, pool, embedder=embedder, embedding_seconds=30),
            PostgresStore(server, pool, embedder=embedder, embedding_seconds=30),
        ]
        yield runner, stores
        for store in stores:
            runner.run(store.aclose())


numbers = count(1)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(history=st.lists(steps, max_size=14), question=texts)
def test_any_history_is_the_same_on_both(
    engines: tuple[asyncio.Runner, list[TableStore]], history: list[Step], question: str
) -> None:
    runner, stores = engines
    number = next(numbers)
    lives = [Life(store, Actor.person(number)) for store in stores]

    async def ask(life: Life) -> object:
        return await life.ask(question)

    for step in (*history, ask):
        on_files, on_server = (runner.run(outcome(step(life))) for life in lives)
        assert on_server == on_files
    moved = Actor.group(number)
    for life in lives:
        runner.run(life.store.move(life.actor, moved))
        life.actor = moved
    on_files, on_server = (runner.run(outcome(ask(life))) for life in lives)
    assert on_server == on_files


async def outcome(step: Awaitable[T]) -> T | str:
    """What a step returns, or how it fails."""
    try:
        return await step
    except MemoryFailure as failure:
        return type(failure).__name__


def test_a_large_memory_is_searched_by_its_rarest_words_on_both(
    engines: tuple[asyncio.Runner, list[TableStore]],
) -> None:
    runner, stores = engines
    if stores[0]._semantics:
        pytest.skip("embedding thousands takes long, and changes nothing here")
    talk, actor = Talk(seed=1), Actor.group(1_000_000)
    turns = list(talk.turns(SMALL_INDEX + 100, 50))
    for store in stores:
        for told in turns:
            runner.run(store.add_turn(actor, told))
    for question in [talk.question() for _ in range(20)]:
        on_files, on_server = (
            runner.run(store.search(actor, question, kinds=EVERYTHING, now=NOON))
            for store in stores
        )
        assert on_server == on_files
        assert on_files
