"""The conversation at the terminal: one line after another until the input ends."""

import asyncio
import signal
import time
import unicodedata
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from datetime import UTC, datetime
from enum import Enum
from itertools import chain, count
from pathlib import Path
from typing import Any

import structlog

from bot.assistant.assistant import Assistant
from bot.assistant.events import Event, Reply, TextDelta, ToolCalled
from bot.assistant.inbound import Click, Inbound, Message
from bot.people.personal import Streaming
from bot.terminal.channel import TerminalChannel
from bot.terminal.person import NumberedButtons
from memory.background.work import log_outage

_log = structlog.get_logger(__name__)

Settle = Callable[[], Awaitable[None]]

_NO_SUCH_CHOICE = "Please choose a number from 1 to {last}, or write something else."
_EMPTY = "That message is empty, so there is nothing to answer. Please write something."
_NOT_UTF8 = (
    "That line is not valid UTF-8 text, so I could not read it and stored nothing. "
    "Please send it again as UTF-8."
)

#: What people type to leave a program, and to get help.
_LEAVING = frozenset({"quit", "exit", "/quit", "/exit", ":q", ":q!", ":wq", "/q"})
_HELP = frozenset({"help", ":help"})


class _Doing(Enum):
    """What the terminal waits for, which decides what Ctrl-C does."""

    LISTENING = "for a line"
    ANSWERING = "for a reply"
    ENDING = "for a reply to be stopped, or for everything to be saved"


class Terminal:
    """Passes lines to the assistant, and replies to the screen."""

    def __init__(
        self, channel: TerminalChannel, assistant: Assistant, settle: Settle, exports: Path
    ) -> None:
        """`settle` returns once saving has been tried and its outcome announced. Documents are
        saved in the folder `exports`."""
        self._channel, self._assistant, self._settle = channel, assistant, settle
        self._person, self._inbox, self._screen = channel.person, channel.inbox, channel.screen
        self._exports, self._choices = exports, NumberedButtons()
        # Message ids start at the current time, so that they grow from run to run without being
        # stored.
        self._message_ids, self._receipts = count(int(time.time() * 1000)), count(1)
        self._notices: list[Reply] = []
        self._doing, self._interrupted = _Doing.ENDING, False
        self._listening: asyncio.Task[bytes | None] | None = None
        # The message being answered, and who answers it: only messages can be stopped, because
        # stopping a command would leave things half done.
        self._answered: Message | None = None
        self._stoppable: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Talk until the input ends. Returns quietly when the output is closed. Raises
        KeyboardInterrupt after Ctrl-C; a second Ctrl-C ends at once."""
        with self._handle_interrupts():
            notices = asyncio.create_task(self._take_notices(), name="notices")
            try:
                self._screen.greet()
                await self._answer_open_lines()
                await self._talk()
            except BrokenPipeError:
                return
            finally:
                notices.cancel()
                await asyncio.gather(notices, return_exceptions=True)
                self._screen.stop_progress()
                self._channel.lines.close()
        if self._interrupted:
            raise KeyboardInterrupt

    async def _talk(self) -> None:
        person = self._channel.interactive
        while (line := await self._next_line()) is not None:
            text = self._parse_line(line)
            if person and text and text.lower() in _LEAVING:
                break
            if text and (last := self._choices.invalid_choice(text)):
                self._screen.show(_NO_SUCH_CHOICE.format(last=last))
            elif text:
                await self._take(text)
                if not person:
                    # A script gets a line's notices before the next line is read. A person need not
                    # wait.
                    await self._settle()
        else:
            self._screen.leave_line()
        self._doing = _Doing.ENDING
        self._screen.show_progress("saving…")
        await self._settle()
        self._show_notices(last=True)

    async def _next_line(self) -> bytes | None:
        self._show_notices()
        self._doing = _Doing.LISTENING
        self._listening = asyncio.create_task(self._channel.lines.next())
        try:
            return await self._listening
        except asyncio.CancelledError:
            if self._interrupted:
                return None
            raise
        finally:
            self._listening.cancel()
            self._listening = None

    def _parse_line(self, line: bytes) -> str | None:
        """The text of a line; None or empty, with an explanation, if there is none."""
        try:
            text = line.decode().replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            self._screen.show(_NOT_UTF8)
            return None
        text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc").strip()
        if not text and not self._channel.interactive:
            self._screen.show(_EMPTY)
        return "/help" if text.lower() in _HELP else text

    async def _take_notices(self) -> None:
        async for notice in self._assistant.people.take_notices(self._channel.name):
            if notice.place == self._person.place:
                self._notices.append(notice.reply)
                if self._listening:
                    with suppress(BrokenPipeError):
                        self._show_notices()

    def _show_notices(self, *, last: bool = False) -> None:
        """Show the notices, above the prompt if there is one; the `last` ones without buttons,
        which nobody could press."""
        while self._notices:
            reply = self._notices.pop(0)
            unfinished = self._channel.lines.unfinished if self._listening else None
            buttons = self._choices.number(
                () if last else chain.from_iterable(reply.buttons),
                next(self._message_ids),
                datetime.now(UTC),
            )
            self._screen.show(
                reply.text, buttons, private=bool(reply.private), unfinished=unfinished
            )

    # -- one line ---------------------------------------------------------------------------------

    async def _take(self, text: str) -> None:
        receipt, choice = next(self._receipts), self._choices.take(text)
        if choice:
            update = self._person.click_update(choice, receipt)
        else:
            update = self._person.message_update(text, next(self._message_ids), receipt)
        with log_outage(_log, "inbox_unavailable"):
            await self._inbox.store([update])
            self._inbox.claim(receipt)
        if said := self._person.inbound_of(update):
            await self._respond(said)

    async def _answer_open_lines(self) -> None:
        """Answer the lines that a killed process left open. Another person's lines wait until that
        person comes back."""
        left = await self._inbox.find_open()
        self._receipts = count(await self._inbox.next_id())
        for waiting in left:
            said = self._person.inbound_of(waiting.update)
            if said is None:
                continue
            self._inbox.claim(said.receipt)
            recorded = isinstance(said, Message) and await self._assistant.resuming.recorded_reply(
                said
            )
            if recorded:
                await self._show(said, recorded)
                await self._close(said)
            else:
                await self._respond(said)

    async def _respond(self, said: Inbound) -> None:
        """Show the reply. A stopped reply keeps what is written so far."""
        self._doing = _Doing.ANSWERING
        self._screen.show_progress("typing…")
        written: list[str] = []
        answering = asyncio.create_task(self._answer(said, written))
        try:
            await asyncio.wait((answering,))
        finally:
            self._doing, self._stoppable = _Doing.ENDING, None
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            self._screen.stop_progress()
        await self._close(said)
        if not answering.cancelled():
            answering.result()
        elif self._answered:
            await self._keep_partial_reply(self._answered, "".join(written))

    async def _answer(self, said: Inbound, written: list[str]) -> None:
        """Show the events of a reply as they come; collects the text so far in `written`."""
        chosen = await self._assistant.people.personal.streaming(said.origin.actor)
        grows = Streaming.OFF not in (chosen, self._channel.streaming)
        private = await self._assistant.is_private(said.origin)
        async with aclosing(self._events(said)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        written.append(text)
                    case ToolCalled():
                        written.append("\n\n")
                    case Reply():
                        await self._show(said, event)
                        continue
                if grows:
                    self._screen.show_progress("typing…", "".join(written), private=private)

    async def _events(self, said: Inbound) -> AsyncGenerator[Event, None]:
        """The assistant's events; after an error, an apology."""
        self._answered = None
        try:
            async with aclosing(self._assistant.respond(said, self._allow_stop)) as events:
                async for event in events:
                    yield event
        except Exception as error:  # noqa: BLE001 - one line went wrong, not the conversation
            yield self._assistant.apologize(said.origin.place, error)

    def _allow_stop(self, admitted: Inbound) -> None:
        if isinstance(admitted, Message):
            self._answered, self._stoppable = admitted, asyncio.current_task()

    async def _keep_partial_reply(self, said: Message, written: str) -> None:
        """Record and show what is written of a stopped reply."""
        reply = await self._assistant.resuming.stopped_reply(said, written.strip())
        await self._show(said, reply)
        self._screen.show((await self._assistant.people.texts(said.origin)).stopped)

    async def _show(self, said: Inbound, reply: Reply) -> None:
        """Show a reply, its buttons with numbers, and where its documents are saved."""
        message_id, asked_at = next(self._message_ids), datetime.now(UTC)
        if reply.replaces is not None:
            message_id = reply.replaces
            asked_at = said.asked_at if isinstance(said, Click) else asked_at
        buttons = self._choices.number(chain.from_iterable(reply.buttons), message_id, asked_at)
        private = bool(reply.private)
        below = [*filter(None, (reply.reaction, *reply.footer.split("\n"))), *buttons]
        if reply.text:
            self._screen.show(reply.text, below, markdown=reply.markdown, private=private)
        for document in reply.documents:
            try:
                path = await asyncio.to_thread(
                    save_document, self._exports, document.name, document.content
                )
                where = f"[document] saved as {path}"
            except OSError as error:
                where = f"[document] {document.name} could not be saved: {error.strerror}"
            self._screen.show(f"{document.caption}\n{where}".lstrip(), private=private)
        await self._assistant.note_delivery(said, reply, message_id)

    async def _close(self, said: Inbound) -> None:
        with log_outage(_log, "inbox_unavailable"):
            await self._inbox.done(said.receipts)

    # -- Ctrl-C -----------------------------------------------------------------------------------

    @contextmanager
    def _handle_interrupts(self) -> Iterator[None]:
        """Make Ctrl-C stop the current reply, or leave at the prompt. A second Ctrl-C ends
        everything at once."""
        if not self._channel.interactive:
            yield
            return
        loop, running = asyncio.get_running_loop(), asyncio.current_task()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, self._interrupt, running)
        try:
            yield
        except asyncio.CancelledError:
            if not self._interrupted or running is None:
                raise
            running.uncancel()
            raise KeyboardInterrupt from None
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, running: asyncio.Task[Any] | None) -> None:
        if self._doing is _Doing.ANSWERING:
            if self._stoppable:
                self._stoppable.cancel()
        elif self._doing is _Doing.LISTENING and self._listening:
            self._interrupted = True
            self._listening.cancel()
        elif running:
            self._interrupted = True
            running.cancel()
        self._doing = _Doing.ENDING


def save_document(folder: Path, name: str, content: bytes) -> Path:
    """Write a new file that only its owner can read. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = Path(Path(name.replace("\\", "/")).name or "file")
    for number in range(1, 10_000):
        mark = f"-{number}" if number > 1 else ""
        path = folder / f"{wanted.stem}{mark}{wanted.suffix}"
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        path.write_bytes(content)
        return path
    raise FileExistsError(17, "too many files of this name", str(folder / wanted))
