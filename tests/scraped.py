"""A strict reader of Prometheus' text format, version 0.0.4."""

import math
import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_SUFFIXES = ("_bucket", "_sum", "_count")


@dataclass
class Scraped:
    """The samples of a scrape by name and labels, and the types of the metrics."""

    samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def value(self, name: str, **labels: str) -> float:
        """One sample; 0 if it is not there yet."""
        return self.samples.get((name, frozenset(labels.items())), 0.0)

    def has(self, name: str) -> bool:
        return any(sample == name for sample, _ in self.samples)

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.samples}


def scraped(text: str) -> Scraped:
    """What the text says. Fails an assertion if it breaks a rule of the format."""
    assert text.endswith("\n")
    found, helped, current = Scraped(), set[str](), ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split(" ", 3)[2]
            assert re.fullmatch(_NAME, current), line
            assert current not in helped, f"{current} is described twice"
            assert len(line.split(" ", 3)[3]) > 10, line
            helped.add(current)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == current, "the type follows the description"
            assert kind in {"counter", "gauge", "histogram"}
            assert kind != "counter" or name.endswith("_total"), name
            assert name not in found.types
            found.types[name] = kind
        else:
            _read_sample(line, current, found)
    assert helped == found.types.keys()
    _check_histograms(found)
    return found


def _read_sample(line: str, current: str, found: Scraped) -> None:
    match = _SAMPLE.fullmatch(line)
    assert match, line
    name, labels, value = match.groups()
    suffixes = _SUFFIXES if found.types[current] == "histogram" else ("",)
    assert name in {current + suffix for suffix in suffixes}, f"{name} stands below {current}"
    pairs = _LABEL.findall(labels or "")
    assert "".join(f'{key}="{text}",' for key, text in pairs) == (f"{labels}," if labels else "")
    key = name, frozenset(pairs)
    assert key not in found.samples, f"twice: {line}"
    found.samples[key] = float(value)


def _check_histograms(found: Scraped) -> None:
    for name in (name for name, kind in found.types.items() if kind == "histogram"):
        buckets = sorted(
            (float(dict(labels)["le"].replace("+Inf", "inf")), value)
            for (sample, labels), value in found.samples.items()
            if sample == f"{name}_bucket"
        )
        counts = [count for _, count in buckets]
        assert counts == sorted(counts), "buckets are cumulative"
        assert buckets[-1] == (math.inf, found.value(f"{name}_count"))
