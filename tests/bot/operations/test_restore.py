"""`mordecai restore` lists copies, puts them back, asks first, and keeps what was there."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from pydantic import SecretStr

from bot.errors import OperatorError
from bot.operations.restore import list_copies, restore
from bot.settings import Settings
from memory.records import Actor
from memory.stores.files import copies_of, set_aside_files
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import draft, texts

ANN, BOB = Actor.person(1001), Actor.person(1002)


def on(data: Path) -> Settings:
    return Settings(data_dir=data)


async def facts(data: Path, actor: Actor, *new: str, copied: bool = False) -> list[str]:
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(data / "memory", pool)
        await store.commit(actor, [draft(text) for text in new])
        if copied:
            await store.keep_copy(actor, 3)
        found = texts(await store.records(actor))
        await store.aclose()
        return found


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    for actor in (ANN, BOB):
        await facts(tmp_path, actor, "I have a dog", copied=True)
        await facts(tmp_path, actor, "I have a cat", copied=True)
        await facts(tmp_path, actor, "I have a boat")
    return tmp_path


async def test_without_a_name_the_copies_are_listed(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_copies(on(data))
    told = capsys.readouterr().out
    assert told.count("u1001") == told.count("u1002") == 2
    assert all(copy.name in told for copy in copies_of(data / "memory" / "u1001.sqlite"))


async def test_the_newest_copy_is_put_back_of_one_person_alone(data: Path) -> None:
    restore(on(data), "u1001", None, lambda _: True)
    assert await facts(data, ANN) == ["I have a dog", "I have a cat"]
    assert len(await facts(data, BOB)) == 3
    assert len(set_aside_files(data / "memory" / "u1001.sqlite")) == 1


async def test_all_are_put_back_at_once_or_an_older_one_by_its_name(data: Path) -> None:
    restore(on(data), "all", None, lambda _: True)
    assert len(await facts(data, ANN)) == len(await facts(data, BOB)) == 2
    oldest = copies_of(data / "memory" / "u1002.sqlite")[0]
    restore(on(data), "u1002", oldest.name, lambda _: True)
    assert await facts(data, BOB) == ["I have a dog"]


async def test_nothing_changes_without_a_yes_a_copy_or_while_a_bot_runs(data: Path) -> None:
    with pytest.raises(OperatorError, match="nothing was changed"):
        restore(
            Settings(data_dir=data), "u1001", None, lambda question: "u1001.sqlite" not in question
        )
    with pytest.raises(OperatorError, match="u7"):
        restore(on(data), "u7", None, lambda _: True)
    with pytest.raises(OperatorError, match="no copy"):
        restore(on(data), "u1001", "yesterday", lambda _: True)
    with FileLock(data / "lock"), pytest.raises(OperatorError, match="running"):
        restore(on(data), "u1001", None, lambda _: True)
    assert len(await facts(data, ANN)) == 3


def test_copies_of_files_are_not_put_back_beside_a_server(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url=SecretStr("postgresql://nobody@nowhere/db"))
    with pytest.raises(OperatorError, match="pg_restore"):
        list_copies(settings)
    with pytest.raises(OperatorError, match="pg_restore"):
        restore(settings, "all", None, lambda _: True)
