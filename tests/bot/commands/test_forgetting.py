"""/forget: one memory, several, or everything after a question that only its asker answers."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bot.people.usage import Usage
from memory.errors import ErasureUnfinished, StoreUnavailable
from memory.records import LEARNED_KINDS, Actor, Kind, Role, Utterance
from memory.traces import Remainder, Traces
from tests.bot.commands.desk import (
    ANN,
    ANNA,
    BOB,
    BORIS,
    ENGLISH,
    GROUP,
    OURS,
    Desk,
    open_desk,
)
from tests.fakes.temporary_store import TemporaryStore


def deleted(text: str) -> str:
    return ENGLISH.memory_deleted.format(text=text)


def restored(text: str) -> str:
    return ENGLISH.memory_brought_back.format(text=text)


# -- by id ----------------------------------------------------------------------------------------


async def test_one_memory_is_forgotten_by_its_id(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp", "I live in Oslo")
    assert await desk.ask("/forget f1") == deleted("I work at Acme Corp")
    assert await desk.facts() == ["I live in Oslo"]


async def test_somebody_elses_id_is_an_unknown_one(desk: Desk) -> None:
    await desk.remember("I am a spy", actor=BOB)
    assert await desk.ask("/forget f1") == ENGLISH.no_such_memory.format(id="f1")
    assert await desk.facts(BOB)


async def test_a_memory_forgotten_by_its_id_can_be_restored(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget f1")
    assert await desk.facts() == []
    shown = await desk.press(ENGLISH.button_undo)
    assert shown.text == restored("I work at Acme Corp")
    assert await desk.facts() == ["I work at Acme Corp"]


async def test_nobody_restores_what_somebody_else_has_forgotten(desk: Desk) -> None:
    desk.channel.admins |= {ANNA, BORIS}
    await desk.remember("I am a spy")
    await desk.ask("/forget f1")
    undo = desk.sent()[0].button(ENGLISH.button_undo)
    await desk.says("hi", BORIS)
    await desk.says("hi", BORIS, group=GROUP)
    for user, group in ((BORIS, None), (BORIS, GROUP), (ANNA, GROUP)):
        below = desk.sent(user, group)[0]
        assert await desk.click(below, undo, user, group=group) == ENGLISH.button_not_yours
    for actor in (ANN, BOB, OURS):
        assert await desk.facts(actor) == []


@pytest.mark.parametrize("apart", [" ", ", ", ",", "\n", " [", "; "])
async def test_several_are_forgotten_with_one_command_and_restored_together(
    desk: Desk, apart: str
) -> None:
    texts = ["I work at Acme Corp", "I live in Oslo", "I have a dog"]
    await desk.remember(*texts)
    said = await desk.ask(f"/forget {apart.join(('f1', 'f99', 'f3'))}{']' * ('[' in apart)}")
    lines = said.split("\n")
    assert lines[:2] == [deleted("I work at Acme Corp"), deleted("I have a dog")]
    assert "f99" in lines[2]
    assert await desk.facts() == ["I live in Oslo"]
    shown = await desk.press(ENGLISH.button_undo)
    assert shown.text.split("\n") == [restored("I work at Acme Corp"), restored("I have a dog")]
    assert set(await desk.facts()) == set(texts)


async def test_ids_that_are_all_unknown_are_all_named(desk: Desk) -> None:
    said = await desk.ask("/forget f8 f9")
    assert said == "\n".join(ENGLISH.no_such_memory.format(id=id_) for id_ in ("f8", "f9"))


async def test_forget_alone_explains_and_asks_for_no_id(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    assert await desk.ask("/forget") == ENGLISH.forget_how


# -- in words -------------------------------------------------------------------------------------


async def test_one_thing_that_is_meant_is_asked_about_and_deleted_with_a_way_back(
    desk: Desk,
) -> None:
    await desk.remember("My sister Julia lives in Oslo", "I work at Acme Corp")
    asked = await desk.ask("/forget what I told you about Julia")
    assert "sister Julia lives in Oslo" in asked
    assert len(await desk.facts()) == 2, "nothing is deleted by the question"
    shown = await desk.press(ENGLISH.button_delete_yes)
    assert shown.text.startswith("Deleted: ")
    assert await desk.facts() == ["I work at Acme Corp"]
    await desk.press(ENGLISH.button_undo)
    assert set(await desk.facts()) == {"My sister Julia lives in Oslo", "I work at Acme Corp"}


async def test_one_thing_that_is_meant_is_deleted_by_a_typed_yes(desk: Desk) -> None:
    await desk.remember("My sister Julia lives in Oslo")
    await desk.ask("/forget Julia")
    assert (await desk.ask("yes")).startswith("Deleted: ")
    assert await desk.facts() == []


async def test_no_deletes_nothing_that_is_meant(desk: Desk) -> None:
    await desk.remember("My sister Julia lives in Oslo")
    await desk.ask("/forget Julia")
    shown = await desk.press(ENGLISH.button_delete_no)
    assert (shown.text, shown.labels) == (ENGLISH.forget_kept, [])
    assert await desk.facts()


async def test_of_several_each_can_be_chosen_after_the_other(desk: Desk) -> None:
    await desk.remember("My sister Julia lives in Oslo", "Julia is a nurse", "Julia plays chess")
    asked = await desk.ask("/forget Julia")
    assert asked.startswith(f"{ENGLISH.forget_ask}\n1. ")
    question = desk.sent()[-1]
    first, second, third, every, none = question.labels
    assert (every, none) == (ENGLISH.forget_every, ENGLISH.forget_none)
    gone = [first[3:], third[3:]]
    shown = await desk.press(first)
    assert second in shown.labels
    assert first not in shown.labels
    shown = await desk.press(third)
    [left] = await desk.facts()
    assert all(words.rstrip("…") not in left for words in gone)


@pytest.mark.parametrize("known", [1, 2])
async def test_a_second_tap_leaves_the_report_and_its_undo(desk: Desk, known: int) -> None:
    await desk.remember(*("Julia is a nurse", "Julia plays chess")[:known])
    await desk.ask("/forget Julia")
    question = desk.sent()[-1]
    first, *_, last = question.data
    await desk.click(question, first)
    report = question.text, question.labels
    assert ENGLISH.button_undo in question.labels
    await desk.click(question, first)
    assert (question.text, question.labels) == report
    if known == 1:
        await desk.click(question, last)
        assert (question.text, question.labels) == report, "nothing is kept that is gone"


async def test_of_several_one_is_chosen_by_its_number(desk: Desk) -> None:
    await desk.remember("Julia is a nurse", "Julia plays chess")
    asked = await desk.ask("/forget Julia")
    second = asked.split("\n2. ")[1]
    await desk.ask("2")
    [left] = await desk.facts()
    assert left not in second


async def test_all_of_several_are_deleted_and_restored_together(desk: Desk) -> None:
    texts = ["My sister Julia lives in Oslo", "Julia is a nurse", "I work at Acme Corp"]
    await desk.remember(*texts)
    await desk.ask("/forget Julia")
    await desk.press(ENGLISH.forget_every)
    assert await desk.facts() == ["I work at Acme Corp"]
    await desk.press(ENGLISH.button_undo)
    assert set(await desk.facts()) == set(texts)


@pytest.mark.parametrize("word", ["dentist", "sisters", "Florian"])
async def test_a_word_that_looks_like_an_id_is_a_word(desk: Desk, word: str) -> None:
    await desk.remember(f"Somebody called {word} comes on Fridays")
    assert word in await desk.ask(f"/forget {word}")
    assert await desk.facts()


async def test_words_that_nothing_matches_say_so(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    assert await desk.ask("/forget my zeppelin") == ENGLISH.search_nothing


async def test_somebody_elses_records_are_not_meant(desk: Desk) -> None:
    await desk.remember("My sister Julia lives in Oslo", actor=BOB)
    assert await desk.ask("/forget Julia") == ENGLISH.search_nothing


async def test_a_message_is_forgotten_in_words_and_restored(desk: Desk) -> None:
    await desk.tell("The boiler leaks again.")
    assert "The boiler leaks again." in await desk.ask("/forget the boiler")
    await desk.press(ENGLISH.button_delete_yes)
    assert await desk.ask("/search boiler") == ENGLISH.search_nothing
    history = await desk.memory.talk.recall(ANN, desk.chat(), "?")
    assert history.messages == ()
    desk.sent().pop()
    await desk.press(ENGLISH.button_undo)
    assert "boiler leaks" in await desk.ask("/search boiler")


async def test_summaries_and_answers_that_tell_of_it_go_with_the_last_of_it(desk: Desk) -> None:
    """Nothing would be gained if they went on to tell of her."""
    said = datetime.now(UTC)
    turn = [Utterance(Role.USER, "She moves in May", said)]
    turn += [Utterance(Role.ASSISTANT, "So Julia moves in May.", said)]
    await desk.memory.talk.record(ANN, desk.chat(), turn)
    for text in ("Julia plays the cello", "Julia is a nurse"):
        await desk.remember(text)
    await desk.ask("/forget Julia")
    await desk.press(desk.sent()[-1].labels[0])
    history = await desk.memory.talk.recall(ANN, desk.chat(), "?")
    assert history.messages, "there is something left that it belongs to"
    last = next(label for label in desk.sent()[-1].labels if "Julia" in label)
    await desk.press(last)
    history = await desk.memory.talk.recall(ANN, desk.chat(), "?")
    assert history.messages == ()
    assert await desk.memory.known.search(ANN, "Julia", (*LEARNED_KINDS, Kind.MESSAGE)) == []


async def test_a_summary_is_no_choice_where_something_was_said_or_learned(desk: Desk) -> None:
    await desk.tell("Julia moves to Oslo in May")
    await desk.tell("I bought a bicycle")
    await desk.ask("/new")
    asked = await desk.ask("/forget Julia")
    assert asked.count("Julia") == 1
    assert "bicycle" not in asked
    await desk.press(ENGLISH.button_delete_yes)
    assert await desk.ask("/search Julia") == ENGLISH.search_nothing
    assert "bicycle" in await desk.ask("/search bicycle")


async def test_the_question_counts_what_people_said_not_what_repeats_it(desk: Desk) -> None:
    await desk.tell("My sister Meera is a nurse")
    for _ in range(3):
        await desk.tell("What do you know about Meera?")
    question = ENGLISH.memory_delete_ask.format(text="My sister Meera is a nurse")
    asked = await desk.ask("/forget Meera")
    assert asked == (
        f"{question}\n\n{ENGLISH.memory_delete_along}\n• {ENGLISH.memory_delete_repeats}"
    )
    await desk.press(ENGLISH.button_delete_yes)
    assert await desk.memory.known.search(ANN, "Meera", (*LEARNED_KINDS, Kind.MESSAGE)) == []


@pytest.mark.parametrize("data", ["only:7", "only:x", "f1", "only:-1"])
async def test_a_made_up_choice_deletes_nothing(desk: Desk, data: str) -> None:
    await desk.remember("Julia is a nurse", "Julia plays chess")
    await desk.ask("/forget Julia")
    [question] = desk.sent()
    panel = question.data[0].rsplit(":", 2)[0]
    await desk.click(question, f"{panel}:{data}")
    assert len(await desk.facts()) == 2


async def test_in_a_group_words_are_for_admins(desk: Desk) -> None:
    await desk.remember("Julia meets us on Fridays", actor=OURS)
    assert await desk.ask("/forget Julia", group=GROUP) == ENGLISH.admins_only
    desk.channel.admins.add(ANNA)
    await desk.ask("/forget Julia", group=GROUP)
    question = desk.sent(group=GROUP)[-1]
    yes = question.button(ENGLISH.button_delete_yes)
    assert await desk.click(question, yes, BORIS, group=GROUP) == ENGLISH.button_not_yours
    assert await desk.click(question, yes, group=GROUP) is None
    assert await desk.facts(OURS) == []


# -- everything -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    ["all", "All please", "everything", "all of it", "please everything!", "everything about me",
     "alles bitte", "всё", "सब कुछ", "it all"],
)  # fmt: skip
async def test_everything_in_any_words_is_asked_about_first(desk: Desk, words: str) -> None:
    await desk.remember("I work at Acme Corp")
    assert await desk.ask(f"/forget {words}") == ENGLISH.forget_all_ask
    assert await desk.facts()


@pytest.mark.parametrize("words", ["all about Anna", "my address", "please", "all f1"])
async def test_all_of_something_is_no_order_to_delete_everything(desk: Desk, words: str) -> None:
    await desk.remember("I work at Acme Corp")
    assert await desk.ask(f"/forget {words}") == ENGLISH.search_nothing
    assert await desk.ask("yes") == "you said: yes"
    assert await desk.facts()


async def test_forget_all_asks_first_and_yes_deletes_everything(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.remember("I am a spy", actor=BOB)
    await desk.tell("I have an open conversation.")
    assert await desk.ask("/forget all") == ENGLISH.forget_all_ask
    assert await desk.facts(), "nothing is deleted by the question"
    shown = await desk.press(ENGLISH.forget_all_yes)
    assert (shown.text, shown.labels) == (ENGLISH.forget_all_done, [])
    assert await desk.facts() == []
    assert await desk.facts(BOB)
    assert await desk.ask("/new") == ENGLISH.new, "nothing to save"


async def test_forget_all_empties_the_inbox_and_the_account(desk: Desk) -> None:
    for actor in (ANN, BOB):
        desk.accounts.note_turn(actor, "s1", Usage(1, 1, 0, 10, 1))
    assert len(await desk.accounts.export(ANN)) == 1
    await desk.ask("/forget all")
    await desk.press(ENGLISH.forget_all_yes)
    assert await desk.accounts.export(ANN) == []
    assert len(await desk.accounts.export(BOB)) == 1
    [(place, before)] = desk.channel.erased
    assert place == desk.chat()
    assert before > desk.sent()[0].id, "all that came before the press"


async def test_undo_tells_that_messages_kept_elsewhere_stay_deleted() -> None:
    store = _SlowToDelete(Remainder(), ErasureUnfinished("not allowed"))
    async with open_desk(store=store) as desk:
        await desk.remember("I work at Acme Corp")
        await desk.ask("/forget f1")
        shown = await desk.press(ENGLISH.button_undo)
        assert shown.text == f"{restored('I work at Acme Corp')}\n{ENGLISH.memory_messages_gone}"


class _SlowToDelete(TemporaryStore):
    """Shows nothing of what it erased, and has yet to delete some of it."""

    def __init__(self, left: Remainder, failure: StoreUnavailable) -> None:
        super().__init__()
        self.failure = failure
        self.erasing = Leftovers(left)  # type: ignore[assignment]

    async def erase(self, actor: Actor) -> None:
        await super().erase(actor)
        raise self.failure


class Leftovers:
    def __init__(self, left: Remainder) -> None:
        self._left = left

    def remainder(self, actor: Actor) -> Remainder:
        return self._left

    async def pending(self) -> int:
        return 1

    @asynccontextmanager
    async def forgetting(
        self, actor: Actor, record_ids: Collection[str], traces: Traces
    ) -> AsyncIterator[None]:
        yield

    async def undo(self, actor: Actor, record_ids: Collection[str]) -> None:
        """Nothing to do."""


async def test_forgetting_one_thing_says_what_is_still_to_be_deleted() -> None:
    until = datetime(2026, 12, 24, tzinfo=UTC)
    left = Remainder(messages=True, until=until)
    store = _SlowToDelete(left, ErasureUnfinished("not allowed"))
    async with open_desk(store=store) as desk:
        await desk.remember("I work at Acme Corp")
        pending = ENGLISH.forget_pending.format(date="2026-12-24")
        assert await desk.ask("/forget f1") == f"{deleted('I work at Acme Corp')}\n{pending}"
        await desk.remember("I live in Oslo")
        await desk.ask("/forget Oslo")
        assert (await desk.press(ENGLISH.button_delete_yes)).text.endswith(pending)


@pytest.mark.parametrize(
    ("left", "named"),
    [
        (Remainder(messages=True), "messages"),
        (Remainder(records=True), "memories"),
        (Remainder(records=True, messages=True), "memories, messages"),
    ],
)
async def test_what_is_still_to_be_deleted_is_named(left: Remainder, named: str) -> None:
    store = _SlowToDelete(left, ErasureUnfinished("not allowed"))
    async with open_desk(store=store) as desk:
        await desk.remember("I work at Acme Corp")
        await desk.ask("/forget all")
        shown = await desk.press(ENGLISH.forget_all_yes)
        assert shown.text == ENGLISH.forget_all_pending.format(left=named)


async def test_one_part_that_fails_stops_none_of_the_others(desk: Desk) -> None:
    store = _SlowToDelete(Remainder(), StoreUnavailable("away"))
    async with open_desk(store=store) as desk:
        desk.accounts.note_turn(ANN, "s1", Usage(1, 1, 0, 10, 1))
        await desk.ask("/forget all")
        shown = await desk.press(ENGLISH.forget_all_yes)
        assert ENGLISH.memory_unavailable in shown.text
        assert await desk.accounts.export(ANN) == []
        assert desk.channel.erased != []


async def test_no_keeps_everything(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    assert (await desk.press(ENGLISH.forget_all_no)).text == ENGLISH.forget_all_kept
    assert await desk.facts()


async def test_a_question_in_a_group_is_answered_by_its_asker_alone(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    desk.channel.admins.add(ANNA)
    await desk.ask("/forget all", group=GROUP)
    [question] = desk.sent(group=GROUP)
    yes = question.button(ENGLISH.forget_all_yes)
    assert await desk.click(question, yes, BORIS, group=GROUP) == ENGLISH.button_not_yours
    assert await desk.facts(OURS)
    assert await desk.click(question, yes, group=GROUP) is None
    assert question.text == ENGLISH.forget_all_done
    assert await desk.facts(OURS) == []


@pytest.mark.parametrize("data", ["forget_all:1002:yes", "forget_all:1001:maybe", "x", "::::"])
async def test_a_press_that_was_made_up_does_nothing(desk: Desk, data: str) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    assert await desk.click(desk.sent()[0], data)
    assert await desk.facts()


async def test_a_late_yes_is_asked_for_again_and_a_late_no_is_a_no(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    [question] = desk.sent()
    question.at -= timedelta(hours=1)
    assert await desk.click(question, question.button(ENGLISH.forget_all_yes)) is None
    assert await desk.facts()
    again = desk.sent()[-1]
    assert (question.labels, again.text) == ([], ENGLISH.forget_all_ask)
    again.at -= timedelta(hours=1)
    await desk.press(ENGLISH.forget_all_no)
    assert again.text == ENGLISH.forget_all_kept
    await desk.says("/forget all")
    await desk.press(ENGLISH.forget_all_yes)
    assert await desk.facts() == []
