"""Housekeeping: what goes, what stays, and what it never does."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.background.locks import Locks
from memory.background.wall import WallClock
from memory.errors import StoreUnavailable
from memory.journal import Journal
from memory.knowledge.maintenance import (
    Maintenance,
    Retention,
    Why,
    expired_records,
)
from memory.ports import Store
from memory.records import LEARNED_KINDS, Actor, Draft, Kind, Record, Role, Turn, Utterance
from memory.stores.journal.journal import SqlJournal
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANNA, BORIS = Actor("u1"), Actor("u12")
FOR_EVER = Retention(None, None, None, None, None, None, None)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def record(id_: str, kind: Kind = Kind.FACT, days: float = 0, **others: object) -> Record:
    return replace(Record(id_, kind, f"I have a {id_}", ago(days)), **others)  # type: ignore[arg-type]


def message(id_: str, turn: str, days: float = 0) -> Record:
    return record(id_, Kind.MESSAGE, days, turn_ids=(turn,))


kinds = st.sampled_from(list(Kind))
days = st.integers(0, 2000)
limits = st.one_of(st.none(), st.integers(1, 1500))


@st.composite
def lives(draw: st.DrawFn) -> list[Record]:
    """The records of somebody."""
    drawn = draw(st.lists(st.tuples(kinds, days, st.integers(1, 10), st.booleans()), max_size=40))
    return [
        record(
            f"r{n}",
            kind,
            age,
            importance=importance,
            turn_ids=(f"t{n // 2}",) if kind is Kind.MESSAGE else (),
            superseded_at=ago(age / 2) if replaced and kind is not Kind.MESSAGE else None,
        )
        for n, (kind, age, importance, replaced) in enumerate(drawn)
    ]


retentions = st.builds(
    Retention, limits, limits, limits, limits, limits, st.integers(1, 20), st.integers(1, 9)
)


@given(lives(), retentions)
def test_what_stays_keeps_to_every_limit_and_a_second_look_finds_nothing(
    records: list[Record], retention: Retention
):
    going = expired_records(records, retention, NOW)
    left = [r for r in records if r.id not in going]
    assert expired_records(left, retention, NOW) == {}
    learned = [r for r in left if r.kind is not Kind.MESSAGE]
    assert len(learned) <= (retention.max_records or 0)
    turns = {r.turn_ids for r in left if r.kind is Kind.MESSAGE}
    assert len(turns) <= (retention.max_archived_turns or 0)
    for kept in left:
        limit = retention.days(kept.kind)
        assert limit is None or NOW - kept.created_at <= timedelta(days=limit)


@given(lives())
def test_without_limits_everything_stays(records: list[Record]):
    assert expired_records(records, FOR_EVER, NOW) == {}


@given(lives(), st.integers(1, 20))
def test_of_too_many_records_no_weightier_one_goes_before_a_lighter_one(
    records: list[Record], limit: int
):
    going = expired_records(records, replace(FOR_EVER, max_records=limit), NOW)
    current = [r for r in records if r.kind is not Kind.MESSAGE and r.current]
    gone = [r.importance for r in current if r.id in going]
    kept = [r.importance for r in current if r.id not in going]
    assert max(gone, default=0) <= min(kept, default=10)
    if gone:
        assert all(r.id in going for r in records if not r.current), "what was replaced goes first"


def test_each_kind_has_its_own_age():
    retention = replace(FOR_EVER, fact_days=10, message_days=5)
    records = [
        record("cat", days=9),
        record("dog", days=11),
        record("tea", Kind.PREFERENCE, days=900),
        message("word", "t1", days=6),
    ]
    assert expired_records(records, retention, NOW) == {"dog": Why.OLD, "word": Why.OLD}


def test_what_was_replaced_goes_after_a_while_and_later_if_it_was_important():
    retention = replace(FOR_EVER, superseded_days=100)
    records = [
        record("now", days=900),
        record("new", days=500, superseded_at=ago(99)),
        record("light", days=500, superseded_at=ago(101)),
        record("weighty", days=500, importance=9, superseded_at=ago(101)),
        record("heavy", days=500, importance=9, superseded_at=ago(201)),
    ]
    assert expired_records(records, retention, NOW) == {
        "light": Why.REPLACED,
        "heavy": Why.REPLACED,
    }


def test_the_messages_of_a_turn_go_together_oldest_turns_first():
    records = [message(f"m{n}", f"t{n // 2}", days=20 - n) for n in range(8)]
    going = expired_records(records, replace(FOR_EVER, max_archived_turns=2), NOW)
    assert going == dict.fromkeys(("m0", "m1", "m2", "m3"), Why.TOO_MANY)


@pytest.fixture
async def pool() -> AsyncIterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
async def journal(pool: ThreadPoolExecutor) -> AsyncIterator[SqlJournal]:
    async with journal_in(":memory:", pool) as journal:
        yield journal


@pytest.fixture
def store() -> Store:
    return TemporaryStore()


async def live(store: Store, actor: Actor) -> None:
    """A life in which a job has changed long ago, and something was said back then and now."""
    (old,) = await store.commit(actor, [Draft(Kind.FACT, "I work at Acme Corp", ago(900))])
    await store.commit(actor, [Draft(Kind.FACT, "I work at Initech", ago(800), supersedes=old.id)])
    for turn_id, text, at in (("t1", "The zanzibar plan", ago(900)), ("t2", "A new plan", ago(1))):
        await store.add_turn(actor, Turn(turn_id, "s1", (Utterance(Role.USER, text, at),)))


def maintenance(
    store: Store, journal: Journal, locks: Locks | None = None, at: datetime = NOW
) -> Maintenance:
    return Maintenance(store, journal.maintenance, Retention(), lambda: at, locks)


async def test_what_is_old_goes_from_records_and_search_of_everybody(
    store: Store, journal: SqlJournal
):
    for actor in (ANNA, BORIS):
        await live(store, actor)
    removed = await maintenance(store, journal).run()
    assert (removed.people, removed.failed) == (2, 0)
    assert removed.counts == {(Kind.FACT, Why.REPLACED): 2, (Kind.MESSAGE, Why.OLD): 2}
    for actor in (ANNA, BORIS):
        every = await store.records(actor, kinds=tuple(Kind), include_superseded=True)
        assert {r.text for r in every} == {"I work at Initech", "A new plan"}
        assert await store.search(actor, "zanzibar", kinds=tuple(Kind)) == []
        (hit,) = await store.search(actor, "Where do I work?", kinds=LEARNED_KINDS)
        assert hit.record.text == "I work at Initech"
    again = await maintenance(store, journal).run()
    assert not again.counts


async def test_what_has_gone_does_not_come_back_with_a_turn_that_is_handed_in_again(
    store: Store, journal: SqlJournal
):
    await live(store, ANNA)
    await maintenance(store, journal).run()
    said = (Utterance(Role.USER, "The zanzibar plan", ago(900)),)
    await store.add_turn(ANNA, Turn("t1", "s1", said))
    assert await store.search(ANNA, "zanzibar", kinds=tuple(Kind)) == []


async def test_no_byte_of_what_has_gone_is_left(
    tmp_path: Path, pool: ThreadPoolExecutor, journal: SqlJournal
):
    store = SqliteStore(tmp_path / "memory", pool)
    await live(store, ANNA)
    await maintenance(store, journal).run()
    await store.aclose()
    left = b"".join(
        file.read_bytes() for file in (tmp_path / "memory").rglob("*") if file.is_file()
    )
    assert b"zanzibar" not in left
    assert b"Acme" not in left
    assert b"Initech" in left


async def test_the_log_says_how_many_and_never_what(journal: SqlJournal):
    store = TemporaryStore()
    await live(store, ANNA)
    with capture_logs() as logs:
        await maintenance(store, journal).run()
    (line,) = [line for line in logs if line["event"] == "maintenance_done"]
    assert (line["people"], line["fact_replaced"], line["message_old"]) == (1, 1, 1)
    assert "zanzibar" not in str(logs)
    assert "Acme" not in str(logs)


async def test_nobody_is_looked_through_while_their_memory_is_being_changed(
    journal: SqlJournal,
):
    store, locks = TemporaryStore(), Locks()
    await live(store, ANNA)
    lock = locks[ANNA]
    async with lock:
        run = asyncio.create_task(maintenance(store, journal, locks).run())
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(await store.records(ANNA, include_superseded=True)) == 2
    await run
    assert len(await store.records(ANNA, include_superseded=True)) == 1


class Unreadable(TemporaryStore):
    """A store in which one person's memory can't be read."""

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        if actor == ANNA:
            raise StoreUnavailable("damaged")
        return await super().records(actor, kinds=kinds, include_superseded=include_superseded)


async def test_a_memory_that_cannot_be_read_keeps_no_other_from_being_tidied(
    journal: SqlJournal,
):
    store = Unreadable()
    for actor in (ANNA, BORIS):
        await live(store, actor)
    removed = await maintenance(store, journal).run()
    assert (removed.people, removed.failed) == (2, 1)
    assert removed.counts.total() == 2


async def test_it_runs_once_a_day_also_over_a_restart(tmp_path: Path, pool: ThreadPoolExecutor):
    async def runs(at: datetime) -> bool:
        async with journal_in(tmp_path / "journal.sqlite", pool) as journal:
            await maintenance(TemporaryStore(), journal, at=at).run_if_due()
            return await journal.maintenance.last_maintenance() == at

    assert await runs(NOW)
    assert not await runs(NOW + timedelta(hours=23))
    assert await runs(NOW + timedelta(hours=24))


async def test_however_much_is_too_old_all_of_it_goes_in_one_run(journal: SqlJournal):
    store = TemporaryStore()
    said = tuple(Utterance(Role.USER, f"number {n}", ago(900)) for n in range(2_500))
    await store.add_turn(ANNA, Turn("t1", "s1", said))
    removed = await maintenance(store, journal).run()
    assert removed.counts == {(Kind.MESSAGE, Why.OLD): 2_500}
    assert await store.records(ANNA, kinds=tuple(Kind)) == []


class KeepsOnePart(TemporaryStore):
    """A store that does not delete the first part."""

    parts = 0

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """See LongTermMemory."""
        self.parts += 1
        if self.parts == 1:
            raise StoreUnavailable("not now")
        return await super().delete(actor, record_ids)


async def test_a_part_that_stays_stops_none_of_the_others(journal: SqlJournal):
    store = KeepsOnePart()
    said = tuple(Utterance(Role.USER, f"number {n}", ago(900)) for n in range(1_500))
    await store.add_turn(ANNA, Turn("t1", "s1", said))
    removed = await maintenance(store, journal).run()
    assert (removed.failed, removed.counts.total()) == (1, 500)


class ErasedMeanwhile(TemporaryStore):
    """A store in which somebody has everything forgotten while theirs is being tidied, and says
    something again."""

    def __init__(self, locks: Locks) -> None:
        super().__init__()
        self._locks = locks
        self.forgetting: asyncio.Task[None] | None = None

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        self.forgetting = self.forgetting or asyncio.create_task(self._begin_anew(actor))
        return await super().delete(actor, record_ids)

    async def _begin_anew(self, actor: Actor) -> None:
        async with self._locks.changing(actor):
            await self.erase(actor)
            said = tuple(Utterance(Role.USER, f"again {n}", NOW) for n in range(1_500))
            await self.add_turn(actor, Turn("t2", "s2", said))


async def test_what_is_said_after_everything_was_forgotten_is_not_taken_for_what_was_too_old(
    journal: SqlJournal,
):
    locks = Locks()
    store = ErasedMeanwhile(locks)
    said = tuple(Utterance(Role.USER, f"number {n}", ago(900)) for n in range(1_500))
    await store.add_turn(ANNA, Turn("t1", "s1", said))
    removed = await maintenance(store, journal, locks).run()
    assert removed.counts.total() == 1_000
    assert len(await store.records(ANNA, kinds=tuple(Kind))) == 1_500


# -- a clock that leaps ---------------------------------------------------------------------------


class Machine:
    """A machine whose clock leaps between two runs of the bot."""

    def __init__(self, file: Path, pool: ThreadPoolExecutor, store: Store) -> None:
        self._file, self._pool, self._store = file, pool, store

    async def starts(self, now: datetime, told: datetime | None = None) -> int:
        """The bot starts and hears a server's time, if any; what it removes."""
        before = await self._count()
        async with journal_in(self._file, self._pool) as journal:
            wall = WallClock(lambda: now)
            if told:
                wall.hear(told)
            await Maintenance(self._store, journal.maintenance, Retention(), wall).run_if_due()
        return before - await self._count()

    async def _count(self) -> int:
        return len(await self._store.records(ANNA, kinds=tuple(Kind), include_superseded=True))


@pytest.mark.parametrize("leap", [timedelta(days=3), timedelta(days=400), timedelta(days=800)])
async def test_after_a_leap_nothing_is_deleted_until_the_clock_is_confirmed(
    tmp_path: Path, pool: ThreadPoolExecutor, leap: timedelta, capsys: pytest.CaptureFixture[str]
):
    store = TemporaryStore()
    machine = Machine(tmp_path / "journal.sqlite", pool, store)
    assert await machine.starts(NOW) == 0
    await live(store, ANNA)
    assert await machine.starts(NOW + leap) == 0
    assert capsys.readouterr().out.count("clock_unconfirmed") == 1
    assert await machine.starts(NOW + leap, told=NOW) == 0, "Telegram says it is wrong"
    assert await machine.starts(NOW + leap) == 0, "it is no better for a second start"
    assert await machine.starts(NOW + timedelta(days=1)) == 2, "what is old by the right clock"


async def test_a_bot_that_was_off_for_weeks_cleans_up_once_a_server_confirms_its_clock(
    tmp_path: Path, pool: ThreadPoolExecutor
):
    store = TemporaryStore()
    machine = Machine(tmp_path / "journal.sqlite", pool, store)
    await machine.starts(NOW - timedelta(days=30))
    await live(store, ANNA)
    assert await machine.starts(NOW) == 0
    assert await machine.starts(NOW, told=NOW) == 2


async def test_a_day_to_come_that_was_noted_by_a_wrong_clock_stops_nothing(
    tmp_path: Path, pool: ThreadPoolExecutor
):
    store = TemporaryStore()
    machine = Machine(tmp_path / "journal.sqlite", pool, store)
    await machine.starts(NOW + timedelta(days=800))
    await live(store, ANNA)
    assert await machine.starts(NOW) == 0
    assert await machine.starts(NOW, told=NOW) == 2
