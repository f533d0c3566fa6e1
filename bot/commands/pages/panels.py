"""Messages with buttons that are edited in place: what they show, whose they are, for how long."""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.telegram.intake.reading import Click, Origin
from bot.telegram.voice import Voice
from bot.texts import Sentence
from memory.records import Actor

#: For how long buttons stay good. In seconds.
BUTTONS_SECONDS = 3600.0
_MOST_PANELS = 1_000
#: So many characters of a label a phone shows, by how many buttons are abreast; of what is longer,
#: the beginning.
LABEL_CHARS: Mapping[int, int] = {1: 32, 2: 18, 3: 11}


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


def in_rows(buttons: Iterable[Button], abreast: int = 2) -> tuple[tuple[Button, ...], ...]:
    """The buttons in rows of so many, or of fewer if a phone would cut a label."""
    every = tuple(buttons)
    longest = max((len(button.label) for button in every), default=0)
    while abreast > 1 and longest > LABEL_CHARS[abreast]:
        abreast -= 1
    return tuple(every[start : start + abreast] for start in range(0, len(every), abreast))


@dataclass(frozen=True, slots=True)
class Opened:
    """A new panel: the secret in its buttons, and its message, None if it may not have arrived."""

    secret: str
    message_id: int | None


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
        voice: Voice,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Callback data begins with the `prefix`; a stale panel is opened anew by the `command`."""
        self._prefix, self._command = prefix, command
        self._voice, self._monotonic = voice, monotonic
        self._panels: dict[str, _Panel] = {}

    async def open(self, origin: Origin, page: Page, answering: int | None = None) -> Opened:
        """Send the first page; who reads it may press its buttons."""
        secret = self._remembered(origin)
        keyboard = self._keyboard(page, secret)
        return Opened(secret, await self._voice.post(origin, page.text, keyboard, answering))

    async def show(self, click: Click, page: Page) -> int | None:
        """Let the message that was clicked show this page. The id of the message that does; None
        if it is not known to."""
        keyboard = self._keyboard(page, secret_of(click))
        return await self._voice.replace(click, page.text, keyboard)

    def data(self, secret: str, action: str) -> str:
        """What a press of a button of the panel with this secret brings."""
        return f"{self._prefix}:{secret}:{action}"

    def has(self, click: Click) -> bool:
        """Whether a click is on a button of one of these panels."""
        return click.data.partition(":")[0] == self._prefix

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        panel = self._panels.get(secret_of(click))
        if panel is None or self._monotonic() - panel.opened > BUTTONS_SECONDS:
            return lambda texts: texts.buttons_stale.format(command=self._command)
        # What was opened in the name of a group is for whoever may press there.
        openers = (click.origin.user_id, click.origin.place.chat_id)
        if panel.actor != click.origin.actor or panel.owner not in openers:
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
        rows: Sequence[Sequence[InlineKeyboardButton]] = [
            [
                InlineKeyboardButton(button.label, callback_data=self.data(secret, button.action))
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
