"""Our own learning on AgentCore (agentcore_extraction = "mordecai"): AWS only keeps the turns; and
what becomes of a session during which the setting changes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.memory import MemoryOptions
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws.world import World, world
from tests.fakes.bots import Bot, open_bot, place_of

ANN = Actor("u1")
OPTIONS = MemoryOptions(memory_recall_timeout_seconds=30, extraction_timeout_seconds=20)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as here:
        yield here


@asynccontextmanager
async def start(here: World, *, extracts: bool) -> AsyncIterator[Bot]:
    """One life of the program, until AWS has every turn of it."""
    async with (
        await here.store(extracts=extracts) as store,
        open_bot(store, here.directory, OPTIONS) as bot,
    ):
        yield bot

        async def sent() -> bool:
            return not await store.pending(ANN)

        await eventually(sent)


async def end(bot: Bot) -> tuple[str, list[str]]:
    """How the session ended, and what it is said to have brought."""
    ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
    assert ending is not None
    outcome = await ending.wait(15)
    return outcome, [change.record.text for change in ending.changes]


async def known(bot: Bot) -> list[Record]:
    return await bot.memory.known.records(ANN)


def modes(here: World) -> list[str | None]:
    """What the events said about extraction, in the order of their arrival."""
    calls = [call for call in here.aws.calls if call.operation == "CreateEvent"]
    return [call.params.get("extractionMode") for call in calls]


async def test_our_own_extraction_writes_records_with_evidence_and_the_summary(here: World) -> None:
    async with start(here, extracts=False) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
        assert await end(bot) == ("saved", ["I work at Acme Corp"])
        fact, summary = await known(bot)
        assert (fact.kind, summary.kind) == (Kind.FACT, Kind.SUMMARY)
        assert [each.words for each in fact.evidence] == ["I work at Acme Corp"]
        assert set(summary.turn_ids) == set(fact.turn_ids)


async def test_aws_is_told_to_extract_nothing_and_keeps_every_turn(here: World) -> None:
    async with start(here, extracts=False) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
        await bot.hears(ANN, "I live in Oslo")
    assert modes(here) == ["SKIP", "SKIP"]
    held = here.aws.data().contents(here.memory.id)
    assert not held.jobs.waiting
    assert not held.shelf.records


async def test_what_was_noted_can_be_undone(here: World) -> None:
    async with start(here, extracts=False) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
        ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
        assert ending is not None
        await ending.wait(15)
        (change,) = ending.changes
        assert await bot.memory.known.undo(ANN, change)
        assert [record.kind for record in await known(bot)] == [Kind.SUMMARY]


@pytest.mark.parametrize("first", [True, False], ids=["aws then us", "us then aws"])
async def test_a_session_during_which_the_setting_changes_is_extracted_once(
    here: World, *, first: bool
) -> None:
    async with start(here, extracts=first) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
    async with start(here, extracts=not first) as bot:
        await bot.hears(ANN, "I live in Oslo")
        outcome, told = await end(bot)
        assert outcome == "saved"
        assert told == (["I live in Oslo"] if first else ["I work at Acme Corp"])

        async def all_known() -> bool:
            return {"I work at Acme Corp", "I live in Oslo"} <= {r.text for r in await known(bot)}

        await eventually(all_known)
        facts = [record.text for record in await known(bot) if record.kind is Kind.FACT]
        assert sorted(facts) == ["I live in Oslo", "I work at Acme Corp"]
        # Of each half of the session there is a summary: AWS's is of its own events alone.
        told_of = " ".join(r.text for r in await known(bot) if r.kind is Kind.SUMMARY)
        assert "Acme" in told_of
        assert "Oslo" in told_of
    assert modes(here) == ([None, "SKIP"] if first else ["SKIP", None])


@pytest.mark.parametrize("first", [True, False], ids=["aws then us", "us then aws"])
async def test_a_session_of_two_settings_is_saved_once_both_halves_are(
    here: World, *, first: bool
) -> None:
    here.aws.knobs.extraction_seconds = 2.0
    async with start(here, extracts=first) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
    async with start(here, extracts=not first) as bot:
        await bot.hears(ANN, "I live in Oslo")
        outcome, told = await end(bot)
        assert outcome in ("later", "handed over"), "AWS has not extracted its half"
        assert told == []
        kept = {record.text for record in await bot.memory.known.unlearned(ANN)}
        assert kept == {"I work at Acme Corp", "I live in Oslo"}

        async def saved() -> bool:
            return (await bot.memory.backlog()).waiting == 0

        await eventually(saved)
        facts = [record.text for record in await known(bot) if record.kind is Kind.FACT]
        assert sorted(facts) == ["I live in Oslo", "I work at Acme Corp"]


async def test_a_session_that_aws_has_extracted_is_not_extracted_again_by_us(here: World) -> None:
    async with start(here, extracts=True) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
    async with start(here, extracts=False) as bot:
        assert await end(bot) == ("saved", [])
        facts = [record.text for record in await known(bot) if record.kind is not Kind.SUMMARY]
        assert facts == ["I work at Acme Corp"]


async def test_what_was_known_before_a_switch_is_known_after_it(here: World) -> None:
    async with start(here, extracts=True) as bot:
        await bot.hears(ANN, "I work at Acme Corp")
        await end(bot)
    before = None
    for extracts in (False, True):
        async with start(here, extracts=extracts) as bot:
            now = {record.text for record in await bot.memory.known.records(ANN, LEARNED_KINDS)}
            assert now == (before or now)
            assert "I work at Acme Corp" in now
            before = now
