"""A bot on Telegram with a real conversation and a model on a server, for tests that restart it."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic_ai.models import Model

from bot.assistant.agent import TurnLimits
from bot.assistant.conversation import Conversation
from bot.assistant.events import Conversing, Event, Reply
from bot.assistant.inbound import Message
from bot.assistant.instructions import Persona, system_prompt
from bot.models.catalogue import ModelAccess, model_from_name
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import Stage, stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import Completion, OpenAIServer
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS, CLARA = 1001, 1002, 1003
GROUP = -1000500
ANN, HOME = Actor.person(ANNA), Place("telegram", ANNA)
LIMITS = TurnLimits(model_timeout_seconds=1)
CONTINUE, AGAIN = ENGLISH.button_continue, ENGLISH.button_again


class Late:
    """A conversation that gets its memory later than a stage wants it. Once it `dies`, it goes no
    further than to its records."""

    inner: Conversing
    dies = False

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        async with aclosing(self.inner.reply(message)) as events:
            async for event in events:
                if self.dies and isinstance(event, Reply):
                    await asyncio.Event().wait()
                yield event


class Play:
    """A bot on Telegram with a model on a server."""

    def __init__(self, on: Stage, model: OpenAIServer, talk: Late) -> None:
        self.on, self.server, self.model, self.talk = on, on.server, model, talk

    async def asks(
        self, words: str, *replies: Completion, user: int = ANNA, ago: int = 0
    ) -> dict[str, Any]:
        """Say something, which the model answers so; the message, once that is all there."""
        self.model.script(*replies)
        message = await self.server.user(user).says(words, date=int(time.time()) - ago)
        await self.settles()
        return message

    async def settles(self) -> None:
        await self.server.wait_for(lambda: self.on.channel.listening)
        await self.server.wait_for(lambda: not self.server.world.pending)
        await self.on.channel.settle()

    async def presses(self, label: str, user: int = ANNA, chat: int = ANNA) -> None:
        """Press the newest button of this label."""
        under = [m for m in self.server.sent(chat) if label in labels_of(m)][-1]
        await self.server.user(user).presses(under, label)
        await self.settles()

    async def window(self, actor: Actor = ANN, place: Place = HOME) -> list[str]:
        """Who said what, as the model sees it."""
        history = await self.on.memory.talk.recall(actor, place, "?")
        return [f"{message.role}: {message.text}" for message in history.messages]

    @property
    def labels(self) -> list[str]:
        """The buttons in Anna's chat."""
        return [label for message in self.server.sent(ANNA) for label in labels_of(message)]

    @property
    def asked(self) -> str:
        """What the model was asked last."""
        content = self.model.requests[-1]["messages"][-1]["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        return str(parts[-1]["text"])


def labels_of(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


def _model(server: OpenAIServer) -> AbstractAsyncContextManager[Model]:
    access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
    return model_from_name("openai:small", access)


@asynccontextmanager
async def play(
    server: BotApiServer,
    folder: Path,
    model: OpenAIServer,
    store: TemporaryStore | None = None,
    **how: Any,
) -> AsyncIterator[Play]:
    late, store = Late(), store or TemporaryStore()
    persona = system_prompt(Persona(identity="You are a test."))
    async with (
        _model(model) as small,
        stage(server, folder, conversation=late, store=store, **how) as on,
    ):
        late.inner = Conversation(small, on.memory, persona, LIMITS, accounts=on.accounts)
        yield Play(on, model, late)
