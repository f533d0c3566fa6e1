"""Chats under a flood limit of Telegram."""

import asyncio
from collections.abc import Mapping
from typing import Protocol

import structlog

from bot.clock import Clock
from memory.background.caches import BoundedDict
from memory.background.pacing import RateLimitedLog
from memory.background.work import log_outage
from memory.leases import current_lease
from memory.stores.database import Connection, Database

_log = structlog.get_logger(__name__)

#: More chats than Telegram holds at once.
_MOST_HELD = 10_000
#: How often a worker looks what others were told, in seconds.
_LOOK_SECONDS = 1.0


class HeldChats(Protocol):
    """The holds that all workers share. Both methods raise StoreUnavailable."""

    async def hold(self, chat_id: int, seconds: float) -> None:
        """Hold a chat for so many seconds, or longer if it is held for longer."""
        ...

    async def read(self) -> Mapping[int, float]:
        """The chats that are held, and the seconds left."""
        ...


class Holds:
    """The chats under a flood limit, each until its own time."""

    def __init__(self, clock: Clock, shared: HeldChats | None = None) -> None:
        self._clock, self.shared = clock, shared
        self._until = BoundedDict[int, float](_MOST_HELD)
        self._tasks: set[asyncio.Task[None]] = set()
        self._complaints = RateLimitedLog(_log)

    def note(self, chat_id: int, seconds: float) -> None:
        """Hold back everything to this chat for so many seconds."""
        _log.warning("flood_limit", chat=chat_id, seconds=seconds)
        self._extend(chat_id, seconds)
        if self.shared:
            task = asyncio.create_task(self._share(self.shared, chat_id, seconds))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def left(self, chat_id: int) -> float:
        """The seconds left of a chat's hold; 0 if there is none."""
        return max(self._until.get(chat_id, 0.0) - self._clock.now(), 0.0)

    async def wait(self, chat_id: int) -> None:
        """Return when the chat may be written to."""
        while left := self.left(chat_id):
            await self._clock.sleep(left)

    async def keep_up(self, shared: HeldChats) -> None:
        """Respect what other workers were told, for ever."""
        while True:
            with log_outage(self._complaints, "holds_unavailable"):
                for chat_id, seconds in (await shared.read()).items():
                    self._extend(chat_id, seconds)
            await self._clock.sleep(_LOOK_SECONDS)

    def _extend(self, chat_id: int, seconds: float) -> None:
        now = self._clock.now()
        self._until[chat_id] = max(now + seconds, self._until.get(chat_id, now))

    async def _share(self, shared: HeldChats, chat_id: int, seconds: float) -> None:
        # It counts whoever works on the actor by now.
        current_lease.set(None)
        with log_outage(self._complaints, "holds_unavailable"):
            await shared.hold(chat_id, seconds)


_HOLD = """INSERT INTO flood_hold AS known VALUES (?, now() + ? * interval '1 second')
    ON CONFLICT (chat) DO UPDATE SET until = greatest(known.until, excluded.until)"""


class DatabaseHeldChats:
    """See HeldChats. In PostgreSQL, by its clock."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def hold(self, chat_id: int, seconds: float) -> None:
        def work(db: Connection) -> None:
            db.execute("DELETE FROM flood_hold WHERE until < now()")
            db.execute(_HOLD, (chat_id, seconds))

        await self._db.change(work)

    async def read(self) -> Mapping[int, float]:
        sql = "SELECT chat, extract(epoch FROM until - now())::float8 FROM flood_hold"
        return {chat: left for chat, left in await self._db.rows(sql) if left > 0}
