"""Private conversations: of what is said in one, nothing is kept."""

import structlog

from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: What every reply begins with there.
PRIVATE_MARK = "🔒"


class Privacy:
    """Tells where a conversation is private."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def is_on(self, actor: Actor, place: Place) -> bool:
        """Whether the conversation there is private. Raises StoreUnavailable."""
        session = await self._memory.talk.session(actor, place)
        return session is not None and session.private

    async def shows_mark(self, actor: Actor, place: Place) -> bool:
        """Whether replies there bear the mark: one must not fail because the journal does."""
        try:
            return await self.is_on(actor, place)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="private", error=str(failure))
            return False
