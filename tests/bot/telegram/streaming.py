"""What the tests of growing replies share."""

from typing import Any

from bot.people.personal import Streaming
from bot.telegram.options import ChannelOptions
from tests.fakes.botapi import BotApiServer, Call
from tests.fakes.clock import FastClock

CURSOR = " ▍"
SPEED = 20.0


def options(streaming: Streaming = Streaming.EDIT, **how: Any) -> ChannelOptions:
    """A bot whose seconds are short."""
    return ChannelOptions(
        **{"stop_seconds": 5, "poll_seconds": 5, "clock": FastClock(SPEED), **how},
        streaming=streaming,
    )


def texts(server: BotApiServer, chat_id: int = 1001) -> list[str]:
    """The bot's messages in a chat as they read now."""
    return [message.get("text", "") for message in server.sent(chat_id)]


async def shows(server: BotApiServer, text: str, chat_id: int = 1001) -> None:
    """Wait until the chat's last message of the bot's reads so."""
    await server.wait_for(lambda: texts(server, chat_id)[-1:] == [text], what=repr(text))


def showings(server: BotApiServer, chat_id: int = 1001) -> list[Call]:
    """The calls that have shown something, in order."""
    return sorted(
        [*server.calls_of("sendMessage", chat_id), *server.calls_of("editMessageText", chat_id)],
        key=lambda call: call.at,
    )
