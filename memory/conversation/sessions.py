"""Live sessions and their windows, in RAM. The journal can restore them."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from memory.background.threads import compute
from memory.conversation.live import Live, SessionLimits
from memory.conversation.tiers import Compaction
from memory.conversation.tokens import Count, estimate_tokens
from memory.conversation.window import Window
from memory.errors import SessionLost
from memory.journal import Journal
from memory.records import Actor, Place, RunningSummary, Session, Shift, Turn
from memory.safety.gate import mask_turn

#: A session that was silent for this long is dropped from RAM; the journal has it.
_RAM_IDLE = timedelta(minutes=30)


class LiveSessions:
    """The live sessions of this process, at most one an actor and place."""

    def __init__(
        self,
        journal: Journal,
        limits: SessionLimits,
        count: Count = estimate_tokens,
        on_eviction: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_eviction` is called when turns may have left a window without a summary."""
        self.journal = journal
        self._limits, self._on_eviction = limits, on_eviction
        self._window = Window(
            limits.conversation_window_size,
            limits.summary_turn_count,
            limits.window_tokens,
            limits.message_char_limit,
            count,
        )
        self._compaction = Compaction(limits.max_summaries, limits.summary_tokens, count)
        self._live: dict[tuple[Actor, Place], Live] = {}
        self._ended: dict[Actor, datetime] = {}

    def in_ram(self, actor: Actor, place: Place) -> Live | None:
        """The open session here, if it is in RAM."""
        return self._live.get((actor, place))

    async def find(self, actor: Actor, place: Place) -> Live | None:
        """The open session here. If it is not in RAM, the journal restores it: its summaries, and
        the turns that were in its window."""
        if live := self.in_ram(actor, place):
            return live
        session = await self.journal.sessions.find(actor, place)
        if session is None:
            return None
        gone = set(await self.journal.turns.evicted_ids(session.id))
        turns = [t for t in await self.journal.turns.of(session.id) if t.id not in gone]
        summaries = tuple(await self.journal.summaries.of(session.id))
        live = Live(session, self._window.with_turns(turns), summaries)
        return self._live.setdefault((actor, place), live)

    async def find_or_open(
        self, actor: Actor, place: Place, now: datetime, *, private: bool = False
    ) -> Live:
        """The open session here, or a new one."""
        if live := await self.find(actor, place):
            return live
        id_ = f"s{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        session = Session(id_, actor, place, now, now, private=private)
        await self.journal.sessions.open(session)
        return self._live.setdefault((actor, place), Live(session, self._window, archived=True))

    async def all_open(self, actor: Actor) -> list[Live]:
        """The actor's open sessions in all places, oldest first."""
        found = [await self.find(actor, s.place) for s in await self.journal.sessions.of(actor)]
        return [live for live in found if live]

    async def append(
        self, live: Live, turn: Turn, masked: Turn, replaces: Sequence[Turn] = ()
    ) -> None:
        """Write a turn to the journal, then into the window, in place of those it `replaces`. Turns
        that leave the window are summarized in the background. The journal gets it `masked`,
        without secrets, but not the window: the user may go on talking about one. Raises
        StoreUnavailable: then nothing is written."""
        window, leaving = live.window.without({t.id for t in replaces}).push(turn)
        shift = await self._evict(live, leaving) if leaving else None
        write = partial(self.journal.turns.append, live.session.id, masked, shift, replaces)
        try:
            written = await write()
        except SessionLost:
            # It could not be read, and was set aside. What is said goes on here.
            await self.journal.sessions.open(replace(live.session, message_count=0))
            written = await write()
        if not written:
            return
        live.session = replace(
            live.session,
            last_at=turn.messages[-1].at,
            message_count=live.session.message_count
            + len(turn.messages)
            - sum(len(each.messages) for each in replaces),
        )
        self._apply(live, window, shift)
        if shift:
            self._on_eviction()

    async def rewrite(self, *turns: Turn) -> None:
        """Give turns other words in the journal and the windows. The caller holds the actor's lock.
        Raises StoreUnavailable."""
        new = {turn.id: turn for turn in turns}
        if new:
            await self.journal.turns.rewrite(*map(mask_turn, turns))
        for live in self._live.values():
            if not new.keys().isdisjoint(turn.id for turn in live.window.turns):
                shown = (new.get(turn.id, turn) for turn in live.window.turns)
                live.window = live.window.with_turns(shown)

    async def trim(self, live: Live) -> None:
        """Shrink the window to its limits, which may have changed since it was filled."""
        await self._move(live, *live.window.trim())
        self._on_eviction()

    async def make_room(self, live: Live) -> None:
        """Move a batch of turns out of the window early, unless that would empty it."""
        keep = len(live.window.turns) - live.window.batch
        if keep > 0:
            await self.compact(live, keep)
            self._on_eviction()

    async def compact(self, live: Live, keep: int) -> None:
        """Move all but the newest turns out of the window."""
        await self._move(live, *live.window.keep_newest(keep))

    def complete_summary(self, summary: RunningSummary) -> None:
        """Replace a fallback with the summarizer's text."""
        for live in self._live.values():
            if live.session.id == summary.session_id:
                live.summaries = tuple(summary if s.id == summary.id else s for s in live.summaries)

    async def _move(self, live: Live, window: Window, leaving: Sequence[Turn]) -> None:
        if leaving:
            shift = await self._evict(live, leaving)
            await self.journal.turns.shift(shift)
            self._apply(live, window, shift)

    async def _evict(self, live: Live, leaving: Sequence[Turn]) -> Shift:
        # The gist of long turns takes longer than the event loop can wait.
        return await compute(self._compaction.eviction, leaving, live.summaries)

    def _apply(self, live: Live, window: Window, shift: Shift | None) -> None:
        live.window = window
        if shift:
            live.summaries, live.earlier = shift.after, None

    async def end(self, live: Live, reason: str, now: datetime) -> bool:
        """Close the session, which makes it a job. False if it was closed already."""
        self._ended[live.session.actor] = live.session.last_at
        self._live.pop((live.session.actor, live.session.place), None)
        return await self.journal.sessions.end(live.session.id, reason, now)

    async def discard(self, live: Live) -> bool:
        """Close the session and delete what was said. False if it was closed already."""
        self._live.pop((live.session.actor, live.session.place), None)
        return await self.journal.sessions.discard(live.session.id)

    def is_full(self, live: Live) -> bool:
        """True if the session has reached its message limit. Never for a private session: the next
        message would not be private, and nobody asked for that."""
        full = live.session.message_count >= self._limits.max_conversation_messages
        return full and not live.session.private

    def is_idle(self, live: Live, now: datetime) -> bool:
        """True after a silence so long that the next message starts a new session."""
        return (
            live.session.message_count > 0
            and now - live.session.last_at >= self._limits.session_idle
        )

    async def idle(self, now: datetime) -> list[Session]:
        """Open sessions, in RAM or not, that have reached the idle limit."""
        return await self.journal.sessions.idle_since(now - self._limits.session_idle)

    def actors(self) -> set[Actor]:
        """The actors with sessions in RAM."""
        return {actor for actor, _ in self._live}

    async def open_ids(self, actor: Actor) -> set[str]:
        """The ids of the actor's open sessions, in all places."""
        return {session.id for session in await self.journal.sessions.of(actor)}

    async def turns(self, actor: Actor) -> list[Turn]:
        """All turns of the actor's sessions, open or waiting for extraction, unmasked where a
        window in RAM has them."""
        sessions = await self.journal.sessions.unfinished(actor)
        turns = [turn for each in sessions for turn in await self.journal.turns.of(each.id)]
        lives = [live for live in self._live.values() if live.session.actor == actor]
        shown = {turn.id: turn for live in lives for turn in live.window.turns}
        return [shown.get(turn.id, turn) for turn in turns]

    async def retract(
        self, actor: Actor, turn_ids: Sequence[str], mentions: Callable[[str], bool]
    ) -> None:
        """Remove turns from the journal and the windows, and from the running summaries whatever
        these turns said or `mentions` recognizes. The caller holds the actor's lock. Raises
        StoreUnavailable."""
        shifts: dict[str, Shift] = {}
        for session in await self.journal.sessions.unfinished(actor):
            before = await self.journal.summaries.of(session.id)
            turns = await self.journal.turns.of(session.id) if before else []
            shifts[session.id] = self._compaction.without(before, turns, turn_ids, mentions)
        try:
            await self.journal.turns.delete(turn_ids, list(shifts.values()))
        finally:
            self._on_eviction()
        # No await from here on: RAM, too, changes completely or not at all.
        for live in self._live.values():
            if shift := shifts.get(live.session.id):
                self._apply(live, live.window.without(turn_ids), shift)

    async def reinstate(self, actor: Actor, turns: Sequence[Turn]) -> None:
        """Put turns back into the journal and the windows of sessions that still exist. Turns that
        had left their window return to it: the summaries without them stay true."""
        back = await self.journal.turns.restore(actor, [mask_turn(turn) for turn in turns])
        for live in self._live.values():
            own = [t for t in turns if t.id in back and t.session_id == live.session.id]
            if own and live.session.actor == actor:
                live.archived = False
                every = sorted((*live.window.turns, *own), key=lambda t: t.messages[0].at)
                live.window = live.window.with_turns(every)

    def forget(self, actor: Actor) -> None:
        """Drop the actor's sessions from RAM without ending them."""
        self._ended.pop(actor, None)
        self._live = {key: live for key, live in self._live.items() if key[0] != actor}

    def was_here(self, actor: Actor, now: datetime) -> bool:
        """True if a session of this actor ended recently in this process."""
        ended = self._ended.get(actor)
        return ended is not None and now - ended < self._limits.session_idle

    def drop_idle(self, now: datetime) -> None:
        """Drop sessions unused for a while from RAM; the journal restores them when needed."""
        idle = self._limits.session_idle
        self._ended = {actor: at for actor, at in self._ended.items() if now - at < idle}
        self._live = {
            key: live for key, live in self._live.items() if now - live.session.last_at < _RAM_IDLE
        }
