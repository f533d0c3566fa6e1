"""`python -m tests.benchmarks.words [--rounds N] [--json]`: how long a person waits for the first
and the last words of an answer, and how many calls of the Bot API it takes.

The whole bot as a process, as its settings are by default; the Bot API and a model that streams
are beside it."""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.telegram.formatting.rendering import CURSOR
from tests.benchmarks.program import World, running, settings_for
from tests.fakes.botapi import BotApiServer, Call
from tests.fakes.openai_server import Completion, OpenAIServer, text

_PERSON, _GROUP = 1001, -1000500
_LINE = "Oslo is a city by a fjord, with forests right behind it. "
_REPORT = """## The week

| day | weather |
|---|--:|
| Mon | rain |
| Tue | sun |

Here is how to print it:

```python
for day, weather in week:
    print(day, weather)
```

"""


@dataclass(frozen=True)
class Answer:
    """What the model writes: `seconds` after its first token, which comes after `delay`."""

    name: str
    length: int
    delay: float
    seconds: float
    group: bool = False

    @property
    def text(self) -> str:
        """The text, of exactly this length."""
        begin = _REPORT if self.length == 700 else ""
        return (begin + _LINE * 20)[: self.length - 1].rstrip().ljust(self.length - 1, "o") + "."

    @property
    def completion(self) -> Completion:
        """The stream, in pieces of about four characters, at most forty a second."""
        pieces = min(max(self.length // 4, 1), max(int(self.seconds * 40), 1))
        size = -(-self.length // pieces)
        parts = [self.text[at : at + size] for at in range(0, self.length, size)]
        return replace(text(*parts), delay=self.delay, pause=self.seconds / len(parts))


ANSWERS = (
    Answer("20 characters", 20, 0.4, 0.0),
    Answer("112 characters", 112, 0.4, 0.9),
    Answer("112 characters", 112, 0.4, 0.9, group=True),
    Answer("700 characters, table and code", 700, 0.4, 4.4),
    Answer("700 characters, table and code", 700, 0.4, 4.4, group=True),
    Answer("779 characters, 27 a second", 779, 3.0, 29.3),
)


@dataclass(frozen=True)
class Waits:
    """Seconds from the question to the first words, to the whole answer, and to the end of the
    model's; the calls that show text, and all calls to the chat."""

    first: float
    last: float
    model: float
    showings: int
    calls: int


async def measure(around: World, answer: Answer) -> Waits:
    """Ask, and watch the chat."""
    server, model = around.server, around.model
    chat = _GROUP if answer.group else _PERSON
    model.decide = lambda body: answer.completion if body.get("tools") else text("They talked.")
    model.ended.clear()
    seen, started = len(server.calls), time.monotonic()
    group = server.group(_GROUP) if answer.group else None
    await server.user(_PERSON).says("@mordecai_test_bot tell me", group=group)
    # Only its last words: tables are drawn otherwise than they were written.
    end = answer.text[-20:]
    await server.wait_for(
        lambda: any(_shows(call, end) for call in _since(server, seen, chat)), 120, "the answer"
    )
    await asyncio.sleep(5)  # Nothing more may come, and Telegram's patience has recovered.
    calls = list(_since(server, seen, chat))
    shown = [call for call in calls if "text" in call.parameters]
    last = next(call for call in shown if _shows(call, end))
    return Waits(
        first=shown[0].at - started,
        last=last.at - started,
        model=model.ended[0] - started,
        showings=len(shown),
        calls=len(calls),
    )


def _since(server: BotApiServer, seen: int, chat: int) -> Iterator[Call]:
    return (call for call in server.calls[seen:] if call.chat_id == chat)


def _shows(call: Call, end: str) -> bool:
    shown = str(call.parameters.get("text", ""))
    return call.status == 200 and end in shown and not shown.endswith(CURSOR)


async def measure_all(rounds: int) -> dict[Answer, Waits]:
    """Each answer so often; the medians."""
    measured: dict[Answer, list[Waits]] = {answer: [] for answer in ANSWERS}
    async with BotApiServer() as server, OpenAIServer() as model:
        around = World(server, model)
        with TemporaryDirectory() as folder:
            variables = settings_for(around, Path(folder) / "data")
            async with running(Path(folder), variables):
                model.decide = lambda body: text("Hello.")
                await around.asks(_PERSON, "hi")
                for _ in range(rounds):
                    for answer in ANSWERS:
                        measured[answer].append(await measure(around, answer))
    return {answer: _median(waits) for answer, waits in measured.items()}


def _median(waits: list[Waits]) -> Waits:
    columns: dict[str, Any] = {
        name: statistics.median(asdict(one)[name] for one in waits) for name in asdict(waits[0])
    }
    return Waits(**columns)


def table(measured: dict[Answer, Waits]) -> Table:
    """For people."""
    heads = ("answer", "where", "first words", "last words", "model was done", "showings", "calls")
    shown = Table(*heads, title="How long a person waits, in seconds")
    for answer, waits in measured.items():
        shown.add_row(
            answer.name,
            "group" if answer.group else "private",
            *(f"{seconds:.2f}" for seconds in (waits.first, waits.last, waits.model)),
            *(f"{calls:g}" for calls in (waits.showings, waits.calls)),
        )
    return shown


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.words")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="for machines")
    given = parser.parse_args()
    measured = asyncio.run(measure_all(given.rounds))
    if given.json:
        rows = [{**asdict(answer), **asdict(waits)} for answer, waits in measured.items()]
        print(json.dumps(rows, indent=2))
    else:
        Console(width=100).print(table(measured))


if __name__ == "__main__":
    main()
