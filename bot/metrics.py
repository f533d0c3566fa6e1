"""What the bot counts while it works, for `/metrics`.

The values of labels are names from the code and methods of the Bot API, never anything that people
said or are called. So there are few of them, and none identifies anybody."""

import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.people.usage import Usage, UsageKind


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a metric; `suffix` follows the metric's name."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as Prometheus shows it. `kind` is counter, gauge or histogram."""

    name: str
    kind: str
    help: str
    samples: Sequence[Sample]


class Counter:
    """A number that only grows, one for each combination of its labels' values."""

    def __init__(self, name: str, help_: str, *labels: str) -> None:
        self.name, self._help, self._labels = name, help_, labels
        self._lock = threading.Lock()
        self._values: dict[tuple[str, ...], float] = {} if labels else {(): 0}

    def add(self, *values: str, amount: float = 1) -> None:
        """Count, in any thread."""
        with self._lock:
            self._values[values] = self._values.get(values, 0) + amount

    def read(self) -> Metric:
        with self._lock:
            counted = dict(self._values)
        samples = [
            Sample(value, dict(zip(self._labels, values, strict=True)))
            for values, value in sorted(counted.items())
        ]
        return Metric(self.name, "counter", self._help, samples)


class Histogram:
    """How many observations were at most so many seconds. Observe on the event loop only."""

    def __init__(self, name: str, help_: str, bounds: Sequence[float]) -> None:
        self.name, self._help, self._bounds = name, help_, bounds
        self._counts, self._sum = [0] * (len(bounds) + 1), 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    def read(self) -> Metric:
        return Metric(self.name, "histogram", self._help, list(self._samples()))

    def _samples(self) -> Iterator[Sample]:
        total = 0
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True):
            total += count
            yield Sample(total, {"le": bound}, "_bucket")
        yield Sample(self._sum, {}, "_sum")
        yield Sample(total, {}, "_count")


UPDATES = Counter("mordecai_updates_total", "New updates that were written down.")
TURNS = Counter("mordecai_turns_total", "Turns, by outcome: answered or failed.", "outcome")
TURN_FAILURES = Counter(
    "mordecai_turn_failures_total", "Turns in which the model failed, by kind.", "kind"
)
REPLY_SECONDS = Histogram(
    "mordecai_reply_seconds",
    "Seconds from the beginning of an answer to its delivery.",
    (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 600.0),
)
TELEGRAM_REQUESTS = Counter(
    "mordecai_telegram_requests_total",
    "Requests to the Bot API, by method and HTTP status; 0 if there was no answer.",
    "method",
    "status",
)
LOG_EVENTS = Counter(
    "mordecai_log_events_total", "Lines of the log, by level and event.", "level", "event"
)
LOOP_LAG = Histogram(
    "mordecai_event_loop_lag_seconds",
    "How much later than asked for a task ran, sampled twice a second.",
    (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
_MODEL_REQUESTS = Counter(
    "mordecai_model_requests_total", "Answered requests to models, by purpose.", "purpose"
)
_UNPRICED = Counter(
    "mordecai_model_requests_unpriced_total",
    "Answered requests to models without a known price, by purpose.",
    "purpose",
)
_TOKENS = Counter(
    "mordecai_model_tokens_total",
    "Tokens by purpose and kind; input includes what came from the cache or went into it.",
    "purpose",
    "kind",
)
_COST = Counter(
    "mordecai_model_cost_dollars_total",
    "Cost in US dollars at public prices, by purpose.",
    "purpose",
)

#: In the order in which `/metrics` shows them.
COUNTED: tuple[Counter | Histogram, ...] = (
    UPDATES, TURNS, TURN_FAILURES, REPLY_SECONDS, TELEGRAM_REQUESTS, LOG_EVENTS, LOOP_LAG,
    _MODEL_REQUESTS, _UNPRICED, _TOKENS, _COST,
)  # fmt: skip


def count_usage(purpose: UsageKind, usage: Usage) -> None:
    """Count what a run of a model has used."""
    _MODEL_REQUESTS.add(purpose, amount=usage.requests)
    _UNPRICED.add(purpose, amount=usage.unpriced)
    _COST.add(purpose, amount=float(usage.cost))
    for kind, tokens in (
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        ("cache_read", usage.cache_read_tokens),
        ("cache_write", usage.cache_write_tokens),
    ):
        _TOKENS.add(purpose, kind, amount=tokens)
