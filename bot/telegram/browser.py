"""The memory browser: what is remembered, page by page in one message, by its buttons."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.telegram import pages
from bot.telegram.panels import Button, Page, Panels, action_of, secret_of
from bot.telegram.reading import Click, Origin
from bot.telegram.sender import Sender
from bot.telegram.texts import Texts
from memory.errors import UnknownRecord
from memory.records import Actor, Kind, Record
from memory.service import Memory

#: For how long a deletion can be taken back. In seconds.
UNDO_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Deleted:
    """What was deleted by a panel last, whose it was, and when."""

    actor: Actor
    record: Record
    at: float


class Browser:
    """Shows and changes what is remembered of an actor, in a panel."""

    def __init__(
        self, memory: Memory, sender: Sender, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._memory, self._monotonic = memory, monotonic
        self.panels = Panels("m", "memory", sender, monotonic)
        self._deleted: dict[str, _Deleted] = {}

    async def open(self, origin: Origin, texts: Texts, answering: int | None = None) -> None:
        """Send the first page; who reads it may press its buttons. Raises StoreUnavailable."""
        records = await self._memory.records(origin.actor)
        page = pages.overview(records, texts, private=origin.is_private)
        await self.panels.open(origin, page, answering)

    async def press(self, click: Click, texts: Texts) -> None:
        """Turn to the page that a button leads to, after what it does. Raises StoreUnavailable."""
        await self.panels.show(click, await self._page(click, texts))

    async def _page(self, click: Click, texts: Texts) -> Page:
        origin, actor = click.origin, click.origin.actor
        verb, _, argument = action_of(click).partition(":")
        if verb in ("kind", "page"):
            kind, _, number = argument.partition(":")
            records = await self._memory.records(actor)
            return pages.listing(records, Kind(kind), int(number or 0), texts)
        if verb == "undo":
            return await self._undo(click, texts)
        if verb == "home":
            records = await self._memory.records(actor)
            return pages.overview(records, texts, private=origin.is_private)
        try:
            # The id comes from a button: it is looked up among the actor's own records alone.
            record = await self._memory.find(actor, argument)
            if verb == "delete":
                record = await self._memory.forget(actor, argument)
        except UnknownRecord:
            back = Button(texts.button_back, "home")
            return Page(texts.memory_gone, ((back,),))
        if verb == "delete":
            self._note_deleted(secret_of(click), _Deleted(actor, record, self._monotonic()))
            return pages.deleted(record, texts)
        if verb == "from":
            return pages.sources(record, await self._memory.sources(actor, record), texts)
        show = {"ask": pages.asking, "edit": pages.editing}.get(verb, pages.detail)
        return show(record, texts)

    def forget(self, actor: Actor) -> None:
        """Everything about the actor was deleted: nothing of it can be taken back."""
        self._deleted = {s: d for s, d in self._deleted.items() if d.actor != actor}

    def _note_deleted(self, secret: str, deleted: _Deleted) -> None:
        # What can't be taken back any more is really gone.
        self._deleted = {
            s: d for s, d in self._deleted.items() if deleted.at - d.at <= UNDO_SECONDS
        } | {secret: deleted}

    async def _undo(self, click: Click, texts: Texts) -> Page:
        deleted = self._deleted.pop(secret_of(click), None)
        if deleted is None or self._monotonic() - deleted.at > UNDO_SECONDS:
            return Page(texts.memory_undo_late, ((Button(texts.button_back, "home"),),))
        restored = await self._memory.restore(click.origin.actor, deleted.record)
        return pages.brought_back(restored, texts)
