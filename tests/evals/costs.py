"""What a talk costs, turn by turn: tokens, what of them a prompt cache could serve, requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.evals.requests import Request, cacheable, last_point, tokens_in


@dataclass(frozen=True, slots=True)
class Cost:
    """What one turn costs: input tokens of all its requests, how many of them a prompt cache could
    serve, how many it could if nothing had changed up to the last point of the request before, and
    the number of requests. What is asked in the background, for summaries, counts apart."""

    input: int
    cacheable: int
    expected: int
    calls: int = 1
    background_input: int = 0
    background_calls: int = 0

    @property
    def share(self) -> float:
        """The share that a prompt cache could serve, 0 to 1."""
        return self.cacheable / max(1, self.input)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a talk costs, turn by turn. Shares are 0 to 1."""

    turns: tuple[Cost, ...]

    def at(self, turn: int) -> Cost:
        """The cost of this turn, counted from 1."""
        return self.turns[turn - 1]

    def mean(self, turn: int, turns: int) -> float:
        """The mean input tokens of a request in so many turns up to this one. What a turn costs
        goes up and down with how full the window happens to be: one alone tells little."""
        last = self.turns[turn - turns : turn]
        return sum(cost.input for cost in last) / sum(cost.calls for cost in last)

    @property
    def input(self) -> int:
        """The input tokens of the whole talk, without the background's."""
        return sum(cost.input for cost in self.turns)

    @property
    def uncached(self) -> int:
        """The input tokens of the whole talk that no prompt cache could serve."""
        return self.input - sum(cost.cacheable for cost in self.turns)

    @property
    def cacheable_share(self) -> float:
        """Which share of the whole talk's input a prompt cache could serve."""
        return 1 - self.uncached / max(1, self.input)

    @property
    def calls(self) -> int:
        """The requests of all turns."""
        return sum(cost.calls for cost in self.turns)

    @property
    def background_calls(self) -> int:
        """The requests made in the background."""
        return sum(cost.background_calls for cost in self.turns)

    @property
    def background_input(self) -> int:
        """Their input tokens."""
        return sum(cost.background_input for cost in self.turns)

    @property
    def stable_share(self) -> float:
        """The share of turns, from the second one, in which nothing has changed up to the last
        point of the turn before."""
        later = self.turns[1:]
        return sum(cost.cacheable >= cost.expected for cost in later) / max(1, len(later))

    def to_json(self) -> dict[str, Any]:
        """The costs for machines, every turn."""
        return {
            "input_tokens": self.input,
            "uncached_tokens": self.uncached,
            "cacheable_share": self.cacheable_share,
            "stable_share": self.stable_share,
            "calls": self.calls,
            "background_input_tokens": self.background_input,
            "background_calls": self.background_calls,
            "turns": [
                {
                    "turn": number,
                    "input_tokens": cost.input,
                    "cacheable_tokens": cost.cacheable,
                    "calls": cost.calls,
                    "background_input_tokens": cost.background_input,
                    "background_calls": cost.background_calls,
                }
                for number, cost in enumerate(self.turns, start=1)
            ],
        }


def costs_of(
    turns: Sequence[Sequence[Request]], background: Sequence[Sequence[Request]] = ()
) -> Costs:
    """What these requests cost, turn by turn. Each is held against the one before it."""
    result: list[Cost] = []
    before: Request = ()
    for index, requests in enumerate(turns):
        aside = background[index] if background else ()
        served = expected = 0
        for request in requests:
            served += cacheable(request, before)
            expected += last_point(before)
            before = request
        result.append(
            Cost(
                input=sum(map(tokens_in, requests)),
                cacheable=served,
                expected=expected,
                calls=len(requests),
                background_input=sum(map(tokens_in, aside)),
                background_calls=len(aside),
            )
        )
    return Costs(tuple(result))
