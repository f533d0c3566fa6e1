"""The AgentCore memory: found, created, checked, and a store on it."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.records import LEARNED_KINDS, Actor, Draft, Kind
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import AwsAccess, AwsCalls
from memory.stores.agentcore.namespaces import namespace
from memory.stores.agentcore.opening import AgentCoreOptions, agentcore_store
from memory.stores.agentcore.setup import (
    TEMPLATES,
    Patience,
    UnusableMemory,
    Wanted,
    find_or_create,
    inspect,
    prepare,
    wait_for_data_plane,
)
from memory.stores.agentcore.store import AgentCoreStore
from memory.stores.sqlite.database import SqliteDatabases
from tests.fakes.aws import Fault, Knobs, broken, denied
from tests.fakes.aws.world import FAST, Machinery, World, machinery, silent, world
from tests.memory.stores.agentcore.test_turns import NOON, said, turn

QUICK = Patience(limit=10, poll=0.02)
OWN = Wanted("own", extracts=False)


@pytest.fixture(scope="module")
def made() -> Iterator[Machinery]:
    with machinery() as made:
        yield made


@pytest.fixture(autouse=True)
def fresh(made: Machinery) -> None:
    """An AWS account without any memory."""
    made.aws.calls.clear()
    made.aws.faults.clear()
    made.aws.control().forget()
    knobs = made.aws.knobs
    knobs.creation_seconds = knobs.strategy_seconds = knobs.deletion_seconds = 0
    knobs.activation_seconds = 0
    knobs.creation_failure = None
    knobs.strategies_fail = False


async def create(made: Machinery, name: str, *strategies: dict[str, Any]) -> str:
    """A memory made by somebody else."""
    answer = await made.control.ask(
        "create_memory", name=name, eventExpiryDuration=30, memoryStrategies=list(strategies)
    )
    return str(answer["memory"]["id"])


def strategies(**templates: str) -> list[dict[str, Any]]:
    """Our three strategies, some with another template."""
    forms = {
        "facts": ("semanticMemoryStrategy", TEMPLATES[Kind.FACT]),
        "preferences": ("userPreferenceMemoryStrategy", TEMPLATES[Kind.PREFERENCE]),
        "summaries": ("summaryMemoryStrategy", TEMPLATES[Kind.SUMMARY]),
    }
    return [
        {form: {"name": name, "namespaceTemplates": [templates.get(name, template)]}}
        for name, (form, template) in forms.items()
    ]


async def test_a_first_run_creates_the_memory_and_a_second_one_finds_it(made: Machinery) -> None:
    said: list[str] = []
    first = await find_or_create(made.control, Wanted("mordecai"), said.append, QUICK)
    second = await find_or_create(made.control, Wanted("mordecai"), said.append, QUICK)
    assert first == second
    assert set(first.strategies) == set(LEARNED_KINDS)
    assert said == [f"created memory {first.id}", "ready", f"found memory {first.id}", "ready"]
    assert made.aws.operations().count("CreateMemory") == 1


async def test_a_name_that_begins_alike_is_another_memory(made: Machinery) -> None:
    other = await create(made, "bot_dev", *strategies())
    found = await find_or_create(made.control, Wanted("bot"), silent, QUICK)
    assert found.id != other
    assert found.id.startswith("bot-")


async def test_a_memory_on_a_later_page_is_found(made: Machinery) -> None:
    wanted = await create(made, "bot", *strategies())
    for number in range(60):
        await create(made, f"other_{number}")
    assert (await find_or_create(made.control, Wanted("bot"), silent, QUICK)).id == wanted


async def test_progress_is_told_until_memory_and_strategies_are_active(made: Machinery) -> None:
    made.aws.knobs.creation_seconds = 0.3
    made.aws.knobs.strategy_seconds = 0.3
    said: list[str] = []
    await find_or_create(made.control, Wanted("bot"), said.append, QUICK)
    assert said[1:] == [
        "the memory is CREATING",
        "waiting for the strategies facts, preferences, summaries",
        "ready",
    ]


async def test_waiting_ends_with_what_to_do(made: Machinery) -> None:
    made.aws.knobs.creation_seconds = 60
    with pytest.raises(UnusableMemory, match="run this again later"):
        await find_or_create(made.control, Wanted("bot"), silent, Patience(0.1, 0.02))


async def test_a_failed_memory_says_why_and_what_to_do(made: Machinery) -> None:
    made.aws.knobs.creation_failure = "KMS key is disabled"
    with pytest.raises(UnusableMemory, match=r"KMS key is disabled.*[Dd]elete it"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)


async def test_failed_strategies_are_named(made: Machinery) -> None:
    made.aws.knobs.strategies_fail = True
    with pytest.raises(UnusableMemory, match="facts, preferences, summaries failed"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)


async def test_a_memory_that_is_not_ready_is_not_used_without_waiting(made: Machinery) -> None:
    made.aws.knobs.creation_seconds = 60
    memory_id = await create(made, "bot", *strategies())
    with pytest.raises(UnusableMemory, match="not ready yet: the memory is CREATING"):
        await inspect(made.control, memory_id)


async def test_a_memory_that_is_being_deleted_is_not_used(made: Machinery) -> None:
    memory_id = await create(made, "bot", *strategies())
    made.aws.knobs.deletion_seconds = 60
    await made.control.ask("delete_memory", memoryId=memory_id)
    with pytest.raises(UnusableMemory, match="is being deleted"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)
    with pytest.raises(UnusableMemory, match="is being deleted"):
        await inspect(made.control, memory_id)


async def test_two_that_create_at_once_end_up_with_one_memory(made: Machinery) -> None:
    made.aws.faults.add(Fault("ListMemories", times=2, delay=0.3))
    ready = (find_or_create(made.control, Wanted("bot"), silent, QUICK) for _ in range(2))
    one, other = await asyncio.gather(*ready)
    assert one == other


async def test_a_template_without_trailing_slash_is_refused_with_the_reason(
    made: Machinery,
) -> None:
    await create(made, "bot", *strategies(facts="/facts/{actorId}"))
    with pytest.raises(UnusableMemory, match=r"trailing slash.*u1 and u12"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)


@pytest.mark.parametrize(
    ("made_of", "reason"),
    [
        (strategies(summaries="/s/{sessionId}/"), r"SUMMARIZATION.*it has /s/\{sessionId\}/"),
        (strategies()[:2], "SUMMARIZATION.*no such strategy"),
        ([], "SEMANTIC.*no such strategy"),
    ],
    ids=["another template", "one missing", "none"],
)
async def test_a_memory_with_other_strategies_is_refused(
    made: Machinery, made_of: list[dict[str, Any]], reason: str
) -> None:
    memory_id = await create(made, "bot", *made_of)
    with pytest.raises(UnusableMemory, match=reason):
        await inspect(made.control, memory_id)


async def test_our_own_extraction_needs_no_strategies(made: Machinery) -> None:
    said: list[str] = []
    memory = await find_or_create(made.control, OWN, said.append, QUICK)
    assert memory.strategies == {}
    assert said == [f"created memory {memory.id}", "ready"]
    assert await inspect(made.control, memory.id, extracts=False) == memory
    with pytest.raises(UnusableMemory, match=r"`mordecai setup` adds it.*agentcore_extraction"):
        await inspect(made.control, memory.id)


@pytest.mark.parametrize("lacking", [0, 1, 3])
async def test_setup_adds_the_strategies_that_aws_needs_to_extract(
    made: Machinery, lacking: int
) -> None:
    memory_id = await create(made, "bot", *strategies()[lacking:])
    said: list[str] = []
    memory = await find_or_create(made.control, Wanted("bot"), said.append, QUICK)
    assert memory.id == memory_id
    assert set(memory.strategies) == set(LEARNED_KINDS)
    adds = [line for line in said if line.startswith("adding the strategies facts")]
    assert len(adds) == made.aws.operations().count("UpdateMemory") == bool(lacking)
    assert await prepare(made.control, memory_id, silent, QUICK, extracts=True) == memory
    assert made.aws.operations().count("UpdateMemory") == bool(lacking), "once"


async def test_strategies_of_somebody_else_are_not_added_to(made: Machinery) -> None:
    await create(made, "bot", *strategies(facts="/mine/{actorId}/"))
    with pytest.raises(UnusableMemory, match=r"it has /mine/\{actorId\}/"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)
    assert "UpdateMemory" not in made.aws.operations()


async def test_a_memory_with_strategies_serves_our_own_extraction_too(made: Machinery) -> None:
    theirs = await find_or_create(made.control, Wanted("bot"), silent, QUICK)
    ours = await find_or_create(made.control, replace(OWN, name="bot"), silent, QUICK)
    assert ours == theirs
    assert "UpdateMemory" not in made.aws.operations()


async def test_an_erasure_is_kept_for_as_long_as_the_memory_keeps_events(tmp_path: Path) -> None:
    async with world(tmp_path, wanted=Wanted("brief", event_expiry_days=30)) as here:
        async with opened(here, here.memory.id) as store:
            await store.add_turn(ANN, turn("t-1", "hello"))
            await store.extraction.flush(ANN)
            here.aws.faults.add(denied("DeleteEvent"))
            with pytest.raises(StoreUnavailable):
                await store.erase(ANN)
            until = store.erasing.remainder(ANN).until
        assert until
        assert until - datetime.now(UTC) <= timedelta(days=30)


async def test_strategies_that_setup_adds_leave_earlier_events_alone(tmp_path: Path) -> None:
    async with world(tmp_path, wanted=OWN) as here:
        assert here.memory.strategies == {}
        async with await here.store(extracts=False) as store:
            await store.add_turn(ANN, turn("t-1", "I live in Oslo"))
            (fact,) = await store.commit(ANN, [Draft(Kind.FACT, "I have a dog", NOON)])
        here.memory = await prepare(here.control, here.memory.id, silent, QUICK, extracts=True)
        async with await here.store() as store:
            await store.add_turn(ANN, turn("t-2", "I work at Acme Corp"))
            await store.extraction.flush(ANN)
            facts = await store.records(ANN, kinds=(Kind.FACT,))
            assert sorted(record.text for record in facts) == [fact.text, "I work at Acme Corp"]
        assert await said(here) == ["I live in Oslo", "I work at Acme Corp"]


async def test_a_memory_that_does_not_exist_is_named_with_its_region(made: Machinery) -> None:
    with pytest.raises(StoreUnavailable, match=r"memory gone-0123456789 .*us-east-1"):
        await inspect(made.control, "gone-0123456789")


async def test_an_id_that_no_memory_can_have_is_not_even_asked_for(made: Machinery) -> None:
    with pytest.raises(StoreUnavailable, match="not an id"):
        await inspect(made.control, "my memory!")
    with pytest.raises(StoreUnavailable, match="name 'my-bot'"):
        await find_or_create(made.control, Wanted("my-bot"), silent, QUICK)
    assert "CreateMemory" not in made.aws.operations()


async def test_a_missing_permission_names_the_action(made: Machinery) -> None:
    made.aws.faults.add(denied("CreateMemory"))
    with pytest.raises(StoreUnavailable, match="bedrock-agentcore:CreateMemory is not allowed"):
        await find_or_create(made.control, Wanted("bot"), silent, QUICK)


def test_the_templates_are_the_namespaces_that_records_are_read_from() -> None:
    for kind, template in TEMPLATES.items():
        filled = template.replace("{actorId}", "u1").replace("{sessionId}", "s-1")
        assert filled == namespace(kind, Actor("u1"), "s-1")


ANN = Actor("u1")


def options(here: World, memory_id: str | None) -> AgentCoreOptions:
    return AgentCoreOptions(
        memory_id,
        Wanted("fresh"),
        AwsAccess(region="us-east-1", endpoint_url=here.aws.url),
        connections=4,
        timing=FAST,
        patience=Patience(10, 0.02),
    )


def opened(
    here: World, memory_id: str | None, progress: Callable[[str], None] = silent
) -> AbstractAsyncContextManager[AgentCoreStore]:
    outboxes = SqliteDatabases(here.directory, ThreadPoolExecutor(1))
    return agentcore_store(options(here, memory_id), outboxes, here.pool, progress)


async def test_the_configured_memory_is_used(tmp_path: Path) -> None:
    async with (
        world(tmp_path) as here,
        opened(here, here.memory.id) as store,
    ):
        await store.add_turn(ANN, turn("t-1", "hello"))
        await store.extraction.flush(ANN)
        assert await said(here) == ["hello"]


async def test_a_first_start_makes_a_memory_and_says_its_id(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        with capture_logs() as logs:
            async with opened(here, None) as store:
                assert await store.records(ANN) == []
        (line,) = [entry for entry in logs if entry["event"] == "memory_found"]
        assert line["memory_id"].startswith("fresh-")
        assert "configuration" in line["advice"]


async def test_a_first_start_waits_until_the_data_plane_answers(tmp_path: Path) -> None:
    told: list[str] = []
    async with (
        world(tmp_path, Knobs(activation_seconds=0.5)) as here,
        opened(here, None, told.append) as store,
    ):
        assert await store.records(ANN) == []
    assert "the memory is not active" in told[-2]
    assert told[-1] == "the data plane answers"


async def test_waiting_for_the_data_plane_ends_with_what_to_do(made: Machinery) -> None:
    memory = await find_or_create(made.control, Wanted("bot"), silent, QUICK)
    data = AwsCalls(made.client, made.pool, Circuits("AgentCore"), memory.id)
    made.aws.knobs.activation_seconds = 3600
    with pytest.raises(UnusableMemory, match=r"not active.*run this again later"):
        await wait_for_data_plane(data, silent, Patience(0.05, 0.02))
    made.aws.knobs.activation_seconds = 0
    made.aws.faults.add(denied("ListSessions"))
    await wait_for_data_plane(data, silent, QUICK)


async def test_what_is_remembered_after_a_start_without_aws_has_its_strategy(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(broken("GetMemory", times=2))
        async with opened(here, here.memory.id) as store:
            await store.commit(ANN, [Draft(Kind.FACT, "I have a dog", NOON)])
        rows = here.aws.data().contents(here.memory.id).shelf.records.values()
        assert [row.strategy_id for row in rows] == [here.memory.strategies[Kind.FACT]]


async def test_aws_being_away_does_not_keep_the_program_from_starting(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(broken())
        async with opened(here, here.memory.id) as store:
            await store.add_turn(ANN, turn("t-1", "hello"))
            with pytest.raises(StoreUnavailable):
                await store.records(ANN)
            here.aws.faults.clear()
            await store.extraction.flush(ANN)
        assert await said(here) == ["hello"]


async def test_a_memory_that_leaks_keeps_the_program_from_starting(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        leaky = {"name": "facts", "namespaceTemplates": ["/facts/{actorId}"]}
        made = await here.control.ask(
            "create_memory",
            name="leaky",
            eventExpiryDuration=30,
            memoryStrategies=[{"semanticMemoryStrategy": leaky}],
        )
        with pytest.raises(UnusableMemory, match="trailing slash"):
            async with opened(here, made["memory"]["id"]):
                pass
