"""What a stream's pieces are read as: what OpenAI's library makes of them, but fewer and faster."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.models.openai import OpenAIChatModel

from bot.models.catalogue import ModelAccess
from bot.models.vendors.openai import own_server
from bot.models.wire.chunks import ChunkStream, chunk_of, merge_texts
from bot.models.wire.tolerant import TolerantModel
from tests.fakes.openai_server import Completion, OpenAIServer, text

CHUNK = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1_700_000_000,
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}],
}


@pytest.mark.parametrize(
    "data",
    [
        CHUNK,
        CHUNK | {"choices": []},
        CHUNK | {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]},
        CHUNK | {"choices": None},
        CHUNK | {"id": None, "usage": {"prompt_tokens": "many"}},
        CHUNK | {"choices": [{"index": 0, "delta": {"tool_calls": [{"function": {}}]}}]},
        CHUNK | {"choices": [{"index": 0, "delta": {}, "finish_reason": "eos"}]},
        {},
    ],
)
def test_a_chunk_is_the_one_that_the_library_makes(data: dict[str, Any]) -> None:
    chunk = chunk_of(data)
    assert chunk == ChatCompletionChunk.construct(**data)
    assert isinstance(chunk, ChatCompletionChunk)


def piece(text: str | None = None, **delta: Any) -> dict[str, Any]:
    content = {} if text is None else {"content": text}
    return CHUNK | {"choices": [{"index": 0, "delta": content | delta, "finish_reason": None}]}


def test_texts_that_follow_each_other_are_one() -> None:
    merged = list(merge_texts([piece("I "), piece("work "), piece("at Acme")]))
    assert merged == [piece("I work at Acme")]


def test_thoughts_are_not_taken_for_the_answer() -> None:
    thinking = [piece(content=None, reasoning_content=word) for word in ("Well, ", "well.")]
    answer = [piece(content=word, reasoning_content=None) for word in ("Hel", "lo.")]
    assert list(merge_texts([*thinking, *answer])) == [
        piece(content=None, reasoning_content="Well, well."),
        piece(content="Hello.", reasoning_content=None),
    ]


def test_what_hides_the_length_of_a_text_keeps_no_texts_apart() -> None:
    (merged,) = merge_texts(
        [piece("I ") | {"obfuscation": "x"}, piece("am") | {"obfuscation": "y"}]
    )
    assert merged["choices"] == piece("I am")["choices"]


CALL = {"index": 0, "id": "c", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize(
    "other",
    [
        piece(role="assistant", content=""),
        piece("too", tool_calls=[CALL]),
        CHUNK | {"choices": []},
        CHUNK | {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]},
        CHUNK | {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": None}]},
        piece("x") | {"usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}},
        piece("x") | {"id": "another"},
        piece(content=None),
        {"error": {"message": "overloaded"}},
        "not JSON's object",
    ],
)
def test_what_brings_more_than_text_stays_as_it_is(other: Any) -> None:
    assert list(merge_texts([piece("a"), other, piece("b")])) == [piece("a"), other, piece("b")]


@given(
    st.lists(
        st.one_of(
            st.text().map(piece),
            st.text().map(lambda text: piece(reasoning_content=text)),
            st.sampled_from([CHUNK | {"choices": []}, piece(tool_calls=[CALL])]),
        )
    )
)
def test_nothing_is_lost_and_nothing_changes_places(pieces: list[dict[str, Any]]) -> None:
    def said(pieces: list[dict[str, Any]]) -> list[tuple[str, Any]]:
        """Every letter and every other thing, in order."""
        parts: list[tuple[str, Any]] = []
        for one in pieces:
            for delta in [choice["delta"] for choice in one["choices"]] or [{"nothing": ["-"]}]:
                parts += [(kind, part) for kind, value in delta.items() for part in value]
        return parts

    assert said(list(merge_texts(pieces))) == said(pieces)


@asynccontextmanager
async def stream_of(reply: Completion) -> AsyncIterator[ChunkStream]:
    async with OpenAIServer() as server:
        server.script(reply)
        access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        tolerant = own_server("m", server.base_url, access)
        assert isinstance(tolerant, TolerantModel)
        assert isinstance(tolerant.wrapped, OpenAIChatModel)
        async with tolerant:
            stream: Any = await tolerant.wrapped.client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "Hi"}], tools=[], stream=True
            )
            assert isinstance(stream, ChunkStream)
            yield stream


def readers() -> list[str]:
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name() == "read model"]


async def test_what_arrives_while_the_reader_is_busy_is_one() -> None:
    words = [f"{number} " for number in range(50)]
    async with stream_of(text(*words)) as stream:
        texts = []
        async for chunk in stream:
            texts += [choice.delta.content for choice in chunk.choices]
            await asyncio.sleep(0.1)
    assert "".join(text or "" for text in texts) == "".join(words)
    assert len(texts) < 10
    assert not readers()


async def test_a_stream_that_breaks_off_raises_after_what_was_said() -> None:
    said: list[str] = []

    async def read(stream: ChunkStream) -> None:
        async for chunk in stream:
            said.extend(choice.delta.content or "" for choice in chunk.choices)

    async with stream_of(Completion(("Hel", "lo"), drop=True, stall=0.2)) as stream:
        with pytest.raises(openai.APIConnectionError):
            await read(stream)
    assert "".join(said) == "Hello"
    assert not readers()


async def test_who_stops_reading_leaves_nobody_reading() -> None:
    async with stream_of(Completion(("Hel", "lo"), stall=30)) as stream:
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        assert readers()
        await stream.close()
        assert not readers()
