"""No sequence of turns, ends, crashes and restarts loses what somebody said: on the real journal,
with the real stores, and a process that dies at any moment."""

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.conversation.live import SessionLimits
from memory.memory import Memory, MemoryOptions
from memory.ports import Store
from memory.records import Actor, Place, Role, Utterance
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.summarizers import Numbering
from tests.fakes.understanding import understood

ANNA, HOME = Actor("u1"), Place("telegram", 1)
LIMITS = SessionLimits(
    conversation_window_size=6,
    summary_turn_count=2,
    window_tokens=500,
    max_summaries=2,
    max_conversation_messages=24,
)

#: What may happen, one after the other. A number is how far a turn gets before the process dies.
EVENTS = st.lists(
    st.one_of(
        st.just("turn"),
        st.just("turn"),
        st.just("long turn"),
        st.just("unkept turn"),
        st.just("end"),
        st.just("sum up"),
        st.just("restart"),
        st.just("crash"),
        st.just("summarizer fails"),
        st.just("later"),
        st.integers(0, 40),
    ),
    min_size=5,
    max_size=40,
)


class Life:
    """One actor's conversations through any number of processes on the same files."""

    def __init__(self, folder: Path, pool: ThreadPoolExecutor, store: Store) -> None:
        self.folder, self.pool, self.store = folder, pool, store
        self.summarizer = Numbering()
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
        self.said: list[str] = []
        self.number = 0

    async def begin(self) -> None:
        self.journal = journal_in(self.folder / "journal.sqlite", self.pool)
        options = MemoryOptions(
            limits=LIMITS, memory_recall_timeout_seconds=30, extraction_timeout_seconds=30
        )
        self.memory = Memory(
            self.store,
            self.journal,
            understood(EverySentence(), self.summarizer),
            options,
            lambda: self.now,
        )
        await self.memory.__aenter__()

    async def end(self) -> None:
        await self.memory.__aexit__(None, None, None)
        await self.journal.aclose()

    async def crash(self) -> None:
        """Nobody closes anything: whatever runs stops where it is, and RAM is gone."""
        doomed = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in doomed:
            task.cancel()
        await asyncio.gather(*doomed, return_exceptions=True)
        # The operating system takes the file away; what had been given to the disk is written.
        await self.journal.aclose()

    async def turn(self, *, long: bool = False, kept: bool = True) -> None:
        text = self._text() + (" and so on" * 300 if long else "")
        await self.memory.talk.recall(ANNA, HOME, text)
        await self._record(text, kept)
        if kept:
            self.said.append(text)

    async def broken_turn(self, steps: int) -> None:
        """A turn that is being recorded when the process dies, somewhere between its steps."""
        text = self._text()
        recording = asyncio.create_task(self._record(text, kept=True))
        for _ in range(steps):
            await asyncio.sleep(0)
        if recording.done():
            self.said.append(text)
        await self.crash()
        await asyncio.gather(recording, return_exceptions=True)
        await self.begin()

    def _text(self) -> str:
        self.number += 1
        return f"I own thing number {self.number}"

    async def _record(self, text: str, kept: bool) -> None:
        said = (Utterance(Role.USER, text, self.now), Utterance(Role.ASSISTANT, "I see", self.now))
        await self.memory.talk.record(ANNA, HOME, said, kept=kept)

    async def happens(self, event: str | int) -> None:
        match event:
            case int():
                await self.broken_turn(event)
            case "restart":
                await self.end()
                await self.begin()
            case "crash":
                await self.crash()
                await self.begin()
            case "end":
                await self.memory.talk.end(ANNA, HOME, "new")
            case "sum up":
                await self.memory.talk.summarize_now(ANNA, HOME)
            case "summarizer fails":
                self.summarizer.failures += 1
            case "later":
                self.now += timedelta(minutes=2)
            case _:
                await self.turn(long=event.startswith("long"), kept=not event.startswith("unkept"))

    async def check(self) -> None:
        """What was said is in the window or in memory, and all of the open session's turns that
        are to be kept are in its window or in exactly one summary."""
        tiers = await self.memory.talk.tiers(ANNA)
        found = {turn.said for turn in tiers.active}
        found |= {m.text for turn in tiers.archived for m in turn.messages}
        waiting = [
            turn
            for session in await self.journal.sessions.unfinished(ANNA)
            for turn in await self.journal.turns.of(session.id)
        ]
        assert set(self.said) <= found | {turn.said for turn in waiting}
        open_ids = {session.id for session in await self.journal.sessions.of(ANNA)}
        summed_up = [id_ for s in tiers.summaries if s.session_id in open_ids for id_ in s.turn_ids]
        placed = sorted([*(turn.id for turn in tiers.active if turn.kept), *summed_up])
        kept = sorted(turn.id for turn in waiting if turn.session_id in open_ids and turn.kept)
        assert placed == kept
        assert all(len(s.text) for s in tiers.summaries)
        for session in open_ids:
            assert len([s for s in tiers.summaries if s.session_id == session]) <= 2

    async def check_archive(self) -> None:
        """After a last turn, what left the window is in the archive, whatever happened before."""
        await self.turn()
        tiers = await self.memory.talk.tiers(ANNA)
        archived = {m.text for turn in tiers.archived for m in turn.messages}
        await self.memory.settle()
        tiers = await self.memory.talk.tiers(ANNA)
        found = {turn.said for turn in tiers.active} | archived
        found |= {m.text for turn in tiers.archived for m in turn.messages}
        assert set(self.said) <= found


async def live(events: list[str | int]) -> None:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        store = SqliteStore(Path(folder) / "memory", pool)
        life = Life(Path(folder), pool, store)
        await life.begin()
        for event in events:
            await life.happens(event)
            await life.check()
        await life.check_archive()
        await life.end()
        await store.aclose()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=EVENTS)
def test_no_sequence_of_turns_ends_crashes_and_restarts_loses_a_message(events: list[str | int]):
    asyncio.run(live(events))
