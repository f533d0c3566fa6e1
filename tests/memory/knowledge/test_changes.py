"""What is remembered stays, every change can be told and taken back."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import UnknownRecord
from memory.memory import Memory
from memory.options import MemoryOptions
from memory.records import (
    Actor,
    Amendment,
    Change,
    ChangeKind,
    Draft,
    Evidence,
    Kind,
    Record,
    Role,
    Speaker,
    Turn,
    Utterance,
)
from tests.contracts.long_term_memory import texts
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

ANN, BOB, CROWD = Actor("u1"), Actor("u12"), Actor("g500")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@asynccontextmanager
async def opened(store: TemporaryStore) -> AsyncIterator[Memory]:
    """A memory over this store, in which every look at the clock is a second later."""
    ticks = itertools.count()
    with ThreadPoolExecutor(1) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(
                store,
                journal,
                understood(),
                MemoryOptions(),
                lambda: NOON + timedelta(seconds=next(ticks)),
            ) as memory,
        ):
            yield memory


async def whole_history(memory: Memory, actor: Actor = ANN) -> list[Record]:
    return await memory.known.records(actor, everything=True)


def about(text: str, *names: str, **more: object) -> Draft:
    return replace(Draft(Kind.FACT, text, NOON, about=names), **more)  # type: ignore[arg-type]


_numbers = st.integers(2, 99_999).map(str)
_names = st.sampled_from(["Meera", "Mara", "Bob", "Боря", "Vera", "Véra", "王芳", "José", "Jo"])
_dates = st.dates(date(2020, 1, 1), date(2030, 12, 31)).map(date.isoformat)
_values = _numbers | _names | _dates
_statements = st.sampled_from(
    [
        "Invoice {} is due",
        "My locker number at the gym is {}",
        "The dose of my pills is {}",
        "My cousin {} visits in spring",
        "We met {} at the lake",
        "Моего соседа зовут {}",
        "Der Zug {} hat Verspätung",
        "Mi vuelo es el {}",
        "我的同事是{}",
    ]
)
_same_otherwise = st.sampled_from(
    [
        ("I take the bus to work", "The bus is how I get to work"),
        ("I don't eat meat", "I eat meat"),
        ("I was married", "I am married"),
        ("I like olives", "I don't like olives"),
        ("Ich mag Katzen", "Ich mag keine Katzen"),
        ("I play tennis on Mondays", "I play tennis on Mondays and Fridays"),
        ("I use C", "I use C++"),
        ("It was 5 degrees", "It was -5 degrees"),
        ("I take 2.5 mg", "I take 25 mg"),
    ]
)
_pairs = _same_otherwise | st.builds(
    lambda statement, one, other: (statement.format(one), statement.format(other)),
    _statements,
    _values,
    _values,
).filter(lambda pair: pair[0] != pair[1])


@settings(deadline=None, max_examples=20)
@given(pairs=st.lists(_pairs, min_size=1, max_size=4))
def test_remembering_loses_nothing_that_differs(pairs: list[tuple[str, str]]) -> None:
    said = list(dict.fromkeys(itertools.chain(*pairs)))

    async def remember_all() -> list[str]:
        async with opened(TemporaryStore()) as memory:
            changes = [await memory.known.remember(ANN, text) for text in said]
            assert all(change.kind is ChangeKind.NOTED for change in changes)
            return texts(await memory.known.records(ANN))

    assert asyncio.run(remember_all()) == said


async def test_the_same_words_are_one_record_with_more_evidence() -> None:
    async with opened(TemporaryStore()) as memory:
        first = await memory.known.remember(ANN, "I like tea")
        for again in ("i like tea!", "  I LIKE  TEA"):
            change = await memory.known.remember(ANN, again)
            assert (change.kind, change.record.id) == (ChangeKind.NOTED, first.record.id)
        (kept,) = await memory.known.records(ANN)
        told = await memory.known.evidence(ANN, kept)
        assert [each.words for each in told] == ["I like tea", "i like tea!", "I LIKE TEA"]
        assert sorted(each.at for each in told if each.at) == [each.at for each in told]


async def test_what_a_remote_store_wrote_is_the_same_statement() -> None:
    async with opened(store := TemporaryStore()) as memory:
        (theirs,) = await store.commit(ANN, [about("The user works at Acme.")])
        change = await memory.known.remember(ANN, "I work at Acme")
        assert change.before == theirs
        assert [each.words for each in change.record.evidence] == ["I work at Acme"]


async def test_only_a_named_slot_is_replaced_and_the_change_says_by_what() -> None:
    async with opened(TemporaryStore()) as memory:
        old = (await memory.known.remember(ANN, "I work at Acme")).record
        change = await memory.known.remember(ANN, "I work at Globex")
        assert (change.kind, change.before) == (ChangeKind.CHANGED, old)
        (new,) = await memory.known.records(ANN)
        assert new == change.record
        (before,) = await memory.known.history(ANN, new)
        assert (before.id, before.current) == (old.id, False)


async def test_a_second_anna_replaces_nothing_of_the_first() -> None:
    async with opened(TemporaryStore()) as memory:
        for user, place in ((1, "Acme"), (2, "Globex")):
            await memory.known.remember(CROWD, f"I work at {place}", speaker=Speaker(user, "Anna"))
        assert len(await memory.known.records(CROWD)) == 2
        moved = await memory.known.remember(
            CROWD, "I work at Initech", speaker=Speaker(1, "Anna K.")
        )
        assert moved.before is not None
        assert moved.before.text == "I work at Acme"


class TestUndo:
    async def test_what_was_noted_is_deleted_and_nothing_else(self) -> None:
        async with opened(store := TemporaryStore()) as memory:
            said = (Utterance(Role.USER, "I like tea", NOON),)
            await store.add_turn(ANN, Turn("t-1", "s-1", said))
            change = await memory.known.remember(ANN, "I like tea")
            assert await memory.known.undo(ANN, change)
            assert await whole_history(memory) == []
            assert texts(await memory.known.records(ANN, (Kind.MESSAGE,))) == ["I like tea"]
            assert not await memory.known.undo(ANN, change)

    async def test_what_was_known_before_stays(self) -> None:
        async with opened(TemporaryStore()) as memory:
            await memory.known.remember(ANN, "I like tea")
            change = await memory.known.remember(ANN, "I like tea")
            assert not await memory.known.undo(ANN, change)
            assert texts(await memory.known.records(ANN)) == ["I like tea"]

    async def test_what_was_changed_is_as_before(self) -> None:
        async with opened(TemporaryStore()) as memory:
            old = (await memory.known.remember(ANN, "I work at Acme")).record
            change = await memory.known.remember(ANN, "I work at Globex")
            assert await memory.known.undo(ANN, change)
            assert await whole_history(memory) == [old]
            assert not await memory.known.undo(ANN, change)
            assert await whole_history(memory) == [old]

    async def test_an_undo_that_was_killed_half_way_is_completed(self) -> None:
        async with opened(store := TemporaryStore()) as memory:
            old = (await memory.known.remember(ANN, "I work at Acme")).record
            change = await memory.known.remember(ANN, "I work at Globex")
            await store.commit(ANN, [], [Amendment(old.id, reopened=True)])
            assert await memory.known.undo(ANN, change)
            assert await whole_history(memory) == [old]

    async def test_what_has_changed_again_since_is_left(self) -> None:
        async with opened(TemporaryStore()) as memory:
            noted = await memory.known.remember(ANN, "I work at Acme")
            changed = await memory.known.remember(ANN, "I work at Globex")
            await memory.known.remember(ANN, "I work at Initech")
            for change in (noted, changed):
                assert not await memory.known.undo(ANN, change)
            assert texts(await memory.known.records(ANN)) == ["I work at Initech"]

    async def test_what_has_ended_goes_on_with_all_it_had(self) -> None:
        async with opened(store := TemporaryStore()) as memory:
            (old,) = await store.commit(
                ANN, [about("I live in Oslo", true_until="2027", reason="moved from Bergen")]
            )
            end = Amendment(old.id, ended_at=NOON, true_until="2026-11", reason="moved out")
            (ended,) = await store.commit(ANN, [], [end])
            change = Change(ChangeKind.ENDED, ended, before=old)
            assert await memory.known.undo(ANN, change)
            assert await whole_history(memory) == [old]
            assert not await memory.known.undo(ANN, change)

    async def test_what_ended_once_more_since_stays_ended(self) -> None:
        async with opened(store := TemporaryStore()) as memory:
            (old,) = await store.commit(ANN, [about("I live in Oslo")])
            (ended,) = await store.commit(ANN, [], [Amendment(old.id, ended_at=NOON)])
            change = Change(ChangeKind.ENDED, ended, before=old)
            assert await memory.known.undo(ANN, change)
            later = NOON + timedelta(days=1)
            await store.commit(ANN, [], [Amendment(old.id, ended_at=later)])
            assert not await memory.known.undo(ANN, change)
            assert await memory.known.records(ANN) == []

    async def test_nobody_undoes_what_is_another_ones(self) -> None:
        async with opened(TemporaryStore()) as memory:
            change = await memory.known.remember(ANN, "I like tea")
            mine = await memory.known.remember(BOB, "I like coffee")
            assert mine.record.id == change.record.id, "ids are each one's own"
            assert not await memory.known.undo(BOB, change)
            assert texts(await memory.known.records(BOB)) == ["I like coffee"]
            await memory.forget_all(ANN)
            await memory.known.remember(ANN, "I like water")
            assert not await memory.known.undo(ANN, change)
            assert texts(await memory.known.records(ANN)) == ["I like water"]


async def test_nobody_forgets_their_own_by_the_record_of_another_one() -> None:
    async with opened(TemporaryStore()) as memory:
        hers = (await memory.known.remember(ANN, "I like tea")).record
        his = (await memory.known.remember(BOB, "I like coffee")).record
        assert hers.id == his.id
        with pytest.raises(UnknownRecord):
            await memory.known.forget(BOB, hers)
        assert await memory.known.records(BOB) == [his]


async def test_the_history_of_a_record_is_told_oldest_first() -> None:
    async with opened(store := TemporaryStore()) as memory:
        (one,) = await store.commit(ANN, [about("I live in Oslo")])
        (two,) = await store.commit(
            ANN, [about("I live in Lima", supersedes=one.id, reason="moved")]
        )
        (three,) = await store.commit(
            ANN, [about("I live in Rome", supersedes=two.id, reason="new job")]
        )
        history = await memory.known.history(ANN, three)
        assert texts(history) == ["I live in Oslo", "I live in Lima"]
        assert [record.reason for record in (*history, three)] == [None, "moved", "new job"]
        assert await memory.known.history(ANN, one) == []


async def test_evidence_without_words_is_told_in_those_of_its_turn() -> None:
    async with opened(store := TemporaryStore()) as memory:
        said = (
            Utterance(Role.USER, "she is coming on the 12th", NOON),
            Utterance(Role.ASSISTANT, "Who?", NOON),
        )
        await store.add_turn(ANN, Turn("t-1", "s-1", said))
        stands_on = (Evidence("t-1", ""), Evidence("t-2", "Meera", NOON), Evidence("t-3", ""))
        (record,) = await store.commit(ANN, [about("Meera visits", evidence=stands_on)])
        assert await memory.known.evidence(ANN, record) == [
            Evidence("t-1", "she is coming on the 12th", NOON),
            Evidence("t-2", "Meera", NOON),
            Evidence("t-3", ""),
        ]
        assert (await memory.known.evidence(BOB, record))[0].words == ""


class Notes:
    """What a person knows they have said: a list for each thing, newest last, and which still hold,
    beside the memory that must agree."""

    def __init__(self, memory: Memory, store: TemporaryStore) -> None:
        self.memory, self.store = memory, store
        self.changes: list[tuple[Change, list[Record]]] = []
        self._numbers = itertools.count(1)

    async def step(self, name: str, which: int) -> None:
        """Do one thing to one of the records, and look whether all of them are accounted for."""
        before = await whole_history(self.memory)
        current = [record for record in before if record.current]
        match name:
            case "note":
                text = f"Invoice {next(self._numbers)} is due"
                change = await self.memory.known.remember(ANN, text)
            case "change" if current:
                change = await self._replace(current[which % len(current)])
            case "end" if current:
                change = await self._end(current[which % len(current)])
            case "undo" if self.changes:
                await self._undo()
                return
            case _:
                return
        self.changes.append((change, before))
        await self._account_for(before)

    async def _replace(self, old: Record) -> Change:
        text = f"{old.text}, as of {next(self._numbers)}"
        draft = about(text, supersedes=old.id, reason="news")
        (new,) = await self.store.commit(ANN, [draft])
        assert (await self.memory.known.history(ANN, new))[-1].id == old.id
        return Change(ChangeKind.CHANGED, new, old)

    async def _end(self, old: Record) -> Change:
        end = Amendment(old.id, ended_at=NOON, true_until="2026-11", reason="over")
        (ended,) = await self.store.commit(ANN, [], [end])
        return Change(ChangeKind.ENDED, ended, old)

    async def _undo(self) -> None:
        """Undo the last change: all is as it was before it."""
        change, before = self.changes.pop()
        assert await self.memory.known.undo(ANN, change)
        assert await whole_history(self.memory) == before
        assert not await self.memory.known.undo(ANN, change)
        for place, (older, _) in enumerate(self.changes, 1):
            since = [later.before.id for later, _ in self.changes[place:] if later.before]
            if older.record.id in since:
                assert not await self.memory.known.undo(ANN, older), "it has changed since"

    async def _account_for(self, before: list[Record]) -> None:
        now = {record.id: record for record in await whole_history(self.memory)}
        assert all(record.id in now for record in before), "nothing is lost"
        heirs = {record.supersedes for record in now.values()}
        for record in now.values():
            assert record.current or record.id in heirs or record.reason == "over"


@settings(deadline=None, max_examples=20)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["note", "change", "end", "undo"]), st.integers(0, 9)),
        max_size=12,
    )
)
def test_whatever_changes_is_in_the_history_and_can_be_undone(steps: list[tuple[str, int]]) -> None:
    async def live() -> None:
        store = TemporaryStore()
        async with opened(store) as memory:
            notes = Notes(memory, store)
            for name, which in steps:
                await notes.step(name, which)

    asyncio.run(live())
