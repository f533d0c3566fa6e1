"""Search by meaning in the SQLite store: found without a shared word, made in the background, gone
with the record, and never in the way."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.records import Kind
from memory.stores.records.semantics import EMBEDDED_AT_ONCE
from memory.stores.records.vectors import _pack
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.amending import AmendingContract
from tests.contracts.long_term_memory import (
    ANN,
    BOB,
    LongTermMemoryContract,
    draft,
    eventually,
    texts,
    turn,
)
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.embedders import WordEmbedder

PET = "I walk my spaniel before breakfast"
PET_QUESTION = "Which quadruped lives here?"
EVERYTHING = tuple(Kind)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
async def store(
    tmp_path: Path, pool: ThreadPoolExecutor, embedder: WordEmbedder
) -> AsyncIterator[SqliteStore]:
    opened = opened_with(embedder, tmp_path, pool)
    yield opened
    await opened.aclose()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where Ann's memory lies."""
    return tmp_path / "u1.sqlite"


def opened_with(
    embedder: WordEmbedder | None,
    directory: Path,
    pool: ThreadPoolExecutor,
    seconds: float = 30,
) -> SqliteStore:
    return SqliteStore(directory, pool, embedder=embedder, embedding_seconds=seconds)


def vectors(file: Path) -> dict[str, list[bytes]]:
    """The vectors in a file, by embedder."""
    found: dict[str, list[bytes]] = {}
    with closing(sqlite3.connect(file)) as connection:
        for name, numbers in connection.execute(
            "SELECT name, numbers FROM vector JOIN embedder ON embedder.id = vector.embedder"
        ):
            found.setdefault(name, []).append(numbers)
    return found


class TestSqliteStoreWithEmbedder(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract
):
    """See the contract."""


class TestFinding:
    async def test_what_shares_no_word_with_the_question_is_found_by_its_meaning(
        self, store: SqliteStore, tmp_path: Path, pool: ThreadPoolExecutor
    ) -> None:
        await store.commit(ANN, [draft("My desk is by the window"), draft(PET)])
        await store.settle()
        (hit,) = await store.search(ANN, PET_QUESTION, min_relevance=0.2)
        assert hit.record.text == PET
        by_words = opened_with(None, tmp_path, pool)
        assert await by_words.search(ANN, PET_QUESTION) == []
        await by_words.aclose()

    async def test_archived_messages_are_found_by_their_meaning_too(
        self, store: SqliteStore
    ) -> None:
        await store.add_turn(ANN, turn("t-1", PET))
        await store.settle()
        hits = await store.search(ANN, PET_QUESTION, kinds=(Kind.MESSAGE,), min_relevance=0.2)
        assert texts(hits)[0] == PET

    async def test_only_the_kinds_asked_for_are_found(self, store: SqliteStore) -> None:
        await store.commit(ANN, [draft(PET), draft("I want a hound", Kind.PREFERENCE)])
        await store.settle()
        hits = await store.search(ANN, PET_QUESTION, kinds=(Kind.PREFERENCE,))
        assert texts(hits) == ["I want a hound"]

    async def test_nothing_is_found_in_anybody_elses_memory(self, store: SqliteStore) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.commit(BOB, [draft("My desk is by the window")])
        await store.settle()
        assert PET not in texts(await store.search(BOB, PET_QUESTION, kinds=EVERYTHING))

    async def test_small_talk_is_not_even_embedded(
        self, store: SqliteStore, embedder: WordEmbedder
    ) -> None:
        await store.commit(ANN, [draft(PET), draft("Thanks to my aunt I like tea")])
        await store.settle()
        embedder.queries.clear()
        for text in ("thanks!", "ok, good night", "", "?!", "yesterday"):
            assert await store.search(ANN, text, min_relevance=0.2) == []
        assert embedder.queries == []

    async def test_the_model_is_measured_before_the_first_query(
        self, store: SqliteStore, embedder: WordEmbedder
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.settle()
        embedder.queries.clear()
        assert texts(await store.search(ANN, PET_QUESTION)) == [PET]
        assert embedder.queries == [PET_QUESTION]

    async def test_what_has_nothing_to_do_with_anything_recalls_nothing(
        self, store: SqliteStore
    ) -> None:
        await store.commit(ANN, [draft(PET), draft("I play the violin")])
        await store.settle()
        assert await store.search(ANN, "Is bread cheap?", min_relevance=0.2) == []

    async def test_a_superseded_record_is_found_by_its_meaning_no_more(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.settle()
        await store.commit(ANN, [draft("I have no pets", supersedes="f1")])
        await store.settle()
        assert texts(await store.search(ANN, PET_QUESTION)) == []
        assert len(vectors(file)["words-1"]) == 1


class TestFilling:
    async def test_nobody_waits_for_vectors(
        self, store: SqliteStore, embedder: WordEmbedder, file: Path
    ) -> None:
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        await store.add_turn(ANN, turn("t-1", "I play the violin"))
        assert vectors(file) == {}
        embedder.gate.set()
        await store.settle()
        assert len(vectors(file)["words-1"]) == 3

    async def test_what_an_earlier_process_left_is_made_when_its_actor_comes_back(
        self, tmp_path: Path, pool: ThreadPoolExecutor, embedder: WordEmbedder
    ) -> None:
        before = opened_with(None, tmp_path, pool)
        await before.commit(
            ANN, [draft(f"Note {n} on gardens") for n in range(2 * EMBEDDED_AT_ONCE + 3)]
        )
        await before.commit(ANN, [draft(PET)])
        await before.aclose()
        store = opened_with(embedder, tmp_path, pool)
        # The first search finds no vectors yet, and is no worse than before.
        assert texts(await store.search(ANN, "Where do I walk my spaniel?"))[0] == PET
        await store.settle()
        assert texts(await store.search(ANN, PET_QUESTION))[0] == PET
        assert len(embedder.texts) >= 2 * EMBEDDED_AT_ONCE + 4
        await store.aclose()

    async def test_each_record_is_embedded_once(
        self, store: SqliteStore, embedder: WordEmbedder
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.settle()
        await store.commit(ANN, [draft("I play the violin")])
        await store.settle()
        for _ in range(3):
            await store.search(ANN, PET_QUESTION)
        await store.settle()
        assert embedder.texts.count(PET) == embedder.texts.count("I play the violin") == 1

    async def test_another_model_makes_all_vectors_anew(
        self, store: SqliteStore, tmp_path: Path, pool: ThreadPoolExecutor, file: Path
    ) -> None:
        await store.commit(ANN, [draft(PET), draft("I play the violin")])
        await store.settle()
        await store.aclose()
        assert list(vectors(file)) == ["words-1"]
        other = WordEmbedder("words-2")
        later = opened_with(other, tmp_path, pool)
        assert texts(await later.search(ANN, "my spaniel"))[0] == PET
        await later.settle()
        assert {name: len(found) for name, found in vectors(file).items()} == {"words-2": 2}
        assert texts(await later.search(ANN, PET_QUESTION))[0] == PET
        await later.aclose()

    async def test_vectors_of_another_length_are_passed_over(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft(PET), draft("My hound is old")])
        await store.settle()
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("UPDATE vector SET numbers = x'0102' WHERE row = 1")
        assert texts(await store.search(ANN, PET_QUESTION)) == ["My hound is old"]


class TestTraces:
    def _bytes(self, file: Path) -> bytes:
        return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))

    async def test_a_deleted_record_leaves_no_byte_of_its_vector(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft(f"Filler number {n} about gardens") for n in range(60)])
        (secret,) = await store.commit(ANN, [draft(PET)])
        await store.commit(ANN, [draft(f"More filler {n} about rivers") for n in range(60)])
        await store.settle()
        with closing(sqlite3.connect(file)) as connection:
            (numbers,) = connection.execute(
                "SELECT numbers FROM vector JOIN record USING (row) WHERE id = ?", (secret.id,)
            ).fetchone()
        assert numbers in self._bytes(file)
        await store.delete(ANN, [secret.id])
        assert numbers not in self._bytes(file)
        assert len(vectors(file)["words-1"]) == 120

    async def test_vectors_go_with_their_record_without_an_embedder_too(
        self, store: SqliteStore, tmp_path: Path, pool: ThreadPoolExecutor, file: Path
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.settle()
        await store.aclose()
        plain = opened_with(None, tmp_path, pool)
        await plain.delete(ANN, ["f1"])
        assert vectors(file) == {}
        await plain.aclose()

    async def test_what_is_forgotten_while_it_is_embedded_gets_no_vector(
        self, store: SqliteStore, embedder: WordEmbedder, file: Path
    ) -> None:
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        await self._asked(embedder, PET)
        await store.delete(ANN, ["f1"])
        embedder.gate.set()
        await store.settle()
        assert vectors(file) == {}

    async def test_a_late_vector_is_not_given_to_what_took_the_records_place(
        self, store: SqliteStore, embedder: WordEmbedder, file: Path
    ) -> None:
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        await self._asked(embedder, PET)
        await store.erase(ANN)
        await store.commit(ANN, [draft("I play the violin")])
        embedder.gate.set()
        await store.settle()
        assert texts(await store.search(ANN, PET_QUESTION, min_relevance=0.2)) == []
        assert texts(await store.search(ANN, "Any instrument?")) == ["I play the violin"]

    async def _asked(self, embedder: WordEmbedder, text: str) -> None:
        async def asked() -> bool:
            return text in embedder.texts

        await eventually(asked)


class TestFailing:
    async def test_a_broken_embedder_leaves_search_by_words_and_says_so_once(
        self, store: SqliteStore, embedder: WordEmbedder
    ) -> None:
        embedder.broken = True
        with capture_logs() as logs:
            await store.commit(ANN, [draft(PET)])
            for _ in range(3):
                assert texts(await store.search(ANN, "Where is my spaniel?")) == [PET]
        assert [line["event"] for line in logs] == ["embedder_failed"]
        assert logs[0]["embedder"] == "words-1"
        assert "spaniel" not in str(logs)

    async def test_a_failing_embedder_is_left_alone_for_a_while(
        self, store: SqliteStore, embedder: WordEmbedder
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.settle()
        embedder.broken = True
        await store.search(ANN, "spaniel")
        asked = len(embedder.queries)
        await store.search(ANN, "spaniel")
        assert len(embedder.queries) == asked

    async def test_a_hanging_embedder_holds_nobody_up(
        self, tmp_path: Path, pool: ThreadPoolExecutor, embedder: WordEmbedder
    ) -> None:
        store = opened_with(embedder, tmp_path, pool, seconds=0.01)
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        with capture_logs():
            assert texts(await store.search(ANN, "Where is my spaniel?")) == [PET]
        await asyncio.wait_for(store.aclose(), 10)

    async def test_a_model_that_takes_long_to_load_is_used_once_it_is_there(
        self, tmp_path: Path, pool: ThreadPoolExecutor, embedder: WordEmbedder
    ) -> None:
        store = opened_with(embedder, tmp_path, pool, seconds=0.2)
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        with capture_logs() as logs:
            for _ in range(3):
                assert texts(await store.search(ANN, "Where is my spaniel?")) == [PET]
        assert logs == []
        embedder.gate.set()

        async def understood() -> bool:
            return texts(await store.search(ANN, PET_QUESTION)) == [PET]

        await eventually(understood)
        await store.aclose()

    async def test_closing_stops_the_filling(
        self, store: SqliteStore, embedder: WordEmbedder, file: Path
    ) -> None:
        embedder.gate.clear()
        await store.commit(ANN, [draft(PET)])
        await store.aclose()
        embedder.gate.set()
        assert vectors(file) == {}

    async def test_a_damaged_file_does_not_stop_the_filling_of_others(
        self, store: SqliteStore, file: Path, tmp_path: Path, pool: ThreadPoolExecutor
    ) -> None:
        await store.commit(ANN, [draft(PET)])
        await store.aclose()
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("INSERT INTO migration VALUES ('time travel', '2031-01-01')")
        later = opened_with(WordEmbedder("words-2"), tmp_path, pool)
        assert later._semantics
        with capture_logs() as logs:
            later._semantics.find_missing(ANN)
            await later.commit(BOB, [draft(PET)])
            await later.settle()
        assert [line["event"] for line in logs] == ["embedder_failed"]
        assert len(vectors(tmp_path / "u12.sqlite")["words-2"]) == 1
        await later.aclose()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=9))
def test_any_numbers_make_a_vector_of_their_length(numbers: list[float]) -> None:
    assert len(_pack(numbers)) == len(numbers)
