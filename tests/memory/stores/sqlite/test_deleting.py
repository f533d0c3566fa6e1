"""Deleting, for any memory: neither row nor index entry nor vector stays, looked for in the file's
bytes, and what was not deleted is found as before."""

import sqlite3
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import Store
from memory.records import Kind, Role, Turn, Utterance
from memory.stores.records.vectors import _pack
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, NOON, draft, texts
from tests.fakes.embedders import WordEmbedder, vector

EVERYTHING = tuple(Kind)

_LETTERS = str.maketrans("0123456789abcdef", "bcfghjkmnpqrtvwx")


def _word(number: int) -> str:
    """A word that no tokeniser shortens and no layout of a file holds by chance."""
    return blake2b(number.to_bytes(4, "big"), digest_size=6).hexdigest().translate(_LETTERS)


_WORDS = st.lists(st.integers(0, 9_999), min_size=1, max_size=12, unique=True).map(
    lambda numbers: [_word(number) for number in numbers]
)


@settings(max_examples=15, deadline=None)
@given(words=_WORDS, data=st.data())
async def test_no_byte_of_what_is_deleted_stays_and_the_rest_is_found(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], data: st.DataObject
) -> None:
    directory = tmp_path_factory.mktemp("memory")
    file = directory / "u1.sqlite"
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(directory, pool, embedder=WordEmbedder(), embedding_seconds=30)
        ids: dict[str, str] = {}
        for number, word in enumerate(words):
            await _keep(store, f"The {word} is in my garden", as_message=bool(number % 2))
            ids |= {word: (await store.records(ANN, kinds=EVERYTHING))[-1].id}
        await store.settle()
        gone = data.draw(st.sets(st.sampled_from(words), min_size=1))
        traces = _traces(gone) - _traces({*words} - gone)
        before = _bytes(file)
        assert all(trace in before for trace in traces)

        assert set(await store.delete(ANN, [ids[word] for word in gone])) == {
            ids[word] for word in gone
        }

        after = _bytes(file)
        assert [trace for trace in traces if trace in after] == []
        assert _orphans(file) == 0
        for word in words:
            found = texts(await store.search(ANN, word, kinds=EVERYTHING, now=NOON))
            assert (f"The {word} is in my garden" in found) == (word not in gone)
        await store.aclose()


@settings(max_examples=10, deadline=None)
@given(words=_WORDS, data=st.data())
async def test_after_an_undo_everything_is_as_if_nothing_had_been_deleted(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("memory") / "u1.sqlite"
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(file.parent, pool, embedder=WordEmbedder())
        plain = SqliteStore(file.parent / "plain", pool)
        for number, word in enumerate(words):
            for each in (store, plain):
                await _keep(each, f"The {word} is in my garden", as_message=bool(number % 3))
        await store.settle()
        before, held = await store.records(ANN, kinds=EVERYTHING), _bytes(file)
        found = [await plain.search(ANN, w, kinds=EVERYTHING, now=NOON) for w in words]
        # Several deletions, taken back in any order.
        parts = data.draw(st.lists(st.lists(st.sampled_from(before), unique=True), max_size=3))
        for each in (store, plain):
            gone = []
            for part in parts:
                ids = await each.delete(ANN, [record.id for record in part])
                gone.append([record for record in part if record.id in ids])
            for part in data.draw(st.permutations(gone)):
                assert await each.restore(ANN, part) == part
        await store.settle()

        for each in (store, plain):
            assert await each.records(ANN, kinds=EVERYTHING) == before
        for word, hits in zip(words, found, strict=True):
            assert await plain.search(ANN, word, kinds=EVERYTHING, now=NOON) == hits
        traces = [trace for trace in _traces(set(words)) if trace in held]
        assert [trace for trace in traces if trace not in _bytes(file)] == []
        assert _orphans(file) == 0
        await store.aclose()
        await plain.aclose()


async def _keep(store: Store, text: str, *, as_message: bool) -> None:
    if as_message:
        await store.add_turn(
            ANN, Turn(f"t-{crc32(text.encode())}", "s-1", (Utterance(Role.USER, text, NOON),))
        )
    else:
        await store.commit(ANN, [draft(text)])


def _bytes(file: Path) -> bytes:
    return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def _traces(words: Collection[str]) -> set[bytes]:
    """What a file holds of memories: their words and vectors. An index may share the beginnings of
    its words, so the ends are looked for, too."""
    return (
        {word.encode() for word in words}
        | {word[6:].encode() for word in words}
        | {_pack(vector(f"The {word} is in my garden")) for word in words}
    )


def _orphans(file: Path) -> int:
    """Index entries and vectors without a record."""
    with closing(sqlite3.connect(file)) as connection:
        (orphans,) = connection.execute(
            "SELECT count(*) FROM (SELECT doc AS row FROM learned_place UNION ALL "
            "SELECT doc FROM said_place UNION ALL SELECT row FROM vector) "
            "WHERE row NOT IN (SELECT row FROM record)"
        ).fetchone()
    return int(orphans)
