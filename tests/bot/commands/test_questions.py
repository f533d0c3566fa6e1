"""Answers by typing: to the question of /forget all, for new words, after a bare command."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.assistant.events import Question
from bot.assistant.inbound import Click, Command, Message, Origin
from bot.commands.questions import ANSWERS_LAST, Questions, yes_or_no
from bot.texts import languages
from memory.errors import Refusal
from memory.panels import PanelRows
from memory.records import Actor, Place
from memory.stores.database import Databases
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal
from tests.bot.commands.desk import (
    ANN,
    ANNA,
    BORIS,
    ENGLISH,
    GROUP,
    OURS,
    Desk,
    Sent,
)

BACK, EDIT = ENGLISH.button_back, ENGLISH.button_edit


def reads(sent: list[Sent]) -> list[str]:
    return [one.text for one in sent]


# -- /forget all ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["yes", "Yes!", " YES. ", "Yes, delete everything", "yes delete everything", "Ja", "да", "Да!",
     "sí", "si", "sì", "sim", "हाँ", "हां।", "Alles löschen", "Ja, alles löschen"],
)  # fmt: skip
async def test_a_yes_in_any_language_deletes_everything(desk: Desk, said: str) -> None:
    desk.languages[ANNA] = "en"
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    await desk.says(said)
    [question] = desk.sent()
    assert question.text == ENGLISH.forget_all_done, "the question has become its outcome"
    assert question.labels == []
    assert await desk.facts() == []
    assert desk.echo.heard == []


@pytest.mark.parametrize("said", ["no", "No, keep it", "nein", "нет", "não", "नहीं", "cancel"])
async def test_a_no_in_any_language_keeps_everything(desk: Desk, said: str) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    await desk.says(said)
    assert reads(desk.sent()) == [ENGLISH.forget_all_kept]
    assert await desk.facts()
    assert desk.echo.heard == []


@pytest.mark.parametrize("said", ["yes?", "yesterday", "yes and no", "ok but why", "...", "1"])
async def test_anything_else_is_talk_and_the_buttons_stay(desk: Desk, said: str) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    await desk.says(said)
    await desk.says("yes")
    assert reads(desk.sent()) == [ENGLISH.forget_all_ask, f"you said: {said}", "you said: yes"]
    assert await desk.facts(), "only the very next message answers"
    question = desk.sent()[0]
    await desk.click(question, question.button(ENGLISH.forget_all_yes))
    assert question.text == ENGLISH.forget_all_done


@pytest.mark.parametrize("between", ["/name", "/memory", "/stop", "/forget f9", "/xyzzy"])
async def test_a_command_in_between_closes_the_question(desk: Desk, between: str) -> None:
    await desk.remember("I work at Acme Corp")
    await desk.ask("/forget all")
    await desk.says(between)
    assert await desk.ask("yes") == "you said: yes"
    assert await desk.facts()


async def test_a_press_in_between_closes_the_question(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    [panel] = await desk.says("/memory")
    await desk.ask("/forget all")
    await desk.click(panel, panel.data[0])
    assert await desk.ask("yes") == "you said: yes"
    assert await desk.facts()


async def test_a_yes_to_another_message_is_no_answer(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    [other] = await desk.says("Shall I water the plants?")
    [question] = await desk.says("/forget all")
    await desk.says("yes", answers=other)
    assert question.text == ENGLISH.forget_all_ask
    assert await desk.facts()
    [again] = await desk.says("/forget all")
    await desk.says("yes", answers=again)
    assert again.text == ENGLISH.forget_all_done, "an answer to the question itself is one"


async def test_a_question_that_did_not_arrive_has_no_answer(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp")
    desk.channel.closed.add(ANNA)
    assert await desk.says("/forget all") == []
    desk.channel.closed.clear()
    assert await desk.ask("yes") == "you said: yes"
    assert await desk.facts()


async def test_in_a_group_only_the_asker_answers_and_only_an_admin(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    desk.channel.admins.add(ANNA)
    [question] = await desk.says("/forget all", group=GROUP)
    await desk.says("yes", BORIS, group=GROUP, answers=question)
    assert question.text == ENGLISH.forget_all_ask_group
    desk.channel.admins.clear()
    assert reads(await desk.says("yes", group=GROUP)) == [ENGLISH.admins_only]
    assert await desk.facts(OURS)
    desk.channel.admins.add(ANNA)
    [question] = await desk.says("/forget all", group=GROUP)
    await desk.says("yes", group=GROUP)
    assert question.text == ENGLISH.forget_all_done
    assert await desk.facts(OURS) == []


async def test_in_a_group_a_question_waits_in_its_topic(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    desk.channel.admins.add(ANNA)
    await desk.says("/forget all", group=GROUP, topic=5)
    assert await desk.ask("yes", group=GROUP, topic=6) == "you said: yes"
    assert await desk.facts(OURS)


async def test_what_was_asked_in_the_name_of_a_group_only_its_admins_answer(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    # Whoever writes in the name of a group has its id.
    [question] = await desk.says("/forget all", GROUP, group=GROUP)
    await desk.says("yes", BORIS, group=GROUP, answers=question)
    assert question.text == ENGLISH.forget_all_ask_group
    assert await desk.facts(OURS)


# -- new words ------------------------------------------------------------------------------------


async def edit_page(desk: Desk) -> Sent:
    await desk.remember("I live in Oslo")
    await desk.says("/memory")
    return await desk.press("Facts (1)", "1. I live in Oslo", EDIT)


async def test_what_is_said_after_edit_are_the_new_words(desk: Desk) -> None:
    page = await edit_page(desk)
    assert page.text == ENGLISH.edit_ask.format(id="f1", text="I live in Oslo")
    assert page.labels == [BACK]
    assert await desk.says("I live in Bergen") == [page]
    assert page.text == ENGLISH.change_changed.format(
        before="I live in Oslo", text="I live in Bergen"
    )
    assert page.labels == [ENGLISH.button_undo, EDIT, BACK]
    assert await desk.facts() == ["I live in Bergen"]
    assert (await desk.press(BACK)).text.startswith("I live in Bergen\n")
    assert desk.echo.heard == []
    assert await desk.memory.talk.session(ANN, desk.chat()) is None, "no turn is on record"
    assert await desk.ask("I live in Rome") == "you said: I live in Rome"


@pytest.mark.parametrize("way", ["press", "no", "nein", "/name"])
async def test_an_edit_can_be_called_off(desk: Desk, way: str) -> None:
    await edit_page(desk)
    if way == "press":
        await desk.press(BACK)
    else:
        await desk.says(way)
    await desk.says("What a day!")
    assert [message.text for message in desk.echo.heard] == ["What a day!"]
    assert await desk.facts() == ["I live in Oslo"]


async def test_new_words_that_can_not_be_kept_end_the_edit(desk: Desk) -> None:
    page = await edit_page(desk)
    await desk.says("x " * 900)
    refused = ENGLISH.remember_refused.format(reason=ENGLISH.refusals[Refusal.LONG])
    unchanged = ENGLISH.edit_unchanged.format(text="I live in Oslo")
    assert page.text == f"{refused}\n\n{unchanged}"
    again = page.button(EDIT)
    assert await desk.ask("Oh.") == "you said: Oh."
    await desk.click(page, again)
    await desk.says("I live in Bergen")
    assert await desk.facts() == ["I live in Bergen"]


async def test_the_edit_command_without_words_asks_for_them(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    [page] = await desk.says("/edit f1")
    assert page.text == ENGLISH.edit_ask.format(id="f1", text="I live in Oslo")
    await desk.says("I live in Bergen")
    assert page.text == ENGLISH.change_changed.format(
        before="I live in Oslo", text="I live in Bergen"
    )
    for unknown in ("f99", "f1"):
        said = await desk.ask(f"/edit {unknown}")
        assert said == ENGLISH.no_such_memory.format(id=unknown), "nor what has new words already"
    said = await desk.ask("/edit f2\nI live in Rome")
    changed = ENGLISH.change_changed.format(before="I live in Bergen", text="I live in Rome")
    assert said == f"{changed}  [f3]"


async def test_in_a_group_edit_tells_the_command(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    desk.channel.admins.add(ANNA)
    await desk.says("/memory", group=GROUP)
    [record] = await desk.memory.known.records(OURS)
    page = await desk.press("Facts (1)", group=GROUP)
    page = await desk.press(page.labels[0], EDIT, group=GROUP)
    assert page.text == ENGLISH.edit_how.format(id=record.short_id, text=record.text)
    assert await desk.ask("We meet on Mondays", group=GROUP) == "you said: We meet on Mondays"
    assert await desk.facts(OURS) == ["We meet on Fridays"]
    assert await desk.ask("/edit f1", group=GROUP) == ENGLISH.edit_usage


async def test_in_a_private_conversation_nothing_is_reworded(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.ask("/private")
    await desk.ask("/memory")
    refused = await desk.press("Facts (1)", "1. I live in Oslo", EDIT)
    assert refused.text == ENGLISH.private_refused
    assert await desk.ask("I live in Rome") == "🔒 you said: I live in Rome"
    for command in ("/edit f1", "/remember"):
        assert await desk.ask(command) == ENGLISH.private_refused
    assert await desk.facts() == ["I live in Oslo"]


# -- bare commands --------------------------------------------------------------------------------


async def test_what_is_missing_after_a_command_is_asked_for(desk: Desk) -> None:
    assert await desk.ask("/remember") == ENGLISH.remember_ask
    said = await desk.ask("that I collect stamps")
    assert said == ENGLISH.remembered.format(text="I collect stamps", id="f1")
    assert await desk.ask("/search") == ENGLISH.search_ask
    assert "collect stamps" in await desk.ask("stamps")
    assert desk.echo.heard == []
    await desk.ask("/remember")
    assert await desk.ask("no") == "you said: no"
    await desk.ask("/remember")
    assert await desk.ask("new") == ENGLISH.new, "that is a command without its slash"
    assert await desk.facts() == ["I collect stamps"]


async def test_in_a_group_a_bare_command_tells_how_it_is_given(desk: Desk) -> None:
    assert await desk.ask("/remember", group=GROUP) == ENGLISH.remember_how


# -- the waiting itself ---------------------------------------------------------------------------


def message(number: int, words: str, user: int = ANNA, **fields: Any) -> Message:
    origin, now = Origin(Place("telegram", user), Actor.person(user), user), datetime.now(UTC)
    return Message(str(number), origin, now, words, number, number, words=words, **fields)


QUESTION = Question(yes="data")


@pytest.fixture
def rows(databases: Databases) -> PanelRows:
    return SqlJournal(databases.open(JOURNAL_LAYOUT)).panels


def asked(number: int = 1) -> Command:
    talk = message(number, "")
    return Command("forget", "all", talk.origin, talk.at, talk.message_id, talk.receipt)


@pytest.mark.parametrize(
    ("passed", "counts"), [(ANSWERS_LAST, True), (ANSWERS_LAST + timedelta(seconds=1), False)]
)
async def test_a_question_waits_ten_minutes(
    rows: PanelRows, passed: timedelta, counts: bool
) -> None:
    now = datetime.now(UTC)
    questions = Questions(rows, lambda: now)
    await questions.note(asked())
    await questions.expect(asked(), QUESTION, 2)
    now += passed
    assert bool(await questions.match(message(3, "yes"))) is counts


async def test_a_message_older_than_the_question_is_no_answer(rows: PanelRows) -> None:
    questions = Questions(rows)
    await questions.note(asked(5))
    await questions.expect(asked(5), QUESTION, 7)
    assert await questions.match(message(6, "yes")) is None, "it was written before the question"
    assert await questions.match(message(8, "yes")) is None


async def test_an_answer_is_its_writers_alone(rows: PanelRows) -> None:
    questions = Questions(rows)
    await questions.note(asked())
    await questions.expect(asked(), QUESTION, 2)
    assert await questions.match(message(3, "yes", BORIS)) is None
    answer = await questions.match(message(4, "yes"))
    assert isinstance(answer, Click)
    assert (answer.message_id, answer.data, answer.words) == (2, "data", "yes")
    assert await questions.match(message(5, "yes")) is None, "a question has one answer"


async def test_a_question_stays_open_through_a_restart(rows: PanelRows) -> None:
    before = Questions(rows)
    await before.note(asked())
    await before.expect(asked(), QUESTION, 2)
    after = Questions(rows)
    assert await after.match(message(3, "yes", BORIS)) is None
    assert await after.match(message(4, "yes"))
    assert await after.match(message(5, "yes")) is None


async def test_what_closed_a_question_closed_it_for_every_worker(rows: PanelRows) -> None:
    here = Questions(rows)
    await here.note(asked())
    await here.expect(asked(), QUESTION, 2)
    assert await here.match(message(3, "What a day!")) is None
    assert await Questions(rows).match(message(4, "yes")) is None


async def test_an_answer_that_is_taken_again_after_a_kill_is_one_again(rows: PanelRows) -> None:
    before = Questions(rows)
    await before.note(asked())
    await before.expect(asked(), QUESTION, 2)
    assert await before.match(message(3, "yes"))
    after = Questions(rows)
    assert await after.match(message(3, "yes"))
    assert await after.match(message(4, "yes")) is None


async def test_a_worker_that_lost_the_actor_reads_its_question_again(rows: PanelRows) -> None:
    here, there = Questions(rows), Questions(rows)
    await here.note(asked())
    await there.note(asked(5))
    await there.expect(asked(5), QUESTION, 6)
    here.drop(ANN)
    assert await here.match(message(7, "yes"))


async def test_of_several_an_answer_names_one_by_its_number(rows: PanelRows) -> None:
    several = Question(no="none", numbers=("first", "second"))
    for words, data in (("2", "second"), ("#1.", "first"), ("no", "none"), ("3", ""), ("yes", "")):
        questions = Questions(rows)
        await questions.expect(asked(), several, 2)
        answer = await questions.match(message(3, words))
        assert (answer.data if isinstance(answer, Click) else "") == data


def test_no_word_is_a_yes_and_a_no() -> None:
    for texts in languages().values():
        for word in texts.yes_words.split(","):
            assert yes_or_no(word) is True
        for word in texts.no_words.split(","):
            assert yes_or_no(word) is False
        assert yes_or_no(texts.forget_all_yes.upper()) is True
        assert yes_or_no(f" {texts.forget_all_no}!") is False


@pytest.mark.parametrize("words", ["", "…", "yes?", "maybe", "yes yes", "no idea"])
def test_what_is_neither_a_yes_nor_a_no_is_nothing(words: str) -> None:
    assert yes_or_no(words) is None
