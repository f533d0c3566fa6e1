"""How what the words say and what the meaning says become one relevance: pure, for every store.

Each record has a score by its words (`memory.ranking`) and, once it has a vector, a likeness: where
its cosine with the query lies between the lowest in this person's memory and the highest, to the
power of `sharpness`. The assistant's messages count as much less as they do for words; neighbours,
sessions, age and importance count as they do there, with weights of their own. Both are divided by
their best and added, `vector` of the one and the rest of the other:

    score = (1 - vector) * words / best words + vector * likeness / best likeness

Scaled like that, the best match would look perfect even where nothing matches. So words count in
proportion while the best of them is below `solid`, likeness while it is hardly more than chance;
and the sum is multiplied by the better one of both bests, in absolute terms. Without a likeness
worth the name what remains is the score by words, and without any evidence nothing. What a cosine
tells in absolute terms differs from model to model and from query to query:
`memory.search.calibration` finds it out.

A weighted sum of scaled scores finds more than reciprocal ranks do: `docs/benchmarks.md`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memory.search.ranking import (
    Candidate,
    Ranked,
    Weights,
    freshness,
    weight,
    with_context,
)


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """The named weights of the formula above."""

    vector: float = 0.55
    sharpness: float = 1.2
    neighbour: float = 0.4
    session: float = 0.3
    recency: float = 0.05
    solid: float = 0.05


@dataclass(frozen=True, slots=True)
class Scale:
    """What cosines with one query mean: texts that have nothing to do with it have `chance`, up to
    `unrelated` nothing is relevant, from `alike` on one says what the query asks."""

    chance: float
    unrelated: float
    alike: float

    def beyond_chance(self, cosine: float) -> float:
        """From 0 for chance to 1 for where relevance begins."""
        return min(1.0, max(0.0, (cosine - self.chance) / (self.unrelated - self.chance)))

    def relevance(self, cosine: float) -> float:
        """How much a cosine tells, 0 to 1."""
        return min(1.0, max(0.0, (cosine - self.unrelated) / (self.alike - self.unrelated)))


@dataclass(frozen=True, slots=True)
class QueryMeaning:
    """A query as a vector, with what its cosines mean."""

    vector: Sequence[float]
    scale: Scale


class Nearness(NamedTuple):
    """How near documents are to a query: the cosines of those that matter, and the lowest one in
    the whole memory."""

    cosines: Mapping[int, float]
    lowest: float


def fuse(
    ranked: Sequence[Ranked],
    near: Nearness,
    candidates: Mapping[int, Candidate],
    scale: Scale,
    now: float,
    ranking: Weights,
    weights: FusionWeights = FusionWeights(),
) -> list[Ranked]:
    """The documents by both their words and their meaning, best first; of equals, the newer first.
    `ranked` are those found by words, `candidates` describes all of `near.cosines`, and `now` is in
    seconds since 1970."""
    by_words = {one.document: one.relevance for one in ranked}
    closest = max(near.cosines.values(), default=-1.0)
    lowest = min(near.lowest, scale.unrelated)
    span = closest - lowest
    shares = {d: (value - lowest) / span for d, value in near.cosines.items()} if span > 0 else {}
    by_meaning = _likeness(shares, candidates, now, ranking, weights)
    best_word = max(by_words.values(), default=0.0)
    best_likeness = max(by_meaning.values(), default=0.0)
    telling = scale.relevance(closest)
    words_count = (1 - weights.vector) * min(1.0, best_word / weights.solid)
    meaning_counts = weights.vector * scale.beyond_chance(closest)
    counting = words_count + meaning_counts
    if not counting:
        return list(ranked)
    top = max(min(1.0, best_word), telling) / counting
    per_word = top * words_count / (best_word or 1.0)
    per_likeness = top * meaning_counts / (best_likeness or 1.0)
    scores = {
        document: per_word * by_words.get(document, 0.0)
        + per_likeness * by_meaning.get(document, 0.0)
        for document in by_words.keys() | by_meaning.keys()
    }
    return _ordered(scores, candidates)


def _likeness(
    shares: Mapping[int, float],
    candidates: Mapping[int, Candidate],
    now: float,
    ranking: Weights,
    weights: FusionWeights,
) -> dict[int, float]:
    """How alike documents are to the query, of cosines that are scaled to 0 to 1."""
    own = {
        document: share**weights.sharpness * (ranking.assistant if candidate.assistant else 1.0)
        for document, share in shares.items()
        if (candidate := candidates.get(document))
    }
    own_weights = replace(
        ranking,
        neighbour=weights.neighbour,
        session=weights.session,
        recency=weights.recency,
    )
    lifted = with_context(own, candidates, own_weights)
    return {
        d: share
        * freshness(now - candidates[d].at, own_weights)
        * weight(candidates[d], own_weights)
        for d, share in lifted.items()
    }


def _ordered(scores: Mapping[int, float], candidates: Mapping[int, Candidate]) -> list[Ranked]:
    def standing(document: int) -> tuple[float, float, int]:
        candidate = candidates.get(document)
        return scores[document], candidate.at if candidate else 0.0, document

    best_first: Collection[int] = sorted(scores, key=standing, reverse=True)
    return [Ranked(document, scores[document]) for document in best_first]
