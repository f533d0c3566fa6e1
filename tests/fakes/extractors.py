"""Extractors for tests: real ones, with a simple idea of what is worth keeping."""

import asyncio
from datetime import UTC, tzinfo

from bot.offline.understanding import by_rules
from memory.learning.learner import Learner
from memory.learning.readings import Readings
from memory.ports import LongTermMemory
from memory.records import Actor, Evidence, Kind, Role
from memory.understanding import (
    Corrector,
    Extraction,
    ExtractionFailed,
    Extractor,
    Proposal,
    Reading,
    Reviewer,
    Understanding,
)


def learner(
    store: LongTermMemory,
    extractor: Extractor,
    corrector: Corrector | None = None,
    reviewer: Reviewer | None = None,
    *,
    seconds: float = 30.0,
    most: int = 30,
) -> Learner:
    """A learner that reads with this extractor."""
    understanding = Understanding(
        extractor, by_rules().summarizer, corrector=corrector, reviewer=reviewer
    )
    return Learner(store, understanding, Readings(store, _utc), seconds, most)


async def _utc(actor: Actor) -> tzinfo:
    return UTC


class EverySentence:
    """Keeps every message of the user as a fact; can be told to fail or to wait."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.calls = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def extract(self, reading: Reading) -> Extraction:
        self.calls += 1
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise ExtractionFailed("told to fail")
        proposals = tuple(
            Proposal(Kind.FACT, message.text, (Evidence(turn.id, message.text),))
            for turn in reading.turns
            for message in turn.messages
            if message.role is Role.USER
        )
        return Extraction(proposals, summary=f"A talk of {len(reading.turns)} turns.")


class NoSentence:
    """Finds nothing worth keeping."""

    async def extract(self, reading: Reading) -> Extraction:
        return Extraction(())
