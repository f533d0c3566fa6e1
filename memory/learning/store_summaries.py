"""Waits for the summaries that a store makes by itself of ended sessions."""

import asyncio
from collections.abc import Callable, Iterator

from memory.errors import MemoryFailure
from memory.ports import LongTermMemory
from memory.records import Actor, Kind, Session

_LOOKS = 5


class SummaryWatch:
    """Looks for the summaries of ended sessions in a store that `extracts`, so that the next
    profile has them. AWS takes about half a minute, does not report when it is done, and rewrites a
    summary when it reaches the session's later turns: so this keeps looking for `seconds`."""

    def __init__(
        self, store: LongTermMemory, on_change: Callable[[Actor], None], seconds: float
    ) -> None:
        self._store, self._on_change, self._seconds = store, on_change, seconds
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, session: Session) -> None:
        """Watch for this session's summary in the background."""
        task = asyncio.create_task(self._watch(session), name=f"summary of {session.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Stop. The next start reads every profile again."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, session: Session) -> None:
        seen: list[str] = []
        for pause in _pauses(self._seconds):
            await asyncio.sleep(pause)
            try:
                records = await self._store.records(session.actor, kinds=(Kind.SUMMARY,))
            except MemoryFailure:
                continue  # the store says in the log what is wrong with it
            found = [record.text for record in records if record.session_id == session.id]
            if found != seen:
                seen = found
                self._on_change(session.actor)


def _pauses(seconds: float) -> Iterator[float]:
    """The pauses before each look, each twice as long as the one before, `seconds` in total."""
    for look in range(_LOOKS):
        yield seconds * 2**look / (2**_LOOKS - 1)
