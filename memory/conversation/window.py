"""The sliding window: the recent turns that go to the model word for word. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from memory.conversation.replay import replay_turn
from memory.conversation.tokens import Count, estimate_tokens
from memory.records import Turn, Utterance

#: What a message costs besides its text: who said it, where it begins and ends.
_MESSAGE_TOKENS = 4

#: What a window may take, in tokens: room for a batch of turns with an answer of some 2,300
#: characters of English and a question each, so that none of them is cut further, and for ten turns
#: of ordinary talk three times.
WINDOW_TOKENS = 5000

#: How many turns leave at once. Both numbers are where `mordecai eval window` reaches its goals:
#: docs/benchmarks.md.
EVICTED_TURNS = 6


@dataclass(frozen=True, slots=True)
class Window:
    """The last turns of a session: at most `limit` messages and at most `tokens` of them, whichever
    is less. Turns are whole, with their tools; the newest always stays.

    What does not fit leaves in batches of `batch` turns: one at a time would change the beginning
    of the model's input on every turn, and no prefix of it could be cached. No turn may take more
    than a batch's share of the tokens (`replay_turn` sees to it), so that whenever the window is
    too full it has more than a batch: each change of the beginning takes `batch` turns away, and
    there can be no more than one change in so many turns, whatever people say."""

    limit: int
    batch: int = EVICTED_TURNS
    tokens: int = WINDOW_TOKENS
    message_chars: int = 3000
    count: Count = field(default=estimate_tokens, compare=False, repr=False)
    turns: tuple[Turn, ...] = ()
    _shown: tuple[tuple[Utterance, ...], ...] = field(default=(), compare=False, repr=False)

    def with_turns(self, turns: Iterable[Turn]) -> "Window":
        """A window of the same bounds with these turns, oldest first, even if it is too full."""
        turns = tuple(turns)
        return replace(self, turns=turns, _shown=tuple(self._replay(turn) for turn in turns))

    @property
    def messages(self) -> tuple[Utterance, ...]:
        """The messages as they go to the model, oldest first."""
        return self.latest(len(self.turns))

    def latest(self, turns: int) -> tuple[Utterance, ...]:
        """The messages of the newest turns alone, as they go to the model."""
        newest = self._shown[max(0, len(self.turns) - turns) :]
        return tuple(message for messages in newest for message in messages)

    @property
    def too_full(self) -> bool:
        """Whether turns have to leave."""
        return len(self.turns) > 1 and self._over(self._costs())

    def push(self, turn: Turn) -> tuple["Window", tuple[Turn, ...]]:
        """The window with this turn as its newest, and the turns that left for it."""
        shown = (*self._shown, self._replay(turn))
        return replace(self, turns=(*self.turns, turn), _shown=shown).trim()

    def trim(self) -> tuple["Window", tuple[Turn, ...]]:
        """The window within its bounds, and the turns that left for that."""
        costs = self._costs()
        while len(costs) > 1 and self._over(costs):
            costs = costs[min(self.batch, len(costs) - 1) :]
        return self.keep_newest(len(costs))

    def keep_newest(self, turns: int) -> tuple["Window", tuple[Turn, ...]]:
        """The window with its newest turns alone, and the others."""
        first = max(0, len(self.turns) - turns)
        kept = replace(self, turns=self.turns[first:], _shown=self._shown[first:])
        return kept, self.turns[:first]

    def without(self, turn_ids: Collection[str]) -> "Window":
        """The window without these turns."""
        return self.with_turns(turn for turn in self.turns if turn.id not in turn_ids)

    def _over(self, costs: Sequence[tuple[int, int]]) -> bool:
        messages = sum(messages for messages, _ in costs)
        return messages > self.limit or sum(tokens for _, tokens in costs) > self.tokens

    def _costs(self) -> list[tuple[int, int]]:
        """How many messages and how many tokens each turn takes."""
        return [
            (len(shown), sum(self.count(m.text) + _MESSAGE_TOKENS for m in shown))
            for shown in self._shown
        ]

    def _replay(self, turn: Turn) -> tuple[Utterance, ...]:
        share = self.tokens // self.batch - _MESSAGE_TOKENS * len(turn.messages)
        return replay_turn(turn, self.message_chars, max(0, share))
