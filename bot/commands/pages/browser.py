"""The memory browser: what is remembered, page by page in one message, by its buttons."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.commands.pages import pages
from bot.commands.pages.panels import (
    Button,
    Page,
    Panels,
    action_of,
    secret_of,
)
from bot.commands.pages.rewording import Rewording
from bot.commands.questions import Awaited
from bot.people.privacy import Privacy
from bot.telegram.intake.reading import Click, Origin
from bot.telegram.voice import Voice
from bot.texts import Texts
from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.memory import Memory
from memory.records import Actor, Kind, Record

#: For how long a deletion can be taken back. In seconds.
UNDO_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Deleted:
    """What was deleted by a panel last, and when; what of it came back, if it was taken back."""

    forgotten: tuple[Forgotten, ...]
    at: float
    back: tuple[Record, ...] = ()


class Browser:
    """Shows and changes what is remembered of an actor, in a panel."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        awaited: Awaited,
        privacy: Privacy,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._memory, self._privacy, self._monotonic = memory, privacy, monotonic
        self.panels = Panels("m", "memory", voice, monotonic)
        self.rewording = Rewording(memory, self.panels, awaited, privacy)
        self._deleted: dict[str, _Deleted] = {}

    async def open(self, origin: Origin, texts: Texts, answering: int | None = None) -> None:
        """Send the first page; who reads it may press its buttons. Raises StoreUnavailable."""
        await self.panels.open(origin, await self._overview(origin, texts), answering)

    async def press(self, click: Click, texts: Texts) -> None:
        """Turn to the page that a button leads to, after what it does. Raises StoreUnavailable."""
        verb, _, argument = action_of(click).partition(":")
        if verb == "edit":
            await self.rewording.ask(click, argument, texts)
        elif verb == "reword":
            await self.rewording.take(click, argument, texts)
        else:
            await self.panels.show(click, await self._page(click, verb, argument, texts))

    async def _overview(self, origin: Origin, texts: Texts) -> Page:
        records = await self._memory.known.records(origin.actor)
        kept = not await self._privacy.is_on(origin.actor, origin.place)
        return pages.overview(
            records, texts, self._memory.rules, private=origin.is_private, kept=kept
        )

    async def _page(self, click: Click, verb: str, argument: str, texts: Texts) -> Page:
        actor = click.origin.actor
        if verb == "undo":
            return await self._undo(click, texts)
        if verb in ("kind", "page") and (turned_to := _turned_to(argument)):
            return pages.listing(
                await self._memory.known.records(actor), *turned_to, texts, self._memory.rules
            )
        if verb in ("home", "kind", "page"):
            return await self._overview(click.origin, texts)
        try:
            # The id comes from a button: it is looked up among the actor's own records alone.
            if verb == "ask":
                return pages.asking(
                    await self._memory.known.would_forget(actor, argument),
                    texts,
                    self._memory.rules,
                )
            if verb == "delete":
                forgotten = await self._memory.known.forget(actor, argument)
                self._keep(secret_of(click), (forgotten,))
                return pages.deleted((forgotten.record,), texts, self._memory.rules)
            record = await self._memory.known.find(actor, argument)
        except UnknownRecord:
            return self._gone(click, argument, texts)
        if verb == "from":
            return pages.sources(record, await self._memory.known.sources(actor, record), texts)
        return pages.detail(record, texts, self._memory.rules)

    def _gone(self, click: Click, short_id: str, texts: Texts) -> Page:
        """What is said of a record that is not there: to a second press of the button that has just
        deleted it, the same as to the first one."""
        deleted = self._deleted.get(secret_of(click))
        records = [one.record for one in deleted.forgotten] if deleted and not deleted.back else []
        if any(record.short_id == short_id for record in records):
            return pages.deleted(records, texts, self._memory.rules)
        return pages.gone(texts)

    async def deleted(
        self,
        origin: Origin,
        forgotten: Sequence[Forgotten],
        texts: Texts,
        answering: int | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Say in a panel of its own what was deleted elsewhere, at least one record, with a button
        to take all of it back. The `notes` are said as well."""
        page = pages.deleted([one.record for one in forgotten], texts, self._memory.rules, notes)
        opened = await self.panels.open(origin, page, answering)
        self._keep(opened.secret, forgotten)

    def forget(self, actor: Actor) -> None:
        """Everything about the actor was deleted: nothing of it can be taken back."""
        self._deleted = {s: d for s, d in self._deleted.items() if d.forgotten[0].actor != actor}

    def _keep(self, secret: str, forgotten: Sequence[Forgotten]) -> None:
        """Hold on to what a panel has deleted, here alone, for as long as it can be taken back."""
        deleted = _Deleted(tuple(forgotten), self._monotonic())
        self._deleted[secret] = deleted
        asyncio.get_running_loop().call_later(UNDO_SECONDS, self._let_go, secret, deleted.at)

    def _let_go(self, secret: str, at: float) -> None:
        deleted = self._deleted.get(secret)
        if deleted and deleted.at == at:
            del self._deleted[secret]

    async def _undo(self, click: Click, texts: Texts) -> Page:
        deleted = self._deleted.get(secret_of(click))
        late = Page(texts.memory_undo_late, ((Button(texts.button_back, "home"),),))
        if deleted is None or self._monotonic() - deleted.at > UNDO_SECONDS:
            return late
        if deleted.back:
            return pages.brought_back(deleted.back, texts, self._memory.rules)
        actor = click.origin.actor
        try:
            # What was deleted first may be what a later one came from: it comes back last.
            back = [
                await self._memory.known.restore(actor, one) for one in reversed(deleted.forgotten)
            ]
        except UnknownRecord:
            return late
        except StoreUnavailable:
            return pages.not_back_yet(texts)
        self._deleted[secret_of(click)] = replace(deleted, back=tuple(back[::-1]))
        return pages.brought_back(back[::-1], texts, self._memory.rules)


def _turned_to(argument: str) -> tuple[Kind, int] | None:
    """The kind and the page that a button leads to; None for what no button says: it may be made
    up."""
    kind, _, number = argument.partition(":")
    is_one = kind in pages.KINDS and (number.isdecimal() or not number)
    return (Kind(kind), int(number or 0)) if is_one else None
