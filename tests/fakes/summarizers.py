"""Summarizers for tests: real ones, with a simple idea of what a summary is."""

import asyncio
from collections.abc import Sequence

from memory.records import Turn
from memory.understanding import ExtractionFailed


class Numbering:
    """Sums up by naming the turns' own words; can be told to fail or to wait. `calls` has what each
    call was given: the ids of the turns, and the earlier summary."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.calls: list[tuple[tuple[str, ...], str | None]] = []
        self.under_way = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        self.calls.append((tuple(turn.id for turn in turns), earlier))
        self.under_way.set()
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise ExtractionFailed("told to fail")
        said = ", ".join(turn.said for turn in turns)
        return f"{earlier or 'Summed up:'} {said}"
