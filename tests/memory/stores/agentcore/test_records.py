"""What is read from AWS is whose it is, current, and in time; what is written is all or nothing."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.errors import RefusedText, StoreUnavailable
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Amendment,
    Choice,
    Choices,
    Draft,
    Evidence,
    Kind,
)
from memory.stores.agentcore.namespaces import belongs, namespace
from memory.stores.agentcore.rows.records import (
    create_entry,
    record_of_row,
)
from memory.stores.agentcore.store import Timing
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Fault, Knobs, broken, denied
from tests.fakes.aws.world import FAST, World, world

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN, BOB, CAT = Actor("u1"), Actor("u12"), Actor("u112")


def draft(text: str, kind: Kind = Kind.FACT, **more: Any) -> Draft:
    return Draft(kind, text, more.pop("created_at", NOON), session_id="s-1", **more)


def named(name: str, minutes: int = 0, supersedes: str | None = None) -> Draft:
    return draft(
        f'I call you "{name}"',
        Kind.PREFERENCE,
        created_at=NOON + timedelta(minutes=minutes),
        slot="nickname",
        supersedes=supersedes,
    )


async def put(here: World, namespace_: str, text: str, **more: Any) -> None:
    """Write a record past the store, as AWS's own extraction does."""
    entry = {
        "requestIdentifier": "x",
        "namespaces": [namespace_],
        "content": {"text": text},
        "timestamp": NOON,
        **more,
    }
    await here.calls().ask("batch_create_memory_records", records=[entry])


# -- whose it is


@pytest.mark.parametrize("mode", ["exact", "prefix"])
async def test_actors_whose_ids_begin_alike_never_see_each_other(tmp_path: Path, mode: Any) -> None:
    async with world(tmp_path, Knobs(namespaces=mode)) as here, await here.store() as store:
        for actor in (ANN, BOB, CAT):
            for kind in LEARNED_KINDS:
                await store.commit(actor, [draft(f"secret of {actor.id}", kind)])
        for actor in (ANN, BOB, CAT):
            listed = {record.text for record in await store.records(actor)}
            hits = await store.search(actor, "secret", limit=50)
            assert listed == {hit.record.text for hit in hits} == {f"secret of {actor.id}"}


async def test_a_record_in_a_namespace_without_trailing_slash_is_dropped_and_counted(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, Knobs(namespaces="prefix")) as here, await here.store() as store:
        shelf = here.aws.data().contents(here.memory.id).shelf
        for foreign in ("/facts/u1/deeper/", "/facts/u1/../u12/"):
            await put(here, "/facts/u1/", f"in {foreign}")
            list(shelf.records.values())[-1].namespace = foreign
        with capture_logs() as logs:
            assert await store.records(ANN) == []
        assert [(e["event"], e["count"]) for e in logs] == [("foreign_records_dropped", 2)]


async def test_reads_name_the_namespace_and_only_summaries_a_path(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.search(ANN, "anything")
        asked = [
            {k: v for k, v in call.params.items() if k.startswith("namespace")}
            for call in here.aws.calls
            if call.operation == "RetrieveMemoryRecords"
        ]
        assert sorted(asked, key=str) == [
            {"namespace": "/facts/u1/"},
            {"namespace": "/preferences/u1/"},
            {"namespacePath": "/summaries/u1/"},
        ]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(LEARNED_KINDS))
def test_a_namespace_belongs_to_one_actor(one: int, other: int, kind: Kind) -> None:
    ann, bob = Actor.person(one), Actor.person(other)
    home = namespace(kind, ann, "s-1")
    assert belongs(home, ann) == (kind, "s-1" if kind is Kind.SUMMARY else None)
    assert (belongs(home, bob) is None) == (ann != bob)
    assert belongs(home.rstrip("/"), ann) is None
    assert belongs(home + "x/", ann) is None


# -- in time


async def test_kinds_are_asked_at_once(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(Fault("RetrieveMemoryRecords", times=3, delay=30))
        searching = asyncio.create_task(store.search(ANN, "tea"))
        while not here.aws.faults.empty:
            await asyncio.sleep(0.01)
        assert "RetrieveMemoryRecords" not in here.aws.operations(), "none is answered yet"
        here.aws.stopping.set()
        assert await searching == []


async def test_what_is_late_is_left_out_and_said_once_a_minute(tmp_path: Path) -> None:
    timing = Timing(search=1.5, writing=0.0)
    async with world(tmp_path) as here, await here.store(timing) as store:
        await store.commit(ANN, [draft("I drink tea", kind) for kind in LEARNED_KINDS])
        with capture_logs() as logs:
            for _ in range(2):
                here.aws.faults.add(Fault("RetrieveMemoryRecords", times=1, delay=30))
                assert len(await store.search(ANN, "tea")) == 2
        assert [entry["event"] for entry in logs] == ["recall_incomplete"]
        here.aws.stopping.set()


async def test_a_search_that_nothing_answers_is_a_failure_in_time(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store(Timing(search=0.3)) as store:
        here.aws.faults.add(Fault(delay=30))
        with pytest.raises(StoreUnavailable, match="in time"):
            await store.search(ANN, "tea")
        assert "RetrieveMemoryRecords" not in here.aws.operations(), "none is answered yet"
        here.aws.stopping.set()


async def test_a_part_that_fails_does_not_take_the_others_along(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store(replace(FAST, writing=0.0)) as store:
        await store.commit(ANN, [draft("I drink tea", kind) for kind in LEARNED_KINDS])
        here.aws.faults.add(Fault("RetrieveMemoryRecords", 1, "AccessDeniedException", 403))
        assert len(await store.search(ANN, "tea")) == 2


async def test_one_actors_hanging_call_delays_no_other_actor(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.commit(BOB, [draft("I drink tea")])
        here.aws.faults.add(Fault("ListMemoryRecords", times=3, delay=30))
        stuck = asyncio.create_task(store.records(ANN))
        await eventually(lambda: _met(here))
        async with asyncio.timeout(5):
            assert [hit.record.text for hit in await store.search(BOB, "tea")] == ["I drink tea"]
        assert not stuck.done()
        here.aws.stopping.set()
        await stuck


async def _met(here: World) -> bool:
    return here.aws.faults.empty


async def test_a_search_costs_one_call_for_each_kind_asked_for(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.search(ANN, "tea", kinds=(Kind.FACT, Kind.PREFERENCE, Kind.MESSAGE))
        assert here.count("RetrieveMemoryRecords") == 2


@pytest.mark.parametrize("query", ["", "  \n"])
async def test_a_blank_query_asks_nobody(tmp_path: Path, query: str) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        before = len(here.aws.calls)
        assert await store.search(ANN, query) == []
        assert len(here.aws.calls) == before


async def test_archived_messages_are_not_searched_for(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        before = len(here.aws.calls)
        assert await store.search(ANN, "tea", kinds=(Kind.MESSAGE,)) == []
        assert await store.records(ANN, kinds=(Kind.MESSAGE,)) == []
        assert len(here.aws.calls) == before


# -- what comes back


async def test_what_aws_writes_itself_is_read_as_people_would_say_it(tmp_path: Path) -> None:
    preference = json.dumps({"context": "said so", "preference": "Likes tea", "categories": []})
    summary = '<topic name="Tea &amp; co">They like\n tea.</topic><topic name="Work">None.</topic>'
    async with world(tmp_path) as here, await here.store() as store:
        await put(here, "/preferences/u1/", preference)
        await put(here, "/summaries/u1/s-9/", summary)
        found = {record.kind: record for record in await store.records(ANN)}
        assert found[Kind.PREFERENCE].text == "I like tea"
        assert found[Kind.SUMMARY].text == "Tea & co: They like tea.\nWork: None."
        assert found[Kind.SUMMARY].session_id == "s-9"
        assert found[Kind.SUMMARY].topics == ("Tea & co", "Work")


@pytest.mark.parametrize("text", ['{"no": "preference"}', "{broken", "Fond of {curly} braces"])
async def test_a_preference_in_no_known_shape_is_shown_as_it_is(tmp_path: Path, text: str) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await put(here, "/preferences/u1/", text, metadata={"created_at": {"stringValue": "then"}})
        assert [record.text for record in await store.records(ANN)] == [text]


@settings(deadline=None)
@given(
    slot=st.none() | st.text(min_size=1, max_size=20).filter(lambda s: s.isprintable()),
    turns=st.lists(st.from_regex(r"[a-zé-]{1,8}", fullmatch=True), max_size=3),
    importance=st.integers(1, 10),
)
def test_a_draft_comes_back_with_all_it_had(
    slot: str | None, turns: list[str], importance: int
) -> None:
    written = draft("текст", slot=slot, turn_ids=tuple(turns), importance=importance)
    entry = create_entry(written, ANN, 0, {})
    row = {**entry, "memoryRecordId": "mem-1", "createdAt": NOON}
    record = record_of_row(row, ANN)
    assert record is not None
    assert (record.text, record.slot, record.importance) == ("текст", slot, importance)
    assert (record.turn_ids, record.created_at) == (tuple(turns), NOON)
    legal = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._:/=+@-")
    assert all(set(v["stringValue"]) <= legal for v in entry["metadata"].values())


# -- writing


async def test_a_name_set_twice_leaves_one_current_name(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (first,) = await store.commit(ANN, [named("Max")])
        await store.commit(ANN, [named("Moritz", 1, supersedes=first.id)])
        (current,) = await store.records(ANN, kinds=(Kind.PREFERENCE,))
        assert (current.text, current.slot) == ('I call you "Moritz"', "nickname")
        hits = await store.search(ANN, "I call you", kinds=(Kind.PREFERENCE,))
        assert [hit.record.text for hit in hits] == ['I call you "Moritz"']


async def test_what_somebody_says_is_no_choice_even_if_it_reads_like_one(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.choices.set(ANN, Choice.LANGUAGE, "de", NOON)
        said = draft('My language here is "it"', Kind.PREFERENCE, slot="language")
        await store.commit(ANN, [said])
        assert await store.choices.get(ANN) == Choices(language="de")
        (kept,) = await store.records(ANN)
        assert (kept.text, kept.slot) == (said.text, None)


async def test_of_two_current_records_in_one_slot_the_newer_counts(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.commit(ANN, [named("Max")])
        await store.commit(ANN, [named("Moritz", 1)])
        (current,) = await store.records(ANN)
        assert current.text == 'I call you "Moritz"'
        assert [hit.record for hit in await store.search(ANN, "I call you")] == [current]
        old, _ = await store.records(ANN, include_superseded=True)
        assert old.superseded_at == NOON + timedelta(minutes=1)


async def test_records_that_failed_inside_a_2xx_are_a_failure_and_none_is_left(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.knobs.failed_records = 1
        with pytest.raises(StoreUnavailable, match="did not write 1"):
            await store.commit(ANN, [draft("I drink tea"), draft("I drink coffee")])
        assert await store.records(ANN) == []


async def test_if_the_old_record_cannot_be_ended_the_new_one_is_taken_back(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (old,) = await store.commit(ANN, [draft("I live in Oslo")])
        here.aws.faults.add(broken("BatchUpdateMemoryRecords", times=2))
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I live in Lima", supersedes=old.id)])
        assert [record.text for record in await store.records(ANN)] == ["I live in Oslo"]


async def test_a_new_record_is_taken_back_where_ending_the_old_one_is_not_allowed(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (old,) = await store.commit(ANN, [draft("I live in Oslo")])
        here.aws.faults.add(denied("BatchUpdateMemoryRecords"))
        with pytest.raises(StoreUnavailable, match="BatchUpdateMemoryRecords is not allowed"):
            await store.commit(ANN, [draft("I live in Lima", supersedes=old.id)])
        assert await store.records(ANN) == [old]


async def test_if_one_of_many_changes_fails_all_are_taken_back(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        made = await store.commit(ANN, [draft(f"I saw whale {n}") for n in range(120)])
        here.aws.knobs.failed_records = 1
        told = Evidence("t-9", "all gone", NOON)
        ends = [Amendment(record.id, (told,), ended_at=NOON) for record in made]
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [], ends)
        assert await store.records(ANN) == made


@pytest.mark.parametrize("lost", [2, None], ids=["for a moment", "for good"])
async def test_a_lost_answer_never_costs_the_old_record_and_the_new_one(
    tmp_path: Path, lost: int | None
) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (old,) = await store.commit(ANN, [draft("I live in Oslo")])
        here.aws.faults.add(Fault("BatchUpdateMemoryRecords", times=lost, cut=0))
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I live in Lima", supersedes=old.id)])
        here.aws.faults.clear()
        texts = {record.text for record in await store.records(ANN)}
        assert texts == {"I live in Oslo"} if lost else "I live in Lima" in texts


async def test_what_cannot_be_taken_back_is_in_the_log(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.knobs.failed_records = 1
        here.aws.faults.add(broken("BatchDeleteMemoryRecords"))
        with capture_logs() as logs, pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft("I drink tea"), draft("I drink coffee")])
        assert [(e["event"], e["records"]) for e in logs] == [("records_left_behind", 1)]


async def test_a_broken_off_answer_does_not_write_twice(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        here.aws.faults.add(Fault("BatchCreateMemoryRecords", times=1, cut=10))
        (written,) = await store.commit(ANN, [draft("I live in Oslo")])
        assert await store.records(ANN) == [written]


async def test_more_drafts_than_a_batch_holds_are_all_written(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        written = await store.commit(ANN, [draft(f"fact {n}") for n in range(150)])
        assert [record.text for record in written] == [f"fact {n}" for n in range(150)]
        assert here.count("BatchCreateMemoryRecords") == 2


@pytest.mark.parametrize("text", ["", "x" * 16_001], ids=["empty", "too long"])
async def test_a_text_that_aws_would_refuse_is_refused_with_the_reason(
    tmp_path: Path, text: str
) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        with pytest.raises(RefusedText):
            await store.commit(ANN, [draft(text)])
        assert here.count("BatchCreateMemoryRecords") == 0


# -- deleting


async def test_a_record_of_another_is_not_deleted_even_by_its_id(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (his,) = await store.commit(BOB, [draft("I drink tea")])
        strange = ["", "mem-1", f"mem-{'0' * 36}", "../../etc", his.id]
        assert await store.delete(ANN, strange) == []
        assert await store.records(BOB) == [his]
        assert here.count("BatchDeleteMemoryRecords") == 0


async def test_what_was_deleted_is_not_shown_again_while_aws_still_shows_it(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, Knobs(deletion_seconds=300)) as here, await here.store() as store:
        (tea,) = await store.commit(ANN, [draft("I drink tea")])
        assert await store.delete(ANN, [tea.id]) == [tea.id]
        assert await store.records(ANN) == []
        assert await store.search(ANN, "tea") == []
        assert await store.delete(ANN, [tea.id]) == []


async def test_a_record_that_aws_keeps_is_said(tmp_path: Path) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        (tea,) = await store.commit(ANN, [draft("I drink tea")])
        here.aws.knobs.failed_records = 1
        with pytest.raises(StoreUnavailable, match="1 of 1"):
            await store.delete(ANN, [tea.id])
        assert await store.records(ANN) == [tea]


def test_more_topics_than_metadata_holds_are_cut_at_a_whole_one() -> None:
    topics = tuple(f"переезд {n}" for n in range(40))
    written = draft("We talked", Kind.SUMMARY, topics=topics)
    row = {**create_entry(written, ANN, 0, {}), "memoryRecordId": "mem-1", "createdAt": NOON}
    record = record_of_row(row, ANN)
    assert record is not None
    assert record.topics == topics[: len(record.topics)]
    assert 1 < len(record.topics) < 40
