"""What AWS extracts, in its own voice, as people and the model meet it: each statement once, in the
first person."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory.memory import MemoryOptions
from memory.records import Actor, Change, ChangeKind, Kind
from memory.stores.agentcore.store import AgentCoreStore
from tests.fakes.aws import Knobs
from tests.fakes.aws.world import world
from tests.fakes.bots import Bot, open_bot, place_of

ANN = Actor("u1")
PATIENT = MemoryOptions(memory_recall_timeout_seconds=30)


@dataclass(frozen=True)
class Talk:
    """A person who has remembered one thing and said more, and what AWS made of it."""

    bot: Bot
    store: AgentCoreStore

    async def shown(self, kind: Kind) -> set[str]:
        records = [r for r in await self.bot.memory.known.records(ANN) if r.kind is kind]
        texts = {record.text for record in records}
        assert len(texts) == len(records)
        return texts

    async def stored(self, words: str) -> int:
        return sum(words in record.text for record in await self.store.records(ANN))


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with (
        world(tmp_path, Knobs(voice="aws")) as here,
        await here.store() as store,
        open_bot(store, tmp_path, PATIENT) as bot,
    ):
        await bot.memory.remember(ANN, "My locker is by the door")
        for said in ("My locker is by the door", "I prefer short answers", "My dog is called Rex"):
            await bot.hears(ANN, said)
        await store.extraction.flush(ANN)
        ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
        assert ending is not None
        assert await ending.wait(20) == "saved"
        yield Talk(bot, store)


async def test_each_statement_is_shown_once_in_the_first_person(talk: Talk) -> None:
    assert await talk.stored("My locker is by the door") == 2
    assert await talk.stored("I prefer short answers") == 2
    assert await talk.shown(Kind.FACT) == {"My locker is by the door", "My dog is called Rex"}
    assert await talk.shown(Kind.PREFERENCE) == {"I prefer short answers"}


async def test_each_statement_is_recalled_and_told_once(talk: Talk) -> None:
    recalled = await talk.bot.memory.talk.recall(ANN, place_of(ANN), "where is my locker?")
    notes = [line for line in (recalled.profile + recalled.recalled).splitlines() if "- (" in line]
    assert sum(line.endswith("My locker is by the door") for line in notes) == 1
    assert sum(line.endswith("I prefer short answers") for line in notes) == 1
    known = await talk.bot.hears(ANN, "what do you know about me?")
    assert known.count("locker") == known.count("short answers") == known.count("Rex") == 1
    assert len(await talk.bot.memory.known.about(ANN, "locker")) == 1


async def test_what_was_ended_is_not_known_in_aws_s_words(talk: Talk) -> None:
    known = talk.bot.memory.known
    (mine,) = [record for record in await known.records(ANN) if record.evidence]
    await known.revise(ANN, mine.short_id, "My locker is by the window")
    assert await talk.shown(Kind.FACT) == {"My dog is called Rex", "My locker is by the window"}


async def test_undo_takes_aws_s_words_along(talk: Talk) -> None:
    known = talk.bot.memory.known
    (mine,) = [record for record in await known.records(ANN) if record.evidence]
    assert await known.undo(ANN, Change(ChangeKind.NOTED, mine))
    assert await talk.shown(Kind.FACT) == {"My dog is called Rex"}
    assert await talk.stored("My locker is by the door") == 0


@pytest.mark.parametrize("words", ["My locker is by the door", "I prefer short answers"])
async def test_forgetting_one_of_twins_forgets_both(talk: Talk, words: str) -> None:
    known = talk.bot.memory.known
    (shown,) = [record for record in await known.records(ANN) if record.text == words]
    await known.forget(ANN, shown.short_id)
    assert await talk.stored(words) == 0
    assert words not in [record.text for record in await known.records(ANN)]
    assert await talk.stored("My dog is called Rex") == 1
