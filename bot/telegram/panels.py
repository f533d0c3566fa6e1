"""Messages with buttons that are edited in place: what they show, whose they are, for how long."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.telegram.reading import Click, Origin
from bot.telegram.sender import Sender
from bot.telegram.texts import Sentence
from memory.records import Actor

#: For how long buttons stay good. In seconds.
BUTTONS_SECONDS = 3600.0
_MOST_PANELS = 1_000


@dataclass(frozen=True, slots=True)
class Button:
    """A button: what it says, and what it does, as `verb` or `verb:argument`."""

    label: str
    action: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page, with its rows of buttons."""

    text: str
    rows: tuple[tuple[Button, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Panel:
    """A message with buttons: who opened it, whose memory it is about, and when."""

    owner: int
    actor: Actor
    opened: float


class Panels:
    """The panels of one command. Each has a secret in its buttons, and only who opened it may press
    them. A click made up elsewhere counts for nothing: who may open a panel of their own may not
    open the group's. After a restart the buttons are stale."""

    def __init__(
        self,
        prefix: str,
        command: str,
        sender: Sender,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Callback data begins with the `prefix`; a stale panel is opened anew by the `command`."""
        self._prefix, self._command = prefix, command
        self._sender, self._monotonic = sender, monotonic
        self._panels: dict[str, _Panel] = {}

    async def open(self, origin: Origin, page: Page, answering: int | None = None) -> None:
        """Send the first page; who reads it may press its buttons."""
        keyboard = self._keyboard(page, self._remembered(origin))
        await self._sender.send(origin.place, page.text, answering=answering, keyboard=keyboard)

    async def show(self, click: Click, page: Page) -> None:
        """Let the message that was clicked show this page."""
        keyboard = self._keyboard(page, secret_of(click))
        await self._sender.replace_text(click.origin.place, click.message_id, page.text, keyboard)

    def has(self, click: Click) -> bool:
        """Whether a click is on a button of one of these panels."""
        return click.data.partition(":")[0] == self._prefix

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        panel = self._panels.get(secret_of(click))
        if panel is None or self._monotonic() - panel.opened > BUTTONS_SECONDS:
            return lambda texts: texts.buttons_stale.format(command=self._command)
        if (panel.owner, panel.actor) != (click.origin.user_id, click.origin.actor):
            return lambda texts: texts.button_not_yours
        return None

    def _remembered(self, origin: Origin) -> str:
        now = self._monotonic()
        if len(self._panels) >= _MOST_PANELS:
            self._panels = {
                secret: panel
                for secret, panel in list(self._panels.items())[_MOST_PANELS // 2 :]
                if now - panel.opened <= BUTTONS_SECONDS
            }
        secret = secrets.token_urlsafe(9)
        self._panels[secret] = _Panel(origin.user_id, origin.actor, now)
        return secret

    def _keyboard(self, page: Page, secret: str) -> InlineKeyboardMarkup | None:
        start = f"{self._prefix}:{secret}"
        rows: Sequence[Sequence[InlineKeyboardButton]] = [
            [
                InlineKeyboardButton(button.label, callback_data=f"{start}:{button.action}")
                for button in row
            ]
            for row in page.rows
            if row
        ]
        return InlineKeyboardMarkup(rows) if rows else None


def secret_of(click: Click) -> str:
    """The secret of the panel that a click is on."""
    return click.data.split(":", 2)[1] if ":" in click.data else ""


def action_of(click: Click) -> str:
    """What a click on a panel's button does."""
    _, _, rest = click.data.partition(":")
    return rest.partition(":")[2]
