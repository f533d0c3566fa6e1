"""Notices: what the bot says unasked."""

import asyncio

from bot.texts import Sentence
from memory.records import Place


class Notices:
    """A queue of sentences, each with its place."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[Place, Sentence]] = asyncio.Queue()

    def put(self, place: Place, sentence: Sentence) -> None:
        self._waiting.put_nowait((place, sentence))

    async def get(self) -> tuple[Place, Sentence]:
        """The next one; call `mark_taken` once the channel has it."""
        return await self._waiting.get()

    def mark_taken(self) -> None:
        self._waiting.task_done()

    async def settle(self) -> None:
        """Return when all notices so far have been taken."""
        await self._waiting.join()
