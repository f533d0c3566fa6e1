"""A private conversation: it goes on like any other, and nothing of it is kept."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.background.wall import WallClock
from memory.conversation.live import SessionLimits
from memory.learning.endings import Ending, Outcome
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Change, Kind, Place, Role, Session, Utterance
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.understanding import understood

ANN, HOME = Actor.person(1), Place("telegram", 1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECRET = "I robbed the Xanadu bank"
LIMITS = SessionLimits(
    max_conversation_messages=6, conversation_window_size=4, summary_turn_count=2
)


class Scene:
    """One data directory on the disk, and as many processes on it as a test starts."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, NOON
        self.ended: list[Session] = []
        self.told = asyncio.Event()

    @asynccontextmanager
    async def process(
        self, *, enabled: bool = True, clock: Callable[[], datetime] | None = None
    ) -> AsyncIterator[Memory]:
        options = MemoryOptions(memory_enabled=enabled, limits=LIMITS)
        with ThreadPoolExecutor(2) as pool:
            store = SqliteStore(self.path / "memory", pool)
            async with journal_in(self.path / "journal.sqlite", pool) as journal:
                clock = clock or (lambda: self.now)
                memory = Memory(store, journal, understood(EverySentence()), options, clock)
                memory.on_saved(self._on_saved)
                async with memory:
                    yield memory
            await store.aclose()

    async def _on_saved(self, session: Session, changes: tuple[Change, ...]) -> None:
        self.ended.append(session)
        self.told.set()

    async def says(self, memory: Memory, text: str) -> Ending | None:
        history = await memory.talk.recall(ANN, HOME, text)
        said = (Utterance(Role.USER, text, self.now), Utterance(Role.ASSISTANT, "ok", self.now))
        return await memory.talk.record(ANN, HOME, said, private=history.metadata.private)

    def on_disk(self, text: str) -> list[str]:
        """The files that have the text somewhere in their bytes."""
        found = []
        for file in self.path.rglob("*"):
            # The draft of a copy comes and goes.
            with suppress(FileNotFoundError):
                if file.is_file() and text.encode() in file.read_bytes():
                    found.append(file.name)
        return found


async def window(memory: Memory) -> list[str]:
    history = await memory.talk.recall(ANN, HOME, "?")
    return [message.text for message in history.messages]


async def test_turns_are_in_the_window_and_nowhere_in_the_store(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
        assert await window(memory) == [SECRET, "ok"]
        assert (await memory.talk.recall(ANN, HOME, "?")).metadata.private
        assert await memory.known.records(ANN, tuple(Kind), everything=True) == []
        async with asyncio.timeout(30):
            # The daily copy has it for a moment, until what is private is deleted from it.
            while any("journal.sqlite" not in name for name in scene.on_disk("Xanadu")):
                await asyncio.sleep(0.01)
        assert scene.on_disk("Xanadu")


async def test_after_its_end_not_a_byte_of_it_is_on_the_disk(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        for number in range(4):  # also what has left the window, summed up
            await scene.says(memory, f"{SECRET} {number} times")
        ending = await memory.talk.end(ANN, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.DISCARDED
        await memory.settle()
        assert scene.on_disk("Xanadu") == []
        assert await window(memory) == []
        assert not (await memory.talk.recall(ANN, HOME, "?")).metadata.private
        assert await memory.known.records(ANN, tuple(Kind), everything=True) == []
        assert (await memory.backlog()).waiting == 0
    assert scene.on_disk("Xanadu") == []


async def test_the_conversation_before_is_saved_as_usual(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await scene.says(memory, "I live in Oslo")
        ending = await memory.talk.begin_private(ANN, HOME)
        assert ending is not None
        assert await ending.wait(5) is Outcome.SAVED
        assert await window(memory) == []
        assert [r.text for r in await memory.known.records(ANN, (Kind.FACT,))] == ["I live in Oslo"]


async def test_one_that_has_not_begun_is_no_hindrance(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.recall(ANN, HOME, "hello")
        assert await memory.talk.begin_private(ANN, HOME) is None
        session = await memory.talk.session(ANN, HOME)
        assert session is not None
        assert session.private


async def test_what_is_known_already_is_recalled(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.known.remember(ANN, "I play the cello")
        await memory.talk.begin_private(ANN, HOME)
        history = await memory.talk.recall(ANN, HOME, "what do I play? the cello?")
        assert "cello" in history.profile + history.recalled


async def test_a_restart_in_the_middle_goes_on_and_is_private_still(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
    async with scene.process() as memory:
        assert await window(memory) == [SECRET, "ok"]
        assert (await memory.talk.recall(ANN, HOME, "?")).metadata.private
        await scene.says(memory, "and I would do it again")
        assert await memory.known.records(ANN, tuple(Kind)) == []
        await memory.talk.end(ANN, HOME, "new")
        assert scene.on_disk("Xanadu") == []


async def test_it_is_never_full(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        for number in range(LIMITS.max_conversation_messages):
            assert await scene.says(memory, f"{SECRET} {number} times") is None
        assert (await memory.talk.recall(ANN, HOME, "?")).metadata.private


async def test_silence_ends_it_and_says_so(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
    scene.now += LIMITS.session_idle + timedelta(minutes=1)
    async with scene.process() as memory:
        await scene.told.wait()
        assert [session.private for session in scene.ended] == [True]
        assert scene.on_disk("Xanadu") == []
        assert await memory.talk.session(ANN, HOME) is None


async def test_a_clock_that_leaps_ends_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process(clock=WallClock(lambda: scene.now)) as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
    wrong = WallClock(lambda: scene.now + timedelta(days=400))
    async with scene.process(clock=wrong) as memory:
        await asyncio.sleep(0.2)
        wrong.hear(scene.now)
        assert await window(memory) == [SECRET, "ok"]
    assert scene.ended == []


async def test_who_writes_on_before_hearing_of_that_is_in_private_still(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
        scene.now += LIMITS.session_idle + timedelta(minutes=1)
        await scene.says(memory, "nobody must know")
        assert await window(memory) == ["nobody must know", "ok"]
        assert await memory.known.records(ANN, tuple(Kind)) == []
        assert scene.on_disk("Xanadu") == []


async def test_a_turn_that_outlives_it_is_not_written(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await memory.talk.begin_private(ANN, HOME)
        history = await memory.talk.recall(ANN, HOME, SECRET)
        await memory.talk.end(ANN, HOME, "idle")
        said = (Utterance(Role.USER, SECRET, scene.now), Utterance(Role.ASSISTANT, "ok", scene.now))
        await memory.talk.record(ANN, HOME, said, private=history.metadata.private)
        assert await memory.talk.session(ANN, HOME) is None, "nothing begins with it"
        assert await window(memory) == []
        assert scene.on_disk("Xanadu") == []


async def test_a_turn_that_comes_between_does_not_keep_it_from_being_private(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path)
    async with scene.process() as memory:
        await scene.says(memory, "hello")
        said = (
            Utterance(Role.USER, "by the way", scene.now),
            Utterance(Role.ASSISTANT, "ok", NOON),
        )
        await asyncio.gather(
            memory.talk.begin_private(ANN, HOME),
            *(memory.talk.record(ANN, HOME, said) for _ in range(3)),
        )
        session = await memory.talk.session(ANN, HOME)
        assert session is not None
        assert session.private


async def test_it_is_private_without_a_memory_too(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    async with scene.process(enabled=False) as memory:
        await memory.talk.begin_private(ANN, HOME)
        await scene.says(memory, SECRET)
        assert (await memory.talk.recall(ANN, HOME, "?")).metadata.private
        ending = await memory.talk.end(ANN, HOME, "new")
        assert ending is not None
        assert await ending.wait(5) is Outcome.DISCARDED
        assert await window(memory) == []
