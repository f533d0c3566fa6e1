"""Killed after a turn was recorded and before its answer was kept: what was said is neither
recorded nor answered twice, however it would be merged by then."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.assistant.events import Event, Reply
from bot.assistant.inbound import Message as Inbound
from bot.telegram.options import ChannelOptions
from memory.memory import Memory
from memory.records import Actor, Kind, Place, Role, Utterance
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.extractors import EverySentence
from tests.fakes.memories import NOON, open_memory
from tests.fakes.temporary_store import TemporaryStore

ANNA = Actor.person(1001)
HASTY = ChannelOptions(stop_seconds=0.05, poll_seconds=5)


class Recording:
    """A conversation that records what it answers, and goes no further with what it was told to
    stop at: from there on, the process is as good as dead."""

    memory: Memory

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[str] = []
        self.stops_at = ""
        self.stopped = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def reply(self, inbound: Inbound) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        self.heard.append(inbound.text)
        await self.gate.wait()
        answer = f"{self.name} heard: {inbound.text}"
        said = Utterance(Role.USER, inbound.text, inbound.at)
        answered = Utterance(Role.ASSISTANT, answer, datetime.now(UTC))
        origin = inbound.origin
        await self.memory.talk.record(origin.actor, origin.place, (said, answered), name=inbound.id)
        if inbound.text == self.stops_at:
            self.stopped.set()
            await asyncio.Event().wait()
        yield Reply(answer, markdown=True)


async def killed(
    server: BotApiServer,
    folder: Path,
    store: TemporaryStore,
    first: list[str],
    then: list[str],
    stops_at: str,
) -> None:
    """A process that dies as soon as it has recorded `stops_at`: the messages of `first` reach it
    while it is busy with "hello", those of `then` at the very end."""
    talk = Recording("one")
    talk.stops_at = stops_at
    talk.gate.clear()
    person = server.user(1001)
    async with stage(server, folder, conversation=talk, options=HASTY, store=store) as on:
        talk.memory = on.memory
        await person.says("hello")
        await server.wait_for(lambda: talk.heard)
        for text in first:
            await person.says(text)
        await server.wait_for(lambda: on.inbox.open_count == 1 + len(first))
        talk.gate.set()
        await talk.stopped.wait()
        already = on.inbox.open_count
        for text in then:
            await person.says(text)
        await server.wait_for(lambda: on.inbox.open_count == already + len(then))


@pytest.mark.parametrize(
    ("first", "then", "stops_at", "heard", "answers"),
    [
        (["a"], [], "a", [], ["one heard: a"]),
        (["a", "b"], [], "a\nb", [], ["one heard: a\nb"]),
        (["a"], ["b"], "a", ["b"], ["one heard: a", "two heard: b"]),
        (["a", "b"], ["c"], "a\nb", ["c"], ["one heard: a\nb", "two heard: c"]),
        (["a", "b"], ["c", "d"], "a\nb", ["c\nd"], ["one heard: a\nb", "two heard: c\nd"]),
    ],
)
async def test_what_was_recorded_is_answered_as_recorded_and_the_rest_by_itself(
    server: BotApiServer,
    tmp_path: Path,
    first: list[str],
    then: list[str],
    stops_at: str,
    heard: list[str],
    answers: list[str],
) -> None:
    store = TemporaryStore()
    await killed(server, tmp_path, store, first, then, stops_at)
    talk = Recording("two")
    async with stage(server, tmp_path, conversation=talk, store=store) as on:
        talk.memory = on.memory
        assert await server.replies_to(1001, 1 + len(answers)) == ["one heard: hello", *answers]
        await on.channel.settle()
        assert len(server.sent(1001)) == 1 + len(answers)
        assert talk.heard == heard
        said = [turn.said for turn in (await on.memory.talk.tiers(ANNA)).active]
        assert said == [answer.partition(": ")[2] for answer in ("heard: hello", *answers)]
        archived = await store.records(ANNA, kinds=(Kind.MESSAGE,))
        assert [m.text for m in archived if m.text.startswith(("one", "two"))] == [
            "one heard: hello",
            *answers,
        ]


async def test_it_is_answered_once_even_if_the_next_process_is_killed_with_the_rest(
    server: BotApiServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    await killed(server, tmp_path, store, ["a", "b"], ["c"], "a\nb")
    talk = Recording("two")
    talk.stops_at = "c"
    async with stage(server, tmp_path, conversation=talk, options=HASTY, store=store) as on:
        talk.memory = on.memory
        await talk.stopped.wait()
    talk = Recording("three")
    async with stage(server, tmp_path, conversation=talk, store=store) as on:
        talk.memory = on.memory
        answers = ["one heard: hello", "one heard: a\nb", "two heard: c"]
        assert await server.replies_to(1001, 3) == answers
        await on.channel.settle()
        assert len(server.sent(1001)) == 3
        assert talk.heard == []


async def test_an_answer_is_found_by_its_own_actor_also_when_its_session_has_ended() -> None:
    extractor = EverySentence()
    extractor.gate.clear()
    async with open_memory(extractor=extractor) as memory:
        here = Place("telegram", 1001)
        said = (Utterance(Role.USER, "a", NOON), Utterance(Role.ASSISTANT, "b", NOON))
        await memory.talk.record(ANNA, here, said, name="one")
        await memory.talk.end(ANNA, here, "new")
        turn = await memory.talk.turn(ANNA, "one")
        assert turn is not None
        assert turn.answer == "b"
        assert await memory.talk.turn(ANNA, "another") is None
        assert await memory.talk.turn(Actor.person(1002), "one") is None
