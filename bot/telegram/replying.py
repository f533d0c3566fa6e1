"""Replies: what was said goes to the conversation, what comes of it to the person."""

import asyncio
import time

import structlog

from bot.replies import Conversing, Failed, Finished, Inbound
from bot.telegram.inbox import Inbox
from bot.telegram.lanes import Said
from bot.telegram.rendering import is_blank
from bot.telegram.sender import Sender
from bot.telegram.texts import texts_in
from memory.errors import StoreUnavailable
from memory.records import Place

_log = structlog.get_logger(__name__)


class Replying:
    """Answers one thing said at a time in each place, and a limited number in all."""

    def __init__(
        self, conversation: Conversing, sender: Sender, inbox: Inbox, *, parallel: int
    ) -> None:
        """At most `parallel` replies are written at once; the others wait, typing."""
        self._conversation, self._sender, self._inbox = conversation, sender, inbox
        self._slots = asyncio.Semaphore(parallel)
        self._under_way: dict[Place, asyncio.Task[Finished | Failed]] = {}

    async def answer(self, said: Said) -> None:
        """Have the conversation answer, and deliver the answer. Nothing is said if it was
        stopped."""
        started = time.monotonic()
        async with self._sender.typing(said.inbound.place):
            outcome = await self._outcome(said.inbound)
        if outcome is None:
            return
        text = outcome.text
        if is_blank(text):
            text = texts_in(said.inbound.language).no_answer
        if isinstance(outcome, Finished):
            await self._keep(said, text)
        delivered = await self.deliver(said, text)
        _log.info(
            "replied",
            actor=said.inbound.actor.id,
            updates=len(said.update_ids),
            failed=isinstance(outcome, Failed),
            delivered=delivered,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    async def deliver(self, said: Said, text: str) -> bool:
        """Send a reply; in a group, as an answer to the message it belongs to."""
        inbound = said.inbound
        answering = said.message_ids[-1] if inbound.actor.is_group else None
        return await self._sender.send(inbound.place, text, answering=answering)

    def stop(self, place: Place) -> bool:
        """End the reply that is being written there; whether there was one."""
        writing = self._under_way.get(place)
        return writing is not None and writing.cancel()

    async def _outcome(self, inbound: Inbound) -> Finished | Failed | None:
        """What the conversation ended with, or None if it was stopped."""
        writing = asyncio.create_task(self._write(inbound), name=f"reply {inbound.id}")
        self._under_way[inbound.place] = writing
        try:
            await asyncio.wait((writing,))
        finally:
            del self._under_way[inbound.place]
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
        return None if writing.cancelled() else writing.result()

    async def _write(self, inbound: Inbound) -> Finished | Failed:
        outcome: Finished | Failed | None = None
        async with self._slots:
            async for event in self._conversation.reply(inbound):
                if isinstance(event, Finished | Failed):
                    outcome = event
        if outcome is None:
            raise RuntimeError("the conversation ended without an outcome")
        return outcome

    async def _keep(self, said: Said, text: str) -> None:
        """The turn is recorded: from here on the answer must not be asked for again."""
        try:
            await self._inbox.keep_reply(said.update_ids, text)
        except StoreUnavailable as failure:
            _log.warning("inbox_unavailable", error=str(failure))
