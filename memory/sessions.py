"""The life of a session: opened by its first message, counted, ended by /new, by its length or by
silence. Live sessions and their windows are in RAM; the journal has what brings them back."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory.gate import masked
from memory.ports import Journal
from memory.records import Actor, Place, Session, Turn
from memory.window import Window

#: A session that was silent for this long is dropped from RAM; the journal has it.
_RAM_IDLE = timedelta(minutes=30)


@dataclass(slots=True)
class Live:
    """An open session with its window, and the profile block it began with."""

    session: Session
    window: Window
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """When a session ends and how much of it goes to the model word for word."""

    window_messages: int = 20
    window_batch: int = 5
    max_messages: int = 30
    idle: timedelta = timedelta(hours=6)


class Sessions:
    """All live sessions of this process, at most one an actor and place."""

    def __init__(self, journal: Journal, limits: SessionLimits) -> None:
        self._journal = journal
        self._limits = limits
        self._live: dict[tuple[Actor, Place], Live] = {}

    def __len__(self) -> int:
        return len(self._live)

    async def find(self, actor: Actor, place: Place) -> Live | None:
        """The open session here, its window rebuilt from the journal if it was not in RAM."""
        if live := self._live.get((actor, place)):
            return live
        session = await self._journal.open_session(actor, place)
        if session is None:
            return None
        window = Window(self._limits.window_messages, self._limits.window_batch)
        for turn in await self._journal.turns(session.id):
            window, _ = window.push(turn)
        return self._live.setdefault((actor, place), Live(session, window))

    async def find_or_open(self, actor: Actor, place: Place, now: datetime) -> Live:
        """The open session here, or a new one."""
        if live := await self.find(actor, place):
            return live
        session = Session(_new_id(now), actor, place, opened_at=now, last_at=now)
        await self._journal.start(session)
        live = Live(session, Window(self._limits.window_messages, self._limits.window_batch))
        return self._live.setdefault((actor, place), live)

    async def append(self, live: Live, turn: Turn) -> tuple[Turn, ...]:
        """Write a turn down, then into the window; the turns that left the window for it. The
        window alone has it with its secrets: who says one may go on talking about it."""
        if not await self._journal.append(live.session.id, masked(turn)):
            return ()
        live.session = replace(
            live.session,
            last_at=turn.messages[-1].at,
            message_count=live.session.message_count + len(turn.messages),
        )
        live.window, evicted = live.window.push(turn)
        return evicted

    async def end(self, live: Live, reason: str, now: datetime) -> bool:
        """Close the session; from here on it is a job. False if it was closed already."""
        self._live.pop((live.session.actor, live.session.place), None)
        return await self._journal.end(live.session.id, reason, now)

    def is_full(self, live: Live) -> bool:
        """Whether the session has reached its number of messages."""
        return live.session.message_count >= self._limits.max_messages

    def is_idle(self, live: Live, now: datetime) -> bool:
        """Whether nobody has said anything for so long that the next message is a new talk."""
        return live.session.message_count > 0 and now - live.session.last_at >= self._limits.idle

    async def idle(self, now: datetime) -> list[Session]:
        """Open sessions, in RAM or not, that the idle limit ends."""
        return await self._journal.idle_since(now - self._limits.idle)

    def has(self, actor: Actor) -> bool:
        """Whether a session of this actor is in RAM."""
        return any(key[0] == actor for key in self._live)

    def profile_changed(self, actor: Actor) -> None:
        """Have the actor's sessions build their profile block again."""
        for live in self._live.values():
            if live.session.actor == actor:
                live.profile = None

    async def turns(self, actor: Actor) -> list[Turn]:
        """All turns of the actor's sessions, open or waiting for extraction."""
        ids = await self._journal.unfinished(actor)
        return [turn for id_ in ids for turn in await self._journal.turns(id_)]

    async def unsay(self, actor: Actor, turn_ids: Sequence[str]) -> None:
        """Take turns out of the journal and the windows."""
        await self._journal.drop_turns(turn_ids)
        for live in self._live.values():
            if live.session.actor == actor:
                live.window = live.window.without(turn_ids)

    def forget(self, actor: Actor) -> None:
        """Drop the actor's sessions from RAM without ending them."""
        self._live = {key: live for key, live in self._live.items() if key[0] != actor}

    def drop_idle(self, now: datetime) -> None:
        """Drop sessions that nobody has used for a while from RAM; they come back when needed."""
        self._live = {
            key: live for key, live in self._live.items() if now - live.session.last_at < _RAM_IDLE
        }


def _new_id(now: datetime) -> str:
    return f"s{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
