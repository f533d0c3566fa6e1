"""Conversations with models of the fake Bedrock, by any name and with any options."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog
from structlog.typing import EventDict

from bot.assistant.conversation import Conversation
from bot.assistant.events import Reply
from bot.assistant.instructions import Persona, system_prompt
from bot.models.configured import models_of
from bot.offline.notebook import offline_model
from bot.options import turn_limits
from bot.settings import Settings
from memory.memory import Memory
from memory.records import Actor, Place
from tests.fakes.aws import FakeAws
from tests.fakes.memories import NOON, open_memory
from tests.fakes.messages import is_answer, is_failure, message

ANNA, HOME = Actor.person(1), Place("telegram", 1)
PERSONA = system_prompt(Persona(identity="You are a test. " + "Be kind and patient. " * 300))


class Talk:
    """A conversation, and what came of it."""

    def __init__(self, aws: FakeAws, memory: Memory, talk: Conversation) -> None:
        self.aws, self.memory, self._talk = aws, memory, talk
        self.logs: list[EventDict] = []

    async def say(self, words: str) -> Reply:
        with structlog.testing.capture_logs() as self.logs:
            inbound = message(uuid.uuid4().hex, ANNA, HOME, words, NOON)
            last = [event async for event in self._talk.reply(inbound)][-1]
        assert isinstance(last, Reply)
        return last

    async def answer(self, words: str = "Hi") -> str:
        last = await self.say(words)
        assert is_answer(last), (last, self.logs)
        return last.text

    async def failure(self, words: str = "Hi") -> EventDict:
        last = await self.say(words)
        assert is_failure(last), last
        return {**self.logged("turn_failed"), "told": last.text}

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [call.params for call in self.aws.calls if "Converse" in call.operation]

    def logged(self, event: str) -> EventDict:
        (line,) = [entry for entry in self.logs if entry["event"] == event]
        return line


def settings_of(aws: FakeAws, model: str, **more: Any) -> Settings:
    region = more.pop("region", "us-east-1")
    return Settings(model=f"bedrock:{model}", aws_region=region, aws_endpoint_url=aws.url, **more)


@asynccontextmanager
async def talking(aws: FakeAws, model: str, **more: Any) -> AsyncIterator[Talk]:
    settings = settings_of(aws, model, **more)
    made = models_of(settings, offline_model)
    async with made, open_memory() as memory:
        talk = Conversation(made, memory, PERSONA, turn_limits(settings), lambda: NOON)
        yield Talk(aws, memory, talk)
