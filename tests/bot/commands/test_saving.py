"""What the bot says about saving, on a store that learns by itself while people talk."""

from collections.abc import AsyncIterator

import pytest

from bot.texts import ENGLISH
from tests.bot.commands.desk import Desk, open_desk
from tests.fakes.extracting_store import ExtractingStore

REX = "My dog is called Rex"


@pytest.fixture
def store() -> ExtractingStore:
    return ExtractingStore()


@pytest.fixture
async def desk(store: ExtractingStore) -> AsyncIterator[Desk]:
    async with open_desk(store=store) as desk:
        yield desk


async def test_new_says_handed_over_as_long_as_nothing_is_saved(desk: Desk) -> None:
    await desk.tell(REX)
    assert await desk.ask("/new") == f"{ENGLISH.handed_over}\n{ENGLISH.new}"


async def test_new_says_saved_when_the_store_has_learned(
    desk: Desk, store: ExtractingStore
) -> None:
    store.has_learned = True
    await desk.tell(REX)
    assert (await desk.ask("/new")).startswith(ENGLISH.new_saved)


async def test_new_says_that_it_saves_once_the_memory_is_back(
    desk: Desk, store: ExtractingStore
) -> None:
    store.away = True
    await desk.tell(REX)
    assert await desk.ask("/new") == f"{ENGLISH.saved_once_back}\n{ENGLISH.new}"


@pytest.mark.parametrize("away", [False, True])
async def test_a_private_conversation_begins_with_the_truth_about_the_last(
    desk: Desk, store: ExtractingStore, away: bool
) -> None:
    store.away = away
    await desk.tell(REX)
    said = await desk.ask("/private")
    assert (ENGLISH.handed_over in said, ENGLISH.saved_once_back in said) == (not away, away)
    assert ENGLISH.private_on in said


async def test_an_empty_memory_says_when_it_learns(desk: Desk) -> None:
    assert await desk.ask("/memory") == f"{ENGLISH.memory_empty} {ENGLISH.memory_adds_soon}"
    await desk.remember("I live in Oslo")
    assert ENGLISH.memory_adds_soon in await desk.ask("/memory")
    await desk.ask("/private")
    assert ENGLISH.memory_adds_nothing in await desk.ask("/memory")


async def test_memory_shows_what_is_not_sorted_yet(desk: Desk, store: ExtractingStore) -> None:
    for text in (REX, "What is my dog called?"):
        await desk.tell(text)
    assert ENGLISH.memory_unsorted not in await desk.ask("/memory"), "the conversation goes on"
    await desk.ask("/new")
    shown = await desk.ask("/memory")
    assert ENGLISH.memory_unsorted in shown
    assert REX in shown
    assert "What is my dog" not in shown, "a question tells nothing"
    assert "I see" not in shown
    assert REX in await desk.ask("/search dog")
    assert REX in await desk.ask("/memory Rex")
    assert ENGLISH.memory_unsorted in (await desk.press(ENGLISH.button_back)).text


async def test_what_is_not_sorted_yet_can_be_forgotten(desk: Desk) -> None:
    for text in (REX, "I work at Acme Corp"):
        await desk.tell(text)
    await desk.ask("/new")
    await desk.ask("/forget Rex")
    deleted = await desk.press(ENGLISH.button_delete_yes)
    assert deleted.text == ENGLISH.memory_deleted.format(text=REX)
    assert REX not in await desk.ask("/memory")
    assert "Acme" in await desk.ask("/memory")
    assert await desk.ask("/search Rex") == ENGLISH.search_nothing


async def test_everything_is_forgotten_with_it(desk: Desk, store: ExtractingStore) -> None:
    await desk.tell(REX)
    await desk.ask("/new")
    await desk.ask("/forget all")
    await desk.press(ENGLISH.forget_all_yes)
    assert await desk.ask("/memory") == f"{ENGLISH.memory_empty} {ENGLISH.memory_adds_soon}"


async def test_the_export_has_it(desk: Desk) -> None:
    await desk.tell(REX)
    await desk.ask("/new")
    files = [sent.document for sent in await desk.says("/export") if sent.document]
    assert len(files) == 2
    assert all(REX in file.content.decode() for file in files)


async def test_what_is_learned_already_is_not_shown_as_unsorted_too(desk: Desk) -> None:
    for text in (REX, "I work at Acme Corp"):
        await desk.tell(text)
    await desk.ask("/new")
    await desk.remember(REX)
    shown = await desk.ask("/memory")
    assert shown.count(REX) == 1
    assert ENGLISH.memory_unsorted in shown, "the other one still is"
