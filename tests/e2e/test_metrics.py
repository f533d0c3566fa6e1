"""`/metrics` of the installed command: its numbers follow what people do, and tell nothing of
them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.bot.operations.test_endpoints import free_port
from tests.e2e.command import PATIENCE
from tests.e2e.test_telegram import ANNA, Talk, all_answered, running
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import OpenAIServer, refusing, text
from tests.fakes.postgres_process import PostgresProcess
from tests.scraped import Scraped, scraped


async def look(client: httpx.AsyncClient, port: int) -> tuple[str, Scraped]:
    answer = await client.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return answer.text, scraped(answer.text)


async def test_the_numbers_follow_what_people_do_and_tell_nothing_of_them(tmp_path: Path):
    port, replies = free_port(), [text("Hello", " Anna."), refusing(401, "who are you?")]
    async with (
        BotApiServer() as server,
        OpenAIServer(replies=replies) as model,
        httpx.AsyncClient() as client,
        running(
            server,
            tmp_path,
            MORDECAI_HEALTH_PORT=str(port),
            MORDECAI_MODEL="openai:test",
            MORDECAI_MODEL_BASE_URL=model.base_url,
            MORDECAI_MODEL_API_KEY="right",
            MORDECAI_GREETING="false",
        ),
    ):
        server.fail("sendMessage", retry_after=1)
        anna = Talk(server, ANNA)
        assert await anna.say("I work at Acme Corp") == "Hello Anna."
        await anna.say("and at Globex")
        await all_answered(tmp_path / "data" / "inbox.sqlite")
        shown, now = await look(client, port)
    assert now.value("mordecai_updates_total") == 2
    assert now.value("mordecai_turns_total", outcome="answered") == 1
    assert now.value("mordecai_turns_total", outcome="failed") == 1
    assert now.value("mordecai_turn_failures_total", kind="bad_credentials") == 1
    assert now.value("mordecai_log_events_total", level="warning", event="turn_failed") == 1
    assert now.value("mordecai_reply_seconds_count") == 2
    assert now.value("mordecai_model_tokens_total", purpose="turn", kind="input") == 90
    assert now.value("mordecai_model_tokens_total", purpose="turn", kind="output") == 10
    assert now.value("mordecai_telegram_requests_total", method="sendMessage", status="200") == 2
    assert now.value("mordecai_telegram_requests_total", method="sendMessage", status="429") == 1
    assert now.value("mordecai_waiting_inbounds") == 0
    assert now.value("mordecai_part_up", part="inbox") == 1
    assert now.value("mordecai_part_up", part="memory") == 1
    assert now.has("mordecai_extraction_waiting")
    for word in ("Acme", "Globex", "Anna", str(ANNA), server.token, "test"):
        assert word not in shown


@pytest.fixture
def postgres() -> Iterator[PostgresProcess]:
    process = PostgresProcess()
    yield process
    process.end()


async def test_a_worker_tells_its_leases_and_goes_on_telling_while_the_database_is_away(
    tmp_path: Path, postgres: PostgresProcess
):
    port = free_port()
    async with (
        BotApiServer() as server,
        httpx.AsyncClient() as client,
        running(
            server,
            tmp_path,
            MORDECAI_HEALTH_PORT=str(port),
            MORDECAI_DATABASE_URL=postgres.url,
        ),
    ):
        await Talk(server, ANNA).say("I work at Acme Corp")
        _, now = await look(client, port)
        # On Anna, and on polling for all.
        assert now.value("mordecai_leases_held") >= 2
        assert now.value("mordecai_part_up", part="inbox") == 1
        postgres.stop()
        async with asyncio.timeout(PATIENCE):
            while now.value("mordecai_part_up", part="inbox"):
                await asyncio.sleep(0.2)
                _, now = await look(client, port)
        assert not now.has("mordecai_waiting_inbounds")
        assert now.value("mordecai_part_up", part="leases") == 1
        assert now.value("mordecai_updates_total") == 1
        postgres.start()
