"""Buttons work after a restart, for those they are for, and nobody's words are kept for them."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.events import Reply
from bot.assistant.inbound import Click, Origin
from bot.commands.pages.panels import Panels
from memory.memory import utc_now
from memory.records import Actor, Draft, Kind, Place, Role, Utterance
from tests.bot.commands.desk import (
    ANN,
    ANNA,
    BORIS,
    ENGLISH,
    GROUP,
    OURS,
    Desk,
    DeskChannel,
    open_desk,
)
from tests.bot.commands.test_changes import ACME, GLOBEX, OSLO, Proposes, changed, noted, undone
from tests.fakes.conversing import Echo
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tools.context import TurnEffects

#: The next process on the same data.
Start = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    store, channel = TemporaryStore(), DeskChannel()

    @asynccontextmanager
    async def start(**wanted: Any) -> AsyncIterator[Desk]:
        file = tmp_path / "journal.sqlite"
        async with open_desk(store=store, channel=channel, journal_file=file, **wanted) as desk:
            yield desk

    return start


def kept(folder: Path) -> list[str]:
    """Everything that is kept of panels."""
    with sqlite3.connect(folder / "journal.sqlite") as db:
        return [json.dumps(row) for row in db.execute("SELECT * FROM panel")]


# -- each kind of panel ---------------------------------------------------------------------------


async def test_the_browser_goes_on(start: Start) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/memory")
    async with start() as desk:
        await desk.press("Facts (1)", "1. I live in Oslo", ENGLISH.button_delete)
    async with start() as desk:
        await desk.press(ENGLISH.button_delete_yes)
        assert await desk.facts() == []
        await desk.press(ENGLISH.button_undo)
        assert await desk.facts() == ["I live in Oslo"]


async def test_a_deletion_is_final_with_the_process(start: Start) -> None:
    """Its texts were in RAM alone."""
    async with start() as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/forget f1")
    async with start() as desk:
        assert (await desk.press(ENGLISH.button_undo)).text == ENGLISH.memory_undo_late


async def test_what_another_worker_did_counts_once_the_person_is_back() -> None:
    with ThreadPoolExecutor(1) as pool:
        rows = journal_in(":memory:", pool).panels
        here, there = Panels(rows), Panels(rows)
        origin = Origin(Place("telegram", ANNA), ANN, ANNA)
        panel = here.open("f", origin)
        await here.save()
        press = Click(f"{panel.id}:only:0", origin, utc_now(), 1, 1)
        recalled = await there.recall(press)
        assert recalled
        recalled.unread, recalled.chosen = None, {0}
        there.touch(recalled)
        await there.save()
        here.drop(ANN)
        again = await here.recall(press)
        assert again
        assert again.chosen == {0}


async def test_undo_ends_where_the_person_goes_to_another_worker(start: Start) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/forget f1")
        desk.assistant.drop(ANN)
        assert (await desk.press(ENGLISH.button_undo)).text == ENGLISH.memory_undo_late


async def test_what_new_told_is_undone_and_reworded(start: Start) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        await desk.says("/new")
    async with start() as desk:
        shown = await desk.press("Undo 1")
        assert f"1. {undone(ACME)}\n2. {noted(OSLO)}" in shown.text
        assert await desk.facts() == [OSLO]
    async with start() as desk:
        await desk.press("Edit 2")
        await desk.says("Julia lives in Rome")
        shown = desk.sent()[-1]
        assert shown.text == f"2. {changed(OSLO, 'Julia lives in Rome')}"
    async with start() as desk:
        await desk.press("Undo 2")
        assert await desk.facts() == [OSLO]


async def test_what_changed_or_ended_comes_back(start: Start) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        await desk.says("/new")
        await desk.tell(f"{ACME} -> {GLOBEX}\n{OSLO} ->")
        await desk.says("/new")
    async with start() as desk:
        shown = await desk.press("Undo 1")
        assert ENGLISH.change_ended.format(text=OSLO) in shown.text
        await desk.press("Undo 2")
        assert set(await desk.facts()) == {ACME, OSLO}
        assert all(record.current for record in await desk.memory.known.records(ANN))


async def test_what_has_changed_since_is_not_undone(start: Start) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        [record] = await desk.memory.known.records(ANN)
        await desk.memory.known.revise(ANN, record.short_id, GLOBEX)
    async with start() as desk:
        assert ENGLISH.memory_undo_late in (await desk.press("Undo")).text
        assert await desk.facts() == [GLOBEX]


async def test_a_sentence_whose_record_is_gone_is_left_out(start: Start) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        [listing] = await desk.says("/new")
        undo = {label: listing.button(label) for label in listing.labels}
        await desk.memory.known.forget(ANN, "f1")
    async with start() as desk:
        await desk.click(listing, undo["Undo 1"])
        assert listing.text == f"2. {noted(OSLO)}", "the numbers stay"
        await desk.click(listing, undo["Undo 2"])
        assert await desk.facts() == []


async def test_a_notice_about_a_conversation_that_was_saved(start: Start) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        for number in range(14):
            await desk.tell(f"Bicycle number {number} is red")
        await desk.settle()
        assert desk.sent()[-1].labels
    async with start() as desk:
        await desk.press("Undo 1")
        assert ACME not in await desk.facts()


async def test_which_memories_to_forget(start: Start) -> None:
    async with start() as desk:
        await desk.remember("Julia is a nurse", "Julia plays chess", "I live in Oslo")
        await desk.says("/forget Julia")
    async with start() as desk:
        shown = await desk.press("1. Julia is a nurse")
        assert shown.text == ENGLISH.memory_deleted.format(text="Julia is a nurse")
    async with start() as desk:
        await desk.press("2. Julia plays chess")
        assert await desk.facts() == ["I live in Oslo"]


async def test_messages_to_forget_are_found_again(start: Start) -> None:
    async with start() as desk:
        said = Utterance(Role.USER, "Mr Blom drives a red car", utc_now())
        await desk.memory.talk.record(ANN, desk.chat(), [said], name="1")
        assert "red car" in await desk.ask("/forget Blom")
    async with start() as desk:
        await desk.press(ENGLISH.button_delete_yes)
        assert await desk.memory.known.records(ANN, tuple(Kind)) == []


async def test_settings_go_on(start: Start) -> None:
    async with start() as desk:
        await desk.says("/settings")
    async with start() as desk:
        await desk.press(ENGLISH.settings_length, ENGLISH.settings_length_short)
        assert (await desk.memory.choices.read(ANN)).answer_length == "short"


async def test_under_an_answer_they_leave_the_answer(start: Start) -> None:
    effects = TurnEffects()
    model = Echo(lambda _: Reply("Sure.", markdown=True, effects=effects))
    async with start(conversation=model) as desk:
        effects.changes.append(await desk.memory.known.remember(ANN, "Julia lives in Oslo"))
        julia = (await desk.memory.known.remember(ANN, "Julia is a nurse")).record
        effects.to_forget.append(julia)
        [answer] = await desk.says("forget that Julia is a nurse")
        undo, *_, yes, _ = answer.data
    async with start() as desk:
        assert await desk.click(answer, undo) is None
        assert desk.sent()[-1].text == undone("Julia lives in Oslo")
        assert await desk.click(answer, yes) is None
        assert await desk.facts() == []
        assert answer.text.startswith("Sure.")


async def test_what_ended_comes_back_with_its_last_day(tmp_path: Path) -> None:
    store, channel, file = TemporaryStore(), DeskChannel(), tmp_path / "journal.sqlite"
    permit = Draft(Kind.FACT, "My permit lasts until 2027", utc_now(), true_until="2027")
    await store.commit(ANN, [permit])
    async with open_desk(
        store=store, channel=channel, journal_file=file, extractor=Proposes()
    ) as desk:
        await desk.tell(f"{permit.text} ->")
        assert await desk.ask("/new")
        assert await desk.facts() == []
    async with open_desk(store=store, channel=channel, journal_file=file) as desk:
        await desk.press(ENGLISH.button_undo)
        [record] = await desk.memory.known.records(ANN, (Kind.FACT,))
        assert (record.text, record.true_until) == (permit.text, "2027")


async def test_the_question_about_everything(start: Start) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/forget all")
    async with start() as desk:
        await desk.press(ENGLISH.forget_all_yes)
        assert await desk.facts() == []


# -- whose they are -------------------------------------------------------------------------------


async def test_they_are_for_the_same_person_as_before(start: Start) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        [annas] = await desk.says("/memory")
        await desk.says("hi", BORIS)
        await desk.says("hi", BORIS, group=GROUP)
    async with start() as desk:
        for place in (None, GROUP):
            below = desk.sent(BORIS, place)[-1]
            note = await desk.click(below, annas.data[0], BORIS, group=place)
            assert note == ENGLISH.button_not_yours
        note = await desk.click(desk.sent(BORIS, GROUP)[-1], annas.data[0], ANNA, group=GROUP)
        assert note == ENGLISH.button_not_yours, "the group's memory is not hers"


async def test_they_are_checked_again_in_their_turn(start: Start) -> None:
    """A panel that could not be read when the button was pressed may be somebody else's."""
    async with start(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        [annas] = await desk.says("/new")
    async with start() as desk:
        origin = desk.origin(BORIS, desk.chat(BORIS))
        for data in annas.data:
            click = Click(data, origin, utc_now(), 1, 1)
            assert [event async for event in desk.assistant.answer(click)] == []
        assert await desk.facts() == [ACME]


async def test_in_a_group_an_unknown_button_is_for_admins(start: Start) -> None:
    async with start() as desk:
        await desk.remember("We meet on Mondays", actor=OURS)
        [hello] = await desk.says("hi", group=GROUP)
        for data in ("m:gone:home", "m:gone:show:f1", "c:gone:undo:0", "s:gone:home"):
            assert await desk.click(hello, data, group=GROUP) == ENGLISH.buttons_stale
        desk.channel.admins.add(ANNA)
        assert await desk.click(hello, "m:gone:show:f1", group=GROUP) is None
        assert hello.text.startswith("We meet on Mondays")
        note = await desk.click(hello, hello.data[0], BORIS, group=GROUP)
        assert note == ENGLISH.button_not_yours


# -- unknown ones ---------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["x", "nonsense:1", "::::", "stop:", "", "M:a:home"])
async def test_data_that_no_button_has_gets_a_note_in_ones_language(
    start: Start, data: str
) -> None:
    async with start() as desk:
        desk.languages[ANNA] = "de"
        [hello] = await desk.says("hi")
        assert await desk.click(hello, data) == "Diese Knöpfe sind zu alt."
        assert desk.sent() == [hello]


@pytest.mark.parametrize("data", ["c:gone:undo:0", "f:gone:all", "f:gone:only:0", "c:gone:page:1"])
async def test_instead_of_an_unknown_report_there_is_a_fresh_browser_below(
    start: Start, data: str
) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        [answer] = await desk.says("hi")
        assert await desk.click(answer, data) is None
        assert answer.text == "you said: hi", "an answer stays"
        below = desk.sent()[-1]
        assert below.text.startswith(f"{ENGLISH.buttons_stale}\n\n{ENGLISH.memory_title}")
        await desk.press("Facts (1)")
        assert await desk.facts() == ["I live in Oslo"]


# -- what is kept ---------------------------------------------------------------------------------


async def test_no_words_are_kept(start: Start, tmp_path: Path) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        for said in ("/new", "/memory Julia", "/forget Julia", "/settings", "/edit f1"):
            await desk.says(said)
        rows = kept(tmp_path)
        assert len(rows) == 6, "the last one asks for words"
        for word in ("Julia", "Acme", "Oslo", "Noted"):
            assert not any(word in row for row in rows), word


async def test_forgetting_everything_deletes_the_rows_of_that_person(
    start: Start, tmp_path: Path
) -> None:
    async with start() as desk:
        for user in (ANNA, BORIS):
            await desk.remember("I live in Oslo", actor=Actor.person(user))
            await desk.says("/memory", user)
        await desk.says("/forget all")
        await desk.press(ENGLISH.forget_all_yes)
        assert [json.loads(row)[1] for row in kept(tmp_path)] == [f"u{BORIS}"]
    async with start() as desk:
        old = desk.sent()[0]
        assert await desk.click(old, old.data[0]) is None
        assert "Oslo" not in old.text


async def test_talk_and_browsing_write_no_rows(start: Start, tmp_path: Path) -> None:
    async with start() as desk:
        await desk.remember("I live in Oslo")
        await desk.says("hi")
        assert kept(tmp_path) == []
        await desk.says("/memory")
        before = kept(tmp_path)
        await desk.press("Facts (1)", "1. I live in Oslo", ENGLISH.button_from, ENGLISH.button_back)
        assert kept(tmp_path) == before


async def test_a_panel_that_can_not_be_read_any_more_is_like_an_unknown_one(
    start: Start, tmp_path: Path
) -> None:
    async with start(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
    for column, value in (("state", '{"changes": 7'), ("opened_at", "9999"), ("actor", "?")):
        with sqlite3.connect(tmp_path / "journal.sqlite") as db:
            db.execute(f"UPDATE panel SET {column} = ?", (value,))
        async with start() as desk:
            listing = desk.sent()[0]
            undo = next(data for data in listing.data if ":undo:" in data)
            listing_buttons = listing.buttons
            assert await desk.click(listing, undo) is None
            assert desk.sent()[-1].text.startswith(ENGLISH.buttons_stale)
            listing.buttons = listing_buttons
            assert await desk.facts() == [ACME]


async def test_a_group_that_moves_leaves_its_panels(start: Start, tmp_path: Path) -> None:
    async with start() as desk:
        desk.channel.admins.add(ANNA)
        await desk.remember("We meet on Mondays", actor=OURS)
        await desk.says("/memory", group=GROUP)
        await desk.assistant.move(Place("telegram", GROUP), Place("telegram", -1000501))
        assert kept(tmp_path) == []
