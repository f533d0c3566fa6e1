"""What every Store promises of deletions that are taken back.

Subclass `RestoringContract` beside `LongTermMemoryContract`, with the same fixture `store`. A store
whose ids somebody else gives may give other ones to what comes back."""

from dataclasses import replace
from typing import ClassVar

import pytest

from memory.errors import UnknownRecord
from memory.ports import Store
from memory.records import Draft, Kind, Record, Speaker
from tests.contracts.long_term_memory import (
    ANN,
    BOB,
    NOON,
    draft,
    eventually,
    texts,
    turn,
    written,
)


def _but_for_its_id(record: Record) -> Record:
    """All of a record that a store may not give another value."""
    return replace(record, id="")


class RestoringContract:
    """The claims. `store` is an empty store that the fixture closes. One that is not `local`
    archives no messages, and somebody else gives its ids."""

    local: ClassVar[bool] = True

    async def test_what_was_deleted_comes_back_as_it_was(self, store: Store) -> None:
        full = Draft(
            Kind.FACT,
            "My sister plays the cello",
            NOON,
            session_id="s-1",
            turn_ids=("t-1", "t-2"),
            slot="instrument",
            importance=8,
            event_date="2026-03",
            speaker=Speaker(7, "Ann"),
        )
        told = Draft(
            Kind.SUMMARY, "We talked about music", NOON, session_id="s-1", topics=("cello", "дом")
        )
        await written(store, ANN, full, draft("I like tea", Kind.PREFERENCE), told)
        before = await store.records(ANN)
        gone = [record for record in before if record.kind is not Kind.PREFERENCE]
        await store.delete(ANN, [record.id for record in gone])
        restored = await store.restore(ANN, gone)
        assert [_but_for_its_id(record) for record in restored] == [
            _but_for_its_id(record) for record in gone
        ]
        if self.local:
            assert restored == gone

        async def back() -> bool:
            return len(await store.records(ANN)) == 3

        await eventually(back)
        after = await store.records(ANN)
        assert {_but_for_its_id(record) for record in after} == {
            _but_for_its_id(record) for record in before
        }
        assert {record.id for record in restored} <= {record.id for record in after}

        async def found() -> bool:
            return "My sister plays the cello" in texts(
                await store.search(ANN, "My sister plays the cello")
            )

        await eventually(found)

    async def test_what_is_back_does_not_come_back_twice(self, store: Store) -> None:
        gone = await written(store, ANN, draft("I have a dog"), draft("I have a cat"))
        await store.delete(ANN, [record.id for record in gone])
        first = await store.restore(ANN, gone[:1])
        assert (await store.restore(ANN, gone))[0] == first[0]
        assert await store.restore(ANN, []) == []

        async def back() -> bool:
            return len(await store.records(ANN)) == 2

        await eventually(back)
        await store.restore(ANN, gone)
        assert sorted(texts(await store.records(ANN))) == ["I have a cat", "I have a dog"]

    async def test_what_has_come_back_can_be_deleted_and_come_back_again(
        self, store: Store
    ) -> None:
        gone = await written(store, ANN, draft("I have a dog"))
        for _ in range(2):
            assert await store.delete(ANN, [gone[0].id]) == [gone[0].id]
            assert await store.records(ANN) == []
            gone = await store.restore(ANN, gone)

        async def back() -> bool:
            return await store.records(ANN) == gone

        await eventually(back)

    async def test_history_comes_back_as_history(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        await written(store, ANN, draft("I live in Lima", supersedes=old.id, minutes=5))

        async def replaced() -> bool:
            return texts(await store.records(ANN)) == ["I live in Lima"]

        await eventually(replaced)
        (gone, _) = await store.records(ANN, include_superseded=True)
        await store.delete(ANN, [gone.id])
        await store.restore(ANN, [gone])

        async def back() -> bool:
            return len(await store.records(ANN, include_superseded=True)) == 2

        await eventually(back)
        oslo, lima = await store.records(ANN, include_superseded=True)
        assert _but_for_its_id(oslo) == _but_for_its_id(gone)
        assert lima.supersedes == oslo.id
        assert texts(await store.records(ANN)) == ["I live in Lima"]
        assert "I live in Oslo" not in texts(await store.search(ANN, "I live in Oslo"))

    async def test_messages_come_back_where_they_are_archived(self, store: Store) -> None:
        for number, said in enumerate(("I have a dog", "It is called Rex", "It is old")):
            await store.add_turn(ANN, turn(f"t-{number}", said, f"Reply {number}."))
        before = await store.records(ANN, kinds=(Kind.MESSAGE,))
        gone = [record for record in before if record.turn_ids == ("t-1",)]
        await store.delete(ANN, [record.id for record in gone])
        (fact,) = await written(store, ANN, draft("I have a dog"))
        await store.delete(ANN, [fact.id])
        restored = await store.restore(ANN, [fact, *gone])
        assert [record.kind for record in restored] == [Kind.FACT, *(r.kind for r in gone)]
        assert await store.records(ANN, kinds=(Kind.MESSAGE,)) == before
        if self.local:
            hits = await store.search(ANN, "It is called Rex", kinds=(Kind.MESSAGE,))
            assert texts(hits)[0] == "It is called Rex"

    async def test_nothing_of_another_actor_comes_back(self, store: Store) -> None:
        gone = await written(store, ANN, draft("My locker code is 4711"))
        await store.delete(ANN, [gone[0].id])
        with pytest.raises(UnknownRecord):
            await store.restore(BOB, gone)
        assert await store.records(BOB) == []

    @pytest.mark.parametrize("record_id", ["", "f404", "p1", "x1", "f-1", "f٣", "f01"])
    async def test_what_never_was_does_not_come_back(self, store: Store, record_id: str) -> None:
        gone = await written(store, ANN, draft("I have a dog"))
        await store.delete(ANN, [gone[0].id])
        with pytest.raises(UnknownRecord):
            await store.restore(ANN, [*gone, replace(gone[0], id=record_id)])
        assert await store.records(ANN) == []

    async def test_nothing_comes_back_once_all_was_erased(self, store: Store) -> None:
        gone = await written(store, ANN, draft("I have a dog"))
        await store.delete(ANN, [gone[0].id])
        await store.erase(ANN)
        with pytest.raises(UnknownRecord):
            await store.restore(ANN, gone)
        assert await store.records(ANN) == []
