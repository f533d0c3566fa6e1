"""A program for tests with a real terminal: the assistant with a conversation that repeats what it
hears. `wait` is begun and never finished."""

import asyncio
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.inbound import Message
from bot.operations.logs import configure
from bot.terminal import TerminalChannel
from bot.terminal.channel import LineInbox
from tests.bot.terminal.seat import USER, seat_on


class Repeating:
    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        if inbound.text == "wait":
            yield TextDelta("So **far**")
            await asyncio.Event().wait()
        lines = " / ".join(inbound.text.splitlines())
        yield Reply(f"heard {lines}", markdown=True)


def on_standard_streams(inbox: LineInbox) -> TerminalChannel:
    return TerminalChannel.on(sys.stdin.buffer, sys.stdout, USER, inbox, "Echo, no engine")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with seat_on(on_standard_streams, Path(folder), Repeating()) as ours:
            await ours.terminal.run()


if __name__ == "__main__":
    # Who starts this from a script in the background hands down a Ctrl-C that is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    configure("error")
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(130)
