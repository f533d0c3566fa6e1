"""How what the words say and what the meaning says become one relevance: pure, for every store.

Each record has a score by its words (`memory.ranking`) and, once it has a vector, a likeness: where
its cosine with the query lies between the lowest in this person's memory and the highest, to the
power of `sharpness`. The assistant's messages count as much less as they do for words; neighbours,
sessions and age count as they do there, with weights of their own. Both are divided by their best
and added, `vector` of the one and the rest of the other:

    score = (1 - vector) * words / best words + vector * likeness / best likeness

Scaled like that, the best match would look perfect even where nothing matches. So each of the two
counts in proportion while its best is below `solid`, and the sum is multiplied by the better one of
both bests, in absolute terms: without a likeness worth the name what remains is the score by words,
and without any evidence nothing. What a cosine tells in absolute terms differs from model to model;
a Scale holds it, taken from pairs that have to do with each other and pairs that do not.

A weighted sum of scaled scores finds more than reciprocal ranks do: `docs/benchmarks.md`."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import NamedTuple

from memory.ports import Embedder
from memory.ranking import Candidate, Ranked, Weights, freshness, with_context


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """The named weights of the formula above."""

    vector: float = 0.55
    sharpness: float = 1.2
    neighbour: float = 0.4
    session: float = 0.3
    solid: float = 0.05


@dataclass(frozen=True, slots=True)
class Scale:
    """What cosines of one model mean: up to `unrelated` texts are alike by chance, from `alike` on
    one says what the other asks."""

    unrelated: float
    alike: float

    def relevance(self, cosine: float) -> float:
        """How much a cosine tells, 0 to 1."""
        return min(1.0, max(0.0, (cosine - self.unrelated) / (self.alike - self.unrelated)))


@dataclass(frozen=True, slots=True)
class Meaning:
    """A query as a vector, with the scale of the model that made it."""

    vector: Sequence[float]
    scale: Scale


class Nearness(NamedTuple):
    """How near documents are to a query: the cosines of those that matter, and the lowest one in
    the whole memory."""

    cosines: Mapping[int, float]
    lowest: float


#: Questions with the statements that answer them. No two are about the same.
PAIRS = (
    ("What instrument does my sister play?", "My sister has been playing the cello since school."),
    ("What can't I eat?", "I am allergic to peanuts, so I read every label."),
    ("Which database did we choose?", "We settled on PostgreSQL for the new backend."),
    ("When does my train leave?", "The train to Oslo goes at a quarter past seven."),
    ("How is the garden coming along?", "The tomatoes are ripe and the roses need cutting."),
    ("Was ist mit meinem Auto?", "Mein Wagen ist kaputt und steht in der Werkstatt."),
    ("¿Dónde trabaja mi hermano?", "Mi hermano trabaja en un hospital de Sevilla."),
    ("Qu'est-ce que je lis en ce moment ?", "Je lis un roman policier qui se passe à Lyon."),
    ("Как зовут мою собаку?", "Мою собаку зовут Шарик, ей три года."),
    ("我喜欢什么运动?", "我每个周末都和朋友打篮球。"),
)


async def measured(embedder: Embedder) -> Scale:
    """The scale of a model, from the pairs above: by chance are two standard deviations above the
    mean of what does not belong together. Raises EmbeddingFailed."""
    questions = await embedder.embed([question for question, _ in PAIRS], query=True)
    answers = await embedder.embed([answer for _, answer in PAIRS])
    cosines = [[cosine(q, a) for a in answers] for q in questions]
    places = range(len(PAIRS))
    strange = [cosines[i][j] for i in places for j in places if i != j]
    unrelated = min(0.99, fmean(strange) + 2 * pstdev(strange))
    # A model that tells nothing apart must not divide by nothing.
    return Scale(unrelated, max(unrelated + 0.01, fmean(cosines[i][i] for i in places)))


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; 0 if one has no direction."""
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0


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
    meaning_counts = weights.vector * min(1.0, telling / weights.solid)
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
    lifting = replace(ranking, neighbour=weights.neighbour, session=weights.session)
    lifted = with_context(own, candidates, lifting)
    return {d: share * freshness(now - candidates[d].at, ranking) for d, share in lifted.items()}


def _ordered(scores: Mapping[int, float], candidates: Mapping[int, Candidate]) -> list[Ranked]:
    def standing(document: int) -> tuple[float, float, int]:
        candidate = candidates.get(document)
        return scores[document], candidate.at if candidate else 0.0, document

    best_first: Collection[int] = sorted(scores, key=standing, reverse=True)
    return [Ranked(document, scores[document]) for document in best_first]
