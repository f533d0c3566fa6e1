"""Damaged files: cut, overwritten, emptied or gone, everything that can be read is there again."""

import os
import random
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.records import Kind, Place, Session
from memory.stores.files import set_aside_files
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, BOB, NOON, draft, texts, turn
from tests.fakes.files import journal_in

EVERYTHING = tuple(Kind)
FACTS = [f"I have {n} dogs and a boat called Daisy {n}" for n in range(60)]
HOME = Place("telegram", 1)


@asynccontextmanager
async def store_in(directory: Path) -> AsyncIterator[SqliteStore]:
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(directory, pool)
        yield store
        await store.aclose()


async def filled(directory: Path, *, copied: bool) -> Path:
    async with store_in(directory) as store:
        await store.commit(ANN, [draft(text) for text in FACTS[:50]])
        if copied:
            await store.keep_copy(ANN, 3)
        await store.commit(ANN, [draft(text) for text in FACTS[50:]])
        await store.commit(BOB, [draft("I have a boat")])
    return directory / "u1.sqlite"


def overwrite(file: Path, start: int, length: int) -> None:
    content = bytearray(file.read_bytes())
    content[start : start + length] = os.urandom(len(content[start : start + length]))
    file.write_bytes(content)


async def known(directory: Path) -> list[str]:
    """What Ann's file holds, after everything else works as well."""
    async with store_in(directory) as store:
        found = texts(await store.records(ANN))
        (added,) = await store.commit(ANN, [draft("I like rowing")])
        assert added.text in texts(await store.search(ANN, "rowing"))
        assert await store.delete(ANN, [added.id]) == [added.id]
        assert texts(await store.records(BOB)) == ["I have a boat"]
        return found


async def test_where_a_part_is_overwritten_the_rest_is_salvaged(tmp_path: Path) -> None:
    file = await filled(tmp_path, copied=False)
    size = file.stat().st_size
    # Behind the page that holds the schema.
    overwrite(file, size // 2, 1_500)
    with capture_logs() as logs:
        found = await known(tmp_path)
    assert len(found) >= 45
    assert set(found) <= set(FACTS)
    assert [line["event"] for line in logs if line["log_level"] == "error"][-1:] == [
        "database_damaged"
    ]
    assert len(set_aside_files(file)) == 1
    assert set_aside_files(file)[0].stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("seed", range(12))
async def test_with_a_copy_nothing_that_is_in_it_is_lost(tmp_path: Path, seed: int) -> None:
    file, dice = await filled(tmp_path, copied=True), random.Random(seed)
    size = file.stat().st_size
    if seed % 3 == 0:
        os.truncate(file, dice.randrange(size))
    else:
        overwrite(file, 0 if seed % 3 == 1 else dice.randrange(size), dice.randrange(500, 8_000))
    found = await known(tmp_path)
    assert set(FACTS[:50]) <= set(found) <= set(FACTS)
    assert len(found) == len(set(found))


async def test_a_first_page_that_is_gone_is_that_of_the_copy(tmp_path: Path) -> None:
    file = await filled(tmp_path, copied=True)
    overwrite(file, 0, 1_024)
    assert await known(tmp_path) == FACTS


@pytest.mark.parametrize("gone", [True, False])
async def test_a_file_that_was_emptied_or_deleted_is_noticed(tmp_path: Path, gone: bool) -> None:
    file = await filled(tmp_path, copied=True)
    file.unlink()
    if not gone:
        file.touch()
    with capture_logs() as logs:
        assert await known(tmp_path) == FACTS[:50]
    assert "database_damaged" in [line["event"] for line in logs]


async def test_an_emptied_file_without_a_copy_is_noticed_too(tmp_path: Path) -> None:
    file = await filled(tmp_path, copied=False)
    file.write_bytes(b"")
    with capture_logs() as logs:
        assert await known(tmp_path) == []
    assert "database_damaged" in [line["event"] for line in logs]


async def test_no_id_is_given_twice_after_damage(tmp_path: Path) -> None:
    file = await filled(tmp_path, copied=True)
    os.truncate(file, file.stat().st_size // 2)
    async with store_in(tmp_path) as store:
        (new,) = await store.commit(ANN, [draft("I like rowing")])
        ids = [record.id for record in await store.records(ANN, kinds=EVERYTHING)]
    assert len(ids) == len(set(ids))
    assert int(new.id[1:]) > 50


@pytest.mark.parametrize("seed", range(6))
async def test_a_damaged_journal_is_salvaged_with_its_copy(tmp_path: Path, seed: int) -> None:
    path, dice = tmp_path / "journal.sqlite", random.Random(seed)
    with ThreadPoolExecutor(1) as pool:
        async with journal_in(path, pool) as journal:
            await journal.sessions.open(Session("s-1", ANN, HOME, NOON, NOON))
            for n in range(30):
                await journal.turns.append("s-1", turn(f"t-{n}", f"I have {n} dogs " * 40))
            await journal.maintenance.keep_copy(3)
        overwrite(path, 0 if seed == 0 else dice.randrange(path.stat().st_size), 6_000)
        async with journal_in(path, pool) as journal:
            assert await journal.sessions.find(ANN, HOME)
            found = [each.id for each in await journal.turns.of("s-1")]
            assert found == [f"t-{n}" for n in range(30)]
            assert await journal.turns.append("s-1", turn("t-30", "I have a cat"))
