"""The memory browser: what is remembered, page by page in one message, by its buttons."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.telegram import pages
from bot.telegram.pages import Button, Page
from bot.telegram.reading import Click, Origin
from bot.telegram.sender import Sender
from bot.telegram.texts import Texts
from memory.errors import UnknownRecord
from memory.records import Kind, Record
from memory.service import Memory

_log = structlog.get_logger(__name__)

#: What callback data of this browser begins with.
PREFIX = "m"
#: For how long buttons stay good, and a deletion can be taken back. In seconds.
BUTTONS_SECONDS = 3600.0
UNDO_SECONDS = 60.0
_MOST_VIEWS = 1_000


@dataclass(slots=True)
class _View:
    """A message with buttons: whose it is, and what was deleted by it last."""

    owner: int
    opened: float
    deleted: Record | None = None
    deleted_at: float = 0.0


class Browser:
    """Shows and changes what is remembered of an actor. Each message has a secret in its buttons,
    and only who opened it may press them. After a restart the buttons are stale."""

    def __init__(
        self, memory: Memory, sender: Sender, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._memory, self._sender, self._monotonic = memory, sender, monotonic
        self._views: dict[str, _View] = {}

    async def open(self, origin: Origin, texts: Texts, answering: int | None = None) -> None:
        """Send the first page; who reads it may press its buttons. Raises StoreUnavailable."""
        records = await self._memory.records(origin.actor)
        page = pages.overview(records, texts, private=origin.is_private)
        secret = self._remembered(origin.user_id)
        keyboard = _keyboard(page, secret)
        await self._sender.send(origin.place, page.text, answering=answering, keyboard=keyboard)

    def refusal_of(self, click: Click, texts: Texts) -> str | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        _, secret, _ = _parsed(click.data)
        view = self._views.get(secret)
        if view is None or self._monotonic() - view.opened > BUTTONS_SECONDS:
            return texts.memory_stale
        return None if view.owner == click.origin.user_id else texts.button_not_yours

    async def press(self, click: Click, texts: Texts) -> None:
        """Turn to the page that a button leads to, after what it does. Raises StoreUnavailable."""
        _, secret, action = _parsed(click.data)
        page = await self._page(click.origin, self._views[secret], action, texts)
        await self._sender.replace_text(
            click.origin.place, click.message_id, page.text, _keyboard(page, secret)
        )

    async def _page(self, origin: Origin, view: _View, action: str, texts: Texts) -> Page:
        actor = origin.actor
        verb, _, argument = action.partition(":")
        if verb in ("kind", "page"):
            kind, _, number = argument.partition(":")
            records = await self._memory.records(actor)
            return pages.listing(records, Kind(kind), int(number or 0), texts)
        if verb == "undo":
            return await self._undo(origin, view, texts)
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
            view.deleted, view.deleted_at = record, self._monotonic()
            return pages.deleted(record, texts)
        if verb == "from":
            return pages.sources(record, await self._memory.sources(actor, record), texts)
        show = {"ask": pages.asking, "edit": pages.editing}.get(verb, pages.detail)
        return show(record, texts)

    async def _undo(self, origin: Origin, view: _View, texts: Texts) -> Page:
        record, view.deleted = view.deleted, None
        if record is None or self._monotonic() - view.deleted_at > UNDO_SECONDS:
            return Page(texts.memory_undo_late, ((Button(texts.button_back, "home"),),))
        return pages.brought_back(await self._memory.restore(origin.actor, record), texts)

    def _remembered(self, owner: int) -> str:
        now = self._monotonic()
        if len(self._views) >= _MOST_VIEWS:
            self._views = {
                secret: view
                for secret, view in list(self._views.items())[_MOST_VIEWS // 2 :]
                if now - view.opened <= BUTTONS_SECONDS
            }
        secret = secrets.token_urlsafe(9)
        self._views[secret] = _View(owner, now)
        return secret


def is_browsers(data: str) -> bool:
    """Whether callback data is of a browser's button."""
    return _parsed(data)[0] == PREFIX


def _parsed(data: str) -> tuple[str, str, str]:
    """Prefix, secret and action of callback data."""
    prefix, _, rest = data.partition(":")
    secret, _, action = rest.partition(":")
    return prefix, secret, action


def _keyboard(page: Page, secret: str) -> InlineKeyboardMarkup | None:
    rows: Sequence[Sequence[InlineKeyboardButton]] = [
        [
            InlineKeyboardButton(button.label, callback_data=f"{PREFIX}:{secret}:{button.action}")
            for button in row
        ]
        for row in page.rows
        if row
    ]
    return InlineKeyboardMarkup(rows) if rows else None
