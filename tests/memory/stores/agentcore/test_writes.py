"""What was written a moment ago is known at once, though AWS's lists and searches show it only
minutes later."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.errors import StoreUnavailable, UnknownRecord
from memory.records import Actor, Amendment, Choice, Draft, Evidence, Kind
from memory.stores.agentcore.rows.writes import RecentWrites
from memory.stores.agentcore.store import AgentCoreStore
from tests.fakes.aws import Knobs, denied
from tests.fakes.aws.world import FAST, World, world

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN, BOB = Actor("u1"), Actor("u12")
GREEN, RED = "My umbrella is green", "My umbrella is red"


def draft(text: str, supersedes: str | None = None, kind: Kind = Kind.FACT) -> Draft:
    return Draft(kind, text, NOON, session_id="s-1", supersedes=supersedes)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """An AWS that shows deletions and writes after an hour."""
    knobs = Knobs(writing_seconds=3600, deletion_seconds=3600, page_rows=2, thin_pages=True)
    async with world(tmp_path, knobs) as here:
        yield here


@pytest.fixture(params=[True, False], ids=["AWS learns", "we learn"])
async def store(here: World, request: pytest.FixtureRequest) -> AsyncIterator[AgentCoreStore]:
    async with await here.store(extracts=request.param) as store:
        yield store


def show_all(here: World) -> None:
    """Let the hour pass."""
    here.aws.set_clock(lambda: datetime.now(UTC).timestamp() + 7200)


async def texts(store: AgentCoreStore, actor: Actor = ANN, *, former: bool = False) -> list[str]:
    return [r.text for r in await store.records(actor, include_superseded=former)]


async def found(store: AgentCoreStore, query: str, actor: Actor = ANN) -> list[str]:
    return [hit.record.text for hit in await store.search(actor, query, min_relevance=0.2)]


async def test_a_new_record_is_listed_found_and_opened_at_once(
    here: World, store: AgentCoreStore
) -> None:
    (made,) = await store.commit(ANN, [draft(GREEN)])
    assert await store.records(ANN) == [made]
    assert await store.find(ANN, made.short_id) == made
    assert await found(store, "What colour is my umbrella?") == [GREEN]
    assert await found(store, "Where do I work?") == []
    assert await texts(store, BOB) == []
    assert await found(store, "What colour is my umbrella?", BOB) == []
    assert await store.find(BOB, made.short_id) is None
    assert await store.delete(BOB, [made.id]) == []


async def test_a_new_record_that_aws_shows_too_is_there_once(
    here: World, store: AgentCoreStore
) -> None:
    (made,) = await store.commit(ANN, [draft(GREEN)])
    show_all(here)
    assert await store.records(ANN) == [made]
    assert await found(store, "What colour is my umbrella?") == [GREEN]


async def test_a_record_that_was_replaced_is_history_at_once(
    here: World, store: AgentCoreStore
) -> None:
    (green,) = await store.commit(ANN, [draft(GREEN)])
    show_all(here)
    (red,) = await store.commit(ANN, [draft(RED, green.id)])
    assert await store.records(ANN) == [red]
    assert await texts(store, former=True) == [GREEN, RED]
    assert await found(store, "What colour is my umbrella?") == [RED]


async def test_a_record_is_replaced_and_amended_before_aws_shows_it(
    here: World, store: AgentCoreStore
) -> None:
    (green,) = await store.commit(ANN, [draft(GREEN)])
    (red,) = await store.commit(ANN, [draft(RED, green.id)])
    evidence = Evidence("t-1", "a red umbrella", NOON)
    await store.commit(ANN, [], [Amendment(red.id, evidence=(evidence,))])
    (shown,) = await store.records(ANN)
    assert (shown.text, shown.evidence) == (RED, (evidence,))
    await store.commit(ANN, [], [Amendment(red.id, ended_at=NOON)])
    assert await texts(store) == []
    assert await found(store, "What colour is my umbrella?") == []
    assert await texts(store, former=True) == [GREEN, RED]


async def test_a_record_is_deleted_before_aws_shows_it(here: World, store: AgentCoreStore) -> None:
    (green, tea) = await store.commit(ANN, [draft(GREEN), draft("I drink tea")])
    assert await store.delete(ANN, [green.id]) == [green.id]
    assert await store.records(ANN) == [tea]
    assert await found(store, "What colour is my umbrella?") == []
    assert await store.find(ANN, green.short_id) is None
    with pytest.raises(UnknownRecord):
        await store.commit(ANN, [draft(RED, green.id)])
    assert green.id not in store._writes._rows
    show_all(here)
    assert await store.records(ANN) == [tea]


async def test_what_comes_back_is_known_at_once(here: World, store: AgentCoreStore) -> None:
    (green,) = await store.commit(ANN, [draft(GREEN)])
    (red,) = await store.commit(ANN, [draft(RED, green.id)])
    (green, red) = await store.records(ANN, include_superseded=True)
    await store.delete(ANN, [green.id, red.id])
    assert await texts(store, former=True) == []
    again = await store.restore(ANN, [green, red])
    assert await store.records(ANN, include_superseded=True) == again
    assert await found(store, "What colour is my umbrella?") == [RED]


async def test_a_choice_holds_at_once(here: World, store: AgentCoreStore) -> None:
    await store.choices.set(ANN, Choice.AGENT_NAME, "Mordecai", NOON)
    assert (await store.choices.get(ANN)).agent_name == "Mordecai"
    await store.choices.set(ANN, Choice.AGENT_NAME, "Rigby", NOON)
    assert (await store.choices.get(ANN)).agent_name == "Rigby"
    assert (await store.choices.get(BOB)).agent_name is None
    assert await texts(store, former=True) == []
    assert await found(store, "I call you Rigby") == []
    await store.choices.unset(ANN, Choice.AGENT_NAME)
    assert (await store.choices.get(ANN)).agent_name is None


async def test_moved_records_are_the_other_actors_at_once(
    here: World, store: AgentCoreStore
) -> None:
    (green,) = await store.commit(ANN, [draft(GREEN)])
    await store.commit(ANN, [draft(RED, green.id)])
    await store.move(ANN, BOB)
    assert await texts(store, BOB, former=True) == [GREEN, RED]
    assert await texts(store, BOB) == [RED]
    assert await texts(store, ANN, former=True) == []
    assert await found(store, "What colour is my umbrella?", BOB) == [RED]
    assert await found(store, "What colour is my umbrella?", ANN) == []


async def test_what_is_erased_is_gone_before_aws_shows_it(
    here: World, store: AgentCoreStore
) -> None:
    await store.commit(ANN, [draft(GREEN), draft("Tea", kind=Kind.PREFERENCE)])
    await store.commit(BOB, [draft(RED)])
    await store.erase(ANN)
    assert here.count("BatchDeleteMemoryRecords") == 1
    assert await texts(store) == []
    assert await found(store, "What colour is my umbrella?") == []
    assert await texts(store, BOB) == [RED]
    assert len(store._writes._rows) == 1
    await store.commit(ANN, [draft("I drink tea")])
    assert await texts(store) == ["I drink tea"]


async def test_a_write_that_failed_is_not_known(here: World, store: AgentCoreStore) -> None:
    (green,) = await store.commit(ANN, [draft(GREEN)])
    for operation in ("BatchCreateMemoryRecords", "BatchUpdateMemoryRecords"):
        here.aws.faults.add(replace(denied(operation), times=1))
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, [draft(RED, green.id)])
        assert await store.records(ANN) == [green]


async def test_after_a_while_what_aws_shows_counts(here: World) -> None:
    async with await here.store(replace(FAST, writing=0.0)) as store:
        await store.commit(ANN, [draft(GREEN)])
        assert await texts(store) == []


async def test_the_oldest_of_very_many_is_left_to_aws() -> None:
    writes = RecentWrites(600.0, lambda: NOON)
    for number in range(6_000):
        place = {"namespaces": [f"/facts/u{number}/"], "requestIdentifier": "r0", "metadata": {}}
        writes.note_created([place], {"r0": f"mem-{number}"}, NOON)
    assert len(writes._rows) == 5_000
    assert writes.get("mem-999") is None
    assert writes.unseen(Actor("u1000"), [Kind.FACT], ())
    assert not writes.unseen(Actor("u100"), [Kind.FACT], ())
