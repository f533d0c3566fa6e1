"""The installed command sends spans of what models do, with people's texts only if told to."""

import sys
from pathlib import Path

import pytest

from bot.errors import OperatorError
from bot.models.tracing import tracing
from tests.e2e.test_telegram import ANNA, Talk, running
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import OpenAIServer, calling, text
from tests.fakes.otlp import OtlpCollector


async def collect(folder: Path, **variables: str) -> OtlpCollector:
    """What a turn with a tool call, and another one that fails, make the command send."""
    replies = [
        calling("search_memory", '{"query": "Acme Corp"}'),
        text("You work at", " Globex."),
        text("Again."),
    ]
    async with (
        BotApiServer() as server,
        OpenAIServer(replies=replies) as model,
        OtlpCollector() as collector,
    ):
        async with running(
            server,
            folder,
            MORDECAI_MODEL="openai:test",
            MORDECAI_MODEL_BASE_URL=model.base_url,
            MORDECAI_MODEL_API_KEY="right",
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            **variables,
        ):
            anna = Talk(server, ANNA)
            assert "Globex" in await anna.say("where is Acme Corp?")
        return collector


async def test_a_turn_makes_spans_with_tokens_and_without_texts(tmp_path: Path):
    pytest.importorskip("opentelemetry.sdk")
    collector = await collect(tmp_path)
    names = [span.name for span in collector.spans]
    assert names.count("chat test") == 2
    assert "invoke_agent mordecai" in names
    assert "execute_tool search_memory" in names
    assert {span.service for span in collector.spans} == {"mordecai"}
    chats = [span.attributes for span in collector.spans if span.name == "chat test"]
    for chat in chats:
        assert chat["gen_ai.usage.input_tokens"] == 90
        assert chat["gen_ai.usage.output_tokens"] == 10
    sent = b"".join(collector.bodies)
    for word in ("Acme", "Globex", str(ANNA)):
        assert word.encode() not in sent


async def test_texts_are_sent_if_the_operator_wants_them(tmp_path: Path):
    pytest.importorskip("opentelemetry.sdk")
    sent = b"".join((await collect(tmp_path, MORDECAI_OTEL_CONTENT="true")).bodies)
    for word in (b"Acme", b"Globex"):
        assert word in sent


async def test_a_missing_extra_is_the_operators_matter(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(OperatorError, match=r"otel_endpoint.*mordecai-assistant\[otel\]"):
        async with tracing("http://127.0.0.1:4318", content=False):
            pass
