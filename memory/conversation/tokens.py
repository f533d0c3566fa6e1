"""Estimates the tokens of a text: high at first, then calibrated with what the model reports for
its requests.

The starting rates were measured on short statements in twenty languages with the tokenizers of five
model families (docs/benchmarks.md): each is that of the most expensive one, except Claude 2's."""

import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase


class Script(StrEnum):
    """Scripts that tokenizers know equally well. Each is calibrated separately."""

    LATIN = "latin"
    CYRILLIC = "cyrillic"
    CJK = "cjk"
    OTHER = "other"


#: The tokens of a text at the starting rates, by script.
Weight = Mapping[Script, float]
Count = Callable[[str], int]

#: How far calibration may go from the starting rates, downwards and upwards.
LOWEST, HIGHEST = 0.3, 2.0
#: By how much one observation may lower an estimate.
STEP = 0.05
#: An estimate stays above the most expensive of RECENT observations by this share: a request is an
#: average over its messages, and a single message may cost more.
RECENT, MARGIN = 32, 1.3
#: The estimated tokens by which two requests must differ to be compared: below, what a
#: vendor wraps each message in counts for too much.
TELLING = 200
#: Models that are tracked at most, so that a server with ever new names does no harm.
MOST_MODELS = 16
#: A script is calibrated downwards where it makes up this share of a text.
DOMINANT = 0.7

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3041-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
_SMALL, _CAPITALS = f"{ascii_lowercase} ".encode(), ascii_uppercase.encode()
#: Iterating over an enumeration takes longer than weighing a sentence.
_SCRIPTS = tuple(Script)
_CYRILLIC = re.compile("[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]")


@lru_cache(maxsize=20_000)
def _rate(char: str) -> tuple[Script, float]:
    """A character's script and its tokens at the starting rate."""
    if char.isascii():
        return Script.LATIN, _ascii_tokens(char)
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        return Script.LATIN, 1.6
    if _CYRILLIC.match(char):
        return Script.CYRILLIC, 0.7
    if _CJK.match(char):
        return Script.CJK, 1.5
    # Emoji and what else stands outside the basic plane take a token for nearly every byte.
    return Script.OTHER, 3.0 if char > "\uffff" or "\u2190" <= char <= "\u2bff" else 1.9


def _ascii_tokens(text: str) -> float:
    """The tokens of ASCII at the starting rates."""
    rest = text.encode().translate(None, _SMALL)
    signs = len(rest.translate(None, _CAPITALS))
    return 0.35 * (len(text) - len(rest)) + 0.6 * (len(rest) - signs) + signs


def weigh(text: str) -> Weight:
    """The tokens of a text at the starting rates, by script."""
    weight = dict.fromkeys(_SCRIPTS, 0.0)
    if text.isascii():
        # A tenth of the time: every turn weighs all texts of its window.
        weight[Script.LATIN] = _ascii_tokens(text)
        return weight
    for char, count in Counter(text).items():
        script, rate = _rate(char)
        weight[script] += count * rate
    return weight


def estimate_tokens(text: str) -> int:
    """How many tokens a text may cost with any model, on the high side."""
    return _whole(sum(weigh(text).values()))


class Tokens:
    """An estimate that learns. One for all actors: it keeps numbers, no text.

    Where several models take turns, a text counts as much as with the most expensive one."""

    def __init__(self) -> None:
        self._models: dict[str, _Calibration] = {}
        self._factors = dict.fromkeys(_SCRIPTS, 1.0)

    def count(self, text: str) -> int:
        """How many tokens a text may cost, on the high side."""
        factors = self._factors
        return _whole(sum(tokens * factors[script] for script, tokens in weigh(text).items()))

    def factor(self, script: Script) -> float:
        """The current factor on a script's starting rates."""
        return self._factors[script]

    def observe(self, model: str, texts: Iterable[str], tokens: int) -> None:
        """Learn from a request with these texts, besides what every request has (instructions,
        tools), that took `tokens` input tokens. Ignores counts of 0."""
        if tokens <= 0:
            return
        if model not in self._models and len(self._models) >= MOST_MODELS:
            self._models.pop(next(iter(self._models)))
        known = self._models.setdefault(model, _Calibration())
        known.observe(weigh("\n".join(texts)), tokens)
        for script in _SCRIPTS:
            self._factors[script] = max(each.factors[script] for each in self._models.values())


@dataclass(slots=True)
class _Calibration:
    """What is known of one model's tokenizer.

    What all requests have in common (instructions, tools, the vendor's own wrapping) drops out when
    two are compared: each is compared with the smallest one so far. The difference is the kind of
    text that budgets are for. An estimate that was too low rises at once; one that was too high
    sinks slowly, never below the most expensive recent observation."""

    factors: dict[Script, float] = field(default_factory=lambda: dict.fromkeys(Script, 1.0))
    _least: tuple[float, int, Weight] | None = None
    _seen: dict[Script, deque[float]] = field(
        default_factory=lambda: {script: deque(maxlen=RECENT) for script in Script}
    )

    def observe(self, weight: Weight, tokens: int) -> None:
        """Learn from one request. Of two equally small ones, the cheaper is the one to compare
        with."""
        size = sum(weight.values())
        if self._least is None or (size, tokens) < self._least[:2]:
            self._least = (size, tokens, weight)
            return
        _, fewest, least = self._least
        more = {script: max(0.0, weight[script] - least[script]) for script in Script}
        if sum(more.values()) < TELLING or tokens <= fewest:
            return
        self._lower(more, tokens - fewest)
        self._raise(more, tokens - fewest)

    def _lower(self, more: Weight, tokens: int) -> None:
        """Lower the factor of the dominant script, with the other scripts at their cheapest: the
        observation can't be split between scripts, so the dominant one is taken as expensive as it
        may be."""
        script = max(Script, key=lambda each: more[each])
        others = sum(more.values()) - more[script]
        if more[script] < DOMINANT * (more[script] + others):
            return
        seen = self._seen[script]
        seen.append((tokens - LOWEST * others) / more[script])
        wanted = max(LOWEST, MARGIN * max(seen))
        if wanted < self.factors[script]:
            self.factors[script] = max(wanted, (1 - STEP) * self.factors[script])

    def _raise(self, more: Weight, tokens: int) -> None:
        """Raise the factors of all scripts in the text: any of them may be the expensive one."""
        estimated = sum(self.factors[script] * more[script] for script in Script)
        if tokens > estimated:
            for script in (each for each in Script if more[each]):
                raised = self.factors[script] * tokens / estimated
                self.factors[script] = min(HIGHEST, raised)


def _whole(tokens: float) -> int:
    # Sums of rates such as 0.35 are a hair off.
    return math.ceil(tokens - 1e-6)


def cut_to_tokens(text: str, tokens: int, count: Count) -> str:
    """The beginning of the text in at most `tokens`, cut after a word and marked with "…". A text
    that fits is unchanged."""
    if count(text) <= tokens:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if count(text[:middle] + "…") <= tokens:
            fits = middle
        else:
            too_long = middle
    whole, space, _ = text[:fits].rpartition(" ")
    # Scripts without spaces, and addresses, have no word end near.
    kept = whole if space and fits - len(whole) < 40 else text[:fits]
    return f"{kept.rstrip(' ,;:')}…" if kept else ""
