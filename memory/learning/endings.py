"""How sessions end, and who waits for what is learned from them, by us or by the store itself."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from memory.errors import MemoryFailure
from memory.ports import LongTermMemory
from memory.records import Actor, Change, Kind, Session

#: Hears of a session that was saved, with what it changed, or a private one that ended, when nobody
#: waited for it.
Observer = Callable[[Session, tuple[Change, ...]], Awaitable[None]]


class Outcome(StrEnum):
    """How an extraction ended."""

    SAVED = "saved"
    NOTHING = "nothing"
    LATER = "later"
    #: The session was private: nothing of it was to be kept.
    DISCARDED = "discarded"


@dataclass(slots=True)
class Ending:
    """The ending of a session. The caller that ended it may wait for the outcome and tell the user;
    if nobody waits, the observer is called when the session is saved. `changes` are those of the
    memory that it brought, once there is an outcome; a store that extracts by itself tells none."""

    session: Session
    changes: tuple[Change, ...] = ()
    _outcome: "asyncio.Future[Outcome]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _awaited: bool = False

    @classmethod
    def of_private(cls, session: Session) -> "Ending":
        """The ending of a private session, with nothing to wait for."""
        ending = cls(session)
        ending.finish(Outcome.DISCARDED)
        return ending

    async def wait(self, seconds: float) -> Outcome:
        """The outcome, or LATER after `seconds`; then the observer is called instead."""
        self._awaited = True
        try:
            return await asyncio.wait_for(asyncio.shield(self._outcome), seconds)
        except TimeoutError:
            # It may have come together with the end of the time.
            return self._outcome.result() if self._outcome.done() else Outcome.LATER
        finally:
            self._awaited = False

    def finish(self, outcome: Outcome, changes: tuple[Change, ...] = ()) -> bool:
        """Set the outcome. True if somebody is waiting for it."""
        if not self._outcome.done():
            self.changes = changes
            self._outcome.set_result(outcome)
        return self._awaited


class Endings:
    """The endings without an outcome so far, and the observer of those nobody waits for."""

    def __init__(self) -> None:
        self._pending: dict[str, Ending] = {}
        self._observer: Observer | None = None

    def subscribe(self, observer: Observer) -> None:
        self._observer = observer

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._pending

    def sessions(self) -> list[Session]:
        """The sessions without an outcome so far."""
        return [ending.session for ending in self._pending.values()]

    def expect(self, session: Session) -> Ending:
        """Create the ending of a session whose outcome is still to come."""
        ending = self._pending[session.id] = Ending(session)
        return ending

    async def finish(
        self, session: Session, outcome: Outcome, changes: tuple[Change, ...] = ()
    ) -> None:
        """Give the outcome to the waiting caller, or else to the observer. Nobody waits for a
        retry."""
        ending = self._pending.pop(session.id, None)
        heard = ending.finish(outcome, changes) if ending else False
        if outcome in (Outcome.SAVED, Outcome.DISCARDED) and not heard and self._observer:
            await self._observer(session, changes)


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
