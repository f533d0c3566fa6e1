"""Weak servers, asked for whole answers; streams are in the wire tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic_ai import Agent, ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import PartEndEvent, PartStartEvent, ThinkingPart, UserPromptPart

from bot.models.catalogue import ModelAccess, model_from_name
from bot.models.wire.plain_messages import merge_neighbours
from tests.fakes.openai_server import Completion, OpenAIServer, refusing, text

CALL = '{"name": "double", "arguments": {"number": 21}}'


def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@asynccontextmanager
async def asking(*replies: Completion) -> AsyncIterator[tuple[Agent[object, str], OpenAIServer]]:
    async with OpenAIServer() as server:
        server.script(*replies)
        access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        async with model_from_name("openai:small", access) as model:
            yield Agent(model, tools=[double]), server
        assert server.refused == []


async def test_a_call_written_as_text_is_made() -> None:
    async with asking(text(f"Let me see. ```json\n{CALL}\n```"), text("It is 42.")) as (
        agent,
        server,
    ):
        assert (await agent.run("What is twice 21?")).output == "It is 42."
        assert server.requests[1]["messages"][-1]["content"] == "42"


async def test_a_server_that_breaks_on_tools_is_asked_again_without_them() -> None:
    broken = Completion(
        status=500, message="peg-native", with_tools_only=True, otherwise=text("Hello.")
    )
    async with asking(broken) as (agent, server):
        assert (await agent.run("Hi")).output == "Hello."
        assert ["tools" in request for request in server.requests] == [True, False]


async def test_other_errors_are_passed_on() -> None:
    async with asking(refusing(503, "loading")) as (agent, server):
        with pytest.raises(ModelHTTPError):
            await agent.run("Hi")
        assert len(server.requests) == 1


async def test_thoughts_stay_thoughts() -> None:
    async with (
        asking(Completion(("42",), thoughts=("Twice ", "21."))) as (agent, _),
        agent.run_stream_events("What is twice 21?") as events,
    ):
        seen = [event async for event in events]
    started = [event.part for event in seen if isinstance(event, PartStartEvent)]
    assert [type(part) for part in started] == [ThinkingPart, TextPart]
    ended = [event.part for event in seen if isinstance(event, PartEndEvent)]
    assert [getattr(part, "content", None) for part in ended] == ["Twice 21.", "42"]


def test_an_empty_answer_leaves_no_gap_between_two_requests() -> None:
    said: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart("a")]),
        ModelResponse(parts=[TextPart(" ")]),
        ModelRequest(parts=[UserPromptPart(["b", "c"])]),
        ModelResponse(parts=[TextPart("d")]),
    ]
    first, answer = merge_neighbours(said)
    (part,) = first.parts
    assert isinstance(part, UserPromptPart)
    assert part.content == ["a", "b", "c"]
    assert answer is said[-1]
