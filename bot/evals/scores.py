"""How good one ranked answer is, by the usual measures of retrieval."""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple, dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """How well the gold turns of a question, or of many on average, were found. All 0 to 1."""

    r5: float = 0.0
    r10: float = 0.0
    r25: float = 0.0
    ndcg10: float = 0.0
    mrr: float = 0.0
    any10: float = 0.0

    @classmethod
    def mean(cls, scores: Sequence["Score"]) -> "Score":
        """The average score; all zero if there is none."""
        if not scores:
            return cls()
        return cls(
            *(sum(column) / len(scores) for column in zip(*map(astuple, scores), strict=True))
        )

    def to_json(self) -> dict[str, float]:
        """The measures by name."""
        return asdict(self)


def score_of(found: Sequence[str], gold: Collection[str]) -> Score:
    """Score the ids that were found, best first, against those that should have been."""
    places = [place for place, name in enumerate(found) if name in gold]
    ideal = sum(_gain(place) for place in range(min(10, len(gold))))

    def recall(depth: int) -> float:
        return len([place for place in places if place < depth]) / max(1, len(gold))

    return Score(
        r5=recall(5),
        r10=recall(10),
        r25=recall(25),
        ndcg10=sum(_gain(place) for place in places if place < 10) / ideal if ideal else 0.0,
        mrr=1 / (places[0] + 1) if places else 0.0,
        any10=1.0 if places and places[0] < 10 else 0.0,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed, by nearest rank; 0 if none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)
