"""What the cosines of a model mean in absolute terms, found out by asking the model itself.

Models differ: one puts unrelated texts at 0.05, another at 0.75. So do languages: a model that
never learned one finds everything in it alike. And so do queries. Hence a query is held against
unrelated texts: everyday statements of many languages that have nothing to do with it. How near the
nearest of them are is chance. How much nearer an answer is than chance is measured once, on
questions with their answers, in those languages that the model knows best."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import fmean

from memory.ports import Embedder
from memory.search.fusion import Scale

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
    """A model's vectors of unrelated texts, each of length 1, and by what margin an answer is
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
    """A vector of the same direction and length 1; of none if it has no direction."""
    length = math.hypot(*vector)
    return tuple(number / length for number in vector) if length else tuple(vector)


def _baseline(query: Sequence[float], unrelated: Iterable[Sequence[float]]) -> float:
    nearest = sorted((_dot(query, text) for text in unrelated), reverse=True)
    return fmean(nearest[1 : 1 + NEAREST_UNRELATED])


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    total: float = sum(map(mul, one, other))
    return total
