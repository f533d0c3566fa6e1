"""The person at the terminal: their input and the buttons they choose by number, as inbounds."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.assistant.events import Button
from bot.assistant.inbound import Click, Command, Inbound, Message, Origin
from memory.records import Actor, Place


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


CHANNEL = "terminal"
_COMMAND = re.compile(r"/(?P<name>\w{1,64})(?P<bot>@\w+)?(?=\s|$)\s*(?P<argument>.*)", re.DOTALL)

#: A line as the inbox keeps it, as JSON.
Update = Mapping[str, Any]


class TerminalUser:
    """A person in a private chat, with a numeric Telegram id."""

    def __init__(self, user_id: int) -> None:
        self.place = Place(CHANNEL, user_id)
        self.origin = Origin(self.place, Actor.person(user_id), user_id)

    def message_update(self, text: str, message_id: int, receipt: int) -> Update:
        return self._update(receipt, message_id, datetime.now(UTC), text=text)

    def click_update(self, choice: NumberedButton, receipt: int) -> Update:
        return self._update(receipt, choice.message_id, choice.asked_at, pressed=choice.data)

    def inbound_of(self, update: Update) -> Inbound | None:
        """The inbound of an update: a click, a command, or a message, which includes the text after
        /ask. None if another person sent it."""
        receipt, message = update["update_id"], update["message"]
        at, message_id = datetime.fromtimestamp(message["date"], UTC), message["message_id"]
        if message["chat"]["id"] != self.place.chat_id:
            return None
        if "pressed" in message:
            return Click(message["pressed"], self.origin, at, message_id, receipt)
        command = _COMMAND.fullmatch(message["text"])
        name, argument = (command["name"].lower(), command["argument"]) if command else ("", "")
        if command and not (name == "ask" and argument):
            addressed = command["bot"] is not None
            return Command(name, argument, self.origin, at, message_id, receipt, addressed)
        words = argument or message["text"]
        id_ = f"{CHANNEL}:{self.place.chat_id}:{message_id}"
        return Message(id_, self.origin, at, words, message_id, receipt, words=words)

    def _update(self, receipt: int, message_id: int, at: datetime, **content: str) -> Update:
        chat = {"id": self.place.chat_id}
        message = {"message_id": message_id, "date": at.timestamp(), "chat": chat, **content}
        return {"update_id": receipt, "message": message}
