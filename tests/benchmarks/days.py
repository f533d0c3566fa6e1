"""How people's days are modelled: when each of many people writes to the bot."""

from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

DAY = 86_400

#: The share of a day's messages in each hour, in people's own time, in thousandths: nights are
#: quiet, evenings busiest. The busiest hour has 6.9 %; Nielsen found 6 to 6.5 % of the minutes
#: spent in messengers and social networks there (marketingcharts.com/digital-65149, 2016).
HOURS = (
    14, 8, 5, 4, 5, 10, 21, 35, 44, 48, 49, 50, 54, 53, 51, 51, 54, 58, 64, 68, 69, 66, 61, 58
)  # fmt: skip


@dataclass(frozen=True)
class Habits:
    """What people do in a day on which they write at all.

    `messages` is the mean. Few people write most: the numbers are lognormal with this `spread`.
    ChatGPT had 18 billion messages a week from 700 million weekly people in July 2025 ("How People
    Use ChatGPT", NBER working paper 34255), 3.7 a day for each of them; if four in ten come on a
    given day, nine for each of those. They come in conversations of `talk` messages on average,
    `pause` seconds (median) apart. `zones` is how many hours people's clocks are apart (standard
    deviation): 0 is one country."""

    people: int = 100_000
    messages: float = 10.0
    spread: float = 1.0
    talk: float = 4.0
    pause: float = 45.0
    zones: float = 0.0


@dataclass(frozen=True)
class Day:
    """Every message of a day: who wrote it, and in which second; people's own are in order."""

    person: NDArray[numpy.int64]
    second: NDArray[numpy.float64]


def live(habits: Habits, seed: int = 1) -> Day:
    """One day of everybody. What goes beyond midnight is the morning's."""
    random = numpy.random.default_rng(seed)
    scale = numpy.log(habits.messages) - habits.spread**2 / 2
    wanted = random.lognormal(scale, habits.spread, habits.people)
    numbers = numpy.maximum(1, numpy.rint(wanted)).astype(int)
    person = numpy.repeat(numpy.arange(habits.people), numbers)
    # Each message but a person's first one begins a new conversation by chance.
    first = numpy.r_[True, person[1:] != person[:-1]]
    begins = first | (random.random(len(person)) < 1 / habits.talk)
    talk = numpy.cumsum(begins) - 1
    starts = _starts(random, int(talk[-1]) + 1)
    zone = random.normal(0, habits.zones * 3600, habits.people) if habits.zones else 0.0
    pauses = random.lognormal(numpy.log(habits.pause), 1.0, len(person))
    waited = numpy.cumsum(numpy.where(begins, 0, pauses))
    since_begin = waited - waited[numpy.flatnonzero(begins)][talk]
    shift = zone[person] if isinstance(zone, numpy.ndarray) else zone
    second = (starts[talk] + since_begin + shift) % DAY
    order = numpy.lexsort((second, person))
    return Day(person[order], second[order])


def _starts(random: numpy.random.Generator, number: int) -> NDArray[numpy.float64]:
    shares = numpy.array(HOURS) / sum(HOURS)
    hours = random.choice(24, number, p=shares)
    return (hours + random.random(number)) * 3600


def per_second(day: Day) -> NDArray[numpy.int64]:
    """How many messages came in each second of the day."""
    return numpy.bincount(day.second.astype(int), minlength=DAY)


def at_once(begins: NDArray[numpy.float64], ends: NDArray[numpy.float64]) -> int:
    """The most intervals at the same moment."""
    moments = numpy.concatenate([begins, ends])
    steps = numpy.repeat([1, -1], [len(begins), len(ends)])
    order = numpy.lexsort((steps, moments))
    return int(numpy.cumsum(steps[order]).max())


def people_at_once(day: Day, idle: float) -> int:
    """The most people with a message within so many seconds before a moment."""
    same = numpy.r_[day.person[1:] == day.person[:-1], False]
    following = numpy.r_[day.second[1:], 0.0]
    ends = numpy.where(same, numpy.minimum(day.second + idle, following), day.second + idle)
    return at_once(day.second, ends)


def sessions(day: Day, idle: float, longest: int) -> int:
    """How many sessions the messages make: one ends after `idle` seconds, or `longest` messages."""
    gaps = numpy.r_[numpy.inf, numpy.diff(day.second)]
    new = numpy.r_[True, day.person[1:] != day.person[:-1]] | (gaps > idle)
    lengths = numpy.diff(numpy.r_[numpy.flatnonzero(new), len(new)])
    return int(numpy.ceil(lengths / longest).sum())
