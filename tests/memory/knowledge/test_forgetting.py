"""Forgetting a fact takes along what would tell it again, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.knowledge.forgetting import (
    Forgotten,
    mark_outdated,
    mentions,
    plan_deletion,
)
from memory.records import Actor, Kind, Record, Role, Turn, Utterance


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work at Acme Corp", "I work at Acme Corp"),
        ("Hi! I work at Acme Corp, and my birthday is March 15.", "I work at Acme Corp"),
        ("Noted: you work at Acme Corp.", "I work at Acme Corp"),
        ("Remember that I have a cat please", "I have a cat"),
        ("Я работаю в Яндексе уже год", "Я работаю в Яндексе"),
        ("我在北京工作，很忙", "我在北京工作"),
    ],
)
def test_a_text_that_says_it_again_carries_it(text: str, statement: str):
    assert mentions(statement)(text)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work at Globex", "I work at Acme Corp"),
        ("the cat food was expensive", "I have a cat"),
        ("my birthday is March 15", "I work at Acme Corp"),
        ("", "I work at Acme Corp"),
        ("Я живу в Москве", "Я работаю в Яндексе"),
    ],
)
def test_a_text_about_something_else_does_not(text: str, statement: str):
    assert not mentions(statement)(text)


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = Actor("u1")


def record(id_: str, text: str, turn: str = "", minutes: int = 0, slot: str = "") -> Record:
    kind = next(kind for kind in Kind if kind.value[0] == id_[0])
    at = NOON + timedelta(minutes=minutes)
    return Record(id_, kind, text, at, turn_ids=(turn,) if turn else (), slot=slot or None)


def turn(id_: str, text: str) -> Turn:
    said = (Utterance(Role.USER, text, NOON), Utterance(Role.ASSISTANT, "ok", NOON))
    return Turn(id_, "s-1", said)


def test_what_goes_along_is_what_it_came_from_and_what_says_it_again():
    fact = record("f1", "I work at Acme Corp", "t1")
    others = [
        record("m1", "I work at Acme Corp", "t1"),
        record("m2", "Congratulations!", "t1"),
        record("m3", "I like tea", "t2"),
        record("m4", "You work at Acme Corp.", "t3"),
        record("s1", "Anna told that she works at Acme Corp: I work at Acme Corp"),
        record("s2", "Anna likes tea"),
    ]
    turns = [turn("t3", "where do you think I work? I work at Acme Corp!"), turn("t4", "hello")]
    gone = plan_deletion(ANN, fact, others, turns)
    assert gone.record is fact
    assert [message.id for message in gone.messages] == ["m1", "m2", "m4"]
    assert [summary.id for summary in gone.summaries] == ["s1"]
    assert [turn.id for turn in gone.turns] == ["t3"]
    assert [each.id for each in gone.records] == ["f1", "s1", "m1", "m2", "m4"]
    assert gone.statements == 3, "m1, m2, and what the user said in t3"
    assert gone.is_repeated


def test_with_a_message_goes_what_says_one_of_its_sentences_again():
    message = record("m1", "Yes! My blue locker is in Porto. Shall I buy a second lock?", "t1")
    others = [
        record("m2", "You said: my blue locker is in Porto", "t2"),
        record("m3", "Yes!", "t3"),
        record("m4", "I shall buy a second lock", "t4"),
        record("m5", "My locker is green", "t5"),
    ]
    gone = plan_deletion(ANN, message, others, [])
    assert [message.id for message in gone.messages] == ["m2"]


def test_with_an_answer_goes_nothing_that_the_user_has_told():
    answer = record("m1", "Your blue locker is in Porto. Your sister lives in Leeds.", "t1")
    told = record("m2", "My blue locker is in Porto, your one is not", "t2")
    gone = plan_deletion(ANN, replace(answer, role=Role.ASSISTANT), [told], [])
    assert gone.messages == ()


def test_a_request_to_forget_it_is_no_statement_of_it():
    message = record("m1", "My sister Meera is a nurse", "t1")
    turns = [turn("t1", message.text), turn("t2", "forget Meera")]
    gone = plan_deletion(ANN, message, [], turns, ("t2",))
    assert [turn.id for turn in gone.turns] == ["t1", "t2"]
    assert gone.statements == 0
    assert gone.is_repeated


def test_a_summary_goes_along_if_a_topic_of_its_session_names_what_is_forgotten():
    def summary(id_: str, session: str, *topics: str) -> Record:
        return replace(record(id_, "Anna talked"), session_id=session, topics=topics)

    fact = replace(record("f1", "I have two cats, Miso and Tofu", "t1"), session_id="one")
    others = [
        summary("s1", "one", "my garden", "my cats"),
        summary("s2", "one", "my garden", "cat food"),
        summary("s3", "two", "my cats"),
    ]
    assert [gone.id for gone in plan_deletion(ANN, fact, others, []).summaries] == ["s1"]


def test_a_summary_does_not_go_along_with_itself():
    told = record("s1", "We talked about Oslo", "t1")
    assert plan_deletion(ANN, told, [told], []) == Forgotten(ANN, told)


def test_the_turns_of_a_summary_stay():
    told = replace(record("s1", "Anna talked about her dog Rex", "t1"), turn_ids=("t1", "t2"))
    others = [
        record("m1", "I drive a Volvo", "t1"),
        record("m2", "Meera visits on Friday", "t2"),
        record("m3", "Anna talked about her dog Rex, you said", "t3"),
    ]
    gone = plan_deletion(ANN, told, others, [turn("t1", "I drive a Volvo")])
    assert [message.id for message in gone.messages] == ["m3"]
    assert gone.turns == ()


def test_only_a_newer_answer_to_the_same_question_outdates():
    employer = record("f1", "I work at Acme", slot="employer")
    newer = record("f2", "I work at Globex", minutes=5, slot="employer")
    older = record("f3", "I work at Initech", minutes=-5, slot="employer")
    assert mark_outdated(employer, [older, employer]) is employer
    assert mark_outdated(employer, [older, newer]).superseded_at == newer.created_at
    assert mark_outdated(record("f4", "I have a cat"), [newer]).current
