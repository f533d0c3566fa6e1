"""Greetings: one sentence that picks up the last conversation at the start of a new one."""

import asyncio
from typing import Protocol

import structlog

from memory.background.caches import BoundedDict
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Record
from memory.understanding import ExtractionFailed

_log = structlog.get_logger(__name__)

#: The longest wait for a greeting, in seconds.
PATIENCE = 4.0
#: Maximum topics in a greeting.
_TOPICS = 3
#: The sentences of so many people are kept.
_MOST_WRITTEN = 1_000


class Greeter(Protocol):
    """Writes a greeting from the summary of the last conversation."""

    async def greet(self, summary: Record) -> str:
        """One sentence in the summary's language. Raises ExtractionFailed."""
        ...


class Greetings:
    """Picks up the last conversation when a new one begins. On failure there is no greeting."""

    def __init__(
        self,
        memory: Memory,
        greeter: Greeter | None = None,
        patience: float = PATIENCE,
        *,
        wanted: bool = True,
    ) -> None:
        """Without a greeter, greetings only list topics; unless `wanted`, there are none.
        `patience` is in seconds."""
        self._memory, self._greeter, self._patience = memory, greeter, patience
        self._wanted = wanted
        # By actor: the summary that was last taken up, and how.
        self._written = BoundedDict[Actor, tuple[str, str]](_MOST_WRITTEN)

    async def sentence(self, actor: Actor, topics: str) -> str | None:
        """A greeting, or None if there is no last conversation. `topics` is the template, with
        `{topics}`, for greetings without a greeter."""
        if not self._wanted:
            return None
        try:
            async with asyncio.timeout(self._patience):
                async with asyncio.timeout(self._memory.options.memory_recall_timeout_seconds):
                    summaries = (await self._memory.talk.profile(actor)).summaries
                if not summaries:
                    self._written.pop(actor, None)
                    return None
                if self._greeter:
                    return await self._model_greeting(self._greeter, actor, summaries[-1])
        except (StoreUnavailable, ExtractionFailed, TimeoutError) as failure:
            _log.info("greeting_failed", actor=actor.id, error=type(failure).__name__)
            return None
        named = ", ".join(summaries[-1].topics[:_TOPICS])
        return topics.format(topics=named) if named else None

    async def _model_greeting(self, greeter: Greeter, actor: Actor, last: Record) -> str:
        """Ask the model once per last conversation and reuse the sentence, because commands are not
        limited. Raises ExtractionFailed."""
        known, sentence = self._written.get(actor, ("", ""))
        if known != last.id:
            sentence = await greeter.greet(last)
            self._written[actor] = last.id, sentence
        return sentence
