"""One message being answered."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.assistant.events import Reply
from bot.assistant.inbound import Message
from bot.telegram.delivery.preview import Preview


class Turn:
    """A message while it is answered. Until the answer is written it can be stopped, or begun again
    with a message as it reads by then."""

    def __init__(self, said: Message, longest: int) -> None:
        """What is answered may grow to `longest` characters meanwhile."""
        self.said = said
        #: What the assistant was given: with recordings transcribed.
        self.loaded: Message | None = None
        self._longest, self._stopped = longest, False
        self._writing: asyncio.Task[Reply] | None = None

    def stop(self) -> bool:
        """End it; False if it is too late for that."""
        stopped = self._interrupt()
        self._stopped = self._stopped or stopped
        return stopped

    def amendment(self, changed: Message) -> Message | None:
        """What is answered with this message as it reads now; None if it has no such message, or
        would be too much. Telegram tells of changes, too, that nobody sees: they are no reason to
        begin again."""
        if self._stopped:
            return None
        amended = self.said.with_edit(changed, self._longest)
        return None if amended == self.said else amended

    def amend(self, changed: Message) -> bool:
        """Begin again, with this message as it reads now; False if there is nothing to begin
        again."""
        amended = self.amendment(changed)
        if amended is None or not self._interrupt():
            return False
        self.said = amended
        return True

    async def reply(
        self,
        write: Callable[["Turn"], Awaitable[Reply]],
        recorded: Callable[[Message], Awaitable[Reply | None]],
        preview: Preview,
    ) -> Reply | None:
        """What comes of it; None if it was stopped. Raises whatever writing raises."""
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
            # What is on record can't be changed any more: then that is what is answered.
            if reply := await recorded(said):
                return reply
            preview.discard()
        return None

    def _interrupt(self) -> bool:
        return self._writing is None or self._writing.cancel()
