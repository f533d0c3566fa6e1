"""Lanes: everything of one chat (and topic) in order, chats side by side."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.telegram.delivery.clock import Clock
from bot.telegram.intake.reading import Heard
from bot.telegram.intake.said import Said
from memory.records import Place

#: How long an answer waits for what may still follow, in seconds.
GATHERING = 1.0


@dataclass(frozen=True, slots=True)
class Errand:
    """Anything else that is done in its turn: a command, a click, a notice."""

    name: str
    run: Callable[[], Awaitable[object]]
    update_ids: tuple[int, ...] = ()


Item = Said | Errand


@dataclass(slots=True)
class _Lane:
    waiting: deque[Item] = field(default_factory=deque)
    worker: asyncio.Task[None] | None = None


#: A lane's key: a place, and whether it is the side lane that passes by the queue.
_Key = tuple[Place, bool]


class Lanes:
    """One worker a lane, as long as there is something to do in it."""

    def __init__(
        self,
        carry_out: Callable[[Place, Item], Awaitable[None]],
        *,
        longest_burst: int = 16_000,
        clock: Clock | None = None,
    ) -> None:
        """`carry_out` must not raise: it is where errors end. A burst is merged up to
        `longest_burst` characters."""
        self._carry_out, self._longest = carry_out, longest_burst
        self._clock = clock or Clock()
        self._lanes: dict[_Key, _Lane] = {}
        self._opened = asyncio.Event()

    def __len__(self) -> int:
        return len(self._lanes)

    def open(self) -> None:
        """Begin. What was put before waits for this, so that a backlog is merged."""
        self._opened.set()

    def put(self, place: Place, item: Item, *, aside: bool = False) -> None:
        """Queue an item; `aside` puts it where it does not wait for the place's own lane."""
        self._lane((place, aside)).waiting.append(item)

    def put_next(self, place: Place, item: Item) -> None:
        """Let an item be the next one in a place, before what waits there."""
        self._lane((place, False)).waiting.appendleft(item)

    def amend(self, changed: Heard) -> bool:
        """Let a message that waits read as it does now; whether there is one."""
        lane = self._lanes.get((changed.origin.place, False))
        for number, item in enumerate(lane.waiting if lane else ()):
            amended = item.amended(changed, self._longest) if isinstance(item, Said) else None
            if lane and amended:
                lane.waiting[number] = amended
                return True
        return False

    def drop_said(self, place: Place) -> list[Said]:
        """Take what was said and is not begun out of the lane."""
        lane = self._lanes.get((place, False))
        if lane is None:
            return []
        dropped = [item for item in lane.waiting if isinstance(item, Said)]
        lane.waiting = deque(item for item in lane.waiting if isinstance(item, Errand))
        return dropped

    def places_in(self, chat: Place) -> list[Place]:
        """The places of a chat, its topics, where anything is under way or waits."""
        where = chat.channel, chat.chat_id
        places = {place for place, _ in self._lanes if (place.channel, place.chat_id) == where}
        return list(places)

    async def settle(self) -> None:
        """Return when every lane has ended."""
        while workers := self._workers():
            await asyncio.wait(workers)

    async def drain(self, seconds: float) -> bool:
        """Let everything be finished within this time, then end what is not; whether all was."""
        try:
            async with asyncio.timeout(seconds):
                await self.settle()
        except TimeoutError:
            workers = self._workers()
            for lane in self._lanes.values():
                lane.waiting.clear()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            self._lanes.clear()
            return False
        return True

    def _workers(self) -> list[asyncio.Task[None]]:
        return [lane.worker for lane in self._lanes.values() if lane.worker]

    def _lane(self, key: _Key) -> _Lane:
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane()
            self._begin(key, lane)
        return lane

    def _begin(self, key: _Key, lane: _Lane) -> None:
        lane.worker = asyncio.create_task(self._work(key, lane), name=f"lane {key[0].chat_id}")

    async def _work(self, key: _Key, lane: _Lane) -> None:
        try:
            await self._opened.wait()
            while lane.waiting:
                await self._gather(lane)
                if not lane.waiting:
                    break
                await self._carry_out(key[0], self._next(lane))
        finally:
            if lane.waiting:
                # Carrying out raised after all: that must not silence the chat.
                self._begin(key, lane)
            elif self._lanes.get(key) is lane:
                del self._lanes[key]

    async def _gather(self, lane: _Lane) -> None:
        """Wait for what belongs to the message that comes next, as long as it keeps coming."""
        first = lane.waiting[0]
        if not isinstance(first, Said):
            return
        while isinstance(last := lane.waiting[-1], Said) and last.more_may_follow:
            count = len(lane.waiting)
            await self._clock.sleep(GATHERING)
            if len(lane.waiting) <= count:
                return

    def _next(self, lane: _Lane) -> Item:
        """The next item; messages that follow each other directly are one."""
        item = lane.waiting.popleft()
        while isinstance(item, Said) and lane.waiting:
            following = lane.waiting[0]
            merged = isinstance(following, Said) and item.joined(following, self._longest)
            if not merged:
                break
            lane.waiting.popleft()
            item = merged
        return item
