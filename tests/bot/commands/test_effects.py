"""What the model's tools did stands under its answer, and the answer stays."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.assistant.events import Reply
from tests.bot.commands.desk import ANN, BORIS, ENGLISH, Desk, open_desk
from tests.fakes.conversing import Echo
from tools.context import TurnEffects

ANSWER = "You **decide**."


@asynccontextmanager
async def effective() -> AsyncIterator[tuple[Desk, TurnEffects]]:
    """A desk whose model answers every message, and the effects of its tools in each turn."""
    effects = TurnEffects()
    model = Echo(lambda _: Reply(ANSWER, markdown=True, effects=effects))
    async with open_desk(conversation=model) as desk:
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
        assert await desk.facts() == []
