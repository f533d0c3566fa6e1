"""How a memory behaves: all limits and deadlines in one value."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo

from memory.conversation.live import SessionLimits
from memory.errors import Refusal, RefusedText
from memory.knowledge.maintenance import Retention
from memory.knowledge.recall import RecallBudget
from memory.learning.jobs import ATTEMPTS


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """How the memory behaves. Times are in seconds. Without `memory_enabled` nothing outlives the
    window. With `adaptive_window`, a message that does not point back goes to the model with only
    the newest turns. With `greeting`, the model learns when somebody returns after a long silence.
    `time_zone` applies to people who have not chosen one."""

    memory_enabled: bool = True
    memory_retrieval_top_k: int = 10
    memory_retrieval_relevance_score: float = 0.2
    memory_recall_timeout_seconds: float = 1.5
    extraction_timeout_seconds: float = 30.0
    max_records_per_session: int = 30
    extraction_attempts: int = ATTEMPTS
    background_seconds: float = 60.0
    adaptive_window: bool = False
    greeting: bool = True
    limits: SessionLimits = field(default_factory=SessionLimits)
    budget: RecallBudget = field(default_factory=RecallBudget)
    time_zone: tzinfo = UTC
    retention: Retention = field(default_factory=Retention)

    @property
    def limits_in_force(self) -> SessionLimits:
        """Without memory, not even a summary outlives the window."""
        return self.limits if self.memory_enabled else replace(self.limits, max_summaries=0)

    def require_enabled(self) -> None:
        """Raises RefusedText if long-term memory is switched off."""
        if not self.memory_enabled:
            raise RefusedText(
                "long-term memory is switched off here (memory_enabled is false)", Refusal.OFF
            )


def utc_now() -> datetime:
    return datetime.now(UTC)
