"""A conversation that does what its listener needs: echo, take its time, fail, break."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from bot.assistant.events import Event, Reply, TextDelta, ToolCalled
from bot.assistant.inbound import Message


class Echo:
    """Answers every inbound with `you said: …` at once, and keeps what it was asked.

    `held` inbounds wait until their event is set; `answers` gives other answers: a text, a Reply,
    or an exception to raise."""

    def __init__(self, answer: Callable[[Message], str | Reply | Exception] | None = None) -> None:
        self.heard: list[Message] = []
        self.finished: list[str] = []
        self.cancelled: list[str] = []
        self.running = 0
        self.most_running = 0
        self._answer = answer or (lambda inbound: f"you said: {inbound.text}")
        self._holds: dict[str, asyncio.Event] = {}

    def hold(self, text: str) -> asyncio.Event:
        """Do not answer this text before the event is set."""
        return self._holds.setdefault(text, asyncio.Event())

    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        self.heard.append(inbound)
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        try:
            if inbound.text in self._holds:
                await self._holds[inbound.text].wait()
            answer = self._answer(inbound)
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, Reply):
                yield answer
                return
            self.finished.append(inbound.text)
            yield Reply(answer, markdown=True)
        except asyncio.CancelledError:
            self.cancelled.append(inbound.text)
            raise
        finally:
            self.running -= 1


class Writer:
    """Writes what a test dictates, when it dictates it: to whoever asks, one after the other."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        #: How many events whoever asked has taken.
        self.taken = 0
        self._dictated: asyncio.Queue[Event | Exception] = asyncio.Queue()

    def writes(self, text: str) -> None:
        """Write a further piece."""
        self._dictated.put_nowait(TextDelta(text))

    def calls_a_tool(self) -> None:
        """Look something up."""
        self._dictated.put_nowait(ToolCalled("search_memory"))

    def finishes(self, text: str, footer: str = "") -> None:
        """Be done with this as the whole reply, and a footer below."""
        self._dictated.put_nowait(Reply(text, markdown=True, footer=footer))

    def fails(self, text: str) -> None:
        """Give up with this sentence."""
        self._dictated.put_nowait(Reply(text, failure="failed"))

    def breaks(self) -> None:
        """Raise what nobody expects."""
        self._dictated.put_nowait(ZeroDivisionError())

    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        self.heard.append(inbound)
        while True:
            event = await self._dictated.get()
            if isinstance(event, Exception):
                raise event
            yield event
            self.taken += 1
            if isinstance(event, Reply):
                return
