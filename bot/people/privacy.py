"""Private sessions, of which nothing is kept."""

import structlog

from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: Begins every reply in a private session.
PRIVATE_MARK = "🔒"


class Privacy:
    """Tells whether a session is private."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def is_on(self, actor: Actor, place: Place) -> bool:
        """True if the session there is private. Raises StoreUnavailable."""
        session = await self._memory.talk.session(actor, place)
        return session is not None and session.private

    async def shows_mark(self, actor: Actor, place: Place) -> bool:
        """True if replies there carry the mark. Never fails, because a reply must not fail with the
        journal."""
        try:
            return await self.is_on(actor, place)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="private", error=str(failure))
            return False
