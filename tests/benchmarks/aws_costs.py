"""`python -m tests.benchmarks.aws_costs`: what a turn costs at AWS, as the tables of docs/aws.md.

A conversation of sixty turns on the fake AWS, with the program's own prompt, tools and store, is
counted once; each model's tokens follow from the least that it caches. The prices are those of
`aws_prices.toml`."""

import asyncio
import logging
import math
import uuid
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog

from bot.assistant.conversation import Conversation
from bot.models.configured import model_of
from bot.options import memory_options, persona_of, turn_limits
from bot.settings import Settings
from bot.understanding import understanding_of
from memory.background.wall import WallClock
from memory.memory import Memory
from memory.records import Actor
from tests.benchmarks.prices import ModelPrice, Prices, aws_prices
from tests.fakes.aws import Completion, Knobs
from tests.fakes.aws.converse import Script
from tests.fakes.aws.world import FAST, World, world
from tests.fakes.bots import place_of
from tests.fakes.files import accounts_in, journal_in
from tests.fakes.messages import is_answer, message

ANN = Actor("u1")
#: A session ends after fifteen turns, by `max_conversation_messages`.
TURNS = 60
_SMALL_TALK = (
    "could you tell me a little more about that, in simple words and with one good example, if "
    "you have the time?"
)
_FACTS = (
    "I work at Acme Corp as a project manager, mostly from home these days, with a team of seven",
    "my sister Clara is coming to visit us in December, and she brings both of her children along",
    "I live in Oslo, close to the river, in a small flat with a big balcony and a lot of plants",
    "I prefer Python over JavaScript for almost everything I do, and I do not like long meetings",
    "my dog is called Rex, he is nine years old and he does not like the neighbour's cat at all",
    "I play the cello in an orchestra every Thursday evening, and we practise in the town hall",
    "I am allergic to peanuts, so please never suggest a recipe for dinner that has them in it",
    "my brother Tom lives in Lisbon and runs a small bakery there, together with his wife Ines",
)
_REPLY = "Of course, here is one more example in simple words. " * 6
_MODEL = "global.anthropic.claude-sonnet-4-5-20250929-v1:0"


@dataclass(frozen=True)
class Tokens:
    """Tokens of one turn, on average."""

    uncached: int
    read: int
    written: int
    output: int


@dataclass(frozen=True)
class Counted:
    """Calls, new records and the tokens of each model, per turn on average."""

    calls: dict[str, float]
    records: float
    tokens: dict[str, Tokens]


async def count(turns: int = TURNS) -> Counted:
    """Hold the conversation, and count."""
    with TemporaryDirectory() as name:
        async with world(Path(name), Knobs(voice="aws")) as here:
            here.aws.model.otherwise = lambda _: Completion(_REPLY)
            return await _talk(here, Path(name), turns)


async def _talk(here: World, directory: Path, turns: int) -> Counted:
    settings = Settings(
        model=f"bedrock:{_MODEL}", aws_region="us-east-1", aws_endpoint_url=here.aws.url
    )
    model = model_of(settings, f"bedrock:{_MODEL}")
    with ThreadPoolExecutor(8, "files") as pool:
        async with (
            await here.store(FAST) as store,
            journal_in(directory / "journal.sqlite", pool) as journal,
            accounts_in(":memory:", pool, WallClock()) as accounts,
            Memory(
                store,
                journal,
                understanding_of(settings, model, accounts),
                memory_options(settings),
            ) as memory,
        ):
            talk = Conversation(model, memory, persona_of(settings), turn_limits(settings))
            before = len(here.aws.calls)
            for number in range(turns):
                text = _FACTS[number // 8 % 8] if number % 8 == 0 else _SMALL_TALK
                inbound = message(uuid.uuid4().hex, ANN, place_of(ANN), text, datetime.now(UTC))
                assert [e async for e in talk.reply(inbound) if is_answer(e)]
            await memory.settle()
            calls = here.aws.calls[before:]
            made = Counter(call.operation for call in calls)
            records = len(await store.records(ANN))
    asked = [call.params for call in calls if call.operation.startswith("Converse")]
    minimums = {id_: price.cache_minimum for id_, price in aws_prices().models.items()}
    return Counted(
        {operation: times / turns for operation, times in made.items()},
        records / turns,
        {id_: _tokens(asked, minimum, turns) for id_, minimum in minimums.items()},
    )


def _tokens(requests: Sequence[dict[str, Any]], minimum: int, turns: int) -> Tokens:
    """What these requests take of a model that caches nothing shorter."""
    script, reply = Script(), Completion(_REPLY)
    used = [script.usage(request, reply, minimum) for request in requests]

    def mean(key: str) -> int:
        return round(sum(int(each[key]) for each in used) / turns)

    return Tokens(
        mean("inputTokens"),
        mean("cacheReadInputTokens"),
        mean("cacheWriteInputTokens"),
        mean("outputTokens"),
    )


# -- as tables ------------------------------------------------------------------------------------

_CALLS = {
    "CreateEvent": "",
    "RetrieveMemoryRecords": "",
    "ListMemoryRecords": " (when a session begins or ends, or a record was written)",
    "ConverseStream": " (plus one for each round of tools)",
}


def rounded(counted: Counted) -> Counted:
    """The counts as the tables have them: calls and records up to the next tenth, tokens to
    tens."""
    return Counted(
        {name: math.ceil(times * 10) / 10 for name, times in counted.calls.items()},
        math.ceil(counted.records * 10) / 10,
        {
            id_: Tokens(*(round(tokens, -1) for tokens in astuple(used)))
            for id_, used in counted.tokens.items()
        },
    )


def counts_table(counted: Counted) -> str:
    """What one turn takes, in Markdown."""
    rows = ["| what | per turn |", "|---|---|"]
    rows += [f"| `{name}` | {counted.calls[name]:g}{note} |" for name, note in _CALLS.items()]
    rows.append(f"| records stored | {counted.records:g} |")
    for id_, used in counted.tokens.items():
        name = aws_prices().models[id_].name
        total = used.uncached + used.read + used.written
        rows.append(
            f"| tokens of {name} | {total:,} in: {used.uncached:,} uncached, {used.read:,} read "
            f"from the cache, {used.written:,} written to it; {used.output:,} out |"
        )
    return "\n".join(rows)


def costs_table(counted: Counted, prices: Prices) -> str:
    """What 1,000 turns cost, in Markdown."""
    rows = ["| what | calculation | $ |", "|---|---|---|"]
    calls, total = counted.calls, 0.0
    for what, number, price in (
        ("events", calls["CreateEvent"], prices.events),
        ("retrievals", calls["RetrieveMemoryRecords"], prices.retrievals),
        (
            "lists, if AWS counts them as retrievals",
            calls["ListMemoryRecords"],
            prices.retrievals,
        ),
        ("records, per month of storage", counted.records, prices.records),
    ):
        cost = round(number * price, 2)
        total += cost
        rows.append(f"| {what} | {number * 1000:,.0f} × {price:.2f} / 1,000 | {cost:.2f} |")
    rows.append(f"| **memory** | | **{total:.2f}** |")
    for id_, used in counted.tokens.items():
        model = prices.models[id_]
        rows.append(_model_row(f"**{model.name}**", used, model, model.cache_write))
        if used.read and model.cache_write_hour:
            hour = "the same with `bedrock_cache` = `1h`"
            rows.append(_model_row(hour, used, model, model.cache_write_hour))
            everything = used.uncached + used.read + used.written
            off = Tokens(everything, 0, 0, used.output)
            rows.append(_model_row("the same with `bedrock_cache` = `off`", off, model, 0))
    return "\n".join(rows)


def _model_row(what: str, used: Tokens, price: ModelPrice, write: float) -> str:
    parts = (
        (used.uncached, price.input),
        (used.read, price.cache_read),
        (used.written, write),
        (used.output, price.output),
    )
    terms = " + ".join(f"{tokens:,} × {each:.2f}" for tokens, each in parts if tokens)
    cost = sum(tokens * each for tokens, each in parts) / 1000
    return f"| {what} | ({terms}) / 1,000 | {cost:.2f} |"


def main() -> None:
    """The command."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    counted = rounded(asyncio.run(count()))
    print(counts_table(counted), costs_table(counted, aws_prices()), sep="\n\n")


if __name__ == "__main__":
    main()
