"""How a new conversation with somebody known begins: one sentence that takes up the last one."""

import asyncio
from typing import Protocol

import structlog

from memory.background.caches import BoundedDict
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.ports import ExtractionFailed
from memory.records import Actor, Record

_log = structlog.get_logger(__name__)

#: A greeting is worth this many seconds of somebody's time, and no more.
PATIENCE = 4.0
#: A greeting names at most so many topics: it is no recital.
_TOPICS = 3
#: The sentences of so many people are kept.
_MOST_WRITTEN = 1_000


class Greeter(Protocol):
    """Writes a greeting from what the last conversation was about."""

    async def greet(self, summary: Record) -> str:
        """One sentence in the summary's language. Raises ExtractionFailed."""
        ...


class Greetings:
    """Takes up the last conversation where a new one begins. Never fails: then there is none."""

    def __init__(
        self,
        memory: Memory,
        greeter: Greeter | None = None,
        patience: float = PATIENCE,
        *,
        wanted: bool = True,
    ) -> None:
        """Without a greeter there are topics only; where they are not `wanted`, there are no
        greetings. `patience` in seconds."""
        self._memory, self._greeter, self._patience = memory, greeter, patience
        self._wanted = wanted
        # By actor: the summary that was last taken up, and how.
        self._written = BoundedDict[Actor, tuple[str, str]](_MOST_WRITTEN)

    async def sentence(self, actor: Actor, topics: str) -> str | None:
        """A greeting, or None for whom nothing is known of. `topics` is the template, with
        `{topics}`, of what is said where no greeter writes a sentence of its own."""
        if not self._wanted:
            return None
        try:
            async with asyncio.timeout(self._patience):
                summaries = (await self._memory.talk.profile(actor)).summaries
                if not summaries:
                    self._written.pop(actor, None)
                    return None
                if self._greeter:
                    return await self._greet(self._greeter, actor, summaries[-1])
        except (StoreUnavailable, ExtractionFailed, TimeoutError) as failure:
            _log.info("greeting_failed", actor=actor.id, error=type(failure).__name__)
            return None
        named = [self._addressed(topic) for topic in summaries[-1].topics[:_TOPICS]]
        return topics.format(topics=", ".join(named)) if named else None

    async def _greet(self, greeter: Greeter, actor: Actor, last: Record) -> str:
        """One sentence for each last conversation: asking again and again costs nothing, as
        commands have no limit. Raises ExtractionFailed."""
        known, sentence = self._written.get(actor, ("", ""))
        if known != last.id:
            sentence = await greeter.greet(last)
            self._written[actor] = last.id, sentence
        return sentence

    def _addressed(self, topic: str) -> str:
        """A topic, kept in the person's words, as one says it to them: "your garden"."""
        turned = self._memory.rules.second_person(topic)
        return turned[:1].lower() + turned[1:] if topic[:1].islower() else turned
