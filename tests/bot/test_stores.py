"""The store that the settings name."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest
from structlog.testing import capture_logs

from bot.errors import OperatorError
from bot.settings import Settings
from bot.stores import open_store
from memory.records import Actor
from memory.stores.sqlite.database import SqliteDatabases
from tests.contracts.long_term_memory import eventually, turn
from tests.fakes.aws import FakeAws
from tests.fakes.aws.world import ENVIRONMENT
from tests.fakes.postgres import postgres_server


@pytest.mark.parametrize("who", ["aws", "mordecai"])
async def test_who_learns_on_agentcore_is_a_setting(
    who: Literal["aws", "mordecai"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with FakeAws() as aws, ThreadPoolExecutor(2) as pool:
        settings = Settings(
            memory_backend="agentcore",
            agentcore_extraction=who,
            model="openai:gpt-4.1-mini",
            aws_region="us-east-1",
            aws_endpoint_url=aws.url,
            data_dir=tmp_path,
        )
        async with open_store(settings, SqliteDatabases(tmp_path, pool), pool) as store:
            said = turn("t-1", "I work at Acme Corp")
            left = await store.add_turn(Actor.person(1), said)

            async def arrived() -> bool:
                return "CreateEvent" in aws.operations()

            await eventually(arrived)
    ours = who == "mordecai"
    assert left == ([said] if ours else [])
    assert store.extraction
    assert store.extraction.takes_new_turns != ours
    (made,) = [call.params for call in aws.calls if call.operation == "CreateMemory"]
    assert ("memoryStrategies" in made) == (not ours)
    (sent,) = [call.params for call in aws.calls if call.operation == "CreateEvent"]
    assert sent.get("extractionMode") == ("SKIP" if ours else None)


@pytest.mark.parametrize("model", [None, "offline"])
async def test_without_a_model_nobody_would_learn_so_it_is_refused(
    tmp_path: Path, model: str | None
) -> None:
    with FakeAws() as aws, ThreadPoolExecutor(1) as pool:
        settings = Settings(
            memory_backend="agentcore",
            agentcore_extraction="mordecai",
            model=model,
            aws_region="us-east-1",
            aws_endpoint_url=aws.url,
            data_dir=tmp_path,
        )
        with pytest.raises(
            OperatorError, match=r'"mordecai", but model is .*: .*set model, or set'
        ):
            async with open_store(settings, SqliteDatabases(tmp_path, pool), pool):
                pass
        assert aws.operations() == []


async def test_with_a_server_memories_are_there_and_its_superuser_is_warned(
    tmp_path: Path,
) -> None:
    settings = Settings(data_dir=tmp_path)
    with capture_logs() as logs, postgres_server() as server, ThreadPoolExecutor(2) as pool:
        async with open_store(settings, server, pool) as store:
            await store.add_turn(Actor.person(1), turn("t-1", "I work at Acme Corp"))
            assert await store.actors() == [Actor.person(1)]
    assert not (tmp_path / "memory").exists()
    (warning,) = [line for line in logs if line["event"] == "row_security_bypassed"]
    assert warning["key"] == "database_url"
    assert "user of its own" in warning["remedy"]
