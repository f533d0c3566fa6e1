"""What the model's tools did stands under its answer, and the answer stays."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.assistant.context import About, Notices
from bot.assistant.events import Reply
from bot.commands.pages.effects import REACTION
from memory.errors import StoreUnavailable
from memory.records import Actor, Change, ChangeKind
from tests.bot.commands.desk import ANN, BORIS, ENGLISH, GROUP, OURS, Desk, open_desk
from tests.fakes.conversing import Echo
from tests.fakes.temporary_store import TemporaryStore
from tools.context import TurnEffects

ANSWER = "You **decide**."


class Away(TemporaryStore):
    """A store that deletes nothing while it is away."""

    away = False

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        if self.away:
            raise StoreUnavailable("away")
        return await super().delete(actor, record_ids)


@asynccontextmanager
async def effective(notices: Notices = "line") -> AsyncIterator[tuple[Desk, TurnEffects]]:
    """A desk whose model answers every message, and the effects of its tools in each turn."""
    effects = TurnEffects()
    model = Echo(lambda _: Reply(ANSWER, markdown=True, effects=effects))
    async with open_desk(conversation=model, about=About(notices=notices)) as desk:
        yield desk, effects


async def test_a_question_stands_under_the_answer_which_stays() -> None:
    async with effective() as (desk, effects):
        effects.to_forget.append(
            (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        )
        [answer] = await desk.says("forget Julia")
        assert answer.text.startswith(f"{ANSWER}\n\nDelete this?")
        assert answer.labels == [ENGLISH.button_delete_yes, ENGLISH.button_delete_no]
        assert await desk.facts()
        shown = await desk.press(ENGLISH.button_delete_yes)
        assert shown.text == ENGLISH.memory_deleted.format(text="Julia lives in Oslo")
        assert shown.labels[0] == ENGLISH.button_undo
        assert answer.text.startswith(ANSWER)
        assert answer.labels == [], "its buttons have done their work"
        assert await desk.facts() == []
        await desk.press(ENGLISH.button_undo)
        assert await desk.facts() == ["Julia lives in Oslo"]


async def test_a_typed_yes_under_an_answer_is_talk() -> None:
    """It may be meant for what the answer asks, and a document may have had the model ask."""
    async with effective() as (desk, effects):
        effects.to_forget.append(
            (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        )
        await desk.says("what does the document say?")
        assert (await desk.ask("yes")).startswith(ANSWER)
        assert await desk.facts()


async def test_several_are_chosen_one_by_one_below_the_answer() -> None:
    async with effective() as (desk, effects):
        for text in ("Julia is a nurse", "Julia plays chess"):
            effects.to_forget.append((await desk.memory.known.remember(ANN, text)).record)
        [answer] = await desk.says("forget Julia")
        assert f"{ENGLISH.forget_ask}\n1. " in answer.text
        first, second, *_ = answer.labels
        shown = await desk.press(first)
        assert second in shown.labels
        await desk.press(second)
        assert await desk.facts() == []
        assert answer.text.startswith(ANSWER)


async def test_no_leaves_everything_and_the_answer() -> None:
    async with effective() as (desk, effects):
        effects.to_forget.append(
            (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        )
        [answer] = await desk.says("forget Julia")
        assert (await desk.press(ENGLISH.button_delete_no)).text == ENGLISH.forget_kept
        assert answer.text.startswith(ANSWER)
        assert await desk.facts()


async def test_only_whoever_asked_may_press() -> None:
    async with effective() as (desk, effects):
        effects.to_forget.append(
            (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        )
        [answer] = await desk.says("forget Julia")
        await desk.says("hi", BORIS)
        yes = answer.button(ENGLISH.button_delete_yes)
        note = await desk.click(desk.sent(BORIS)[-1], yes, BORIS)
        assert note == ENGLISH.button_not_yours
        assert await desk.facts()


async def test_after_everything_was_forgotten_its_buttons_do_nothing() -> None:
    async with effective() as (desk, effects):
        effects.to_forget.append(
            (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        )
        [answer] = await desk.says("forget Julia")
        yes = answer.button(ENGLISH.button_delete_yes)
        await desk.says("/forget all")
        await desk.press(ENGLISH.forget_all_yes)
        await desk.click(answer, yes)
        assert desk.sent()[-1].text == ENGLISH.memory_gone
        assert answer.text.startswith(ANSWER)


async def test_where_the_store_is_away_the_answer_and_its_buttons_stay() -> None:
    store = Away()
    effects = TurnEffects()
    model = Echo(lambda _: Reply(ANSWER, markdown=True, effects=effects))
    async with open_desk(conversation=model, store=store) as desk:
        effects.to_forget.append((await desk.memory.known.remember(ANN, "I like tea")).record)
        [answer] = await desk.says("forget tea")
        store.away = True
        yes = answer.button(ENGLISH.button_delete_yes)
        await desk.click(answer, yes)
        assert desk.sent()[-1].text == ENGLISH.memory_unavailable
        assert answer.labels
        store.away = False
        await desk.click(answer, yes)
        assert await desk.facts() == []


# -- what was noted or changed --------------------------------------------------------------------


async def test_what_was_noted_stands_under_the_answer_and_can_be_undone() -> None:
    async with effective() as (desk, effects):
        effects.changes.append(await desk.memory.known.remember(ANN, "Julia lives in Oslo"))
        [answer] = await desk.says("remember that Julia lives in Oslo")
        assert answer.text == f"{ANSWER}\n\nNoted: Julia lives in Oslo"
        assert answer.labels == [ENGLISH.button_undo, ENGLISH.button_edit]
        shown = await desk.press(ENGLISH.button_undo)
        assert shown.text == ENGLISH.change_undone.format(text="Julia lives in Oslo")
        assert answer.text.startswith(ANSWER)
        assert answer.labels == []
        assert await desk.facts() == []


async def test_a_correction_says_what_it_replaced() -> None:
    async with effective() as (desk, effects):
        old = (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        new = (await desk.memory.known.revise(ANN, old.short_id, "Julia lives in Rome")).record
        effects.changes.append(Change(ChangeKind.CHANGED, new, old))
        [answer] = await desk.says("that's wrong, it's Rome")
        assert answer.text.endswith("Changed: Julia lives in Oslo → Julia lives in Rome")
        await desk.press(ENGLISH.button_undo)
        assert await desk.facts() == ["Julia lives in Oslo"]


async def test_a_reaction_takes_the_place_of_the_line_if_the_operator_wants() -> None:
    async with effective("reaction") as (desk, effects):
        effects.changes.append(await desk.memory.known.remember(ANN, "Julia lives in Oslo"))
        [answer] = await desk.says("remember that Julia lives in Oslo")
        assert (answer.text, answer.labels, answer.reaction) == (ANSWER, [], REACTION)


@pytest.mark.parametrize("notices", ["reaction", "off"])
async def test_whatever_the_operator_wants_a_correction_can_be_undone(notices: Notices) -> None:
    async with effective(notices) as (desk, effects):
        old = (await desk.memory.known.remember(ANN, "Julia lives in Oslo")).record
        new = (await desk.memory.known.revise(ANN, old.short_id, "Julia lives in Rome")).record
        effects.changes.append(Change(ChangeKind.CHANGED, new, old))
        [answer] = await desk.says("that's wrong, it's Rome")
        assert answer.text == ANSWER
        await desk.press(ENGLISH.button_undo)
        assert await desk.facts() == ["Julia lives in Oslo"]


async def test_in_a_group_whoever_said_it_undoes_it_without_being_an_admin() -> None:
    async with effective() as (desk, effects):
        effects.changes.append(await desk.memory.known.remember(OURS, "Julia lives in Oslo"))
        [answer] = await desk.says("remember that", group=GROUP)
        undo = answer.button(ENGLISH.button_undo)
        assert await desk.click(answer, undo, BORIS, group=GROUP) == ENGLISH.button_not_yours
        assert await desk.click(answer, undo, group=GROUP) is None
        assert await desk.facts(OURS) == []


async def test_a_failed_answer_tells_what_its_tools_had_done() -> None:
    effects = TurnEffects()
    model = Echo(lambda _: Reply("Sorry.", failure="cut", effects=effects))
    async with open_desk(conversation=model) as desk:
        effects.changes.append(await desk.memory.known.remember(ANN, "Julia lives in Oslo"))
        [answer] = await desk.says("remember that Julia lives in Oslo")
        assert answer.text.endswith("Noted: Julia lives in Oslo")
