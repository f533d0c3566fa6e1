"""The figures of the house, for the tree as it is, with the goals beside:

    python -m tests.benchmarks.house [--tree DIRECTORY] [--static] [--loop] [--list]

What a message enters is counted by running the whole bot under a profiler (see `watched`), against
a Bot API and a model that answers at once; the rest is read from the source. `--tree` measures the
bot of another checkout."""

import argparse
import ast
import asyncio
import json
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks import loop
from tests.benchmarks.program import ROOT, World, settings_for, watched, world
from tests.e2e.command import environment

PACKAGES = ("bot", "memory", "tools")
_PERSON = 1001
#: What talks to a model's server, by its names of today and of the first edition.
_WIRE = (
    "bot/models/vendors/",
    "bot/models/wire/",
    "bot/models/tolerant.py",
    "bot/models/spoken_calls.py",
    "bot/models/plain_messages.py",
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: A file of the spine, as the README lists them in the order of reading.
_SPINE = re.compile(r"^\d+\. `([\w/]+\.py)`", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """One figure, and what it should be at most."""

    name: str
    measured: str
    goal: str = ""


class Source:
    """What the source of a tree says of itself."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self.files = sorted(path for name in PACKAGES for path in (tree / name).rglob("*.py"))
        self._parsed = {path: ast.parse(path.read_text("utf-8")) for path in self.files}

    def rows(self) -> Iterator[Row]:
        """Every figure that needs no run."""
        constructors = sorted(self._constructors())
        widest, port = max(self._ports())
        crowd, folder = max((count, name) for name, count in self._folders().items())
        short, long, longest = (self._length(share) for share in (0.5, 0.9, 0.99))
        yield Row(
            "constructor parameters, p90 / most",
            f"{_quantile(constructors, 0.9)} / {constructors[-1]}",
            "4 / 6",
        )
        yield Row("methods of the largest port", f"{widest} ({port})", "8")
        yield Row("modules in the largest folder", f"{crowd} ({folder})", "12")
        yield Row("modules with exactly one importer", str(len(self.single)), "45")
        yield Row("public names with two meanings", str(len(self.doubles)), "0")
        yield Row(
            "lines of Python / files",
            f"{sum(map(_lines, self.files)):,} / {len(self.files)}",
            "30,000 / 190",
        )
        yield Row("lines of a function, median / p90 / p99", f"{short} / {long} / {longest}")
        if spine := self.spine:
            lines = sum(map(_lines, spine))
            yield Row("lines / files of the spine", f"{lines:,} / {len(spine)}", "2,500 / 12")

    @property
    def spine(self) -> list[Path]:
        """The files that the README names to be read first."""
        readme = self._tree / "README.md"
        named = _SPINE.findall(readme.read_text("utf-8")) if readme.exists() else []
        return [self._tree / name for name in named]

    def _constructors(self) -> Iterator[int]:
        for function in self._functions():
            if function.name == "__init__":
                given = function.args
                yield len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) - 1

    def _functions(self) -> Iterator[_Function]:
        for tree in self._parsed.values():
            yield from (node for node in ast.walk(tree) if isinstance(node, _Function))

    def _ports(self) -> Iterator[tuple[int, str]]:
        for tree in self._parsed.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and any(map(_is_protocol, node.bases)):
                    yield sum(isinstance(inside, _Function) for inside in node.body), node.name

    def _folders(self) -> Counter[str]:
        return Counter(
            str(path.parent.relative_to(self._tree))
            for path in self.files
            if path.name != "__init__.py"
        )

    def _length(self, share: float) -> int:
        """Lines of code, without docstring, comments and blank lines."""
        return _quantile(self._lengths, share)

    @cached_property
    def _lengths(self) -> list[int]:
        texts = {path: path.read_text("utf-8").splitlines() for path in self.files}
        return sorted(
            _code_lines(node, texts[path])
            for path, tree in self._parsed.items()
            for node in ast.walk(tree)
            if isinstance(node, _Function)
        )

    @cached_property
    def doubles(self) -> dict[str, list[str]]:
        """Public classes, functions and types that several modules define, and where."""
        homes: defaultdict[str, list[str]] = defaultdict(list)
        for path, tree in self._parsed.items():
            for name in {name for node in tree.body for name in _defined(node)}:
                homes[name].append(str(path.relative_to(self._tree)))
        return {name: where for name, where in sorted(homes.items()) if len(where) > 1}

    @cached_property
    def single(self) -> list[str]:
        """Modules that exactly one other module imports."""
        modules = {self._module(path) for path in self.files}
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for path, tree in self._parsed.items():
            for node in ast.walk(tree):
                for name in _imported(node, modules):
                    if name in modules and name != self._module(path):
                        importers[name].add(self._module(path))
        return sorted(name for name, by in importers.items() if len(by) == 1)

    def _module(self, path: Path) -> str:
        parts = path.relative_to(self._tree).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _defined(node: ast.stmt) -> Iterator[str]:
    """The public class, function or type alias that a statement makes."""
    if isinstance(node, _Function | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.Assign):
        targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
        names = [name for name in targets if name[:1].isupper() and not name.isupper()]
    else:
        names = []
    yield from (name for name in names if not name.startswith("_") and len(name) > 1)


def _imported(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """Which of the modules an import means: `from a import b` is a.b if that is one, else a."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in modules else node.module


def _is_protocol(base: ast.expr) -> bool:
    named = base.value if isinstance(base, ast.Subscript) else base
    return isinstance(named, ast.Name) and named.id == "Protocol"


def _code_lines(node: _Function, lines: list[str]) -> int:
    body = node.body
    has_docstring = ast.get_docstring(node, clean=False) is not None
    first = body[0]
    inside = lines[node.lineno - 1 : node.end_lineno]
    if has_docstring:
        start, end = first.lineno - node.lineno, (first.end_lineno or 0) - node.lineno
        inside = inside[:start] + inside[end + 1 :]
    return sum(1 for line in inside if line.strip() and not line.strip().startswith("#"))


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _quantile(values: Sequence[int], share: float) -> int:
    return values[min(len(values) - 1, int(share * len(values)))]


@dataclass(frozen=True)
class Entered:
    """The functions that one thing said enters: in all threads, on the event loop's, and of these
    the hops, which hand the message on: to a thread, a socket or another task."""

    name: str
    everywhere: frozenset[str]
    on_loop: frozenset[str]
    hops: frozenset[str]

    @property
    def without_wire(self) -> frozenset[str]:
        """Those on the event loop but for what talks to the model's server."""
        return frozenset(name for name in self.on_loop if not name.startswith(_WIRE))


async def entered(tree: Path, folder: Path, *, offline: bool) -> list[Entered]:
    """What a message and the commands enter, in a conversation that has begun."""
    folder.mkdir()
    said = {
        "a message": "I work at Acme Corp and I love tea",
        "/memory": "/memory",
        "/new": "/new",
    }
    found = []
    async with world() as around:
        variables = settings_for(around, folder / "data", offline=offline)
        async with watched("trace", folder, variables, tree) as bot:
            await around.asks(_PERSON, "hello")
            await _quiet(around)
            for name, words in said.items():
                await bot.begin()
                await around.asks(_PERSON, words)
                await _quiet(around)
                told = await bot.end()
                codes = {key: frozenset(told[key]) for key in ("everywhere", "on_loop", "hops")}
                found.append(Entered(name, **codes))
    return found


async def _quiet(around: World) -> None:
    """Return when the bot has said nothing for a second: background work is part of a message."""
    calls = -1
    while calls != len(around.server.calls) + len(around.model.requests):
        calls = len(around.server.calls) + len(around.model.requests)
        await asyncio.sleep(1)


async def run_rows(tree: Path) -> tuple[list[Row], list[Entered]]:
    """The figures that need the bot to run, and what was entered."""
    with TemporaryDirectory(prefix="mordecai-house-") as root:
        with_model = await entered(tree, Path(root) / "model", offline=False)
        offline = await entered(tree, Path(root) / "offline", offline=True)
    message, memory, new = with_model
    return [
        Row("hops / modules of one message", _count(message.hops), "22 / 14"),
        Row(
            "functions / files one message enters, model in use",
            _count(message.without_wire),
            "140 / 32",
        ),
        Row("with the model's wire, and in all threads", _count(message.everywhere)),
        Row("no model, in all threads", _count(offline[0].everywhere)),
        Row("functions / files /memory enters", _count(memory.without_wire), "- / 20"),
        Row("functions / files /new enters", _count(new.without_wire)),
    ], [*with_model, *offline]


def _count(functions: frozenset[str]) -> str:
    """How many these are, in how many files."""
    return f"{len(functions)} / {len({name.partition(':')[0] for name in functions})}"


def import_row(tree: Path) -> Row:
    """Seconds of `import bot.app`, by the clock and of the processor; medians of five."""
    code = (
        "import time; wall, busy = time.perf_counter(), time.process_time(); import bot.app; "
        "print(time.perf_counter() - wall, time.process_time() - busy)"
    )
    taken = []
    for _ in range(5):
        told = subprocess.run(
            [sys.executable, "-P", "-c", code], env={**environment(), "PYTHONPATH": str(tree)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        taken.append([float(word) for word in told.stdout.split()])
    wall, busy = (statistics.median(times) for times in zip(*taken, strict=True))
    return Row("import bot.app, seconds (of the processor)", f"{wall:.1f} ({busy:.1f})", "1.2")


async def loop_row(facts: int, messages: int) -> Row:
    """The longest stretch on the event loop, over everything that the benchmark of it does."""
    figures = [figure async for figure in loop.measure(facts, messages)]
    worst = max(figures, key=lambda figure: figure.blocked)
    name = f"longest stretch on the event loop, ms ({worst.name})"
    return Row(name, f"{worst.blocked:,.0f}", str(loop.GOAL_MS))


def table(rows: Sequence[Row]) -> Table:
    """For people."""
    shown = Table(title="Figures of the house")
    shown.add_column("")
    shown.add_column("measured", justify="right")
    shown.add_column("goal", justify="right")
    for row in rows:
        shown.add_row(row.name, row.measured, row.goal)
    return shown


def details(source: Source, found: Sequence[Entered]) -> dict[str, Any]:
    """What stands behind the figures, by name."""
    return {
        "entered": {
            f"{one.name}, {'model' if number < len(found) / 2 else 'offline'}": {
                "hops": sorted(one.hops),
                "on the loop": sorted(one.on_loop),
                "elsewhere": sorted(one.everywhere - one.on_loop),
            }
            for number, one in enumerate(found)
        },
        "one importer": source.single,
        "two meanings": source.doubles,
    }


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.house")
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--static", action="store_true", help="without running anything")
    parser.add_argument("--loop", action="store_true", help="the longest stretch on the loop, too")
    parser.add_argument("--facts", type=int, default=1_000, help="with --loop")
    parser.add_argument("--messages", type=int, default=10_000, help="with --loop")
    parser.add_argument("--list", action="store_true", help="what was counted, as JSON")
    given = parser.parse_args()
    source, found, rows = Source(given.tree), list[Entered](), list[Row]()
    if not given.static:
        rows, found = asyncio.run(run_rows(given.tree))
    rows += source.rows()
    if not given.static:
        rows.append(import_row(given.tree))
    if given.loop:
        rows.append(asyncio.run(loop_row(given.facts, given.messages)))
    if given.list:
        print(json.dumps(details(source, found), indent=2))
    else:
        Console(width=100).print(table(rows))


if __name__ == "__main__":
    main()
