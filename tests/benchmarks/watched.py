"""The bot in a process that tells what it does inside: `python -P watched.py loop|trace|fill`.

Started by the benchmarks with the bot's settings in the environment. It answers each line `begin`
and `end` on standard input: `end` prints, as one line of JSON, what happened since `begin`. It
needs no other module of the tests, so that it can also watch another version of the bot.

`fill DIRECTORY FACTS MESSAGES USER` writes a person's memory instead."""

import asyncio
import gc
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import structlog

_PACKAGES = ("bot", "memory", "tools")
#: A tick that comes this much later than it should is worth noting, in seconds.
_LATE = 0.003
#: Seconds between two looks at what the loop is doing.
_LOOKS = 0.002
#: Where the event loop hands work out: to a thread, to a socket, to another task. The functions of
#: ours that stand above one of these have handed the message on.
_BORDERS = {
    ("base_events.py", "BaseEventLoop.run_in_executor"),
    ("selector_events.py", "_SelectorSocketTransport.write"),
    ("base_events.py", "BaseEventLoop.create_task"),
    ("queues.py", "Queue.put_nowait"),
    ("locks.py", "Event.set"),
}


class Ours:
    """Which code is ours, and where."""

    def __init__(self) -> None:
        import bot

        self._root = Path(str(bot.__file__)).parents[1]
        self._known: dict[CodeType, str | None] = {}

    def file(self, code: CodeType) -> str | None:
        """The file below the root; None for code of others. Lambdas and comprehensions belong to
        the function that they stand in."""
        if code not in self._known:
            self._known[code] = self._find(code)
        return self._known[code]

    def _find(self, code: CodeType) -> str | None:
        path = Path(code.co_filename)
        if code.co_name.startswith("<") or not path.is_relative_to(self._root):
            return None
        inside = path.relative_to(self._root)
        return str(inside) if inside.parts[0] in _PACKAGES else None


class Trace:
    """Which functions of ours are entered, in any thread, and which of them hand on."""

    def __init__(self) -> None:
        self._ours = Ours()
        self._on = False
        self._everywhere: set[CodeType] = set()
        self._on_loop: set[CodeType] = set()
        self._hops: set[CodeType] = set()
        self._border: dict[CodeType, bool] = {}
        self._main = threading.get_ident()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    async def run(self) -> None:
        """Nothing to do beside the bot."""

    def begin(self) -> None:
        """Forget what was entered so far."""
        for codes in (self._everywhere, self._on_loop, self._hops):
            codes.clear()
        self._on = True

    def end(self) -> dict[str, Any]:
        """The functions entered in any thread, those on the event loop's, and the hops."""
        self._on = False
        return {
            "everywhere": [self._name(code) for code in self._everywhere | self._on_loop],
            "on_loop": [self._name(code) for code in self._on_loop],
            "hops": [self._name(code) for code in self._hops],
        }

    def _name(self, code: CodeType) -> str:
        return f"{self._ours.file(code)}:{code.co_qualname}"

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if not self._on or event != "call":
            return
        code, on_loop = frame.f_code, threading.get_ident() == self._main
        if self._ours.file(code):
            (self._on_loop if on_loop else self._everywhere).add(code)
        elif on_loop and self._is_border(code):
            above: FrameType | None = frame
            while above := above.f_back if above else None:
                if self._ours.file(above.f_code):
                    self._hops.add(above.f_code)

    def _is_border(self, code: CodeType) -> bool:
        if code not in self._border:
            file = code.co_filename.replace("\\", "/").rpartition("/")[2]
            self._border[code] = (file, code.co_qualname) in _BORDERS
        return self._border[code]


class Loop:
    """How long the event loop is kept from its next task: a task that wants to run every
    millisecond, and what stood in its way.

    A late tick has two times: the clock's, and the processor's that this process took meanwhile.
    On a busy machine the clock runs on while other processes work; the smaller of the two is what
    the bot itself is to blame for, work of its other threads that hold the interpreter included."""

    def __init__(self) -> None:
        self._ours = Ours()
        self._late: list[dict[str, Any]] = []
        self._tick = time.perf_counter()
        self._seen: Counter[str] = Counter()
        self._main = threading.get_ident()
        self._collecting = 0.0

    async def run(self) -> None:
        """Tick until cancelled."""
        threading.Thread(target=self._look, daemon=True).start()
        gc.callbacks.append(self._collected)
        while True:
            wall, busy = time.perf_counter(), time.process_time()
            self._tick = wall
            await asyncio.sleep(0.001)
            wall, busy = time.perf_counter() - wall - 0.001, time.process_time() - busy
            if wall > _LATE:
                busy = min(wall, busy)
                self._late.append({"wall": wall, "busy": busy, "where": self._where(busy)})
            self._seen.clear()

    def begin(self) -> None:
        """Forget what was late so far."""
        self._late.clear()

    def end(self) -> dict[str, Any]:
        """The late ticks, in seconds."""
        return {"late": list(self._late)}

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        """While garbage is collected, nobody can look."""
        if phase == "start":
            self._collecting = time.perf_counter()
        elif (seconds := time.perf_counter() - self._collecting) > _LATE:
            self._seen[f"garbage collection, generation {info['generation']}"] += int(
                seconds / _LOOKS
            )

    def _look(self) -> None:
        """Note what the loop is doing while its tick is late."""
        while True:
            time.sleep(_LOOKS)
            if time.perf_counter() - self._tick > 0.008 and (doing := self._doing(self._main)):
                self._seen[doing] += 1

    def _doing(self, thread: int) -> str:
        """The innermost three functions of ours that this thread is in; empty if none is."""
        frame = sys._current_frames().get(thread)
        chain: list[str] = []
        while frame and len(chain) < 3:
            if file := self._ours.file(frame.f_code):
                chain.append(f"{file}:{frame.f_code.co_name}")
            frame = frame.f_back
        return " < ".join(chain)

    def _where(self, busy: float) -> str:
        """What made the tick late."""
        where = max(self._seen, key=lambda name: self._seen[name], default="")
        if self._seen.total() > busy / _LOOKS / 4:
            return where
        # A thread that held the interpreter let nobody look.
        others = (self._doing(thread) for thread in sys._current_frames() if thread != self._main)
        return " | ".join(f"a thread in {doing}" for doing in others if doing) or where


async def watch(watcher: Trace | Loop) -> int:
    """Be the bot, as its settings say, until SIGTERM."""
    from bot.app import run_telegram
    from bot.settings import load

    settings = load(None).settings
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    running = [asyncio.create_task(watcher.run()), asyncio.create_task(_obey(watcher))]
    try:
        return await run_telegram(settings)
    finally:
        for task in running:
            task.cancel()


async def _obey(watcher: Trace | Loop) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        if line.strip() == b"begin":
            watcher.begin()
            print("{}", flush=True)
        else:
            print(json.dumps(watcher.end()), flush=True)


async def fill(directory: Path, facts: int, messages: int, user: int) -> None:
    """Write a person's memory: so many facts, each different, and archived messages."""
    from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
    from memory.stores.sqlite.store import SqliteStore

    now, actor, dice = datetime.now(UTC), Actor.person(user), random.Random(user)
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(directory, pool)
        for first in range(0, facts, 500):
            drafts = [
                Draft(Kind.FACT, _fact(number, dice), now - timedelta(hours=facts - number))
                for number in range(first, min(facts, first + 500))
            ]
            await store.commit(actor, drafts)
        for number in range(0, messages, 50):
            at = now - timedelta(minutes=messages - number)
            said = tuple(
                Utterance(Role.ASSISTANT if n % 2 else Role.USER, " ".join(_words(20, dice)), at)
                for n in range(50)
            )
            await store.add_turn(actor, Turn(f"old{number}", f"s{number // 1000}", said))
        await store.aclose()


def _fact(number: int, dice: random.Random) -> str:
    verb = dice.choice(("visited", "painted", "repaired", "sold", "read about", "photographed"))
    a, b, c = _words(3, dice)
    return f"I {verb} the {a} {b} of {c} in {1900 + number % 130}, number {number}"


def _words(count: int, dice: random.Random) -> Iterator[str]:
    """Made-up words, as unevenly frequent as in a language."""
    parts = "ba do fi ga ke lo mu ni po ra su te vi zo la ri".split()
    for _ in range(count):
        rank = int(1.0005 ** (dice.random() * 18_000))
        naming = random.Random(rank)
        yield "".join(naming.choices(parts, k=naming.choice((2, 3, 3, 4))))


def main() -> None:
    """Watch, or fill."""
    kind, *given = sys.argv[1:]
    if kind == "fill":
        directory, facts, messages, user = given
        asyncio.run(fill(Path(directory), int(facts), int(messages), int(user)))
        return
    structlog.configure(
        processors=[structlog.processors.JSONRenderer(default=repr)],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    watchers: dict[str, Callable[[], Trace | Loop]] = {"trace": Trace, "loop": Loop}
    sys.exit(asyncio.run(watch(watchers[kind]())))


if __name__ == "__main__":
    main()
