"""The profiles that sessions begin with, read once and kept until something remembered changes."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from memory.background.actor_cache import ActorCache
from memory.conversation.tokens import Count, estimate_tokens
from memory.knowledge.recall import RecallBudget, build_profile, profile_block, recalled_block
from memory.ports import LongTermMemory, Sessions
from memory.records import Actor, Choices, Hit, Profile


class Profiles:
    """Everybody's profile, and the blocks that the model reads."""

    def __init__(
        self,
        store: LongTermMemory,
        sessions: Sessions,
        budget: RecallBudget,
        count: Count = estimate_tokens,
    ) -> None:
        self._store, self._sessions, self._budget, self._count = store, sessions, budget, count
        #: The profiles as far as they have been asked for. Reading raises StoreUnavailable.
        self.known = ActorCache("profile", self._read)

    def block(self, profile: Profile, choices: Choices, now: datetime, language: str | None) -> str:
        """The profile as the model reads it; empty when nothing is known."""
        return profile_block(profile, now, self._budget, language, self._count, choices)

    def recalled_block(
        self, hits: Sequence[Hit], profile: Profile, now: datetime, language: str | None
    ) -> str:
        """What search found and the profile does not hold already; may be empty."""
        return recalled_block(hits, profile, now, self._budget, language, self._count)

    async def _read(self, actor: Actor) -> Profile:
        # First what is open: a session that ends meanwhile changes the profile once more.
        talks = {session.id for session in await self._sessions.of(actor)}
        records = await self._store.records(actor)
        # Of 10,000 records this takes long enough to be felt by everybody else.
        return await asyncio.to_thread(build_profile, records, self._budget, talks, self._count)
