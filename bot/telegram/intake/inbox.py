"""The inbox: stores every update in a database before it is acknowledged.

An update is open from the moment it is stored until it is done. If the process ends meanwhile, the
next process finds the update open. Of a finished update only the number is kept, to recognize it if
it comes again."""

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from bot.assistant.events import Reply
from bot.metrics import UPDATES
from bot.telegram import waiting as table
from bot.telegram.delivery.progress import Progress
from bot.telegram.delivery.shown import Shown
from bot.telegram.intake.raw import owner_of
from memory.leases import ALONE, Leases
from memory.stores.database import Database
from memory.stores.notes import Notes

#: Telegram keeps unfetched updates for 24 hours, so after two days none comes again.
_KNOWN_FOR = timedelta(days=2)
#: Pruning reads every row.
_PRUNE_EVERY = timedelta(hours=1)


class Inbox:
    """The inbox of one bot on one channel, in a database with `INBOX_LAYOUT`, which it closes.
    Several can share one."""

    #: Whoever answers an update holds the lease on its actor.
    leases: Leases = ALONE

    def __init__(self, database: Database, channel: str, token: str) -> None:
        """Update ids are unique per bot, so rows are keyed by the channel and the number before the
        token's colon."""
        self._source = f"{channel}:{token.partition(':')[0]}"
        self._unclaimed: set[int] = set()
        self._claimed_at = 0.0
        self._open: set[int] = set()
        self._left: dict[int, table.Waiting] = {}
        self._prune_after = datetime.min.replace(tzinfo=UTC)
        self._all_done = asyncio.Event()
        self._all_done.set()
        self._db = database
        #: What else the bot keeps there.
        self.notes = Notes(database, "inbox_note")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._db.aclose()

    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None:
        """Store new updates; known ones stay unchanged. Raises StoreUnavailable."""
        source, now = self._source, datetime.now(UTC)
        received = now.isoformat()
        rows = [
            (source, u["update_id"], *owner_of(u), json.dumps(u, ensure_ascii=True), received)
            for u in updates
        ]

        async def write() -> None:
            self._note_stored(new := await self._db.change(lambda db: table.insert(db, rows)))
            UPDATES.add(amount=len(new))
            if now > self._prune_after:
                self._prune_after = now + _PRUNE_EVERY
                await self._db.write(table.PRUNE, source, (now - _KNOWN_FOR).isoformat())

        # Cancelling does not stop the thread: without the shield, the update would be stored
        # without ever being claimed, and ignored when it comes again.
        await asyncio.shield(write())

    def claim(self, update_id: int) -> bool:
        """True once for each new update: the caller handles it."""
        if update_id not in self._unclaimed:
            return False
        self._unclaimed.discard(update_id)
        self._claimed_at = time.monotonic()
        return True

    @property
    def unclaimed_seconds(self) -> float:
        """For how long updates have waited without any of them being claimed."""
        return time.monotonic() - self._claimed_at if self._unclaimed else 0.0

    async def find_open(self) -> list[table.Waiting]:
        """The updates that an earlier process left open, oldest first; now they can be claimed."""
        rows = await self._db.read(table.waiting_of, table.FIND_OPEN, self._source)
        left = {update_id: waiting for update_id, waiting in rows if update_id not in self._open}
        self._note_open(left)
        self._left |= left
        return list(left.values())

    def left(self, update_id: int) -> table.Waiting | None:
        """This update as an earlier process left it; None if it is new or done."""
        return self._left.get(update_id)

    async def keep_reply(self, update_ids: Sequence[int], reply: Reply, progress: Progress) -> None:
        """Keep the reply to a burst until it is delivered: the burst's first update stays open with
        it, the others are closed. Raises StoreUnavailable."""
        kept = table.dump_reply(reply), progress.dump()
        await self._db.change(lambda db: table.keep_reply(db, self._source, update_ids, *kept))

    async def note_progress(self, update_id: int, progress: Progress) -> None:
        """Note how far the reply has come. Raises StoreUnavailable."""
        await self._db.write(table.NOTE_PROGRESS, progress.dump(), self._source, update_id)

    async def note_preview(self, update_id: int, shown: Shown) -> None:
        """Note what the reply's preview shows. Raises StoreUnavailable."""
        await self._db.write(table.NOTE_SHOWN, shown.dump(), self._source, update_id)

    async def amend(self, update_id: int) -> None:
        """Apply an edit to the open update that brought the original message. Raises
        StoreUnavailable."""
        await self._db.change(lambda db: table.apply_edit(db, self._source, update_id))

    async def done(self, update_ids: Iterable[int]) -> None:
        """Close answered updates and delete their content. Raises StoreUnavailable; even then they
        count as done in this process."""
        ids = list(update_ids)
        try:
            await self._close(ids)
        finally:
            self._note_done(ids)

    async def erase(self, chat_id: int, before: int) -> None:
        """Delete the content of a chat's updates, of all channels. This bot's updates from `before`
        on stay. Raises StoreUnavailable."""
        values = (chat_id, self._source, before)

        # Whose the unreadable ones are nobody can tell.
        await self._db.wipe(lambda db: db.execute(table.ERASE, values), "")

    async def scrub(self) -> None:
        """Erase the content of answered updates from disk, including the write-ahead log. Raises
        StoreUnavailable."""
        await self._db.wipe(lambda db: None)

    async def next_id(self) -> int:
        """The next free update id, for a channel that numbers its own updates. Raises
        StoreUnavailable."""
        sql = "SELECT coalesce(max(update_id), 0) + 1 FROM inbound WHERE source = ?"
        ((number,),) = await self._db.rows(sql, self._source)
        return int(number)

    async def backlog(self) -> tuple[int, datetime | None]:
        """How many updates are open, and since when the oldest is. Raises StoreUnavailable."""
        sql = "SELECT count(*), min(received_at) FROM inbound WHERE source = ? AND body IS NOT NULL"
        ((count, oldest),) = await self._db.rows(sql, self._source)
        return count, datetime.fromisoformat(oldest) if oldest else None

    async def settle(self) -> None:
        """Return when no update is open."""
        await self._all_done.wait()

    @property
    def open_count(self) -> int:
        """The number of open updates in this process."""
        return len(self._open)

    def holds(self, update_ids: Iterable[int]) -> bool:
        """True while it is this process that has to answer these updates."""
        return True

    # -- inside -----------------------------------------------------------------------------------

    async def _close(self, update_ids: Sequence[int]) -> None:
        if update_ids:
            await self._db.write(table.CLOSE, self._source, json.dumps(update_ids))

    def _note_stored(self, update_ids: Iterable[int]) -> None:
        self._note_open(update_ids)

    def _note_done(self, update_ids: Iterable[int]) -> None:
        self._open.difference_update(update_ids)
        for id_ in update_ids:
            self._left.pop(id_, None)
        if not self._open:
            self._all_done.set()

    def _note_open(self, update_ids: Iterable[int]) -> None:
        ids = set(update_ids)
        if not self._unclaimed:
            self._claimed_at = time.monotonic()
        self._unclaimed |= ids
        self._open |= ids
        if self._open:
            self._all_done.clear()
