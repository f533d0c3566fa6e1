"""Extractors for tests: real ones, with a simple idea of what is worth keeping."""

import asyncio

from memory.ports import Extraction, ExtractionFailed, Proposal, Reading
from memory.records import Evidence, Kind, Role


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
