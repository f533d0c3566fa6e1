"""A bare Application on a terminal that repeats what it hears. It is a program, too."""

import asyncio
import io
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.ext import (
    Application,
    CallbackQueryHandler,
    ContextTypes,
    MessageHandler,
    filters,
)

from bot.terminal import TERMINAL_TOKEN, Terminal, is_interactive

Handler = Callable[[Update, ContextTypes.DEFAULT_TYPE], Awaitable[object]]


@dataclass
class Heard:
    """What the handlers were given."""

    updates: list[Update] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [u.message.text for u in self.updates if u.message and u.message.text is not None]


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    if update.message and update.message.text:
        await update.message.reply_text(update.message.text[:4000])


async def converse(terminal: Terminal, on_update: Handler = echo) -> Heard:
    """Run an Application and the terminal on it until the input ends."""
    heard = Heard()
    application = (
        Application.builder()
        .token(TERMINAL_TOKEN)
        .request(terminal.request)
        .get_updates_request(terminal.request)
        .concurrent_updates(8)  # so that /stop passes by
        .build()
    )
    busy: set[asyncio.Task[None]] = set()

    async def note(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        heard.updates.append(update)
        task = asyncio.current_task()
        assert task is not None
        busy.add(task)
        try:
            await on_update(update, context)
        finally:
            busy.discard(task)

    async def settle() -> None:
        await application.update_queue.join()
        while busy:
            await asyncio.wait(busy)

    application.add_handler(MessageHandler(filters.TEXT, note))
    application.add_handler(CallbackQueryHandler(note))
    assert application.updater is not None
    async with application:
        await application.start()
        await application.updater.start_polling(timeout=5)
        try:
            await terminal.run(settle)
        finally:
            await application.updater.stop()
            await application.stop()
    return heard


def script(lines: bytes, data: Path, **more: Any) -> tuple[Terminal, io.StringIO]:
    """A terminal in script mode on streams in memory."""
    out = io.StringIO()
    return Terminal(7, data, io.BytesIO(lines), out, interactive=False, **more), out


async def main(stdin: BinaryIO, stdout: TextIO) -> None:
    """`wait` is answered after /stop, `ask` has a button, everything else is answered at once."""
    stopped = asyncio.Event()

    async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        if not update.message:
            await context.bot.send_message(7, "pressed Yes")
        elif update.message.text == "/stop":
            stopped.set()
        elif update.message.text == "wait":
            await context.bot.send_chat_action(7, "typing")
            await stopped.wait()
            await update.message.reply_html("<b>stopped</b> waiting")
        elif update.message.text == "ask":
            button = InlineKeyboardButton("Yes", callback_data="y")
            await update.message.reply_text("Sure?", reply_markup=InlineKeyboardMarkup([[button]]))
        else:
            await update.message.reply_text(f"heard {update.message.text}")

    person = is_interactive(stdin, stdout)
    terminal = Terminal(7, Path.cwd(), stdin, stdout, interactive=person, about="Echo, no engine")
    await converse(terminal, answer)


if __name__ == "__main__":
    # Who starts this from a script in the background hands down a Ctrl-C that is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        asyncio.run(main(sys.stdin.buffer, sys.stdout))
    except KeyboardInterrupt:
        sys.exit(130)
