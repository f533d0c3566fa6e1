"""What every LongTermMemory promises of records that gain evidence, end, and become current again.

Subclass `AmendingContract` beside `LongTermMemoryContract`, with the same fixture `store`."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.errors import UnknownRecord
from memory.ports import Store
from memory.records import Amendment, Basis, Draft, Evidence, Kind, Record
from tests.contracts.long_term_memory import ANN, BOB, NOON, draft, eventually, texts, written

LATER = NOON + timedelta(days=3)
FULL = Draft(
    Kind.FACT,
    "Моя сестра Мира приезжает 12 декабря 2026",
    NOON,
    session_id="s-1",
    turn_ids=("t-1", "t-2"),
    importance=7,
    event_date="2026-12-12/2026-12-20",
    evidence=(
        Evidence("t-1", "она приезжает 12-го, на неделю", NOON),
        Evidence("t-2", "Мира", NOON + timedelta(minutes=1)),
    ),
    about=("Мира", "сестра"),
    recurrence="каждый год",
    true_since="2026-11",
    true_until="2026-12-20",
    basis=Basis.ANSWER,
    reason="раньше было 10-е",
)


async def _history(store: Store) -> list[Record]:
    return await store.records(ANN, include_superseded=True)


async def _is_listed(store: Store, *expected: Record) -> None:
    """Wait until these are all records there are."""

    async def listed() -> bool:
        return await _history(store) == list(expected)

    await eventually(listed)


class AmendingContract:
    """The claims. `store` is an empty store that the fixture closes."""

    async def test_a_record_keeps_its_evidence_and_all_its_details(self, store: Store) -> None:
        (record,) = await written(store, ANN, FULL)
        assert record == FULL.record(record.id)
        assert await store.records(ANN) == [record]

    async def test_a_record_may_stand_on_nothing(self, store: Store) -> None:
        (record,) = await written(store, ANN, draft("I have a dog"))
        assert record.evidence == ()
        assert await store.records(ANN) == [record]

    async def test_a_record_is_found_by_the_names_it_is_about(self, store: Store) -> None:
        told = replace(draft("She visits in December"), about=("Meera Kapoor",))
        await written(store, ANN, told, draft("I work at Acme Corp", minutes=1))
        hits = await store.search(ANN, "visits December Meera")
        assert hits[0].record.text == told.text

    async def test_evidence_is_added_once(self, store: Store) -> None:
        known = Evidence("t-1", "I have a dog", NOON)
        again = Evidence("t-9", "my dog", LATER)
        (old,) = await written(store, ANN, replace(draft("I have a dog"), evidence=(known,)))
        amendment = Amendment(old.id, evidence=(known, again))
        (record,) = await store.commit(ANN, [], [amendment])
        assert record == replace(old, evidence=(known, again), turn_ids=("t-1", "t-9"))
        await _is_listed(store, record)
        assert await store.commit(ANN, [], [amendment]) == [record]

    async def test_forgotten_evidence_is_gone_with_its_turn(self, store: Store) -> None:
        told, again = Evidence("t-1", "I have a dog", NOON), Evidence("t-9", "my dog", LATER)
        (old,) = await written(
            store,
            ANN,
            replace(draft("I have a dog"), turn_ids=("t-1", "t-9"), evidence=(told, again)),
        )
        (record,) = await store.commit(ANN, [], [Amendment(old.id, forgotten=(told,))])
        assert (record.evidence, record.turn_ids) == ((again,), ("t-9",))
        await _is_listed(store, record)
        (record,) = await store.commit(ANN, [], [Amendment(old.id, forgotten=(told, again))])
        assert (record.evidence, record.turn_ids) == ((), ())
        await _is_listed(store, record)
        (record,) = await store.commit(ANN, [], [Amendment(old.id, evidence=(again, told))])
        assert (record.evidence, record.turn_ids) == ((told, again), ("t-1", "t-9"))

    async def test_an_ended_record_is_history_and_not_found(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        end = Amendment(old.id, ended_at=LATER, true_until="2026-03", reason="moved out")
        (ended,) = await store.commit(ANN, [], [end])
        assert ended == replace(old, superseded_at=LATER, true_until="2026-03", reason="moved out")
        await _is_listed(store, ended)
        assert await store.records(ANN) == []
        assert await store.search(ANN, "I live in Oslo") == []

    async def test_a_record_ends_once(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        (ended,) = await store.commit(ANN, [], [Amendment(old.id, ended_at=LATER)])
        await _is_listed(store, ended)
        with pytest.raises(UnknownRecord):
            await store.commit(ANN, [], [Amendment(old.id, ended_at=LATER)])
        with pytest.raises(UnknownRecord):
            await store.commit(ANN, [draft("I live in Rome", supersedes=old.id)])

    async def test_a_reopened_record_is_current_and_found_again(self, store: Store) -> None:
        (old,) = await written(store, ANN, replace(draft("I live in Oslo"), true_until="2027"))
        end = Amendment(old.id, ended_at=LATER, true_until="2026-03", reason="moved out")
        (ended,) = await store.commit(ANN, [], [end])
        await _is_listed(store, ended)
        reopen = Amendment(old.id, reopened=True, true_until="2027")
        for _ in range(2):
            assert await store.commit(ANN, [], [reopen]) == [old]
        await _is_listed(store, old)
        assert await store.records(ANN) == [old]

        async def found() -> bool:
            return "I live in Oslo" in texts(await store.search(ANN, "I live in Oslo"))

        await eventually(found)

    async def test_what_was_superseded_can_be_reopened(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        (new,) = await written(store, ANN, draft("I live in Lima", supersedes=old.id, minutes=5))
        await store.commit(ANN, [], [Amendment(old.id, reopened=True)])

        async def both() -> bool:
            return texts(await store.records(ANN)) == ["I live in Oslo", "I live in Lima"]

        await eventually(both)
        assert await store.delete(ANN, [new.id]) == [new.id]

    async def test_new_records_come_before_the_amended_ones(self, store: Store) -> None:
        one, two = await written(store, ANN, draft("I have a dog"), draft("I have a cat"))
        made = await store.commit(
            ANN,
            [draft("I have a boat", minutes=1), draft("I have a bike", minutes=2)],
            [Amendment(two.id, ended_at=LATER), Amendment(one.id, ended_at=LATER)],
        )
        assert texts(made) == ["I have a boat", "I have a bike", "I have a cat", "I have a dog"]

        async def done() -> bool:
            return texts(await store.records(ANN)) == ["I have a boat", "I have a bike"]

        await eventually(done)

    async def test_one_commit_may_change_a_record_twice(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        told = Evidence("t-9", "not any more", LATER)
        *_, ended = await store.commit(
            ANN, [], [Amendment(old.id, evidence=(told,)), Amendment(old.id, ended_at=LATER)]
        )
        assert (ended.evidence, ended.superseded_at) == ((told,), LATER)
        await _is_listed(store, ended)

    @pytest.mark.parametrize("unknown", ["f404", ""])
    async def test_all_is_written_or_nothing(self, store: Store, unknown: str) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        with pytest.raises(UnknownRecord):
            await store.commit(
                ANN,
                [draft("I have a horse")],
                [Amendment(old.id, ended_at=LATER), Amendment(unknown, ended_at=LATER)],
            )
        assert await _history(store) == [old]

    async def test_a_record_of_another_actor_can_not_be_amended(self, store: Store) -> None:
        (old,) = await written(store, ANN, draft("I live in Oslo"))
        with pytest.raises(UnknownRecord):
            await store.commit(BOB, [], [Amendment(old.id, ended_at=LATER)])
        assert await store.records(ANN) == [old]

    async def test_many_records_are_amended_at_once(self, store: Store) -> None:
        made = await written(store, ANN, *(draft(f"I saw whale {n}") for n in range(130)))
        ends = [Amendment(record.id, ended_at=LATER) for record in made]
        assert len(await store.commit(ANN, [], ends)) == 130

        async def ended() -> bool:
            return await store.records(ANN) == []

        await eventually(ended)
        assert len(await _history(store)) == 130

    async def test_much_evidence_leaves_the_record_and_its_turns(self, store: Store) -> None:
        much = tuple(
            Evidence(f"turn-{n}", f"что-то {n} " * 40, NOON + timedelta(hours=n)) for n in range(20)
        )
        (old,) = await written(store, ANN, replace(draft("I have a dog"), turn_ids=()))
        (record,) = await store.commit(ANN, [], [Amendment(old.id, evidence=much)])
        assert record.turn_ids == tuple(each.turn_id for each in much)
        assert [each.turn_id for each in record.evidence] == list(record.turn_ids)
        assert [each.at for each in record.evidence] == [each.at for each in much]
        await _is_listed(store, record)

    async def test_a_deleted_record_comes_back_with_its_details(self, store: Store) -> None:
        (old,) = await written(store, ANN, FULL)
        await store.delete(ANN, [old.id])
        (back,) = await store.restore(ANN, [old])
        assert replace(back, id="") == replace(old, id="")
        await _is_listed(store, back)
