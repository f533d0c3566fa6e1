"""/new, /summarize and /usage."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.commands.bill import bill
from bot.people.accounts import Account
from bot.people.usage import Usage
from memory.records import Evidence, Kind, Place
from memory.understanding import Extraction, ExtractionFailed, Proposal, Reading
from tests.bot.commands.desk import ANN, BOB, BORIS, ENGLISH, Desk, open_desk


class Finds:
    """An extractor that finds what it was told to, or fails."""

    def __init__(self, *texts: str, failing: bool = False) -> None:
        self.texts, self.failing = texts, failing

    async def extract(self, reading: Reading) -> Extraction:
        if self.failing:
            raise ExtractionFailed("no answer")
        return Extraction(
            tuple(
                Proposal(Kind.FACT, text, (Evidence(reading.turns[0].id, text),))
                for text in self.texts
            ),
            None,
        )


# -- /new -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["/new", "new", "New", " NEW "])
async def test_new_saves_and_says_so_in_one_message(desk: Desk, word: str) -> None:
    await desk.tell("I work at Acme Corp.")
    said = await desk.ask(word)
    assert said.startswith(f"{ENGLISH.new_saved}\n\n")
    assert said.startswith(ENGLISH.saved)
    assert await desk.facts()
    await desk.settle()
    assert len(desk.sent()) == 1, "the sentence is not said twice"


async def test_new_without_a_conversation_just_begins(desk: Desk) -> None:
    assert await desk.ask("/new") == ENGLISH.new


async def test_new_after_nothing_worth_keeping_claims_nothing() -> None:
    async with open_desk(extractor=Finds()) as desk:
        await desk.tell("What time is it?")
        assert await desk.ask("/new") == ENGLISH.new


async def test_new_does_not_claim_what_is_not_saved() -> None:
    async with open_desk(extractor=Finds(failing=True)) as desk:
        await desk.tell("I work at Acme Corp.")
        assert await desk.ask("/new") == ENGLISH.new_later


async def test_new_within_a_sentence_is_talk(desk: Desk) -> None:
    assert await desk.ask("new shoes") == "you said: new shoes"


async def test_a_session_that_ends_by_itself_is_announced_when_it_is_saved(desk: Desk) -> None:
    for number in range(15):
        await desk.tell(f"I own {number + 2} bicycles.")
    await desk.settle()
    [sent] = desk.sent()
    assert sent.text.startswith(f"{ENGLISH.saved}\n{ENGLISH.saved_full.format(30)}")


async def test_another_channels_session_is_not_announced_here(desk: Desk) -> None:
    here, there = desk.chat(), Place("terminal", 1001)
    await desk.tell("I work at Acme.", place=there)
    await desk.memory.talk.end(ANN, there, "length")
    await desk.settle()
    assert here not in desk.channel.chats
    assert there not in desk.channel.chats


# -- /summarize -----------------------------------------------------------------------------------


async def test_summarize_says_that_there_is_nothing_after_nothing_but_questions(desk: Desk) -> None:
    for asked in ("who is my dentist?", "where do I live?", "what's my name?", "and my car?"):
        await desk.tell(asked)
    assert not re.search(r"\(\d+\)", await desk.ask("/summarize"))


async def test_summarize_shows_what_the_conversation_was_about(desk: Desk) -> None:
    for said in ("I keep bees in Oslo.", "They swarmed today.", "It rains.", "What now?"):
        await desk.tell(said)
    summary = await desk.ask("/summarize")
    assert summary.startswith(f"{ENGLISH.summary_title}\n\n")
    assert "I keep bees in Oslo" in summary
    assert "bees" not in await desk.ask("/summarize", BORIS)


async def test_summarize_before_anything_was_said_says_so(desk: Desk) -> None:
    assert await desk.ask("/summarize") == ENGLISH.summary_nothing
    await desk.tell("Hello!")
    assert await desk.ask("/summarize") == ENGLISH.summary_nothing


# -- /usage ---------------------------------------------------------------------------------------


async def session_id(desk: Desk) -> str:
    session = await desk.memory.talk.session(ANN, desk.chat())
    assert session
    return session.id


async def test_usage_is_that_of_this_conversation_and_of_today(desk: Desk) -> None:
    used = Usage(1, 1, 0, 1000, 50, 500, 0, Decimal("0.002"))
    assert (await desk.ask("/usage")).count(ENGLISH.usage_nothing) == 2
    await desk.tell("I work at Acme Corp.")
    desk.accounts.note_turn(ANN, await session_id(desk), used)
    desk.accounts.note_turn(ANN, "an earlier one", used)
    desk.accounts.note_turn(BOB, "somebody else's", used)
    this, today = (await desk.ask("/usage")).split(ENGLISH.usage_today)
    assert bill(Account(used), ENGLISH) in this
    assert bill(Account(used + used), ENGLISH) in today


async def test_usage_after_new_begins_again_and_the_day_goes_on(desk: Desk) -> None:
    await desk.tell("I work at Acme Corp.")
    desk.accounts.note_turn(ANN, await session_id(desk), Usage(1, 1, 1, 10, 1))
    await desk.ask("/new")
    this, today = (await desk.ask("/usage")).split(ENGLISH.usage_today)
    assert ENGLISH.usage_nothing in this
    assert ENGLISH.usage_cost_unknown in today


def test_a_bill_names_turns_tokens_the_cached_share_and_the_cost() -> None:
    turns = Usage(3, 5, 0, 12_000, 600, 6_000, 0, Decimal("0.0123"))
    extraction = Usage(1, 1, 0, 345, 78, 0, 0, Decimal("0.001"))
    assert bill(Account(turns + extraction), ENGLISH).splitlines() == [
        "• answers: 4",
        "• tokens read: 12\N{NARROW NO-BREAK SPACE}345, 49% of them from the cache",
        "• tokens written: 678",
        "• cost: $0.0133",
    ]


def test_a_bill_tells_what_was_spent_on_learning() -> None:
    extraction = Usage(1, 1, 0, 1_345, 78, 0, 0, Decimal("0.001"))
    review = Usage(1, 1, 1, 400, 50, 0, 0, Decimal(0))
    *_, saved, checked = bill(Account(Usage(3), extraction, reviews=review), ENGLISH).splitlines()
    assert saved == ("• tokens for saving conversations: 1\N{NARROW NO-BREAK SPACE}423 ($0.0010)")
    assert checked == "• tokens for checking what was learned: 450"


def test_a_bill_tells_of_recordings_where_there_were_some() -> None:
    recordings = Usage.of_recording(timedelta(seconds=59.5), Decimal("0.006"))
    recordings += Usage.of_recording(timedelta(minutes=1), Decimal("0.006"))
    first, *_, last = bill(Account(recordings=recordings), ENGLISH).splitlines()
    assert first == "• recordings: 2:00 min"
    assert last == "• cost: $0.0120"


def test_nothing_used_is_said_in_a_word() -> None:
    assert bill(Account(), ENGLISH) == ENGLISH.usage_nothing


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(1, 1, 0, 10, 1), ENGLISH.usage_free),
        (Usage(1, 2, 2, 10, 1), ENGLISH.usage_cost_unknown),
        (Usage(1, 3, 2, cost=Decimal(1)), "$1.00, plus 2 requests at an unknown price"),
        (Usage(1, 1, cost=Decimal("0.0000001")), "$0.0001"),
        (Usage(1, 1, cost=Decimal("1234.501")), "$1\N{NARROW NO-BREAK SPACE}234.51"),
    ],
)
def test_a_cost_is_never_understated(usage: Usage, cost: str) -> None:
    assert bill(Account(usage), ENGLISH).endswith(f"cost: {cost}")
