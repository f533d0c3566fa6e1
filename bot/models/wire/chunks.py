"""Reads the pieces of a stream from OpenAI's chat completions, fewer and cheaper than the library
does.

A model writes hundreds of pieces, and each of them passes through a dozen generators of
pydantic-ai. So pieces that arrive while the program is busy become one: the busier it is, the
fewer pieces there are. No text waits for another."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic import ValidationError

#: What a model writes piece by piece, by the names that servers use.
_TEXTS = ("content", "reasoning_content", "reasoning")


class _Received:
    """Makes the library pass a piece on as it came."""

    @staticmethod
    def build(*, response: object, data: object) -> object:
        return data


class ChunkStream(AsyncStream[_Received]):
    """A stream of chunks. Chunks that wait together and differ only in their texts become one."""

    _reading: "asyncio.Task[None] | None" = None

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:  # type: ignore[override]
        arrived: list[Any] = []
        news = asyncio.Event()
        reading = self._reading = asyncio.create_task(self._read(arrived, news), name="read model")
        reading.add_done_callback(lambda _: news.set())
        try:
            while arrived or not reading.done():
                await news.wait()
                news.clear()
                pieces = arrived.copy()
                arrived.clear()
                for piece in merge_texts(pieces):
                    yield chunk_of(piece)
            if not reading.cancelled():
                reading.result()
        finally:
            await self._stop()

    async def close(self) -> None:
        """Release the connection. Iterating ends, as if nothing more had come."""
        await self._stop()
        await super().close()

    async def _read(self, arrived: list[Any], news: asyncio.Event) -> None:
        async for piece in super().__aiter__():
            arrived.append(piece)
            news.set()

    async def _stop(self) -> None:
        if self._reading:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


def merge_texts(pieces: Iterable[Any]) -> Iterator[Any]:
    """The pieces; neighbours that differ only in their texts become one."""
    last = None
    for piece in pieces:
        if (both := _both(last, piece)) is not None:
            last = both
        else:
            if last is not None:
                yield last
            last = piece
    if last is not None:
        yield last


def _both(one: object, other: object) -> object | None:
    """The two pieces as one; None if the second one brings more than text."""
    match one, other:
        case (
            {"choices": [{"delta": dict(said), **choice}], **chunk},
            {"choices": [{"delta": dict(more), **next_choice}], **next_chunk},
        ) if choice == next_choice and _without_padding(chunk) == _without_padding(next_chunk):
            texts = {
                key: f"{said[key]}{more[key]}"
                for key in _TEXTS
                if isinstance(said.get(key), str) and isinstance(more.get(key), str)
            }
            # Equal pieces of a tool's arguments are two pieces.
            merges = texts.keys() | {"role"} | {key for key, value in said.items() if value is None}
            if texts and said.keys() <= merges and said | texts == more | texts:
                return {**chunk, "choices": [{**choice, "delta": said | texts}]}
    return None


def _without_padding(chunk: dict[object, object]) -> dict[object, object]:
    """The chunk without what OpenAI adds to hide the lengths of the texts."""
    return {key: value for key, value in chunk.items() if key != "obfuscation"}


def chunk_of(data: object) -> Any:
    """The chunk that the library would make, in a twentieth of the time. The library builds each
    field by itself, so that invalid data does not raise; here only invalid data is built so."""
    try:
        return ChatCompletionChunk.model_validate(data)
    except ValidationError:
        return ChatCompletionChunk.construct(**data) if isinstance(data, Mapping) else data
