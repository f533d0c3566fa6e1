"""The loop: start, listen, kill; and what it came to."""

import asyncio
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass
from pathlib import Path

from memory.stores.journal.sessions import backlog_in
from memory.stores.sqlite.store import SqliteStore
from tests.benchmarks.killloop.crowd import Crowd, Fact, Someone
from tests.benchmarks.killloop.lives import Life, Lives
from tests.benchmarks.killloop.mind import Mind
from tests.benchmarks.killloop.older import make_older, make_person
from tests.benchmarks.killloop.verdict import Verdict
from tests.benchmarks.killloop.weather import Weather
from tests.e2e.command import environment
from tests.fakes.botapi import BotApiServer
from tests.fakes.files import look_at
from tests.fakes.openai_server import OpenAIServer

#: When the bot is killed, of ten kills: while it starts, at work, while a session is saved, while
#: something is deleted, and while somebody's file of an earlier layout is opened.
_MOMENTS = ("start",) * 2 + ("work",) * 4 + ("saving",) * 2 + ("deleting", "migrating")
#: Seconds: how long a start takes, the mean time at work and after another moment, and how long to
#: wait at most.
_START, _WORK, _MOMENT, _LONGEST = 2.5, 1.6, 0.3, 3.0
_SETTLING = 300.0
_FIRST_OLDER_PERSON = 3001


@dataclass(frozen=True)
class Size:
    """How many kills, people and groups. `hurry` shortens the pauses between what people write, and
    before a kill."""

    kills: int = 200
    seed: int = 1
    people: int = 12
    groups: int = 2
    hurry: float = 1.0


class Loop:
    """One run on one folder."""

    def __init__(self, size: Size, folder: Path) -> None:
        self._size, self._dice = size, random.Random(f"{size.seed}/kills")
        self._moments = {name: asyncio.Event() for name in ("saving", "deleting")}
        self._folder = folder
        self._weather = Weather(size.seed)
        self._mind = Mind(size.seed, self._moments["saving"].set)
        self._migrated = 0

    async def run(self) -> Verdict:
        """Let it happen, and judge."""
        async with BotApiServer() as server, OpenAIServer(decide=self._mind.decide) as model:
            data = self._folder / "data"
            make_older(data)
            server.luck = self._weather
            size = self._size
            crowd = Crowd(server, size.seed, self._moments["deleting"].set, size.hurry)
            crowd.gather(size.people, size.groups)
            async with aclosing(Lives(self._folder, _settings(server, model, data))) as lives:
                async with crowd.writing():
                    for number in range(self._size.kills):
                        await self._one(lives, crowd, self._moment(number))
                    self._weather.bad = False
                    life = await lives.begin()
                    await lives.listens(life)
                backlog = await self._settle(crowd, data)
                await lives.stop(life)
            verdict = Verdict(server, crowd, lives.all)
            verdict.result.faults = self._weather.faults.total()
            verdict.result.jobs_left = backlog
            for chats in self._mind.mixed:
                verdict.count("mixed_requests", f"chats {', '.join(chats)}")
            with ThreadPoolExecutor(1) as pool:
                async with aclosing(SqliteStore(data / "memory", pool)) as memory:
                    await verdict.reach(memory)
            verdict.judge_files(data)
            return verdict

    def _moment(self, number: int) -> str:
        """Each ten kills have all moments, in another order."""
        if number % len(_MOMENTS) == 0:
            self._order = self._dice.sample(_MOMENTS, len(_MOMENTS))
        return self._order[number % len(_MOMENTS)]

    async def _one(self, lives: Lives, crowd: Crowd, moment: str) -> None:
        """Start the bot, and kill it at this moment."""
        if moment == "migrating":
            await self._somebody_older(crowd)
        life = await lives.begin()
        await self._wait(lives, life, moment)
        await lives.kill(life)

    async def _wait(self, lives: Lives, life: Life, moment: str) -> None:
        if moment == "start":
            await asyncio.sleep(self._dice.uniform(0, _START))
            return
        if not await lives.listens(life):
            return
        if moment in self._moments:
            self._moments[moment].clear()
            try:
                async with asyncio.timeout(_LONGEST / self._size.hurry):
                    await self._moments[moment].wait()
            except TimeoutError:
                return
        mean = _WORK if moment == "work" else _MOMENT
        pause = min(self._dice.expovariate(1 / mean), _LONGEST)
        await asyncio.sleep(pause / self._size.hurry)

    async def _somebody_older(self, crowd: Crowd) -> None:
        """Somebody whose file is of an earlier layout, and who writes before the bot starts."""
        person = _FIRST_OLDER_PERSON + self._migrated
        self._migrated += 1
        for name in make_person(self._folder / "data", person, self._dice):
            crowd.facts[name] = Fact(f"u{person}", name, "in a file of an earlier layout")
        someone = Someone(crowd, person)
        crowd.everybody.append(someone)
        await someone.says()

    async def _settle(self, crowd: Crowd, data: Path) -> int:
        """Everybody ends their conversation and says one thing more; then all is answered and
        saved. The number of sessions that were not."""
        await asyncio.gather(*(someone.takes_leave() for someone in crowd.everybody))
        backlog = 0
        try:
            async with asyncio.timeout(_SETTLING):
                while True:
                    await asyncio.sleep(0.5)
                    left = await asyncio.to_thread(backlog_in, look_at(data / "journal.sqlite"))
                    backlog = left.waiting + left.quarantined if left else 0
                    if not (backlog or _open_updates(data) or crowd.server.world.waiting):
                        return 0
        except TimeoutError:
            return backlog


def _open_updates(data: Path) -> int:
    with closing(sqlite3.connect(f"file:{data / 'inbox.sqlite'}?mode=rw", uri=True)) as db:
        (number,) = db.execute("SELECT count(*) FROM inbound WHERE body IS NOT NULL").fetchone()
        return int(number)


def _settings(server: BotApiServer, model: OpenAIServer, data: Path) -> dict[str, str]:
    return environment(
        TELEGRAM_BOT_TOKEN=server.token,
        MORDECAI_TELEGRAM_BASE_URL=server.root,
        MORDECAI_DATA_DIR=str(data),
        MORDECAI_MODEL="openai:any",
        MORDECAI_MODEL_BASE_URL=model.base_url,
        MORDECAI_MODEL_API_KEY=model.api_key,
        MORDECAI_ACCESS="open",
        MORDECAI_MESSAGES_PER_MINUTE="1000",
    )
