"""A lane answers the inbounds of one place (a chat, or a topic in it) in order. Lanes of different
places run in parallel."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from bot.assistant.inbound import Inbound, Message
from bot.clock import Clock
from memory.records import Place

#: How long to wait for messages that may still follow, in seconds.
GATHERING = 1.0


@dataclass(frozen=True, slots=True)
class LaneTask:
    """Other work in a lane: a refusal, a notice, a move. It closes the updates `receipts`. No
    command passes one that `blocks`."""

    name: str
    run: Callable[[], Awaitable[object]]
    receipts: tuple[int, ...] = ()
    blocks: bool = False


Item = Inbound | LaneTask
#: Carries out an item. Must not raise.
ItemHandler = Callable[[Place, Item], Awaitable[None]]


@dataclass(slots=True)
class _Lane:
    waiting: deque[Item] = field(default_factory=deque)
    under_way: Item | None = None
    task: asyncio.Task[None] | None = None


#: A lane's key: a place, and whether it is the place's side lane, which does not wait for the main
#: lane.
_Key = tuple[Place, bool]


class Lanes:
    """Runs one task per lane while the lane is not empty."""

    def __init__(self, longest_burst: int = 16_000, clock: Clock | None = None) -> None:
        """Bursts are merged up to `longest_burst` characters."""
        self._longest, self._clock = longest_burst, clock or Clock()
        self._lanes: dict[_Key, _Lane] = {}
        #: Unset while no lane may begin.
        self.opened = asyncio.Event()
        self._work: ItemHandler

    def __len__(self) -> int:
        return len(self._lanes)

    def open(self, work: ItemHandler) -> None:
        """Start working. Items queued earlier wait for this, so that a backlog is merged."""
        self._work = work
        self.opened.set()

    def put(self, place: Place, item: Item, *, aside: bool = False) -> None:
        """Queue an item in the place's main lane, or with `aside` in its side lane."""
        self._lane((place, aside)).waiting.append(item)

    def put_next(self, place: Place, item: Item) -> None:
        """Queue an item before everything that waits in the place."""
        self._lane((place, False)).waiting.appendleft(item)

    def ahead(self, place: Place) -> tuple[Item | None, Sequence[Item]]:
        """The item under way in the place's main lane, and those that wait there."""
        lane = self._lanes.get((place, False))
        return (lane.under_way, lane.waiting) if lane else (None, ())

    def amend(self, changed: Message) -> bool:
        """Apply an edit to a waiting message; False if it is not waiting."""
        lane = self._lanes.get((changed.origin.place, False))
        for number, item in enumerate(lane.waiting if lane else ()):
            amended = item.with_edit(changed, self._longest) if isinstance(item, Message) else None
            if lane and amended:
                lane.waiting[number] = amended
                return True
        return False

    def drop_messages(self, place: Place) -> tuple[int, ...]:
        """Drop the waiting messages; returns their receipts."""
        lane = self._lanes.get((place, False))
        if lane is None:
            return ()
        dropped = [item for item in lane.waiting if isinstance(item, Message)]
        lane.waiting = deque(item for item in lane.waiting if not isinstance(item, Message))
        return tuple(receipt for message in dropped for receipt in message.receipts)

    def places_in(self, chat: Place) -> set[Place]:
        """The places of a chat (its topics) with busy lanes."""
        where = chat.channel, chat.chat_id
        return {place for place, _ in self._lanes if (place.channel, place.chat_id) == where}

    async def settle(self) -> None:
        """Return when every lane has ended."""
        while tasks := self._tasks():
            await asyncio.wait(tasks)

    async def drain(self, seconds: float) -> bool:
        """Finish everything within this time, then cancel the rest; True if nothing was
        cancelled."""
        try:
            async with asyncio.timeout(seconds):
                await self.settle()
        except TimeoutError:
            # What ends meanwhile may queue something more.
            while tasks := self._tasks():
                self._lanes.clear()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            return False
        return True

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [lane.task for lane in self._lanes.values() if lane.task]

    def _lane(self, key: _Key) -> _Lane:
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane()
            self._begin(key, lane)
        return lane

    def _begin(self, key: _Key, lane: _Lane) -> None:
        lane.task = asyncio.create_task(self._run(key, lane), name=f"lane {key[0].chat_id}")

    async def _run(self, key: _Key, lane: _Lane) -> None:
        try:
            await self.opened.wait()
            while lane.waiting:
                lane.under_way = None
                await self._gather(lane)
                if not lane.waiting:
                    break
                lane.under_way = self._next(lane)
                await self._work(key[0], lane.under_way)
        except asyncio.CancelledError:
            # The bot stops: the inbox keeps what waits for the next start.
            lane.waiting.clear()
            raise
        finally:
            if lane.waiting:
                # The worker raised after all, which must not block the chat.
                self._begin(key, lane)
            elif self._lanes.get(key) is lane:
                del self._lanes[key]

    async def _gather(self, lane: _Lane) -> None:
        """Wait while more pieces of the next message keep arriving."""
        if not isinstance(lane.waiting[0], Message):
            return
        while isinstance(last := lane.waiting[-1], Message) and last.more_may_follow:
            count = len(lane.waiting)
            await self._clock.sleep(GATHERING)
            if len(lane.waiting) <= count:
                return

    def _next(self, lane: _Lane) -> Item:
        """The next item; consecutive messages are merged."""
        item = lane.waiting.popleft()
        while isinstance(item, Message) and lane.waiting:
            following = lane.waiting[0]
            merged = isinstance(following, Message) and item.join(following, self._longest)
            if not merged:
                break
            lane.waiting.popleft()
            item = merged
        return item
