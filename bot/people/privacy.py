"""Private conversations: of what is said in one, nothing is kept."""

import structlog

from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.reading import Command
from memory.errors import StoreUnavailable
from memory.learning.endings import Ending
from memory.memory import Memory
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: What every reply begins with there.
PRIVATE_MARK = "🔒"
#: Commands that would keep what is said after them. A setting is no part of a conversation.
_KEEPING = frozenset(("remember", "edit", "name"))
#: Of these, one that tells something without.
_TELLING = "name"


class Privacy:
    """Begins private conversations and tells where there is one."""

    def __init__(self, memory: Memory, inbox: Inbox) -> None:
        self._memory, self._inbox = memory, inbox

    async def is_on(self, actor: Actor, place: Place) -> bool:
        """Whether the conversation there is private. Raises StoreUnavailable."""
        session = await self._memory.talk.session(actor, place)
        return session is not None and session.private

    async def marks(self, actor: Actor, place: Place) -> bool:
        """Whether replies there bear the mark: one must not fail because the journal does."""
        try:
            return await self.is_on(actor, place)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="private", error=str(failure))
            return False

    async def forbids(self, command: Command, actor: Actor, place: Place) -> bool:
        """Whether a command is not carried out there. Raises StoreUnavailable."""
        keeps = command.name in _KEEPING and (bool(command.argument) or command.name != _TELLING)
        return keeps and await self.is_on(actor, place)

    async def begin(self, actor: Actor, place: Place) -> Ending | None:
        """Make the conversation there private; the ending of the one before, if there was one.
        Raises StoreUnavailable."""
        return await self._memory.talk.begin_private(actor, place)

    async def ended(self) -> None:
        """A private conversation is over, and the journal has nothing of it any more: neither must
        the inbox. Raises StoreUnavailable."""
        await self._inbox.scrub()
