"""One value that can't be read affects its record alone: whatever stands in whichever column of a
person's file or of the journal, everything else goes on working and nothing else is lost."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.conversation.live import SessionLimits
from memory.knowledge.maintenance import Maintenance, Retention
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Choice, Kind, Place, Role, Utterance
from memory.stores.journal.journal import SqlJournal
from memory.stores.sqlite.salvage import count_quarantined
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.understanding import understood

ANN, BOB = Actor.person(1), Actor.person(12)
HOME, PUB = Place("telegram", 1), Place("telegram", 12)
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EVERYTHING = tuple(Kind)

#: What a disk, a hand or a bug may leave in place of a value.
_VALUES = st.one_of(
    st.just(None),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=20),
    st.text(max_size=20),
    st.sampled_from(
        ['{"a": [', "[]", "[1]", "{}", "null", "2026-13-41T00:00:00+00:00", "9999-12-31"]
    ),
)
_BYTES = st.binary(min_size=1, max_size=8).map(lambda data: data + b"\xff")


@dataclass(frozen=True)
class Bot:
    memory: Memory
    store: SqliteStore
    journal: SqlJournal


@asynccontextmanager
async def running(directory: Path) -> AsyncIterator[Bot]:
    options = MemoryOptions(
        limits=SessionLimits(conversation_window_size=4), memory_recall_timeout_seconds=30
    )
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(directory / "memory", pool)
        async with (
            journal_in(directory / "journal.sqlite", pool) as journal,
            Memory(store, journal, understood(EverySentence()), options, lambda: NOON) as memory,
        ):
            yield Bot(memory, store, journal)
        await store.aclose()


async def say(bot: Bot, actor: Actor, place: Place, text: str) -> None:
    await bot.memory.talk.recall(actor, place, text)
    said = (Utterance(Role.USER, text, NOON), Utterance(Role.ASSISTANT, "I see.", NOON))
    await bot.memory.talk.record(actor, place, said)


async def fill(directory: Path) -> None:
    """Two people with memories, choices, ended and open conversations."""
    async with running(directory) as bot:
        for actor, place in ((ANN, HOME), (BOB, PUB)):
            await bot.memory.remember(actor, "I have a dog called Rex")
            await bot.memory.remember(actor, "I live in Lima")
            change = await bot.memory.remember(actor, "I work in a bakery")
            assert change
            await bot.memory.known.revise(actor, change.record.short_id, "I work in a brewery")
            await bot.memory.choices.set(actor, Choice.LANGUAGE, "en")
            await say(bot, actor, place, "My sister Meera visits on Friday")
            await bot.memory.talk.end(actor, place, "new")
            await bot.memory.settle()
            for n in range(4):
                await say(bot, actor, place, f"My garden has {n} gates")


async def use(bot: Bot, actor: Actor, place: Place) -> None:
    """Everything a person can do, and everything that runs by itself."""
    await say(bot, actor, place, "Where does Rex the dog live?")
    records = await bot.memory.known.records(actor, EVERYTHING, everything=True)
    await bot.memory.known.search(actor, "dog garden sister", EVERYTHING)
    for record in records:
        await bot.memory.known.evidence(actor, record)
        await bot.memory.known.history(actor, record)
    await bot.memory.known.about(actor, "Meera")
    await bot.memory.talk.tiers(actor)
    await bot.memory.talk.summarize_now(actor, place)
    await bot.memory.known.export(actor)
    await bot.memory.choices.read(actor)
    await bot.memory.remember(actor, "I like rowing")
    await bot.memory.talk.end(actor, place, "new")
    await bot.memory.settle()
    await bot.memory.backlog()
    facts = await bot.memory.known.records(actor)
    gone = await bot.memory.known.forget(actor, facts[-1])
    await bot.memory.known.restore(actor, gone)
    upkeep = Maintenance(bot.store, bot.journal.maintenance, Retention(), lambda: NOON)
    assert not (await upkeep.run()).failed
    await say(bot, actor, place, "Good night!")


def columns_of(file: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return [
            (table, column[1])
            for (table,) in tables
            if not table.startswith(("learned", "said", "migration", "sqlite"))
            for column in db.execute(f"PRAGMA table_info ({table})")
            if db.execute(f"SELECT 1 FROM {table}").fetchone()
        ]


def spoil(file: Path, table: str, column: str, which: int, value: Any) -> None:
    """Put a value into a column of one row, past all constraints."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
        key = db.execute(f"PRAGMA table_info ({table})").fetchall()
        keys = ", ".join(row[1] for row in key if row[5])
        new = "CAST(? AS TEXT)" if isinstance(value, bytes) and value.endswith(b"\xff") else "?"
        with suppress(sqlite3.IntegrityError):
            db.execute(
                f"UPDATE {table} SET {column} = {new} WHERE ({keys}) = "
                f"(SELECT {keys} FROM {table} LIMIT 1 OFFSET ?)",
                (value, which % count),
            )


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("filled")
    asyncio.run(fill(directory))
    return directory


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
async def test_whatever_value_is_spoiled_everything_works_and_others_lose_nothing(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    directory = tmp_path_factory.mktemp("spoiled")
    (directory / "memory").mkdir()
    for part in ("journal.sqlite", "memory/u1.sqlite", "memory/u12.sqlite"):
        (directory / part).write_bytes((filled / part).read_bytes())
    async with running(directory) as bot:
        before = {r.id: r for r in await bot.store.records(ANN, kinds=EVERYTHING)}
        others = await bot.store.records(BOB, kinds=EVERYTHING)
    name = data.draw(st.sampled_from(["memory/u1.sqlite", "journal.sqlite"]))
    table, column = data.draw(st.sampled_from(columns_of(directory / name)))
    value = data.draw(st.one_of(_VALUES, _BYTES))
    spoil(directory / name, table, column, data.draw(st.integers(0, 50)), value)

    async with running(directory) as bot:
        after = {r.id: r for r in await bot.store.records(ANN, kinds=EVERYTHING)}
        assert len(before.keys() - after.keys()) <= 1
        assert await bot.store.records(BOB, kinds=EVERYTHING) == others
        await use(bot, ANN, HOME)
        await use(bot, BOB, PUB)
        await bot.memory.forget_all(ANN)
        assert await bot.store.records(ANN, kinds=EVERYTHING) == []
        assert not [file for file in (directory / "memory").iterdir() if "u1." in file.name]


async def _spoiled(filled: Path, directory: Path, sql: str, name: str) -> None:
    (directory / "memory").mkdir()
    for part in ("journal.sqlite", "memory/u1.sqlite", "memory/u12.sqlite"):
        (directory / part).write_bytes((filled / part).read_bytes())
    with closing(sqlite3.connect(directory / name, isolation_level=None)) as db:
        assert db.execute(sql).rowcount == 1


async def test_an_unreadable_record_is_quarantined_and_named_once_in_the_log(
    filled: Path, tmp_path: Path
) -> None:
    sql = "UPDATE record SET created_at = replace(created_at, '-11-', '-41-') WHERE id = 'f1'"
    await _spoiled(filled, tmp_path, sql, "memory/u1.sqlite")
    with capture_logs() as logs:
        async with running(tmp_path) as bot:
            for _ in range(2):
                await use(bot, ANN, HOME)
    told = [line for line in logs if line["event"] == "row_unreadable"]
    assert [(line["table"], line["id"]) for line in told] == [("record", "f1")]
    assert "Rex" not in str(told)
    assert count_quarantined(tmp_path / "memory" / "u1.sqlite") == 1


@pytest.mark.parametrize("column", ["speaker_id", "importance", "moment", "length"])
@pytest.mark.parametrize("value", ["9e999", "-9e999"])
async def test_an_infinite_number_in_a_record_hides_none_of_the_others(
    filled: Path, tmp_path: Path, column: str, value: str
) -> None:
    sql = f"UPDATE record SET {column} = {value} WHERE id = 'f1'"
    await _spoiled(filled, tmp_path, sql, "memory/u1.sqlite")
    async with running(tmp_path) as bot:
        await use(bot, ANN, HOME)
        assert "Meera" in str(await bot.store.records(ANN))


async def test_an_unreadable_session_is_quarantined_until_everything_is_forgotten(
    filled: Path, tmp_path: Path
) -> None:
    sql = "UPDATE session SET channel = x'ff' WHERE actor = 'u1'"
    await _spoiled(filled, tmp_path, sql, "journal.sqlite")
    async with running(tmp_path) as bot:
        await use(bot, ANN, HOME)
        assert count_quarantined(tmp_path / "journal.sqlite") > 1
        await bot.memory.forget_all(BOB)
        assert count_quarantined(tmp_path / "journal.sqlite") > 1
        await bot.memory.forget_all(ANN)
        assert count_quarantined(tmp_path / "journal.sqlite") == 0


async def test_a_conversation_whose_date_is_unreadable_goes_on(
    filled: Path, tmp_path: Path
) -> None:
    sql = "UPDATE session SET last_at = '2026-99-99', attempts = 'many' WHERE actor = 'u1'"
    await _spoiled(filled, tmp_path, sql, "journal.sqlite")
    async with running(tmp_path) as bot:
        recalled = await bot.memory.talk.recall(ANN, HOME, "Hello")
        assert "My garden has 3 gates" in str(recalled.messages)
        assert count_quarantined(tmp_path / "journal.sqlite") == 0


async def test_a_session_that_becomes_unreadable_while_it_is_open_goes_on(
    filled: Path, tmp_path: Path
) -> None:
    same = "UPDATE session SET reason = reason WHERE actor = 'u1'"
    await _spoiled(filled, tmp_path, same, "journal.sqlite")
    async with running(tmp_path) as bot:
        await say(bot, ANN, HOME, "Hello")
        with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db, db:
            db.execute("UPDATE session SET channel = x'ff' WHERE actor = 'u1'")
        await bot.journal.sessions.of(ANN)
        await say(bot, ANN, HOME, "I have a boat called Daisy")
        await use(bot, ANN, HOME)
        assert "Daisy" in str(await bot.store.records(ANN))
