"""The sliding window: the recent turns that go to the model word for word. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from memory.records import Message, Turn


@dataclass(frozen=True, slots=True)
class Window:
    """The last turns of a session, at most `limit` messages of them.

    What does not fit leaves in batches of `batch` whole turns: one at a time would change the
    beginning of the model's input on every turn, and no prefix of it could be cached."""

    limit: int
    batch: int = 5
    turns: tuple[Turn, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the turns, oldest first."""
        return tuple(message for turn in self.turns for message in turn.messages)

    def push(self, turn: Turn) -> tuple["Window", tuple[Turn, ...]]:
        """The window with this turn as its newest, and the turns that left for it. The newest turn
        always stays, whatever its size."""
        kept = (*self.turns, turn)
        evicted: tuple[Turn, ...] = ()
        while len(kept) > 1 and _count(kept) > self.limit:
            leaving = min(self.batch, len(kept) - 1)
            evicted, kept = evicted + kept[:leaving], kept[leaving:]
        return Window(self.limit, self.batch, kept), evicted

    def without(self, turn_ids: Collection[str]) -> "Window":
        """The window without these turns."""
        return replace(self, turns=tuple(t for t in self.turns if t.id not in turn_ids))


def _count(turns: tuple[Turn, ...]) -> int:
    return sum(len(turn.messages) for turn in turns)
