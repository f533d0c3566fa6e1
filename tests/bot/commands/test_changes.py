"""What was noted, changed or ended is said sentence by sentence, with buttons to undo or edit."""

import asyncio

import pytest

from memory.memory import utc_now
from memory.records import Evidence, Kind, Role, Speaker, Utterance
from memory.understanding import Extraction, Proposal, Reading, Relation
from tests.bot.commands.desk import ANN, ANNA, BORIS, ENGLISH, GROUP, OURS, Desk, open_desk


class Proposes:
    """An extractor that proposes every line of what was said; "x -> y" changes x to y, "x ->" ends
    x. Takes its time if it is told to."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def extract(self, reading: Reading) -> Extraction:
        await self.may_go_on.wait()
        proposals = []
        for turn in reading.turns:
            for line in turn.said.splitlines():
                before, arrow, after = (part.strip() for part in line.partition("->"))
                known = next((r.id for r in reading.known if arrow and r.text == before), None)
                relation = Relation.CHANGED if after else Relation.ENDED
                proposals.append(
                    Proposal(
                        Kind.FACT,
                        after or before,
                        (Evidence(turn.id, after or before),),
                        relation=relation if known else Relation.NEW,
                        known=known,
                    )
                )
        return Extraction(tuple(proposals))


def noted(text: str) -> str:
    return ENGLISH.change_noted.format(text=text)


def changed(before: str, text: str) -> str:
    return ENGLISH.change_changed.format(before=before, text=text)


def undone(text: str) -> str:
    return ENGLISH.change_undone.format(text=text)


GLOBEX = "Julia works at Globex"
ACME, OSLO = "Julia works at Acme Corp", "Julia lives in Oslo"


# -- /new -----------------------------------------------------------------------------------------


async def test_new_says_what_it_kept_sentence_by_sentence() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        said = await desk.ask("/new")
        assert said == f"{ENGLISH.new_saved}\n\n1. {noted(ACME)}\n2. {noted(OSLO)}"
        assert desk.sent()[-1].labels == ["Undo 1", "Edit 1", "Undo 2", "Edit 2"]


async def test_one_of_them_is_undone_and_the_rest_stays() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        await desk.says("/new")
        shown = await desk.press("Undo 1")
        assert shown.text == f"{ENGLISH.new_saved}\n\n1. {undone(ACME)}\n2. {noted(OSLO)}"
        assert shown.labels == ["Undo 2", "Edit 2"]
        assert await desk.facts() == [OSLO]


async def test_one_of_them_is_reworded_with_the_next_message() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        await desk.press("Edit")
        await desk.says(GLOBEX)
        shown = desk.sent()[-1]
        assert shown.text == f"{ENGLISH.new_saved}\n\n{changed(ACME, GLOBEX)}"
        assert await desk.facts() == [GLOBEX]
        await desk.press("Undo")
        assert await desk.facts() == [ACME]


async def test_no_instead_of_new_words_leads_back() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        before = await desk.ask("/new")
        await desk.press("Edit")
        await desk.says("no")
        assert desk.sent()[-1].text == before


async def test_what_changed_is_said_with_what_it_was_and_comes_back() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(f"{ACME}\n{OSLO}")
        await desk.says("/new")
        await desk.tell(f"{ACME} -> {GLOBEX}\n{OSLO} ->")
        said = await desk.ask("/new")
        assert f"1. {changed(ACME, GLOBEX)}" in said
        assert f"2. {ENGLISH.change_ended.format(text=OSLO)}" in said
        assert desk.sent()[-1].labels == ["Undo 1", "Edit 1", "Undo 2"]
        assert await desk.facts() == [GLOBEX]
        await desk.press("Undo 1", "Undo 2")
        assert set(await desk.facts()) == {ACME, OSLO}


async def test_many_are_shown_page_by_page() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell("\n".join(f"Bicycle number {n} is red" for n in range(1, 8)))
        said = await desk.ask("/new")
        assert noted("Bicycle number 5 is red") in said
        assert noted("Bicycle number 6 is red") not in said
        shown = await desk.press("›")
        assert f"7. {noted('Bicycle number 7 is red')}" in shown.text
        assert shown.labels == ["Undo 6", "Edit 6", "Undo 7", "Edit 7", "‹"]
        shown = await desk.press("Undo 7")
        assert f"7. {undone('Bicycle number 7 is red')}" in shown.text, "the page stays open"


async def test_without_a_model_new_says_what_it_kept() -> None:
    async with open_desk() as desk:
        await desk.tell("I work at Acme Corp.")
        assert ENGLISH.change_noted.partition("{")[0] in await desk.ask("/new")


@pytest.mark.parametrize("data", ["undo:7", "undo:x", "reword:-1", "undo:f1", "list:99", "page:9"])
async def test_a_made_up_button_changes_nothing(data: str) -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        [shown] = desk.sent()
        panel = shown.data[0].rsplit(":", 2)[0]
        await desk.click(shown, f"{panel}:{data}")
        assert await desk.facts() == [ACME]


async def test_what_was_changed_again_since_is_not_undone() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        [record] = await desk.memory.known.records(ANN)
        await desk.memory.known.revise(ANN, record.short_id, GLOBEX)
        shown = await desk.press("Undo")
        assert ENGLISH.memory_undo_late in shown.text
        assert await desk.facts() == [GLOBEX]


async def test_only_whoever_was_told_may_press() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        await desk.says("hi", BORIS)
        undo = desk.sent()[-1].button("Undo")
        note = await desk.click(desk.sent(BORIS)[-1], undo, BORIS)
        assert note == ENGLISH.button_not_yours
        assert await desk.facts()


async def test_after_everything_was_forgotten_nothing_is_shown_or_undone() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        await desk.tell(ACME)
        await desk.says("/new")
        old = desk.sent()[-1]
        undo = old.button("Undo")
        await desk.says("/forget all")
        await desk.press(ENGLISH.forget_all_yes)
        await desk.click(old, undo)
        assert old.text == ENGLISH.memory_gone


async def test_what_is_deleted_for_good_is_not_told_again() -> None:
    async with open_desk(extractor=Proposes(), undo_seconds=0.01) as desk:
        await desk.tell("\n".join(f"Bicycle number {n} is red" for n in range(1, 8)))
        await desk.says("/new")
        listing = desk.sent()[-1]
        await desk.says("/forget bicycle number 7")
        await desk.press(ENGLISH.button_delete_yes)
        while not desk.channel.scrubbed:
            await asyncio.sleep(0.01)
        await desk.click(listing, listing.button("›"))
        assert listing.text == ENGLISH.memory_gone


# -- a session that ends by itself ----------------------------------------------------------------


async def test_a_notice_says_what_was_kept_and_has_it_undone() -> None:
    extractor = Proposes()
    async with open_desk(extractor=extractor) as desk:
        for number in range(14):
            await desk.tell(f"Bicycle number {number} is red")
        await desk.tell(ACME)
        await desk.settle()
        [notice] = desk.sent()
        assert notice.text.startswith(ENGLISH.saved)
        assert f"1. {noted('Bicycle number 0 is red')}" in notice.text
        await desk.press("Undo 1")
        assert "Bicycle number 0 is red" not in await desk.facts()


async def test_what_takes_longer_than_new_is_told_when_it_is_saved() -> None:
    extractor = Proposes()
    async with open_desk(extractor=extractor) as desk:
        await desk.tell(ACME)
        extractor.may_go_on.clear()
        assert await desk.ask("/new") == ENGLISH.new_later
        extractor.may_go_on.set()
        await desk.settle()
        assert desk.sent()[-1].text == f"{ENGLISH.saved}\n\n{noted(ACME)}"
        await desk.press("Undo")
        assert await desk.facts() == []


async def test_in_a_group_admins_undo_what_is_told_to_all() -> None:
    async with open_desk(extractor=Proposes()) as desk:
        said = Utterance(Role.USER, "We meet on Fridays", utc_now(), Speaker(ANNA, "Ann"))
        await desk.memory.talk.record(OURS, desk.chat(group=GROUP), [said])
        await desk.says("/new", group=GROUP)
        shown = desk.sent(group=GROUP)[-1]
        undo = shown.button("Undo")
        assert await desk.click(shown, undo, group=GROUP) == ENGLISH.admins_only
        desk.channel.admins.add(ANNA)
        assert await desk.click(shown, undo, group=GROUP) is None
        assert await desk.facts(OURS) == []


# -- /remember ------------------------------------------------------------------------------------


async def test_twenty_three_numbered_memories_are_twenty_three(desk: Desk) -> None:
    for number in range(1234, 1257):
        said = await desk.ask(f"/remember The invoice {number} is paid")
        assert said.startswith("Remembered: ")
    assert len(await desk.facts()) == 23
