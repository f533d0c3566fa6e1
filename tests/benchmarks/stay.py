"""`python -m tests.benchmarks.stay [--people N] [--minutes M] [--speed X] [--json]`: a stay of many
people with the bot, over HTTP, while Telegram throttles, drops and does not answer in time, and the
bot is restarted.

Counted is what each person sees in the end: every message answered exactly once and in order. Time
runs faster than life: what waits, waits by the channel's clock; the model's time is scripted."""

import argparse
import asyncio
import json
import logging
import random
import re
import statistics
import time
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from rich.console import Console
from rich.table import Table
from telegram.request import HTTPXRequest

from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.inbound import Message
from bot.clock import Clock
from bot.telegram.formatting.rendering import CURSOR
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer

_FIRST_PERSON = 1001
_NUMBER = re.compile(r"message (\d+)\.")
#: A whole reply, to one message or to a burst. It may say that it may have arrived before; its last
#: sign may say that it is unfinished.
_AGAIN = re.escape(ENGLISH.sent_again)
_WHOLE = re.compile(rf"({_AGAIN}\s+)?You wrote message \d+\.(\nmessage \d+\.)*({CURSOR})?")
#: Mean seconds between two messages of one person, and how long the model takes for a reply.
_PAUSE, _QUICKEST, _SLOWEST = 30.0, 1.0, 8.0
#: Mean seconds between two faults.
_FAULTS = 6.0
#: How long the bot waits for an answer of Telegram's, in seconds.
_TIMEOUT = 20.0


@dataclass(frozen=True)
class Size:
    """How long, how many, how fast. `minutes` are of the people's time, `speed` times shorter on
    the clock."""

    people: int = 50
    minutes: float = 10.0
    speed: float = 10.0
    restarts: int = 3
    seed: int = 1


@dataclass
class Result:
    """What came of it. Waits in seconds of the people's time."""

    people: int = 0
    messages: int = 0
    replies: int = 0
    throttled: int = 0
    dropped: int = 0
    timed_out: int = 0
    restarts: int = 0
    answered_once: int = 0
    #: More than once without a word; and with a note, after an answer of Telegram's was lost.
    answered_twice: int = 0
    answered_again: int = 0
    unanswered: int = 0
    out_of_order: int = 0
    left_unfinished: int = 0
    #: Until the first words of the reply, until its words about this very message, and until all
    #: of it was to be seen.
    first_words: list[float] = field(default_factory=list, repr=False)
    own_words: list[float] = field(default_factory=list, repr=False)
    last_words: list[float] = field(default_factory=list, repr=False)

    def as_json(self) -> dict[str, float]:
        """For machines: the waits as two of their quantiles."""
        figures = asdict(self)
        for name in ("first_words", "own_words", "last_words"):
            waits = figures.pop(name)
            for percent in (50, 95):
                figures[f"{name}_p{percent}"] = _percentile(waits, percent)
        return figures


def _percentile(waits: list[float], percent: int) -> float:
    return round(statistics.quantiles(waits, n=100)[percent - 1], 1) if len(waits) > 1 else 0.0


class Hurried(Clock):
    """`speed` seconds pass in one: waits are measured on the same clock as the bot's."""

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def now(self) -> float:
        """See Clock."""
        return time.monotonic() * self._speed

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        await asyncio.sleep(seconds / self._speed)


class Storyteller:
    """A conversation that takes its time and says what it was told, piece by piece."""

    def __init__(self, clock: Clock, dice: random.Random) -> None:
        self._clock, self._dice = clock, dice
        self.waits: list[float] = []

    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        text = f"You wrote {inbound.text}"
        pieces = text.split(" ")
        pause = self._dice.uniform(_QUICKEST, _SLOWEST) / len(pieces)
        for piece in pieces:
            await self._clock.sleep(pause)
            yield TextDelta(f"{piece} ")
        yield Reply(text, markdown=True)


async def stay(size: Size) -> Result:
    """Let it happen."""
    dice, clock = random.Random(size.seed), Hurried(size.speed)
    result = Result(people=size.people)
    sent: dict[int, list[float]] = {}
    async with BotApiServer() as server:
        with TemporaryDirectory() as folder:
            people = range(_FIRST_PERSON, _FIRST_PERSON + size.people)
            tasks = [asyncio.create_task(_person(server, size, who, sent)) for who in people]
            trouble = Trouble(server, size, dice, result)
            making_trouble = asyncio.create_task(trouble.run())
            for number in range(size.restarts + 1):
                last = number == size.restarts
                options = ChannelOptions(stop_seconds=0.3, poll_seconds=2, clock=clock)
                teller = Storyteller(clock, dice)
                request, trouble.sends_may_be_late = _request(size.speed), True
                async with stage(
                    server, Path(folder), conversation=teller, options=options, request=request
                ) as on:
                    if not last:
                        result.restarts += 1
                        share = size.minutes * 60 / (size.restarts + 1)
                        await asyncio.sleep(share / size.speed)
                        await trouble.no_send_is_late()
                        continue
                    await asyncio.gather(*tasks)
                    making_trouble.cancel()
                    await asyncio.gather(making_trouble, return_exceptions=True)
                    await _quiet(server, sent)
                    await on.channel.settle()
        for person, times in sent.items():
            _judge(server, person, times, result)
    result.throttled = sum(1 for call in server.calls if call.status == 429)
    _judge_waits(server, sent, size.speed, result)
    return result


def _judge_waits(
    server: BotApiServer, sent: dict[int, list[float]], speed: float, result: Result
) -> None:
    """How long each message waited for its answer, in seconds of the people's time."""
    # When each of the bot's messages first showed something; when each message of a person was
    # first spoken of, and answered.
    shown: dict[int, float] = {}
    first: dict[tuple[int, int], float] = {}
    own: dict[tuple[int, int], float] = {}
    last: dict[tuple[int, int], float] = {}
    for call in server.calls:
        if call.chat_id is None or call.message_id is None:
            continue
        text = str(call.parameters.get("text"))
        began = shown.setdefault(call.message_id, call.at)
        for number in map(int, _NUMBER.findall(text)):
            first.setdefault((call.chat_id, number), began)
            own.setdefault((call.chat_id, number), call.at)
            if not text.endswith(CURSOR):
                last.setdefault((call.chat_id, number), call.at)
    for person, times in sent.items():
        for number, written in enumerate(times, 1):
            for waits, seen in (
                (result.first_words, first),
                (result.own_words, own),
                (result.last_words, last),
            ):
                if (person, number) in seen:
                    waits.append((seen[person, number] - written) * speed)


async def _person(server: BotApiServer, size: Size, who: int, sent: dict[int, list[float]]) -> None:
    """Write now and then, as long as the stay lasts."""
    dice = random.Random(f"{size.seed}/{who}")
    times = sent.setdefault(who, [])
    end = time.monotonic() + size.minutes * 60 / size.speed
    while True:
        pause = dice.expovariate(1 / _PAUSE) / size.speed
        if time.monotonic() + pause > end:
            return
        await asyncio.sleep(pause)
        times.append(time.monotonic())
        await server.user(who).says(f"message {len(times)}.")


def _request(speed: float) -> HTTPXRequest:
    """What carries the bot's methods: as patient as its own, in the people's time."""
    patience = _TIMEOUT / speed
    return HTTPXRequest(
        connection_pool_size=64,
        connect_timeout=10,
        read_timeout=patience,
        write_timeout=patience,
        pool_timeout=20,
    )


class Trouble:
    """Throttles, drops, and answers too late. A send whose request never got there can't be told
    from one whose answer was lost, so of sends only answers are lost."""

    def __init__(
        self, server: BotApiServer, size: Size, dice: random.Random, result: Result
    ) -> None:
        self._server, self._dice, self._result = server, dice, result
        self._pause, self._late = _FAULTS / size.speed, 1.5 * _TIMEOUT / size.speed
        self.sends_may_be_late = True

    async def run(self) -> None:
        """Make trouble until cancelled."""
        while True:
            await asyncio.sleep(self._dice.expovariate(1 / self._pause))
            self._dice.choice([self._throttle, self._drop, self._be_late])()

    async def no_send_is_late(self) -> None:
        """Return when the bot waits for no answer that comes too late. Ended just then, it could
        not know of the answer, and would send it again."""
        self.sends_may_be_late = False
        self._server.faults[:] = [fault for fault in self._server.faults if not fault.delay]
        await asyncio.sleep(self._late)

    def _throttle(self) -> None:
        where = self._dice.choice(["sendMessage", "editMessageText"])
        self._server.fail(where, retry_after=self._dice.randint(1, 20))

    def _drop(self) -> None:
        where = self._dice.choice(
            ["sendMessage", "editMessageText", "getUpdates", "sendChatAction"]
        )
        self._server.fail(where, drop="after" if where == "sendMessage" else "before")
        self._result.dropped += 1

    def _be_late(self) -> None:
        where = self._dice.choice(["sendMessage", "editMessageText", "sendChatAction"])
        if self.sends_may_be_late:
            drop = "after" if where == "sendMessage" else "before"
            self._server.fail(where, drop=drop, delay=self._late)
            self._result.timed_out += 1


async def _quiet(server: BotApiServer, sent: dict[int, list[float]]) -> None:
    """Return when everybody's last message is answered."""
    for person, times in sent.items():
        if times:
            last = len(times)
            await server.wait_for(
                lambda person=person, last=last: last in _answered(server, person),  # type: ignore[misc]
                timeout=120,
                what=f"answer to message {last} of {person}",
            )


def _answered(server: BotApiServer, person: int) -> list[int]:
    """The numbers of the messages that were answered, in the order of the answers. An answer that
    says that it may have arrived before counts if it had not."""
    answered: list[int] = []
    for text in _texts(server, person):
        if _WHOLE.fullmatch(text):
            numbers = map(int, _NUMBER.findall(text))
            again = ENGLISH.sent_again in text
            answered += [number for number in numbers if not (again and number in answered)]
    return answered


def _texts(server: BotApiServer, person: int) -> list[str]:
    return [str(message.get("text", "")) for message in server.sent(person)]


def _judge(server: BotApiServer, person: int, times: list[float], result: Result) -> None:
    answered = _answered(server, person)
    result.messages += len(times)
    result.replies += len(server.sent(person))
    for number in range(1, len(times) + 1):
        count = answered.count(number)
        result.answered_once += count == 1
        result.answered_twice += count > 1
        result.unanswered += count == 0
    again = [text for text in _texts(server, person) if ENGLISH.sent_again in text]
    result.answered_again += sum(len(_NUMBER.findall(text)) for text in again)
    result.out_of_order += sum(1 for a, b in pairwise(answered) if b < a)
    result.left_unfinished += sum(not _WHOLE.fullmatch(text) for text in _texts(server, person))


def table(result: Result) -> Table:
    """For people."""
    shown = Table("", "", title="A stay with the bot")
    for key, value in result.as_json().items():
        shown.add_row(key.replace("_", " "), f"{value:g}")
    return shown


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.stay")
    parser.add_argument("--people", type=int, default=Size.people)
    parser.add_argument("--minutes", type=float, default=Size.minutes)
    parser.add_argument("--speed", type=float, default=Size.speed)
    parser.add_argument("--restarts", type=int, default=Size.restarts)
    parser.add_argument("--seed", type=int, default=Size.seed)
    parser.add_argument("--json", action="store_true", help="for machines")
    options = vars(parser.parse_args())
    as_json = options.pop("json")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    result = asyncio.run(stay(Size(**options)))
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    else:
        Console().print(table(result))


if __name__ == "__main__":
    main()
