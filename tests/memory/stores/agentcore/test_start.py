"""From configuration to a store: found, created, refused, or waiting for AWS to come back."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.agentcore.calls.clients import AwsAccess
from memory.stores.agentcore.setup import Patience, UnusableMemory, Wanted
from memory.stores.agentcore.start import AgentCoreOptions, agentcore_store
from tests.fakes.aws import broken
from tests.fakes.aws.world import FAST, World, silent, world
from tests.memory.stores.agentcore.test_turns import said, turn

ANN = Actor("u1")


def options(here: World, memory_id: str | None) -> AgentCoreOptions:
    return AgentCoreOptions(
        here.outbox,
        memory_id,
        Wanted("fresh"),
        AwsAccess(region="us-east-1", endpoint_url=here.aws.url),
        connections=4,
        timing=FAST,
        patience=Patience(10, 0.02),
    )


async def test_the_configured_memory_is_used(tmp_path: Path) -> None:
    async with (
        world(tmp_path) as here,
        agentcore_store(options(here, here.memory.id), here.pool, silent) as store,
    ):
        await store.add_turn(ANN, turn("t-1", "hello"))
        await store.extraction.flush(ANN)
        assert await said(here) == ["hello"]


async def test_a_first_start_makes_a_memory_and_says_its_id(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        with capture_logs() as logs:
            async with agentcore_store(options(here, None), here.pool, silent) as store:
                assert await store.records(ANN) == []
        (line,) = [entry for entry in logs if entry["event"] == "memory_found"]
        assert line["memory_id"].startswith("fresh-")
        assert "configuration" in line["advice"]


async def test_aws_being_away_does_not_keep_the_program_from_starting(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        here.aws.faults.add(broken())
        async with agentcore_store(options(here, here.memory.id), here.pool, silent) as store:
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
            async with agentcore_store(options(here, made["memory"]["id"]), here.pool, silent):
                pass
