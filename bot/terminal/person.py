"""The one person at the terminal, and what they type as the assistant takes it."""

import re
from datetime import datetime

from bot.assistant.inbound import Click, Command, Message, Origin
from bot.terminal.choices import Choice
from memory.records import Actor, Place

CHANNEL = "terminal"
_COMMAND = re.compile(r"/(?P<name>\w{1,64})(?P<bot>@\w+)?(?=\s|$)\s*(?P<argument>.*)", re.DOTALL)


class Person:
    """Somebody in a private chat, known by a numeric Telegram id."""

    def __init__(self, user_id: int) -> None:
        self.place = Place(CHANNEL, user_id)
        self.origin = Origin(self.place, Actor.person(user_id), user_id)

    def types(self, text: str, at: datetime, message_id: int, receipt: int) -> Message | Command:
        """A command, or talk; talk is what follows /ask, too."""
        command = _COMMAND.match(text)
        name = command["name"].lower() if command else ""
        argument = command["argument"].strip() if command else ""
        if command and not (name == "ask" and argument):
            addressed = command["bot"] is not None
            return Command(name, argument, self.origin, at, message_id, receipt, addressed)
        words = argument or text
        return Message(
            id=f"{CHANNEL}:{self.place.chat_id}:{message_id}",
            origin=self.origin,
            at=at,
            text=words,
            message_id=message_id,
            receipt=receipt,
            words=words,
        )

    def presses(self, choice: Choice, receipt: int) -> Click:
        """The press of the button that a number stands for."""
        return Click(choice.data, self.origin, choice.asked_at, choice.message_id, receipt)
