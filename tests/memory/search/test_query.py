"""A question becomes the words that tell what it is about."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.query import MAX_TERMS, Query, parse

NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)


def asked(text: str) -> list[str]:
    """The telling words of a question."""
    return [term.exact[0] for term in parse(text, NOW).terms]


@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("What did I tell you about my job?", ["job"]),
        ("Where does my sister Anna live?", ["sister", "anna", "live"]),
        ("Was weißt du über meine Schwester?", ["schwest"]),
        ("¿Qué sabes de mi hermana?", ["herman"]),
        ("Что ты помнишь о моей сестре?", ["сестр"]),
        ("我的生日是什么时候？", ["生日"]),
        ("tea tea tea", ["tea"]),
    ],
)
def test_small_words_and_talk_about_remembering_fall_away(
    question: str, telling: list[str]
) -> None:
    assert asked(question) == telling


@pytest.mark.parametrize(
    "text",
    ["", "thanks!", "ok", "Good morning!", "How are you?", "yes, great", "what is it", "👍",
     "danke", "merci", "gracias", "grazie", "obrigado", "bedankt", "спасибо", "תודה", "شكرا",
     "谢谢", "こんにちは", "안녕하세요", "?!", "\0", "\ud800"],
)  # fmt: skip
def test_small_talk_asks_for_nothing(text: str) -> None:
    assert parse(text, NOW) == Query(topical=False)


@pytest.mark.parametrize(
    "text",
    ["what's your name?", "hahaha", "ха-ха", "jajaja", "哈哈哈", "太好了", "wie heißt du?",
     "who are you?", "как тебя зовут?", "see you tomorrow", "can you help me with something?",
     "translate into French: the dog sleeps on the sofa", "Übersetze ins Englische: Der Hund",
     "Please correct this:\nMy dog are old", "翻译成英文：狗在睡觉"],
)  # fmt: skip
def test_talk_about_the_bot_and_texts_to_work_on_ask_for_nothing(text: str) -> None:
    assert not parse(text, NOW).index_words


@pytest.mark.parametrize(
    ("text", "name"),
    [("Mia", "mia"), ("mia?", "mia"), ("Who is Will?", "will"), ("Was ist mit Ben?", "ben")],
)
def test_a_small_word_that_is_all_there_is_and_a_name_is_asked_for(text: str, name: str) -> None:
    assert name in {word for term in parse(text, NOW).terms for word in term.exact}


@pytest.mark.parametrize("text", ["Will you?", "you will", "la mia", "per me", "I am"])
def test_a_small_word_is_no_name_where_it_is_used_as_one(text: str) -> None:
    assert not parse(text, NOW).terms


def test_a_letter_that_is_a_small_word_elsewhere_parts_no_word() -> None:
    assert "吉他" in asked("怎么学吉他？")


def test_pairs_out_of_a_longer_run_may_be_torn_out_of_two_words() -> None:
    assert [term.torn for term in parse("豆豆", NOW).terms] == [False]
    assert all(term.torn for term in parse("豆豆生病", NOW).terms)


def test_the_word_of_a_greeting_is_a_topic_elsewhere() -> None:
    assert asked("Do I run every morning?") == ["run", "morn"]


def test_a_word_brings_those_that_may_stand_in_for_it() -> None:
    (term,) = parse("my job", NOW).terms
    assert {"work", "employ"} <= term.related
    assert "job" not in term.related


def test_a_date_is_kept_apart_from_the_topic() -> None:
    query = parse("What did I say in March?", NOW)
    assert query.dates == {"§m03"}
    assert not query.topical
    assert parse("Which trip did I plan in March?", NOW).topical


def test_a_query_of_100_kb_asks_for_a_bounded_number_of_words() -> None:
    long = " ".join(f"word{n}" for n in range(20_000))
    assert 0 < len(parse(long, NOW).terms) <= MAX_TERMS


@given(st.text())
def test_any_text_is_a_query(text: str) -> None:
    query = parse(text, NOW)
    assert query.topical or query.dates or not query.terms
