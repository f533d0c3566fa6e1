"""The bot without a channel: conversation, memory and journal as the program joins them, on any
store."""

import uuid
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.assistant.conversation import Conversation
from bot.assistant.instructions import Persona, system_prompt
from bot.offline.notebook import offline_model
from bot.offline.understanding import by_rules
from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Actor, Place
from tests.fakes.files import journal_in
from tests.fakes.messages import is_answer, message

PERSONA = system_prompt(Persona(identity="You are Mordecai."))


@dataclass(frozen=True)
class Bot:
    """Answers anybody's words. Each actor has one private place."""

    conversation: Conversation
    memory: Memory

    async def hears(self, actor: Actor, text: str) -> str:
        """One whole turn, to the moment at which it is recorded; the reply."""
        now = datetime.now(UTC)
        inbound = message(uuid.uuid4().hex, actor, place_of(actor), text, now)
        async for event in self.conversation.reply(inbound):
            if is_answer(event):
                return event.text
        raise AssertionError(f"no reply to {text!r}")


def place_of(actor: Actor) -> Place:
    """Where this actor talks."""
    return Place("telegram", int(actor.id[1:]))


@asynccontextmanager
async def open_bot(
    store: Store, directory: Path, options: MemoryOptions | None = None
) -> AsyncIterator[Bot]:
    """A bot on this store, with its journal in the directory and a thread pool of its own for it,
    as big as the program's."""
    with ThreadPoolExecutor(8, "files") as pool:
        async with (
            journal_in(directory / "journal.sqlite", pool) as journal,
            Memory(store, journal, by_rules(), options) as memory,
        ):
            yield Bot(Conversation(offline_model(), memory, PERSONA), memory)
