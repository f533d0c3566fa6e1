"""A live session: what of an open session is in RAM, and its limits."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.conversation.tiers import earlier_block
from memory.conversation.window import EVICTED_TURNS, WINDOW_TOKENS, Window
from memory.knowledge.recall import Profile
from memory.records import Choices, RunningSummary, Session

#: After this much silence every prompt cache has dropped the session (Anthropic, Bedrock and OpenAI
#: keep a prefix for about five minutes after its last use).
_CACHED_FOR = timedelta(minutes=5)


@dataclass(slots=True)
class Live:
    """An open session: its window, the running summaries of older turns, and the blocks that the
    model sees before the window: `profile`, made from `known`, and `earlier`, made from the
    summaries. `begun` is the profile block that the model saw last, None before the first turn.
    `archived` is True if all turns are certainly in the archive."""

    session: Session
    window: Window
    summaries: tuple[RunningSummary, ...] = ()
    known: tuple[Profile, Choices] | None = None
    profile: str = ""
    earlier: str | None = None
    begun: str | None = None
    archived: bool = False

    def notes(self, now: datetime) -> str:
        """The summaries as the model reads them. A better text for the same turns waits until the
        beginning of the model's input changes anyway, or no prompt cache holds it any more."""
        if self.earlier is None or now - self.session.last_at >= _CACHED_FOR:
            self.earlier = earlier_block(self.summaries)
        return self.earlier

    def show(self, known: tuple[Profile, Choices], block: str) -> None:
        """Use this profile block from now on. The block of the summaries follows it, so it is
        rebuilt as well."""
        self.known, self.profile, self.earlier = known, block, None


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """When a session ends, how much of it the model gets word for word (in messages and tokens,
    long messages shortened), and how many summaries of which length stand for the rest."""

    conversation_window_size: int = 20
    summary_turn_count: int = EVICTED_TURNS
    window_tokens: int = WINDOW_TOKENS
    message_char_limit: int = 3000
    max_summaries: int = 3
    summary_tokens: int = 200
    max_conversation_messages: int = 30
    session_idle: timedelta = timedelta(hours=6)
