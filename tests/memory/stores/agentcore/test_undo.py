"""Deletions that are taken back on AWS, which knows no such thing: it is all written anew."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable, UnknownRecord
from memory.records import LEARNED_KINDS, Actor, Draft, Kind, Role, Turn, Utterance
from tests.fakes.aws import Knobs, denied
from tests.fakes.aws.world import FAST, world

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN = Actor("u1")


def draft(text: str, supersedes: str | None = None) -> Draft:
    return Draft(Kind.FACT, text, NOON, session_id="s-1", supersedes=supersedes)


async def test_what_aws_has_extracted_comes_back_with_the_words_for_people(tmp_path: Path) -> None:
    async with world(tmp_path, Knobs(deletion_seconds=300)) as here, await here.store() as store:
        said = "I live in Oslo. I prefer short answers."
        await store.add_turn(ANN, Turn("t-1", "s-1", (Utterance(Role.USER, said, NOON),)))
        await store.extraction.flush(ANN)
        before = await store.records(ANN)
        assert {record.kind for record in before} == set(LEARNED_KINDS)
        await store.delete(ANN, [record.id for record in before])
        assert await store.records(ANN) == []
        restored = await store.restore(ANN, before)
        assert [replace(record, id="") for record in restored] == [
            replace(record, id="") for record in before
        ]
        assert sorted(await store.records(ANN), key=lambda r: r.id) == sorted(
            restored, key=lambda r: r.id
        )


async def test_a_return_that_breaks_off_is_completed_without_a_second_copy(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (oslo,) = await store.commit(ANN, [draft("I live in Oslo")])
        await store.commit(ANN, [draft("I live in Lima", supersedes=oslo.id)])
        (oslo, _) = await store.records(ANN, include_superseded=True)
        await store.delete(ANN, [oslo.id])
        here.aws.faults.add(denied("BatchUpdateMemoryRecords"))
        with pytest.raises(StoreUnavailable):
            await store.restore(ANN, [oslo])
        here.aws.faults.clear()
        (again,) = await store.restore(ANN, [oslo])
        (lima,) = await store.records(ANN)
        assert lima.supersedes == again.id
        assert len(await store.records(ANN, include_superseded=True)) == 2


@pytest.mark.parametrize("together", [True, False])
async def test_what_comes_back_supersedes_what_came_back(tmp_path: Path, together: bool) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (oslo,) = await store.commit(ANN, [draft("I live in Oslo")])
        await store.commit(ANN, [draft("I live in Lima", supersedes=oslo.id)])
        oslo, lima = await store.records(ANN, include_superseded=True)
        await store.delete(ANN, [oslo.id, lima.id])
        if together:
            old, new = await store.restore(ANN, [oslo, lima])
        else:
            (old,) = await store.restore(ANN, [oslo])
            (new,) = await store.restore(ANN, [lima])
        assert new.supersedes == old.id
        assert await store.records(ANN, include_superseded=True) == [old, new]


async def test_what_was_deleted_long_ago_does_not_come_back(tmp_path: Path) -> None:
    timing = replace(FAST, deletion=0.0)
    async with world(tmp_path) as here, await here.store(timing) as store:
        (tea,) = await store.commit(ANN, [draft("I drink tea")])
        await store.delete(ANN, [tea.id])
        with pytest.raises(UnknownRecord):
            await store.restore(ANN, [tea])
        assert await store.records(ANN) == []
