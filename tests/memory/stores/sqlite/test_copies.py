"""Copies of people's files and of the journal: whole, few, and without what was deleted."""

import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor, Amendment, Choice, Evidence, Kind, Place, Session
from memory.stores.files import copies_folder, copies_of, set_aside_files
from memory.stores.journal.journal import SqlJournal
from memory.stores.sqlite.copies import restore_copy
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, BOB, NOON, draft, texts, turn
from tests.fakes.files import journal_in

EVERYTHING = tuple(Kind)
HOME = Place("telegram", 1)


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[tuple[SqliteStore, SqlJournal]]:
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(directory / "memory", pool)
        async with journal_in(directory / "journal.sqlite", pool) as journal:
            yield store, journal
            await store.aclose()


def file_of(directory: Path, actor: Actor) -> Path:
    return directory / "memory" / f"{actor.id}.sqlite"


def held(path: Path) -> bytes:
    """All bytes of the copies of a file."""
    return b"".join(copy.read_bytes() for copy in copies_of(path))


async def test_only_files_that_changed_are_copied_and_few_copies_are_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as (store, _):
        for n in range(5):
            await store.commit(ANN, [draft(f"I have {n} dogs")])
            await store.commit(BOB, [draft("I have a boat")] if not n else [])
            for actor in (ANN, BOB):
                await store.keep_copy(actor, 3)
                await store.keep_copy(actor, 3)
        assert len(copies_of(file_of(tmp_path, ANN))) == 3
        assert len(copies_of(file_of(tmp_path, BOB))) == 1
        await store.keep_copy(ANN, 1)
        assert len(copies_of(file_of(tmp_path, ANN))) == 1
        await store.keep_copy(ANN, 0)
        assert copies_of(file_of(tmp_path, ANN)) == []


async def test_the_draft_of_a_copy_that_a_kill_left_is_deleted(tmp_path: Path) -> None:
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft("I have a dog")])
        left = copies_folder(file_of(tmp_path, ANN)) / "20260101T000000.new"
        left.parent.mkdir(parents=True)
        left.write_bytes(b"what was deleted since")
        await store.keep_copy(ANN, 3)
        assert not left.exists()
        assert len(copies_of(file_of(tmp_path, ANN))) == 1


async def test_a_copy_is_for_the_bot_alone_and_whole_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as (store, journal):
        await store.commit(ANN, [draft("I have a dog")])
        await store.keep_copy(ANN, 3)
        await journal.maintenance.keep_copy(3)
        for path in (file_of(tmp_path, ANN), tmp_path / "journal.sqlite"):
            (copy,) = copies_of(path)
            assert copy.stat().st_mode & 0o777 == 0o600
            assert copy.parent.stat().st_mode & 0o777 == 0o700
            assert [each.name for each in copy.parent.iterdir()] == [copy.name]


async def test_what_is_deleted_leaves_the_copies_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as (store, _):
        (fact,) = await store.commit(ANN, [draft("My passphrase is xylophonezebra")])
        await store.add_turn(ANN, turn("t-1", "It is kept in the quokkavault"))
        spoken = Evidence("t-1", "the gnumarmot told me")
        (other,) = await store.commit(ANN, [draft("I have a boat")])
        await store.commit(ANN, [], [Amendment(other.id, evidence=(spoken,))])
        await store.choices.set(ANN, Choice.AGENT_NAME, "Wombatina", NOON)
        await store.keep_copy(ANN, 3)
        secrets = (b"xylophone", b"quokkavault", b"gnumarmot", b"Wombatina")
        assert all(secret in held(file_of(tmp_path, ANN)) for secret in secrets)

        await store.delete(ANN, [fact.id, "m1"])
        await store.commit(ANN, [], [Amendment(other.id, forgotten=(spoken,))])
        await store.choices.unset(ANN, Choice.AGENT_NAME)
        assert not [secret for secret in secrets if secret in held(file_of(tmp_path, ANN))]
        assert len(copies_of(file_of(tmp_path, ANN))) == 1
        await store.erase(ANN)
        assert copies_of(file_of(tmp_path, ANN)) == []
        assert not list(tmp_path.rglob("*u1.*"))


async def test_the_copy_of_the_journal_has_neither_private_nor_deleted_turns(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as (_, journal):
        for id_, private in (("s-1", False), ("s-2", True)):
            place = Place("telegram", 1, 7 if private else None)
            await journal.sessions.open(Session(id_, ANN, place, NOON, NOON, private=private))
        for id_, session, text in (
            ("t-1", "s-1", "My passphrase is xylophonezebra"),
            ("t-2", "s-1", "My boat is the quokkavault"),
            ("t-3", "s-2", "Between us: gnumarmot"),
        ):
            await journal.turns.append(session, turn(id_, text))
        await journal.maintenance.keep_copy(3)
        copied = held(tmp_path / "journal.sqlite")
        assert (b"xylophone" in copied, b"quokka" in copied, b"gnu" in copied) == (
            True,
            True,
            False,
        )
        await journal.turns.delete(["t-1"])
        copied = held(tmp_path / "journal.sqlite")
        assert (b"xylophone" in copied, b"quokka" in copied) == (False, True)
        await journal.erase(ANN)
        assert b"quokka" not in held(tmp_path / "journal.sqlite")


async def test_a_copy_is_put_back_and_the_file_that_was_there_is_kept(tmp_path: Path) -> None:
    path = file_of(tmp_path, ANN)
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft("I have a dog"), draft("I have a cat")])
        await store.keep_copy(ANN, 3)
        await store.delete(ANN, ["f2"])
        await store.commit(ANN, [draft("I have a boat")])
    assert restore_copy(path, copies_of(path)[0]) == set_aside_files(path)[0]
    async with opened(tmp_path) as (store, _):
        assert texts(await store.records(ANN)) == ["I have a dog"], "the cat stays forgotten"
        assert [hit.record.text for hit in await store.search(ANN, "dog")] == ["I have a dog"]


async def test_what_is_deleted_leaves_the_files_that_a_copy_has_replaced(tmp_path: Path) -> None:
    path = file_of(tmp_path, ANN)
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft("My passphrase is xylophonezebra")])
        await store.keep_copy(ANN, 3)
        await store.commit(ANN, [draft("I have a boat")])
    aside = restore_copy(path, copies_of(path)[0])
    assert aside
    async with opened(tmp_path) as (store, _):
        await store.delete(ANN, ["f1"])
        assert b"xylophone" not in aside.read_bytes()
        assert b"boat" in aside.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [bytes(4_000), b"\xb0" * 4_000, *(Random(seed).randbytes(4_000) for seed in (1, 8))],
    ids=["zeros", "no text", "random", "quoted in an error that is no text"],
)
async def test_a_damaged_copy_is_not_put_back(tmp_path: Path, damage: bytes) -> None:
    path = file_of(tmp_path, ANN)
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft(f"I have {n} dogs") for n in range(200)])
        await store.keep_copy(ANN, 3)
    (copy,) = copies_of(path)
    content = bytearray(copy.read_bytes())
    content[5_000:9_000] = damage
    copy.write_bytes(content)
    with pytest.raises(StoreUnavailable, match="older"):
        restore_copy(path, copy)
    assert set_aside_files(path) == []
    async with opened(tmp_path) as (store, _):
        assert len(await store.records(ANN)) == 200


async def test_a_group_that_gets_another_id_leaves_no_copies_behind(tmp_path: Path) -> None:
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft("I have a dog")])
        await store.keep_copy(ANN, 3)
        await store.move(ANN, BOB)
        assert await store.actors() == [BOB]
        assert await store.records(ANN) == []
        assert texts(await store.records(BOB)) == ["I have a dog"]


async def test_a_copy_of_an_earlier_layout_can_be_put_back(tmp_path: Path) -> None:
    path = file_of(tmp_path, ANN)
    async with opened(tmp_path) as (store, _):
        await store.commit(ANN, [draft("I have a dog")])
        await store.keep_copy(ANN, 3)
    with closing(sqlite3.connect(copies_of(path)[0])) as db, db:
        db.execute("DELETE FROM migration WHERE name = 'details and speakers'")
        db.execute("ALTER TABLE record DROP COLUMN details")
        db.execute("ALTER TABLE record DROP COLUMN speaker_id")
    restore_copy(path, copies_of(path)[0])
    async with opened(tmp_path) as (store, _):
        assert texts(await store.records(ANN)) == ["I have a dog"]
