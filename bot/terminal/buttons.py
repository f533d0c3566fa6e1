"""Buttons at the terminal: numbers to choose from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.assistant.events import Button


@dataclass(frozen=True, slots=True)
class NumberedButton:
    """A button under the bot's message `message_id`, which was sent at `asked_at`."""

    data: str
    message_id: int
    asked_at: datetime


class NumberedButtons:
    """The buttons that can be chosen, by number. The next input closes them all, so that a later
    number is a message again."""

    def __init__(self) -> None:
        self._open: dict[int, NumberedButton] = {}

    def number(self, buttons: Iterable[Button], message_id: int, asked_at: datetime) -> list[str]:
        """Number these buttons; returns the lines to show."""
        lines = []
        for number, button in enumerate(buttons, len(self._open) + 1):
            self._open[number] = NumberedButton(button.data, message_id, asked_at)
            lines.append(f"[{number}] {button.label}")
        return lines

    def invalid_choice(self, text: str) -> int:
        """How many buttons are open if the text looks like a number but matches none; else 0."""
        looks_so = re.fullmatch("0|[1-9][0-9]?", text) is not None
        return len(self._open) if looks_so and int(text) not in self._open else 0

    def take(self, text: str) -> NumberedButton | None:
        """The button with this number, if any. Closes all."""
        number = int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else 0
        choice = self._open.get(number)
        self._open.clear()
        return choice
