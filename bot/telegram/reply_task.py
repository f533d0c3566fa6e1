"""A message being answered, which can be stopped or restarted."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.assistant.events import Reply
from bot.assistant.inbound import Message
from bot.telegram.delivery.preview import Preview


class ReplyTask:
    """Until the reply is written, it can be stopped, or restarted after an edit."""

    def __init__(self, said: Message, longest: int) -> None:
        """An edit may make the message `longest` characters long."""
        self.said = said
        #: The message as the assistant got it, with recordings transcribed.
        self.loaded: Message | None = None
        self._longest, self._stopped, self.is_abandoned = longest, False, False
        self._writing: asyncio.Task[Reply] | None = None

    def stop(self) -> bool:
        """Stop writing; False if it is too late."""
        stopped = self._interrupt()
        self._stopped = self._stopped or stopped
        return stopped

    def abandon(self) -> None:
        """Stop writing, because the person can't be reached: nothing of it is kept."""
        self.is_abandoned = self.stop() or self.is_abandoned

    def amendment(self, changed: Message) -> Message | None:
        """The message with this edit; None if the edit is of another message, makes it too long, or
        changes nothing."""
        if self._stopped or self.answers(changed):
            return None
        return self.said.with_edit(changed, self._longest)

    def answers(self, changed: Message) -> bool:
        """True if it is the answer to this very text: Telegram reports invisible edits too."""
        return self.said.with_edit(changed, self._longest) == self.said

    def amend(self, changed: Message) -> bool:
        """Restart with this edit; False if there is nothing to restart."""
        amended = self.amendment(changed)
        if amended is None or not self._interrupt():
            return False
        self.said = amended
        return True

    async def reply(
        self,
        write: Callable[["ReplyTask"], Awaitable[Reply]],
        recorded: Callable[[Message], Awaitable[Reply | None]],
        preview: Preview,
    ) -> Reply | None:
        """The reply; None if it was stopped. Raises whatever `write` raises."""
        while not self._stopped:
            said, self.loaded = self.said, None
            writing = self._writing = asyncio.ensure_future(write(self))
            try:
                await asyncio.wait((writing,))
            finally:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
            if not writing.cancelled():
                return writing.result()
            if self.said is said:
                return None
            self._writing = None
            # A recorded turn can't change any more: its reply counts.
            if reply := await recorded(said):
                return reply
            preview.discard()
        return None

    def _interrupt(self) -> bool:
        return self._writing is None or self._writing.cancel()
