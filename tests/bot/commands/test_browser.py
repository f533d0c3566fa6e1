"""The memory browser: pages in one message, deletions that can be undone, nobody else's presses."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.commands.pages.memory_pages import AT_A_GLANCE
from bot.commands.pages.panels import BUTTONS_LAST, UNDO_SECONDS
from memory.errors import StoreUnavailable
from memory.memory import utc_now
from memory.records import LEARNED_KINDS, Actor, Draft, Kind, Record, Role, Utterance
from tests.bot.commands.desk import ANN, BOB, BORIS, ENGLISH, GROUP, OURS, Desk, open_desk
from tests.fakes.temporary_store import TemporaryStore

PLANTS = "basil beans beets chives corn garlic kale leeks mint peas sage thyme".split()
BACK, DELETE, EDIT, UNDO = (
    ENGLISH.button_back,
    ENGLISH.button_delete,
    ENGLISH.button_edit,
    ENGLISH.button_undo,
)
OSLO = ("Facts (1)", "1. I live in Oslo")


def deleted(text: str) -> str:
    return ENGLISH.memory_deleted.format(text=text)


def restored(text: str) -> str:
    return ENGLISH.memory_brought_back.format(text=text)


class Away(TemporaryStore):
    """A store that lists nothing and can bring nothing back while it is away."""

    away = False

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        if self.away:
            raise StoreUnavailable("away")
        return await super().records(actor, kinds=kinds, include_superseded=include_superseded)

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        if self.away:
            raise StoreUnavailable("away")
        return await super().restore(actor, records)


# -- pages ----------------------------------------------------------------------------------------


async def test_pages_of_a_kind_turn_in_one_message(desk: Desk) -> None:
    await desk.remember(*(f"I grow {plant}" for plant in PLANTS))
    await desk.memory.known.remember(ANN, "I like tea", Kind.PREFERENCE)
    [first] = await desk.says("/memory")
    newest = [line for line in first.text.split("\n") if line.startswith(("•", "…"))]
    assert newest[0].startswith("• I grow thyme"), "newest first, as on the pages"
    assert newest[9].startswith("• I grow beets")
    assert newest[10] == ENGLISH.memory_more.format(2)
    kinds = first.labels
    assert kinds == ["Facts (12)", "Preferences (1)"]
    page = await desk.press("Facts (12)")
    assert page.text.startswith("Facts 1/3\n1. ")
    assert page.labels[:2] == ["1. I grow thyme", "2. I grow sage"]
    assert page.labels[5:] == ["›", BACK]
    assert "I grow kale" in (await desk.press("›")).text
    page = await desk.press("›")
    assert page.labels == ["11. I grow beans", "12. I grow basil", "‹", BACK]
    assert (await desk.press("‹")).text.startswith("Facts 2/3")
    assert (await desk.press(BACK)).labels == kinds
    assert len(desk.sent()) == 1, "one message, edited in place"


async def test_a_first_page_of_long_memories_is_one_message(desk: Desk) -> None:
    for plant in PLANTS[:AT_A_GLANCE]:
        for kind, verb in ((Kind.FACT, "grow"), (Kind.PREFERENCE, "like")):
            await desk.memory.known.remember(ANN, f"I {verb} {f'{plant} ' * 40}", kind)
    first = await desk.ask("/memory")
    assert first.count("…") == 2 * AT_A_GLANCE, "none is left out"
    assert len(first) < 4096, "what Telegram takes"
    assert (await desk.press(f"Facts ({AT_A_GLANCE})", BACK)).text == first


async def test_buttons_fit_and_tell_others_nothing(desk: Desk) -> None:
    await desk.remember(*(f"I grow {plant}" for plant in PLANTS))
    [one], [two] = await desk.says("/memory"), await desk.says("/memory")
    assert all(len(data.encode()) <= 64 for data in one.data)
    assert not set(one.data) & set(two.data), "each message has a secret of its own"


async def test_what_a_button_says_fits_a_phone(desk: Desk) -> None:
    await desk.remember("I walk my dog Hektor around the lake every morning before work")
    await desk.says("/memory")
    page = await desk.press("Facts (1)")
    assert page.labels[0] == "1. I walk my dog Hektor around…"
    assert "around the lake every morning before work" in page.text, "whole above"


async def test_where_a_record_is_from_is_quoted_with_its_date() -> None:
    store, at = TemporaryStore(), datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
    async with open_desk(store=store) as desk:
        said = Utterance(Role.USER, "By the way, I live in Oslo now!", at)
        await desk.memory.talk.record(ANN, desk.chat(), [said], name="1")
        [turn] = [m.turn_ids for m in await desk.memory.known.records(ANN, (Kind.MESSAGE,))]
        await store.commit(ANN, [Draft(Kind.FACT, "I live in Oslo now", at, turn_ids=turn)])
        await desk.says("/memory")
        await desk.press("Facts (1)", "1. I live in Oslo now")
        quoted = await desk.press(ENGLISH.button_from)
        assert "2026-11-01 09:30 You: “By the way, I live in Oslo now!”" in quoted.text
        assert "I live in Oslo" in (await desk.press(BACK)).text


# -- deleting -------------------------------------------------------------------------------------


async def test_a_record_is_deleted_after_a_question_and_restored(desk: Desk) -> None:
    await desk.remember("I live in Oslo", "I work at Acme")
    await desk.says("/memory")
    shown = await desk.press("Facts (2)", "2. I live in Oslo")
    assert shown.text.startswith("I live in Oslo")
    assert shown.labels == [EDIT, DELETE, ENGLISH.button_from, BACK]
    detail = shown.text
    question = ENGLISH.memory_delete_ask.format(text="I live in Oslo")
    assert (await desk.press(DELETE)).text == question, "nothing goes along"
    assert len(await desk.facts()) == 2, "nothing is deleted by the question"
    assert (await desk.press(ENGLISH.button_delete_no)).text == detail
    gone = await desk.press(DELETE, ENGLISH.button_delete_yes)
    assert gone.text == deleted("I live in Oslo")
    assert await desk.facts() == ["I work at Acme"]
    assert (await desk.press(UNDO)).text == restored("I live in Oslo")
    assert set(await desk.facts()) == {"I live in Oslo", "I work at Acme"}
    listed = (await desk.press(BACK)).labels
    assert listed[:2] == ["1. I work at Acme", "2. I live in Oslo"]


async def test_a_second_press_of_a_button_says_what_the_first_one_did(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.says("/memory")
    shown = await desk.press(*OSLO)
    for label, outcome in (
        (DELETE, ENGLISH.memory_delete_ask.format(text="I live in Oslo")),
        (ENGLISH.button_delete_yes, deleted("I live in Oslo")),
        (UNDO, restored("I live in Oslo")),
    ):
        data = shown.button(label)
        for _ in ("first", "second"):
            assert await desk.click(shown, data) is None
            assert shown.text == outcome
    assert await desk.facts() == ["I live in Oslo"]


async def test_the_question_names_what_goes_along_and_undo_restores_it_all(desk: Desk) -> None:
    await desk.tell("I live in Oslo")
    await desk.ask("/new")
    await desk.settle()
    before = await desk.memory.known.records(ANN, tuple(Kind))
    assert {record.kind for record in before} == {Kind.FACT, Kind.SUMMARY, Kind.MESSAGE}
    await desk.says("/memory")
    asked = await desk.press(*OSLO, DELETE)
    question = ENGLISH.memory_delete_ask.format(text="I live in Oslo")
    assert asked.text == (
        f"{question}\n\n{ENGLISH.memory_delete_along}\n"
        f"• {ENGLISH.memory_delete_messages.format(1)}\n"
        f"• {ENGLISH.memory_delete_repeats}\n"
        f"• {ENGLISH.memory_delete_summaries.format(1)}"
    )
    assert (await desk.press(ENGLISH.button_delete_yes)).text == deleted("I live in Oslo")
    assert await desk.memory.known.records(ANN, tuple(Kind)) == []
    assert (await desk.press(UNDO)).text == restored("I live in Oslo")
    assert await desk.memory.known.records(ANN, tuple(Kind)) == before
    source = await desk.press(BACK, "1. I live in Oslo", ENGLISH.button_from)
    assert "You: “I live in Oslo”" in source.text


async def test_undo_can_be_tried_again_when_the_memory_is_back() -> None:
    store = Away()
    async with open_desk(store=store) as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/memory")
        await desk.press(*OSLO, DELETE, ENGLISH.button_delete_yes)
        store.away = True
        assert (await desk.press(UNDO)).text == ENGLISH.memory_unavailable
        store.away = False
        assert await desk.facts() == []
        assert (await desk.press(UNDO)).text == restored("I live in Oslo")
        assert await desk.facts() == ["I live in Oslo"]


async def test_where_the_memory_is_away_a_panel_stays_and_its_buttons_work_later() -> None:
    store = Away()
    async with open_desk(store=store) as desk:
        await desk.remember("I live in Oslo")
        [panel] = await desk.says("/memory")
        before = panel.text
        store.away = True
        await desk.click(panel, panel.button("Facts (1)"))
        assert (panel.text, panel.labels) == (before, ["Facts (1)"])
        assert desk.sent()[-1].text == ENGLISH.memory_unavailable
        store.away = False
        await desk.click(panel, panel.button("Facts (1)"))
        assert panel.text.startswith("Facts")


async def test_after_a_minute_a_deletion_can_not_be_undone() -> None:
    now = 0.0
    async with open_desk(monotonic=lambda: now) as desk:
        await desk.remember("I live in Oslo")
        await desk.says("/memory")
        await desk.press(*OSLO, DELETE, ENGLISH.button_delete_yes)
        now = UNDO_SECONDS + 1
        assert (await desk.press(UNDO)).text == ENGLISH.memory_undo_late
        assert await desk.facts() == []


async def test_a_deletion_can_not_be_undone_after_everything_was_deleted(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.says("/memory")
    panel = await desk.press(*OSLO, DELETE, ENGLISH.button_delete_yes)
    await desk.ask("/forget all")
    await desk.press(ENGLISH.forget_all_yes)
    await desk.click(panel, panel.button(UNDO))
    assert await desk.facts() == []


# -- whose buttons --------------------------------------------------------------------------------


async def test_only_who_opened_it_may_press(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.remember("I am a spy", actor=BOB)
    [annas] = await desk.says("/memory")
    [own] = await desk.says("/memory", BORIS)
    before = annas.text, own.text
    # Boris makes a press up: Anna's data under a message of his own.
    assert await desk.click(own, annas.data[0], BORIS) == ENGLISH.button_not_yours
    assert (annas.text, own.text) == before


async def test_a_panel_of_ones_own_opens_no_groups_memory(desk: Desk) -> None:
    await desk.remember("We meet on Mondays", actor=OURS)
    await desk.remember("I live in Oslo")
    [below] = await desk.says("hi", BORIS, group=GROUP)
    [own] = await desk.says("/memory")
    secret = own.data[0].split(":")[1]
    # Anna is no admin: she makes the press up, with a secret that is hers.
    note = await desk.click(below, f"m:{secret}:delete:f1", group=GROUP)
    assert note == ENGLISH.button_not_yours
    assert await desk.facts(OURS) == ["We meet on Mondays"]
    assert below.text == "you said: hi"


async def test_a_secret_opens_no_panel_of_another_kind(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    [settings] = await desk.says("/settings")
    secret = settings.data[0].split(":")[1]
    assert await desk.click(settings, f"m:{secret}:delete:f1") is None
    assert settings.labels == ["Facts (1)"], "a browser of its own, and nothing is carried out"
    assert secret not in settings.data[0]
    assert await desk.facts() == ["I live in Oslo"]


@pytest.mark.parametrize("action", ["show:f1", "delete:f1", "from:f1", "edit:../f1", "ask:"])
async def test_an_id_in_a_button_is_looked_up_among_ones_own(desk: Desk, action: str) -> None:
    await desk.remember("I am a spy", actor=BOB)
    await desk.memory.known.remember(ANN, "I like tea", Kind.PREFERENCE)
    [panel] = await desk.says("/memory")
    secret = panel.data[0].split(":")[1]
    await desk.click(panel, f"m:{secret}:{action}")
    assert panel.text == ENGLISH.memory_gone
    assert await desk.facts(BOB) == ["I am a spy"]


@pytest.mark.parametrize("action", ["kind:spy", "kind:message", "page:fact:x", "page:fact:-1:2"])
async def test_a_page_that_no_button_leads_to_is_the_first_one(desk: Desk, action: str) -> None:
    await desk.remember("I like tea")
    [panel] = await desk.says("/memory")
    first, secret = panel.text, panel.data[0].split(":")[1]
    await desk.press("Preferences (1)")
    await desk.click(panel, f"m:{secret}:{action}")
    assert panel.text == first


async def test_after_a_week_a_button_shows_its_page_in_a_fresh_panel() -> None:
    now = utc_now()
    async with open_desk(now=lambda: now) as desk:
        await desk.remember("I live in Oslo")
        [panel] = await desk.says("/memory")
        now += BUTTONS_LAST
        old = (await desk.press("Facts (1)")).button("1. I live in Oslo")
        now += timedelta(seconds=1)
        assert await desk.click(panel, old) is None
        assert panel.text.startswith("I live in Oslo")
        assert old.split(":")[1] not in panel.data[0], "the old secret opens nothing any more"
        assert await desk.click(panel, f"{old.rpartition('show')[0]}delete:f1") is None
        assert (panel.labels, await desk.facts()) == (["Facts (1)"], ["I live in Oslo"])
