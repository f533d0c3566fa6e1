"""What people are told and shown where AWS is the memory and takes its time to learn."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.texts import ENGLISH
from memory.records import Actor
from memory.stores.agentcore.store import AgentCoreStore
from memory.stores.journal.journal import SqlJournal
from tests.bot.commands.desk import Desk, open_desk
from tests.contracts.long_term_memory import eventually
from tests.fakes.aws import Knobs
from tests.fakes.aws.world import World, world

ANN = Actor.person(1001)
REX = "My dog is called Rex"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    knobs = Knobs(extraction_seconds=3600, voice="aws", page_rows=3, thin_pages=True)
    async with world(tmp_path, knobs) as here:
        yield here


@pytest.fixture
async def store(here: World) -> AsyncIterator[AgentCoreStore]:
    async with await here.store() as store:
        yield store


@pytest.fixture
async def desk(store: AgentCoreStore) -> AsyncIterator[Desk]:
    async with open_desk(store=store) as desk:
        yield desk


def extract(here: World) -> None:
    """Let AWS learn from everything that it has."""
    here.aws.set_clock(lambda: datetime.now(UTC).timestamp() + 7200)


async def look_again(desk: Desk) -> None:
    """Have the sessions that wait looked at again, though it is not time."""
    journal = desk.memory._journal
    assert isinstance(journal, SqlJournal)
    await journal.database.write("UPDATE session SET due_at = ended_at")
    desk.memory._jobs._work.look_again()
    await desk.settle()


async def test_what_was_said_a_minute_ago_is_known_and_saved_once_aws_has_learned(
    here: World, desk: Desk
) -> None:
    await desk.tell(REX)
    assert await desk.ask("/new") == f"{ENGLISH.handed_over}\n{ENGLISH.new}"
    shown = await desk.ask("/memory")
    assert ENGLISH.memory_unsorted in shown
    assert REX in shown
    history = await desk.memory.talk.recall(ANN, desk.chat(), "What is my dog called?")
    assert REX in history.recalled

    extract(here)
    await look_again(desk)

    async def told() -> bool:
        return any(sent.text.startswith(ENGLISH.saved) for sent in desk.sent())

    await eventually(told)
    shown = await desk.ask("/memory")
    assert ENGLISH.memory_unsorted not in shown
    assert "Rex" in shown


async def test_what_is_noted_is_known_before_aws_shows_it(
    here: World, desk: Desk, store: AgentCoreStore
) -> None:
    here.aws.knobs.writing_seconds = here.aws.knobs.deletion_seconds = 3600
    green = "My umbrella is green"
    await desk.ask(f"/remember {green}")
    assert green in await desk.ask("/search umbrella")
    assert green in await desk.ask("/memory")
    context = await desk.memory.talk.recall(ANN, desk.chat(), "What colour is my umbrella?")
    assert green in str(context)
    assert green in await desk.ask("/forget umbrella")
    [record] = await desk.memory.known.records(ANN)
    await desk.ask(f"/forget {record.short_id}")
    assert await desk.facts() == []
    await desk.press(ENGLISH.button_undo)
    assert green in await desk.ask("/search umbrella")
    [record] = await desk.memory.known.records(ANN)
    await desk.ask(f"/edit {record.short_id} My umbrella is red")
    assert await desk.facts() == ["My umbrella is red"]
    assert green not in await desk.ask("/search umbrella")
    extract(here)
    assert await desk.facts() == ["My umbrella is red"]


async def test_memory_lists_each_kind_once(here: World, desk: Desk) -> None:
    here.aws.knobs.thin_pages = False
    await desk.ask("/memory")
    before = here.count("ListMemoryRecords")
    await desk.ask("/memory")
    assert here.count("ListMemoryRecords") - before == 3


async def test_the_export_has_every_message_once(
    here: World, desk: Desk, store: AgentCoreStore
) -> None:
    said = [f"My cat number {number} is called Tom" for number in range(9)]
    for text in said[:5]:
        await desk.tell(text)
    await desk.ask("/new")
    for text in said[5:]:
        await desk.tell(text)
    here.aws.knobs.writing_seconds = 3600  # the last ones are not shown yet
    await desk.tell("and one more")
    files = [sent.document for sent in await desk.says("/export") if sent.document]
    document = json.loads(files[0].content)
    own = [message["text"] for message in document["messages"] if message["role"] == "user"]
    assert own == [*said, "and one more"]
    assert all(text in files[1].content.decode() for text in said)


async def test_a_long_export_costs_a_call_for_each_session(
    here: World, desk: Desk, store: AgentCoreStore
) -> None:
    here.aws.knobs.thin_pages, here.aws.knobs.page_rows = False, 100
    for number in range(12):
        await desk.tell(f"conversation {number}")
        await desk.ask("/new")
    await store.extraction.flush(ANN)
    before = here.count("ListEvents")
    await desk.says("/export")
    assert here.count("ListEvents") - before == 12
