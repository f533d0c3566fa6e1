"""How what the words say and what the meaning says become one relevance, for every store.

Each record has a score by its words (`memory.search.ranking`) and, once it has a vector, a
likeness: where its cosine with the query lies between the lowest in this person's memory and the
highest, to the power of `sharpness`. The assistant's messages count as much less as they do for
words; neighbours, sessions, age and importance count as they do there, with weights of their own.
Both are divided by their best and added, `vector` of the one and the rest of the other:

    score = (1 - vector) * words / best words + vector * likeness / best likeness

Scaled like that, the best match would look perfect even where nothing matches. So words count in
proportion while the best of them is below `solid`, likeness while it is hardly more than chance;
and the sum is multiplied by the better one of both bests, in absolute terms. Without a likeness
worth the name what remains is the score by words, and without any evidence nothing.

What a cosine tells in absolute terms is found out by asking the model itself. Models differ: one
puts unrelated texts at 0.05, another at 0.75. So do languages: a model that never learned one finds
everything in it alike. And so do queries. Hence a query is compared with unrelated texts: everyday
statements of many languages that have nothing to do with it. How near the nearest of them are is
chance. How much nearer than chance an answer is, is measured once, on questions with their answers,
in the languages that the model knows best.

A weighted sum of scaled scores finds more than reciprocal ranks do: `docs/benchmarks.md`."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul
from statistics import fmean
from typing import NamedTuple

from memory.search.ranking import (
    Candidate,
    Ranked,
    Weights,
    freshness,
    weight,
    with_context,
)
from memory.understanding import Embedder


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
    return _best_first(scores, candidates)


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


def _best_first(scores: Mapping[int, float], candidates: Mapping[int, Candidate]) -> list[Ranked]:
    def rank_key(document: int) -> tuple[float, float, int]:
        candidate = candidates.get(document)
        return scores[document], candidate.at if candidate else 0.0, document

    best_first: Collection[int] = sorted(scores, key=rank_key, reverse=True)
    return [Ranked(document, scores[document]) for document in best_first]


#: Chance is the mean of so many unrelated texts, the nearest but for the very nearest: that one
#: may happen to be about the same thing.
NEAREST_UNRELATED = 5

#: Where relevance begins and where it is full, as shares of how much nearer than chance answers
#: are. Chosen so that small talk stays below 0.2: docs/benchmarks.md.
BEGINS, FULL = 0.7, 1.4

#: Questions with the statements that answer them. No two are about the same.
PAIRS = (
    ("What instrument does my sister play?", "My sister has been playing the cello since school."),
    ("What can't I eat?", "I am allergic to peanuts, so I read every label."),
    ("Which database did we choose?", "We settled on PostgreSQL for the new backend."),
    ("How is the garden coming along?", "The tomatoes are ripe and the roses need cutting."),
    ("Who am I going to marry?", "My fiancée Laura and I have set a date for the wedding."),
    ("Was ist mit meinem Auto?", "Mein Wagen ist kaputt und steht in der Werkstatt."),
    ("¿Dónde trabaja mi hermano?", "Mi hermano trabaja en un hospital de Sevilla."),
    ("Qu'est-ce que je lis en ce moment ?", "Je lis un roman policier qui se passe à Lyon."),
    ("Как зовут мою собаку?", "Мою собаку зовут Шарик, ей три года."),
    ("我喜欢什么运动?", "我每个周末都和朋友打篮球。"),
)

#: Statements that nobody's memory holds in these words, the same few in each language.
UNRELATED = (
    "The train was an hour late today.",
    "My tooth hurts when I drink something cold.",
    "We painted the kitchen yellow last summer.",
    "Bread has become expensive again.",
    "The neighbours are moving out in spring.",
    "Der Zug hatte heute eine Stunde Verspätung.",
    "Mein Zahn tut weh, wenn ich etwas Kaltes trinke.",
    "Wir haben letzten Sommer die Küche gelb gestrichen.",
    "Brot ist wieder teurer geworden.",
    "Die Nachbarn ziehen im Frühling aus.",
    "El tren llegó hoy con una hora de retraso.",
    "Me duele una muela cuando bebo algo frío.",
    "El verano pasado pintamos la cocina de amarillo.",
    "El pan ha vuelto a subir de precio.",
    "Los vecinos se mudan en primavera.",
    "Le train avait une heure de retard aujourd'hui.",
    "J'ai mal à une dent quand je bois froid.",
    "L'été dernier, nous avons peint la cuisine en jaune.",
    "Le pain a encore augmenté.",
    "Les voisins déménagent au printemps.",
    "Поезд сегодня опоздал на час.",
    "У меня болит зуб, когда я пью холодное.",
    "Прошлым летом мы покрасили кухню в жёлтый цвет.",
    "Хлеб опять подорожал.",
    "Соседи весной переезжают.",
    "今天火车晚点了一个小时。",
    "我一喝凉的东西牙就疼。",
    "去年夏天我们把厨房刷成了黄色。",
    "面包又涨价了。",
    "邻居春天要搬走。",
    "今日は電車が一時間遅れた。",
    "冷たいものを飲むと歯が痛い。",
    "去年の夏、台所を黄色に塗った。",
    "パンがまた値上がりした。",
    "隣の人は春に引っ越す。",
    "오늘 기차가 한 시간 늦었다.",
    "찬 것을 마시면 이가 아프다.",
    "지난여름에 부엌을 노란색으로 칠했다.",
    "빵값이 또 올랐다.",
    "이웃이 봄에 이사를 간다.",
    "تأخر القطار اليوم ساعة كاملة.",
    "يؤلمني ضرسي عندما أشرب شيئا باردا.",
    "طلينا المطبخ باللون الأصفر في الصيف الماضي.",
    "ارتفع سعر الخبز مرة أخرى.",
    "سينتقل الجيران في الربيع.",
    "आज ट्रेन एक घंटा देर से आई।",
    "ठंडा पीने पर मेरे दाँत में दर्द होता है।",
    "पिछली गर्मियों में हमने रसोई पीली रँगी।",
    "रोटी फिर महँगी हो गई है।",
    "पड़ोसी वसंत में घर बदल रहे हैं।",
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A model's vectors of unrelated texts, each of length 1, and the margin by which an answer is
    nearer to its question than chance."""

    unrelated: tuple[tuple[float, ...], ...]
    margin: float

    def scale(self, query: Sequence[float]) -> Scale:
        """What the cosines of a query mean."""
        chance = _baseline(unit(query), self.unrelated)
        return Scale(chance, chance + BEGINS * self.margin, chance + FULL * self.margin)


async def calibrate(embedder: Embedder) -> Calibration:
    """The calibration of a model. Raises EmbeddingFailed."""
    questions = await embedder.embed([question for question, _ in PAIRS], query=True)
    answers = await embedder.embed([answer for _, answer in PAIRS])
    unrelated = tuple(map(unit, await embedder.embed(UNRELATED)))
    margins = sorted(
        _dot(question, unit(answer)) - _baseline(question, unrelated)
        for question, answer in zip(map(unit, questions), answers, strict=True)
    )
    # A model that tells nothing apart must not divide by nothing, nor find everything relevant.
    return Calibration(unrelated, max(0.01, fmean(margins[len(margins) // 2 :])))


def unit(vector: Sequence[float]) -> tuple[float, ...]:
    """The vector scaled to length 1; unchanged if it has no direction."""
    length = math.hypot(*vector)
    return tuple(number / length for number in vector) if length else tuple(vector)


def _baseline(query: Sequence[float], unrelated: Iterable[Sequence[float]]) -> float:
    nearest = sorted((_dot(query, text) for text in unrelated), reverse=True)
    return fmean(nearest[1 : 1 + NEAREST_UNRELATED])


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    total: float = sum(map(mul, one, other))
    return total
