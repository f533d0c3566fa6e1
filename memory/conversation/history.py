"""What is remembered for one turn, as the model's input is made of it."""

from dataclasses import dataclass, field
from datetime import datetime

from memory.records import Hit, Utterance


@dataclass(frozen=True, slots=True)
class HistoryMetadata:
    """What the history is made of, without its texts. `local_time` is the moment of the recall in
    the actor's time zone, None if nobody could tell. `private` is the session's. `reunion`: this is
    the first message of a new session with somebody known, after a long silence. `answer_length` is
    what the actor has chosen, None if nothing."""

    session_id: str
    message_count: int
    oldest: datetime | None = None
    newest: datetime | None = None
    has_long_term_context: bool = False
    has_semantic_context: bool = False
    local_time: datetime | None = None
    private: bool = False
    reunion: bool = False
    answer_length: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationHistory:
    """Everything remembered that goes before the model for one turn.

    `messages` are the window, word for word. `profile`, `earlier` and `recalled` are ready context
    blocks, escaped and delimited, empty where there is nothing to say: the profile is fixed for a
    session and goes first, `earlier` sums up the turns that have left the window and stands before
    it, the recalled block belongs to this turn alone and goes last."""

    metadata: HistoryMetadata
    messages: tuple[Utterance, ...] = ()
    profile: str = ""
    earlier: str = ""
    recalled: str = ""
    hits: tuple[Hit, ...] = field(default=(), repr=False)

    @property
    def context_messages(self) -> tuple[str, ...]:
        """The context blocks that say something, in the order in which the model sees them."""
        return tuple(
            text for block in (self.profile, self.earlier, self.recalled) if (text := block.strip())
        )
