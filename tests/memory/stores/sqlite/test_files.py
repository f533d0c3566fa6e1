"""The SQLite store and its files: one a person, no traces, damage, bad days."""

import asyncio
import resource
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Actor, Evidence, Kind
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.sqlite.migrations import migrate
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, BOB, NOON, draft, texts, turn

EVERYTHING = tuple(Kind)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
async def store(tmp_path: Path, pool: ThreadPoolExecutor) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "memory", pool)
    yield opened
    await opened.aclose()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where Ann's memory lies."""
    return tmp_path / "memory" / "u1.sqlite"


class TestFiles:
    async def test_each_actor_has_one_file(self, store: SqliteStore, file: Path) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.commit(Actor.group(-1001), [draft("We have a boat")])
        names = sorted(path.name for path in file.parent.glob("*.sqlite"))
        assert names == ["g1001.sqlite", "u1.sqlite"]

    async def test_asking_about_a_stranger_makes_no_file(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.search(ANN, "dog")
        await store.records(ANN)
        await store.delete(ANN, ["f1"])
        assert not file.exists()

    async def test_memory_outlives_the_process(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        written = await store.commit(ANN, [draft("I have a dog")])
        await store.aclose()
        later = SqliteStore(file.parent, pool)
        assert await later.records(ANN) == written
        await later.aclose()

    async def test_more_people_than_open_files_are_served(
        self, tmp_path: Path, pool: ThreadPoolExecutor
    ) -> None:
        store = SqliteStore(tmp_path, pool, max_open=3)
        people = [Actor.person(n) for n in range(1, 11)]

        async def speak(actor: Actor) -> None:
            await store.commit(actor, [draft(f"I am number {actor.id[1:]}")])

        await asyncio.gather(*(speak(actor) for actor in people * 3))
        for actor in people:
            assert set(texts(await store.records(actor))) == {f"I am number {actor.id[1:]}"}
            assert len(await store.records(actor)) == 3
        await store.aclose()
        assert not list(tmp_path.glob("*-wal"))

    async def test_two_stores_may_share_a_file(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        other = SqliteStore(file.parent, pool)
        await asyncio.gather(
            *(
                each.commit(ANN, [draft(f"Note {n} of {name}")])
                for n in range(20)
                for name, each in (("one", store), ("two", other))
            )
        )
        records = await store.records(ANN)
        assert len(records) == 40
        assert len({record.id for record in records}) == 40
        assert await other.records(ANN) == records
        await other.aclose()

    async def test_a_caller_that_gives_up_breaks_nothing(self, store: SqliteStore) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        for _ in range(20):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await store.search(ANN, "dog")
        assert texts(await store.search(ANN, "dog")) == ["I have a dog"]

    async def test_erase_leaves_no_file(self, store: SqliteStore, file: Path) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.commit(BOB, [draft("I have a boat")])
        await store.erase(ANN)
        assert [p.name for p in file.parent.iterdir() if not p.name.startswith("u12.")] == []


class TestFormerLayouts:
    async def test_a_file_of_a_former_layout_is_brought_up_to_date_with_all_it_holds(
        self, store: SqliteStore, file: Path
    ) -> None:
        file.parent.mkdir()
        with sqlite3.connect(file) as db:
            migrate(db, file, PERSON_LAYOUT.migrations[:3])
            for row, kind, text in ((1, "fact", "I have a dog"), (2, "message", "My dog is Rex")):
                db.execute(
                    "INSERT INTO record (row, id, kind, created_at, session_id, turn_ids, "
                    "importance, role, moment, text) VALUES "
                    "(?, ?, ?, '2026-03-15T12:00:00+00:00', 's-1', '[\"t-1\"]', 5, 'user', 0, ?)",
                    (row, f"{kind[0]}1", kind, text),
                )
            db.execute("INSERT INTO counter VALUES ('fact', 1), ('message', 1)")
        db.close()
        fact, message = await store.records(ANN, kinds=EVERYTHING)
        assert (fact.text, message.text) == ("I have a dog", "My dog is Rex")
        assert (fact.topics, message.place) == ((), None)
        assert fact.evidence == (Evidence("t-1", "I have a dog", NOON),)
        assert message.evidence == ()
        (new,) = await store.commit(ANN, [draft("I have a cat")])
        assert new.id == "f2"
        assert texts(await store.search(ANN, "Who is Rex?", kinds=EVERYTHING)) == ["My dog is Rex"]


class TestTraces:
    """After a deletion the words are nowhere in the file's bytes."""

    def _bytes(self, file: Path) -> bytes:
        return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))

    async def test_a_deleted_record_leaves_neither_row_nor_index_entry(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft(f"Filler number {n} about gardens") for n in range(200)])
        (secret,) = await store.commit(ANN, [draft("My passphrase is xylophonezebra")])
        await store.commit(ANN, [draft(f"More filler {n} about rivers") for n in range(200)])
        assert b"xylophonezebra" in self._bytes(file)
        await store.delete(ANN, [secret.id])
        assert b"xylophone" not in self._bytes(file)
        await store.aclose()
        assert b"xylophone" not in self._bytes(file)

    async def test_a_deleted_message_leaves_its_words_in_no_neighbour(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.add_turn(ANN, turn("t-1", "The code is xylophonezebra"))
        await store.add_turn(ANN, turn("t-2", "Now about my garden", "Gladly."))
        assert await store.delete(ANN, ["m1"]) == ["m1"]
        assert await store.search(ANN, "xylophonezebra", kinds=EVERYTHING) == []
        assert b"xylophone" not in self._bytes(file)

    async def test_a_superseded_record_can_be_deleted_too(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft("I live in Xylophonezebra")])
        await store.commit(ANN, [draft("I live in Lima", supersedes="f1")])
        assert await store.delete(ANN, ["f1"]) == ["f1"]
        assert b"ylophone" not in self._bytes(file)


class TestDamage:
    async def _damaged(self, store: SqliteStore, file: Path, content: bytes) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.aclose()
        file.write_bytes(content)

    @pytest.mark.parametrize("how", ["garbage", "broken in the middle"])
    async def test_a_damaged_file_is_set_aside_and_the_actor_starts_fresh(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor, how: str
    ) -> None:
        await store.commit(ANN, [draft(f"I have {n} dogs") for n in range(50)])
        await store.commit(BOB, [draft("I have a boat")])
        await store.aclose()
        healthy = file.read_bytes()
        content = (
            b"not a database " * 999 if how == "garbage" else healthy[:4096] + b"\xff" * 60_000
        )
        file.write_bytes(content)

        fresh = SqliteStore(file.parent, pool)
        with capture_logs() as logs:
            assert await fresh.records(ANN) == []
        await fresh.commit(ANN, [draft("I have a cat")])
        assert texts(await fresh.records(ANN)) == ["I have a cat"]
        assert texts(await fresh.records(BOB)) == ["I have a boat"]
        (kept,) = file.parent.glob("u1.sqlite.damaged-*")
        assert kept.read_bytes() == content
        (line,) = logs
        assert (line["event"], line["file"]) == ("database_damaged", str(file))
        await fresh.aclose()

    async def test_erase_takes_the_copies_set_aside_with_it(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        await self._damaged(store, file, b"not a database " * 999)
        fresh = SqliteStore(file.parent, pool)
        await fresh.records(ANN)
        await fresh.erase(ANN)
        assert list(file.parent.iterdir()) == []
        await fresh.aclose()

    async def test_a_file_of_a_newer_version_is_refused_and_left_alone(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.aclose()
        with sqlite3.connect(file) as connection:
            connection.execute("INSERT INTO migration VALUES ('time travel', '2031-01-01')")
        connection.close()
        later = SqliteStore(file.parent, pool)
        known = len(PERSON_LAYOUT.migrations)
        told = rf"u1\.sqlite.*{known + 1} migrations.*time travel.*knows {known}"
        with pytest.raises(NewerStore, match=told):
            await later.records(ANN)
        assert not list(file.parent.glob("*damaged*"))
        await later.aclose()


class TestMigrations:
    async def test_an_older_file_is_brought_up_to_date_when_it_is_first_used_and_once(
        self, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        other = file.with_name("u12.sqlite")
        for path in (file, other):
            self._make_old(path, "I have a dog")
        untouched = other.read_bytes()
        for _ in range(2):
            store = SqliteStore(file.parent, pool)
            assert texts(await store.search(ANN, "Do I have dogs?")) == ["I have a dog"]
            await store.commit(ANN, [draft("I live in Berlin")])
            await store.aclose()
        assert other.read_bytes() == untouched
        with closing(sqlite3.connect(file)) as connection:
            applied = connection.execute("SELECT name FROM migration").fetchall()
        assert sorted(applied) == sorted(
            (migration.name,) for migration in PERSON_LAYOUT.migrations
        )

    def _make_old(self, path: Path, text: str) -> None:
        """A file of the first layout with one fact in it, as the program then wrote it."""
        path.parent.mkdir(exist_ok=True)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            migrate(connection, path, PERSON_LAYOUT.migrations[:1])
            connection.execute(
                "INSERT INTO record "
                "(id, kind, text, created_at, turn_ids, importance, role, moment) "
                "VALUES ('f1', 'fact', ?, '2026-03-15T12:00:00+00:00', '[]', 5, 'user', 0)",
                (text,),
            )
            connection.execute("INSERT INTO counter VALUES ('fact', 1)")


class TestBadDays:
    async def test_a_locked_file_is_unavailable_not_an_error_of_ours(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I have a cat")])
        other.execute("ROLLBACK")
        other.close()
        await store.commit(ANN, [draft("I have a cat")])
        assert len(await store.records(ANN)) == 2

    async def test_a_directory_in_the_files_place_is_unavailable(
        self, store: SqliteStore, file: Path
    ) -> None:
        file.mkdir(parents=True)
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I have a cat")])

    async def test_a_file_in_the_directorys_place_is_unavailable(
        self, store: SqliteStore, file: Path
    ) -> None:
        file.parent.write_text("in the way")
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I have a cat")])

    async def _write_until_it_fails(self, store: SqliteStore) -> None:
        for n in range(200):
            await store.commit(ANN, [draft(f"Note {n}: " + "word " * 1_000)])

    async def test_a_full_disk_is_unavailable_and_keeps_what_there_was(
        self, store: SqliteStore
    ) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            with pytest.raises(StoreUnavailable):
                await self._write_until_it_fails(store)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert texts(await store.search(ANN, "Do I have a dog?"))[0] == "I have a dog"
        await store.commit(ANN, [draft("I have a cat")])
        assert "I have a cat" in texts(await store.records(ANN))


class TestMoving:
    """What a group that gets another id takes along is its file."""

    async def test_the_file_gets_another_name_with_all_that_is_in_it(
        self, store: SqliteStore, file: Path
    ) -> None:
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        aside = file.with_name(f"{file.name}.damaged-20260101T000000.0Z")
        aside.write_bytes(b"what is left of an older one")
        await store.move(ANN, BOB)
        names = sorted(path.name for path in file.parent.iterdir())
        assert "u1.sqlite" not in "".join(names)
        assert "u12.sqlite.damaged-20260101T000000.0Z" in names
        assert texts(await store.records(BOB, kinds=EVERYTHING)) == [
            "My dog is called Rex",
            "I see.",
        ]
        await store.add_turn(BOB, turn("t-1", "My dog is called Rex"))
        assert len(await store.records(BOB, kinds=EVERYTHING)) == 2

    @pytest.mark.parametrize("there_before", [False, True])
    async def test_a_file_that_turns_out_to_be_damaged_is_kept_under_the_new_name(
        self, store: SqliteStore, file: Path, *, there_before: bool
    ) -> None:
        file.parent.mkdir()
        file.write_bytes(b"no database " * 1000)
        if there_before:
            await store.commit(BOB, [draft("I have a cat")])
        await store.move(ANN, BOB)
        (kept,) = file.parent.glob("*.damaged-*")
        assert kept.name.startswith("u12.sqlite.damaged-")
        assert kept.read_bytes() == b"no database " * 1000

    async def test_what_a_killed_process_had_in_its_log_comes_along(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        # As a kill leaves it: the log beside the file, nobody who has it open.
        elsewhere = file.parent.with_name("elsewhere")
        elsewhere.mkdir()
        for part in file.parent.glob("u1.sqlite*"):
            (elsewhere / part.name).write_bytes(part.read_bytes())
        # And a log of a file that is long gone, which must not be taken for this one's.
        (elsewhere / "u12.sqlite-wal").write_bytes((elsewhere / "u1.sqlite-wal").read_bytes())
        other = SqliteStore(elsewhere, pool)
        await other.move(ANN, BOB)
        assert texts(await other.records(BOB)) == ["I have a dog"]
        await other.aclose()

    async def test_archived_messages_of_both_are_there_once(self, store: SqliteStore) -> None:
        for actor in (ANN, BOB):
            await store.add_turn(actor, turn("t-1", "My dog is called Rex"))
        await store.add_turn(ANN, turn("t-2", "My cat is called Tom"))
        await store.move(ANN, BOB)
        found = texts(await store.records(BOB, kinds=(Kind.MESSAGE,)))
        assert sorted(found) == [
            "I see.",
            "I see.",
            "My cat is called Tom",
            "My dog is called Rex",
        ]
        hits = await store.search(BOB, "cat called Tom", kinds=(Kind.MESSAGE,))
        assert "My cat is called Tom" in texts(hits)

    async def test_moves_in_both_directions_at_once_wait_for_nobody(
        self, store: SqliteStore
    ) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.commit(BOB, [draft("I have a boat")])
        async with asyncio.timeout(30):
            await asyncio.gather(store.move(ANN, BOB), store.move(BOB, ANN))
        both = texts(await store.records(ANN)) + texts(await store.records(BOB))
        assert sorted(both) == ["I have a boat", "I have a dog"]
