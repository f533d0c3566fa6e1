"""Lanes: everything of one chat (and topic) in order, chats side by side."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from bot.replies import Inbound
from bot.telegram.attachments import Enclosed, go_together
from bot.telegram.clock import Clock
from memory.records import Place

#: How long an answer waits for what may still follow, in seconds.
GATHERING = 1.0


@dataclass(frozen=True, slots=True)
class Said:
    """Something said that wants an answer: one message or a merged burst. `message_ids` are those
    of the chat's messages, `update_ids` those of the updates that brought them. Where more may
    follow, an answer waits for it a moment. `files` are not fetched yet."""

    inbound: Inbound
    update_ids: tuple[int, ...]
    message_ids: tuple[int, ...]
    more_may_follow: bool = False
    files: tuple[Enclosed, ...] = ()

    def joined(self, later: "Said", longest: int) -> "Said | None":
        """Both as one, if one person said them and they are not too much together."""
        mine, theirs = self.inbound, later.inbound
        if (mine.actor, mine.speaker) != (theirs.actor, theirs.speaker):
            return None
        # An album that answers a picture brings that with every message of its own.
        files = tuple(dict.fromkeys(self.files + later.files))
        if len(mine.text) + 1 + len(theirs.text) > longest or not go_together(files):
            return None
        inbound = replace(
            theirs, id=f"{mine.id}+{later.message_ids[-1]}", text=f"{mine.text}\n{theirs.text}"
        )
        return Said(
            inbound,
            self.update_ids + later.update_ids,
            self.message_ids + later.message_ids,
            files=files,
        )


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
        key = (place, aside)
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane()
            self._begin(key, lane)
        lane.waiting.append(item)

    def amend(
        self, place: Place, message_id: int, text: str, files: tuple[Enclosed, ...] = ()
    ) -> bool:
        """Let a message that waits read otherwise, and hold these files; whether there is one."""
        lane = self._lanes.get((place, False))
        for number, item in enumerate(lane.waiting if lane else ()):
            if lane and isinstance(item, Said) and item.message_ids == (message_id,):
                inbound = replace(item.inbound, text=text)
                lane.waiting[number] = replace(item, inbound=inbound, files=files)
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
