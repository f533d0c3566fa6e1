"""How sessions end, and who waits for what is learned from them, by us or by the store itself."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from memory.background.caches import BoundedDict
from memory.background.pacing import Backoff
from memory.background.work import PAUSE
from memory.errors import MemoryFailure
from memory.ports import ExternalExtraction
from memory.records import Change, Session, Turn

#: The pauses before each look whether a store has extracted a session: 5, 10, 20 … seconds.
_LOOKS = Backoff(2.5, 6 * 3600.0)
#: After so long the store will not learn anything from a session, or it has done so unnoticed.
_PATIENCE = timedelta(days=3)

#: Hears of a session that was saved, with what it changed, or a private one that ended, when nobody
#: waited for it.
Observer = Callable[[Session, tuple[Change, ...]], Awaitable[None]]


class Outcome(StrEnum):
    """How an extraction ended, or where it is."""

    SAVED = "saved"
    NOTHING = "nothing"
    LATER = "later"
    #: The store has all of it, and extracts by itself.
    HANDED_OVER = "handed over"
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
        retry, nor for what a store extracts."""
        ending = self._pending.pop(session.id, None)
        heard = ending.finish(outcome, changes) if ending else False
        if outcome in (Outcome.SAVED, Outcome.DISCARDED) and not heard and self._observer:
            await self._observer(session, changes)


class Handovers:
    """Ended sessions that are left to a store that extracts by itself. They stay in the journal,
    where what was said is found, until the store shows that it has learned from them. AWS takes
    half a minute, and does not report when it is done."""

    def __init__(
        self, extraction: ExternalExtraction | None, clock: Callable[[], datetime], seconds: float
    ) -> None:
        """`seconds` is the longest wait for one answer of the store."""
        self._extraction, self._clock, self._seconds = extraction, clock, seconds
        #: Since when the store has had all turns of a session, and how often it was asked about it.
        #: Another worker may finish the session; and what is dropped only begins anew.
        self._looks = BoundedDict[str, tuple[datetime, int]](10_000)

    async def look(self, session: Session, turns: Sequence[Turn]) -> tuple[Outcome, float]:
        """The outcome of these turns, which the store learns from, and the seconds until the next
        look; 0 if final."""
        if not turns:
            return Outcome.NOTHING, 0.0
        seen = False
        with suppress(MemoryFailure, TimeoutError):  # the store says in the log what is wrong
            async with asyncio.timeout(self._seconds):
                seen = await self._has_extracted(session, turns)
        since, looks = self._looks.get(session.id, (self._clock(), 0))
        if not seen and self._clock() - since < _PATIENCE:
            if looks:
                return Outcome.HANDED_OVER, _LOOKS.pause(looks)
            return Outcome.LATER, PAUSE
        self._looks.pop(session.id, None)
        return Outcome.SAVED if seen else Outcome.NOTHING, 0.0

    async def _has_extracted(self, session: Session, turns: Sequence[Turn]) -> bool:
        if self._extraction is None:
            return True
        await self._extraction.flush(session.actor)
        since, looks = self._looks.get(session.id, (self._clock(), 0))
        seen = await self._extraction.has_extracted(session.actor, turns, since)
        self._looks[session.id] = since, looks + 1
        return seen
