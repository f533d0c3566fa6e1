"""The main story with AWS as the memory: the installed command as a process, a strict Bot API
server and a fake AWS on real sockets; and what becomes of it when AWS is away."""

import asyncio
import json
import re
import signal
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.records import Actor, Kind
from memory.stores.agentcore.namespaces import namespace, summaries_path
from tests.e2e.command import PATIENCE
from tests.e2e.conftest import Kept
from tests.e2e.test_telegram import ANNA, BORIS, SAVED, Talk, all_answered, running
from tests.fakes.aws import FakeAws, Fault, Knobs, broken, expired_credentials
from tests.fakes.aws.world import ENVIRONMENT
from tests.fakes.botapi import BotApiServer

#: What the bot says when something is wrong with it, in any of its texts.
ALARMING = re.compile(r"sorry|error|wrong|problem|can't|unavailable|AWS|try again|failed", re.I)


def on_aws(aws: FakeAws, **more: str) -> dict[str, str]:
    """The settings and credentials of a bot that remembers there."""
    return {
        **ENVIRONMENT,
        "MORDECAI_MEMORY_BACKEND": "agentcore",
        "MORDECAI_AWS_REGION": "us-east-1",
        "MORDECAI_AWS_ENDPOINT_URL": aws.url,
        **more,
    }


def logged(folder: Path, event: str) -> list[dict[str, Any]]:
    """The lines of the log with this event."""
    lines = (folder / "log").read_text().splitlines()
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    return [entry for entry in entries if entry.get("event") == event]


def kept_id(folder: Path) -> str:
    """The id that the log advises to keep."""
    return str(logged(folder, "memory_found")[0]["memory_id"])


class HeldByAws:
    """What AWS holds of one person."""

    def __init__(self, aws: FakeAws, memory_id: str, user_id: int) -> None:
        self._aws, self._memory_id, self._actor = aws, memory_id, Actor.person(user_id)

    def _contents(self) -> Any:
        return self._aws.data().contents(self._memory_id)

    def records(self) -> list[str]:
        """The texts of all records that are not being deleted."""
        homes = (
            namespace(Kind.FACT, self._actor),
            namespace(Kind.PREFERENCE, self._actor),
            summaries_path(self._actor),
        )
        found = self._contents().shelf.found(self._now())
        kept = [record for record in found if record.gone_at is None]
        return [record.text for record in kept if record.namespace.startswith(homes)]

    def said(self) -> dict[str, list[str]]:
        """The person's own words by session, sessions and words in the order of arrival."""
        sessions: defaultdict[str, list[str]] = defaultdict(list)
        for event in self._contents().log.events:
            if event.actor_id == self._actor.id and event.gone_at is None:
                sessions[event.session_id].append(event.messages[0][1])
        return dict(sessions)

    @property
    def turns(self) -> int:
        """How many have arrived."""
        return sum(map(len, self.said().values()))

    def is_extracted(self, turns: int) -> bool:
        """Whether so many turns have arrived, and AWS is done with everybody's."""
        jobs = self._contents().jobs.waiting
        return self.turns == turns and all(job.due <= self._now() for job in jobs)

    def _now(self) -> float:
        return self._aws.control().at().timestamp()


async def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Return once the condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.05)


async def test_two_people_live_their_story_with_aws_as_the_memory(tmp_path: Path, kept: Kept):
    knobs = Knobs.harsh(0.2)
    async with BotApiServer() as server:
        anna, boris = Talk(server, ANNA), Talk(server, BORIS)
        with FakeAws(knobs) as aws:
            async with running(server, tmp_path, **on_aws(aws, **kept.settings)):
                await asyncio.gather(
                    _live(anna, "Jarvis", "Acme Corp", "March 15"),
                    _live(boris, "Friday", "Globex", "June 2"),
                )
            memory_id = kept_id(tmp_path)
            annas, boriss = HeldByAws(aws, memory_id, ANNA), HeldByAws(aws, memory_id, BORIS)
            await until(lambda: annas.is_extracted(5) and boriss.is_extracted(5))

            async with running(server, tmp_path, **on_aws(aws, **kept.settings)):
                await asyncio.gather(
                    _remembered(anna, "Jarvis", "Acme Corp", "March 15", "Friday|Globex|June"),
                    _remembered(boris, "Friday", "Globex", "June 2", "Jarvis|Acme|March"),
                )
                await _one_is_forgotten(anna, boris, annas)
                await _all_is_taken_along(server)
                # What Anna told of Acme is gone from AWS, and so are two answers that named it.
                await until(lambda: annas.is_extracted(4) and boriss.is_extracted(7))
                others = boriss.said(), boriss.records()
                await _everything_is_forgotten(server, anna, annas)
                assert (boriss.said(), boriss.records()) == others
    assert aws.operations().count("CreateMemory") == 1
    assert {line["memory_id"] for line in logged(tmp_path, "memory_found")} == {memory_id}
    log = (tmp_path / "log").read_text()
    for said in ("Acme", "Globex", "Jarvis", "JavaScript", server.token):
        assert said not in log, "what people write stays out of the log"


async def _live(talk: Talk, name: str, employer: str, day: str) -> None:
    assert name in await talk.say(f"I'll call you {name}")
    await talk.say(f"I work at {employer}")
    await talk.say(f"my birthday is {day}")
    await talk.say("I prefer Python over JavaScript")
    await talk.say("please keep answers short")
    if SAVED not in await talk.say("/new"):
        assert SAVED in await talk.hear()


async def _remembered(talk: Talk, name: str, employer: str, day: str, others: str) -> None:
    known = await talk.say("what do you know about me?")
    for word in (name, employer, day, "Python over JavaScript", "answers short"):
        assert word in known
    work = await talk.say("where do I work?")
    assert employer in work
    assert day not in work
    listing = await talk.say("/memory")
    for word in (name, employer, day, "Python over JavaScript", "Conversations"):
        assert word in listing
    assert not re.search(others, known + work + listing)


async def _one_is_forgotten(anna: Talk, boris: Talk, annas: HeldByAws) -> None:
    listing = await anna.say("/memory")
    line = next(line for line in listing.splitlines() if "Acme" in line)
    short_id = line[line.rindex("[") + 1 : line.rindex("]")]
    assert short_id not in await boris.say("/memory")
    # An id of letters alone may be a word, and is searched for.
    refusal = await boris.say(f"/forget {short_id}")
    assert "no memory" in refusal or "found nothing" in refusal
    assert "Acme" in await anna.say(f"/forget {short_id}")
    assert "Acme" not in await anna.say("/memory")
    assert not any("Acme" in text for text in annas.records())
    assert not any("Acme" in text for texts in annas.said().values() for text in texts)


async def _all_is_taken_along(server: BotApiServer) -> None:
    await server.user(BORIS).says("/export")
    await server.wait_for(lambda: server.world.files, PATIENCE, "a file")
    ((_, content),) = server.world.files.values()
    document = json.loads(content)
    assert document["settings"]["agent_name"] == "Friday"
    assert any("Globex" in fact["text"] for fact in document["facts"])
    assert document["preferences"]
    assert document["summaries"]
    assert b"Acme" not in content


async def _everything_is_forgotten(server: BotApiServer, anna: Talk, annas: HeldByAws) -> None:
    await anna.say("/forget all")
    question = server.sent(ANNA)[-1]
    await server.user(ANNA).presses(question, "Yes, delete everything")
    await server.wait_for(
        lambda: "Everything is deleted" in server.sent(ANNA)[-1]["text"], PATIENCE, "the outcome"
    )
    assert (annas.said(), annas.records()) == ({}, [])
    assert "March" not in await anna.say("what do you know about me?")


async def test_nothing_said_while_aws_is_away_is_lost_or_told_twice(tmp_path: Path):
    """AWS hangs, then refuses, then wants other credentials; the bot is killed meanwhile. What
    would be a minute in production are some seconds here: many times what it takes to give up
    every call and to stop asking."""
    async with BotApiServer() as server:
        people = People(server)
        with FakeAws(Knobs.harsh(0.1)) as aws:
            async with running(server, tmp_path, **on_aws(aws)):
                await people.tell("Aarhus")
            memory_id = kept_id(tmp_path)
            here = on_aws(
                aws, MORDECAI_MEMORY_ID=memory_id, MORDECAI_EXTRACTION_TIMEOUT_SECONDS="60"
            )
            async with running(server, tmp_path, **here) as process:
                await people.tell("Bergen")
                aws.faults.add(Fault(delay=PATIENCE))
                await people.tell("Cork")
                aws.faults.clear()
                aws.faults.add(broken())
                await people.tell("Delft", "Essen")
                for talk in people.talks.values():
                    assert "as soon as I can" in await talk.say("/new")
                await people.tell("Faro")
                await all_answered(tmp_path / "data" / "inbox.sqlite")
                process.kill()
                await process.wait()

            async with running(server, tmp_path, **here):
                await people.tell("Ghent")
                aws.faults.clear()
                aws.faults.add(expired_credentials())
                await people.tell("Hull")
                aws.faults.clear()
                for user in people.talks:
                    await _all_arrives(people, HeldByAws(aws, memory_id, user), user)
                await people.tell("Izmir")
    answers = {reply.splitlines()[0] for reply in people.replies}
    assert len(answers) == 1, "whether AWS is there or not, the bot answers the same"
    assert not [reply for reply in people.replies if ALARMING.search(reply)]
    assert logged(tmp_path, "service_paused")
    assert logged(tmp_path, "service_resumed")
    assert "Traceback" not in (tmp_path / "log").read_text()


class People:
    """Anna and Boris, what they have said, and what the bot says to it."""

    def __init__(self, server: BotApiServer) -> None:
        self.talks = {user: Talk(server, user) for user in (ANNA, BORIS)}
        self.told: dict[int, list[str]] = {user: [] for user in self.talks}
        self.replies: set[str] = set()

    async def tell(self, *places: str) -> None:
        """Both mention these places; the replies are kept without the places."""
        for user, talk in self.talks.items():
            for place in places:
                said = f"I have a house in {place}{user}"
                self.told[user].append(said)
                self.replies.add((await talk.say(said)).replace(f"{place}{user}", "…"))


async def _all_arrives(people: People, kept: HeldByAws, user: int) -> None:
    assert SAVED in await people.talks[user].hear()
    told = people.told[user]
    await until(lambda: kept.turns == len(told))
    first, second = (kept.said()[session] for session in sorted(kept.said()))
    assert first + second == told


@pytest.mark.parametrize(("name", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_start_that_waits_for_aws_can_be_broken_off(
    tmp_path: Path, name: signal.Signals, code: int
):
    async with BotApiServer() as server:
        with FakeAws(Knobs(creation_seconds=10 * PATIENCE)) as aws:
            async with running(server, tmp_path, code, **on_aws(aws)) as process:
                await until(lambda: "GetMemory" in aws.operations())
                process.send_signal(name)
                assert await asyncio.wait_for(process.wait(), PATIENCE) == code
    assert "Traceback" not in (tmp_path / "log").read_text()
