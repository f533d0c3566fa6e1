"""What a stream's pieces are read as: what OpenAI's library makes of them, faster."""

from typing import Any

import pytest
from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.models.openai import OpenAIChatModel

from bot.models.catalogue import ModelAccess
from bot.models.vendors.openai import Chunk, own_server
from bot.models.wire.tolerant import TolerantModel
from tests.fakes.openai_server import OpenAIServer

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
    chunk = Chunk.build(response=None, data=data)
    assert chunk == ChatCompletionChunk.construct(**data)
    assert isinstance(chunk, ChatCompletionChunk)


async def test_a_stream_is_read_by_it() -> None:
    async with OpenAIServer() as server:
        access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        tolerant = own_server("m", server.base_url, access)
        assert isinstance(tolerant, TolerantModel)
        assert isinstance(tolerant.wrapped, OpenAIChatModel)
        async with tolerant:
            stream = await tolerant.wrapped.client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "Hi"}], tools=[], stream=True
            )
            texts = [chunk.choices[0].delta.content async for chunk in stream]
    assert getattr(stream, "__orig_class__", None) == AsyncStream[Chunk]
    assert texts == [None, "Hello.", None]
