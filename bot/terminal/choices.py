"""Buttons where nobody can press any: numbers to choose from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.assistant.events import Button


@dataclass(frozen=True, slots=True)
class Choice:
    """A button under the bot's message `message_id`, which was sent at `asked_at`."""

    data: str
    message_id: int
    asked_at: datetime


class Choices:
    """The choices that are open, by their numbers. Whatever is said next closes them, so that a
    later number is a message again."""

    def __init__(self) -> None:
        self._open: dict[int, Choice] = {}

    def number(self, buttons: Iterable[Button], message_id: int, asked_at: datetime) -> list[str]:
        """The lines that show these buttons with their numbers."""
        lines = []
        for number, button in enumerate(buttons, len(self._open) + 1):
            self._open[number] = Choice(button.data, message_id, asked_at)
            lines.append(f"[{number}] {button.label}")
        return lines

    def mistaken(self, text: str) -> int:
        """How many choices are open, if this looks like the number of one and is none; else 0."""
        looks_so = re.fullmatch("0|[1-9][0-9]?", text) is not None
        return len(self._open) if looks_so and int(text) not in self._open else 0

    def take(self, text: str) -> Choice | None:
        """The choice with this number, if it is one. All are closed from now on."""
        number = int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else 0
        choice = self._open.get(number)
        self._open.clear()
        return choice
