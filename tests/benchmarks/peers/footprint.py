"""What a store takes on disk, in memory and to import. Standard library alone."""

import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

_REQUIREMENT = re.compile(r"\s*(?P<name>[A-Za-z0-9._-]+)\s*(\[(?P<extras>[^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*['"](?P<name>[^'"]+)['"]""")
_IMPORT_RUNS = 3


def closure(names: Iterable[str]) -> dict[str, Distribution]:
    """These distributions and all that they require and that is installed, by normal name.

    Raises PackageNotFoundError if one of `names` itself is not installed."""
    found = {_normal(name): distribution(name) for name in names}
    waiting = [(name, frozenset[str]()) for name in found]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        for wanted in _required(found[name], extras):
            if wanted in seen:
                continue
            try:
                found.setdefault(wanted[0], distribution(wanted[0]))
            except PackageNotFoundError:
                continue  # for another platform or Python
            seen.add(wanted)
            waiting.append(wanted)
    return found


def installed_bytes(distributions: Iterable[Distribution], sources: Iterable[Path] = ()) -> int:
    """The size of all files of the distributions, and of Python files below the sources."""
    files = {
        Path(str(dist.locate_file(file))) for dist in distributions for file in dist.files or ()
    }
    files.update(file for source in sources for file in source.rglob("*.py"))
    return sum(file.stat().st_size for file in files if file.is_file())


def bytes_below(directory: Path) -> int:
    """The size of all files in a directory and below."""
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def import_ms(statement: str) -> float:
    """How long the statement takes in a fresh interpreter; the best of a few, so from a warm disk
    cache and compiled. Raises subprocess.CalledProcessError."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        for _ in range(_IMPORT_RUNS)
    ]
    return min(float(run.stdout.split()[-1]) for run in runs) * 1000


def resident_mb() -> float:
    """Resident memory of this process now; its peak where there is no /proc. 10^6 bytes."""
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        return int(statistics.read_text().split()[1]) * resource.getpagesize() / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


class Stopwatch:
    """Seconds of a `with` block: as they pass, and of work of this process's threads, which hardly
    change when the machine has other things to do."""

    def __enter__(self) -> "Stopwatch":
        self._started = time.perf_counter()
        self._worked = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._started
        self.cpu_seconds = time.process_time() - self._worked


def _required(dist: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    wanted = []
    for line in dist.requires or ():
        condition = _EXTRA.search(line)
        if condition and condition["name"] not in extras:
            continue
        match = _REQUIREMENT.match(line)
        if match:
            asked = frozenset(filter(None, re.split(r"[,\s]+", match["extras"] or "")))
            wanted.append((_normal(match["name"]), asked))
    return wanted


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
