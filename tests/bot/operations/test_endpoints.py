"""The endpoints say truly how the bot is."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from bot.errors import OperatorError
from bot.offline.understanding import by_rules
from bot.operations.endpoints import (
    ReadinessCheck,
    cached_check,
    endpoints,
    readiness,
)
from bot.operations.health import STALLED_SECONDS
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Kind, Record
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore


@dataclass
class Channel:
    listening: bool = True
    silent_seconds: float = 0.0
    handling: bool = True


class Store(TemporaryStore):
    """A store that may be away."""

    away = False

    async def records(self, actor: Actor, **how: object) -> list[Record]:
        if self.away:
            raise StoreUnavailable("away")
        return await super().records(actor, kinds=(Kind.FACT,))


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


@asynccontextmanager
async def asked(checks: Mapping[str, ReadinessCheck]) -> AsyncIterator[httpx.AsyncClient]:
    port = free_port()
    async with (
        endpoints("127.0.0.1", port, checks, {}),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        yield client


async def yes() -> bool:
    return True


async def no() -> bool:
    return False


async def never() -> bool:
    await asyncio.Event().wait()
    return True


@asynccontextmanager
async def bot_checks(
    channel: Channel, store: Store, folder: Path
) -> AsyncIterator[Mapping[str, ReadinessCheck]]:
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(folder / "journal.sqlite", pool) as journal,
            Memory(store, journal, by_rules()) as memory,
        ):
            yield readiness(channel, memory, folder, pool)


async def test_a_process_that_answers_is_alive_whatever_else():
    async with asked({"telegram": no}) as client:
        answer = await client.get("/healthz")
        assert (answer.status_code, answer.json()) == (200, {"alive": True})
        assert (await client.head("/healthz")).status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


async def test_it_is_ready_when_every_part_is():
    async with asked({"telegram": yes, "memory": yes}) as client:
        answer = await client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json() == {"ready": True, "telegram": True, "memory": True}
    async with asked({"telegram": yes, "memory": no}) as client:
        answer = await client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {"ready": False, "telegram": True, "memory": False}
        assert (await client.head("/readyz")).status_code == 503


async def test_what_does_not_answer_is_not_ready():
    async with asked({"telegram": yes, "memory": never}) as client:
        answer = await client.get("/readyz")
        assert answer.json() == {"ready": False, "telegram": True, "memory": False}


async def test_a_check_that_breaks_is_named_and_logged_and_the_others_still_count(
    capsys: pytest.CaptureFixture[str],
):
    async def breaks() -> bool:
        raise ZeroDivisionError

    async with asked({"telegram": yes, "memory": breaks, "data": yes}) as client:
        for _ in range(2):
            answer = await client.get("/readyz")
            assert answer.status_code == 503
            assert answer.json() == {
                "ready": False, "telegram": True, "memory": False, "data": True,
            }  # fmt: skip
    logged = capsys.readouterr().out
    assert "readiness_check_crashed" in logged
    assert "part=memory" in logged
    assert "ZeroDivisionError" in logged


async def test_nothing_else_is_served():
    async with asked({}) as client:
        assert (await client.get("/")).status_code == 404
        assert (await client.post("/readyz")).status_code == 405


async def test_a_port_that_is_taken_is_the_operators_matter():
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        serving = endpoints("127.0.0.1", taken.getsockname()[1], {}, {})
        with pytest.raises(OperatorError, match="health_port"):
            await serving.__aenter__()


async def test_a_bot_is_ready_while_it_hears_from_telegram(tmp_path: Path):
    channel = Channel()
    async with bot_checks(channel, Store(), tmp_path) as checks:
        assert [await check() for check in checks.values()] == [True, True, True, True]
        channel.silent_seconds = STALLED_SECONDS + 1
        assert not await checks["telegram"]()
        channel.silent_seconds, channel.listening = 0, False
        assert not await checks["telegram"]()


async def test_a_bot_that_hears_and_does_not_answer_is_not_ready(tmp_path: Path):
    async with bot_checks(Channel(handling=False), Store(), tmp_path) as checks:
        assert await checks["telegram"]()
        assert not await checks["handling"]()


async def test_a_memory_that_is_away_is_noticed(tmp_path: Path):
    store = Store()
    store.away = True
    async with bot_checks(Channel(), store, tmp_path) as checks:
        assert not await checks["memory"]()
        assert await checks["data"]()


async def test_what_costs_something_is_not_asked_at_every_probe():
    asked_for = 0

    async def costly() -> bool:
        nonlocal asked_for
        asked_for += 1
        return True

    rarely, always = cached_check(3600, costly), cached_check(0, costly)
    assert [await rarely() for _ in range(3)] == [True] * 3
    assert asked_for == 1
    assert [await always() for _ in range(3)] == [True] * 3
    assert asked_for == 4


async def test_what_hangs_is_not_asked_again_by_every_probe() -> None:
    times = 0

    async def hanging() -> bool:
        nonlocal times
        times += 1
        await asyncio.Event().wait()
        return True

    check = cached_check(60.0, hanging)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await check()
    assert not await check()
    assert times == 1


async def test_what_broke_is_not_well_until_it_is_asked_again() -> None:
    now, failing = 0.0, False

    async def check() -> bool:
        if failing:
            raise ZeroDivisionError
        return True

    remembered = cached_check(30.0, check, monotonic=lambda: now)
    assert await remembered()
    now, failing = 31.0, True
    with pytest.raises(ZeroDivisionError):
        await remembered()
    assert not await remembered(), "what it said before does not count"
    now, failing = 62.0, False
    assert await remembered()
