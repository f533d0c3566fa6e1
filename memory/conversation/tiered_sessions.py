"""The tiers of open sessions in use: a turn is added to window and archive, taken out again when it
is forgotten, and people and commands ask to see them, or to have a conversation summed up before
its window is full."""

from collections.abc import Callable, Sequence

from memory.background.locks import Locks
from memory.conversation.running_summaries import RunningSummaries
from memory.conversation.sessions import Live, LiveSessions
from memory.conversation.tiers import Tiers, archive
from memory.ports import Journal, LongTermMemory
from memory.records import Actor, Choices, Kind, Place, Profile, RunningSummary, Turn
from memory.safety.gate import mask_turn

#: So many turns stay word for word when a conversation is summed up on request: the last thing said
#: and what it answers.
TURNS_KEPT = 2


class TieredSessions:
    """The tiers of all open sessions."""

    def __init__(
        self,
        store: LongTermMemory,
        journal: Journal,
        sessions: LiveSessions,
        running: RunningSummaries,
        locks: Locks,
    ) -> None:
        self.sessions = sessions
        self._store, self._journal, self._running, self._locks = store, journal, running, locks

    async def begin(self, live: Live, known: tuple[Profile, Choices], block: str) -> None:
        """Have the model's input begin with this profile block from now on. If that has changed
        within the session, no prompt cache has what follows it either: then a batch leaves the
        window at once, that would change the beginning again some turns later. Raises
        StoreUnavailable."""
        live.show(known, block)
        changed, live.begun = live.begun not in (None, block), block
        if changed:
            async with self._locks[live.session.actor]:
                if await self.sessions.make_room(live):
                    self._running.look_again()

    async def append(self, live: Live, turn: Turn) -> None:
        """Write a turn down and put it into the window; what leaves it for that is summed up in the
        background. Raises StoreUnavailable: then the turn did not happen."""
        if await self.sessions.append(live, turn):
            self._running.look_again()

    async def archive(self, live: Live, turn: Turn) -> None:
        """Put a turn that was written down into the archive too. If it is not certain that those
        before it are there (the store was away, or the process was killed in between), all go
        again: a turn that is there stays one. Raises StoreUnavailable."""
        certain, live.archived = live.archived, False
        turns = [mask_turn(turn)] if certain else await self._journal.turns.of(live.session.id)
        for each in turns:
            if each.kept:
                await self._store.add_turn(live.session.actor, each)
        live.archived = True

    async def retract(
        self, actor: Actor, turns: Sequence[Turn], mentions: Callable[[str], bool]
    ) -> None:
        """Take turns out of the actor's sessions, and out of the running summaries what they said
        or what `mentions` recognises. The actor's lock is held. Raises StoreUnavailable."""
        try:
            await self.sessions.retract(actor, [turn.id for turn in turns], mentions)
        finally:
            self._running.look_again()

    async def summarize_now(self, actor: Actor, place: Place) -> tuple[RunningSummary, ...]:
        """Let all but the last turns of the open session leave its window, and return when they are
        summed up, by the fallback if the summarizer fails. Raises StoreUnavailable."""
        async with self._locks[actor]:
            live = await self.sessions.find(actor, place)
            if live is None:
                return ()
            await self.sessions.compact(live, TURNS_KEPT)
        await self._running.finish(live.session.id)
        return tuple(await self._journal.summaries.of(live.session.id))

    async def tiers(self, actor: Actor, *, archived: bool = True) -> Tiers:
        """Everything there is of the actor's conversations, without the archive if it is switched
        off. Raises StoreUnavailable."""
        async with self._locks[actor]:
            open_sessions = await self.sessions.all_open(actor)
            active = tuple(turn for live in open_sessions for turn in live.window.turns)
            summaries: list[RunningSummary] = []
            for id_ in await self._journal.sessions.unfinished(actor):
                summaries += await self._journal.summaries.of(id_)
        kinds = (Kind.MESSAGE, Kind.SUMMARY)
        records = await self._store.records(actor, kinds=kinds) if archived else []
        return Tiers(active, tuple(summaries), archive(records, active, summaries))
