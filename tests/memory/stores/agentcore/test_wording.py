"""What AWS's strategies write, as people read it: in the first person where that is certain."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.records import Kind
from memory.stores.agentcore.rows.wording import first_person, topics, words_for_people
from tests.fakes.aws.voice import third_person


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The user's dog is called Rex", "My dog is called Rex"),
        ("The user\u2019s name is Anna.", "My name is Anna."),
        ("Rex is the user's dog", "Rex is my dog"),
        ("The user works at Acme Corp", "I work at Acme Corp"),
        ("User prefers short answers", "I prefer short answers"),
        ("The user is allergic to nuts", "I am allergic to nuts"),
        ("The user has a sister who lives in Rome", "I have a sister who lives in Rome"),
        ("The user lives with their sister in Rome", "I live with my sister in Rome"),
        ("The user studies law", "I study law"),
        ("The user watches films", "I watch films"),
        ("The user goes to the gym", "I go to the gym"),
        ("The user uses Python 3.11", "I use Python 3.11"),
        ("The user doesn't eat meat", "I don't eat meat"),
        ("The user moved to Oslo in 2024", "I moved to Oslo in 2024"),
        ("The user always eats at noon", "I always eat at noon"),
        ("The user likes tea and coffee", "I like tea and coffee"),
        ("The user has visited Rome, Paris and Naples", "I have visited Rome, Paris and Naples"),
        ("The user said their dog is Rex", "I said my dog is Rex"),
        ("The user may visit Oslo on 12 December", "I may visit Oslo on 12 December"),
        ("The user is 34. The user's dog is 5.", "I am 34. My dog is 5."),
    ],
)
def test_a_sentence_about_the_user_is_one_of_the_users(written: str, read: str) -> None:
    assert words_for_people(Kind.FACT, written, of_one=True) == read


@pytest.mark.parametrize(
    "written",
    [
        # Whose?
        "The user's sister visits him often",
        "The user met the Smiths and their dog",
        "The user described themselves as shy",
        "The user is 34 years old. They live in Rome.",
        "Rex bit the user",
        "The user and Anna live in Rome",
        # A second verb, or none.
        "The user likes cats and owns two",
        "The user moved to Rome and works at Acme",
        "The user is vegetarian, lives in Rome",
        "The user manual is on the desk",
        "The user's planning a trip to Rome",
        "The user's not married",
        # Another language.
        "Der Nutzer wohnt in Rom",
        "El usuario vive en Roma",
        "用户住在奥斯陆",
        "I work at Acme Corp",
        "",
    ],
)
def test_a_sentence_in_doubt_stays_as_aws_wrote_it(written: str) -> None:
    assert first_person(written) == written


def test_in_a_group_nobody_knows_who_the_user_is() -> None:
    written = "The user's dog is called Rex"
    assert words_for_people(Kind.FACT, written, of_one=False) == written


@given(
    st.sampled_from(
        ["work at", "like", "have", "am", "was", "live in", "don't need", "studied", "can see"]
    ),
    st.sampled_from(["a dog", "Oslo", "12 cows, 3 sheep", "tea and coffee", "the house of Anna"]),
)
def test_what_somebody_said_comes_back_in_their_own_words_or_in_aws_s(verb: str, what: str) -> None:
    said = f"I {verb} {what}"
    written = third_person(said)
    assert written
    assert first_person(written) in (said, written)


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for kind in (Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY):
        assert words_for_people(kind, text, of_one=True) or not text.strip()
    topics(text)


def test_a_preference_is_read_from_its_json() -> None:
    shape = {"context": "said so", "preference": "The user likes tea", "categories": ["drinks"]}
    for text in (json.dumps(shape), f"\n {json.dumps(shape, indent=2)}"):
        assert words_for_people(Kind.PREFERENCE, text, of_one=True) == "I like tea"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Likes tea", "I like tea"),
        ("Prefers Python for development work", "I prefer Python for development work"),
        ("Likes cats and owns two", "Likes cats and owns two"),
        ("Dogs over cats", "Dogs over cats"),
        ("Vegetarian", "Vegetarian"),
    ],
)
def test_a_preference_without_a_subject_gets_one_where_it_begins_with_a_verb(
    written: str, read: str
) -> None:
    text = json.dumps({"context": "said so", "preference": written, "categories": []})
    assert words_for_people(Kind.PREFERENCE, text, of_one=True) == read
    assert words_for_people(Kind.PREFERENCE, text, of_one=False) == written


@pytest.mark.parametrize("text", ['{"preference": 5}', '{"preference": ""}', "{broken", "{}", "[]"])
def test_what_is_no_preference_of_aws_stays(text: str) -> None:
    assert words_for_people(Kind.PREFERENCE, text, of_one=True) == text


@pytest.mark.parametrize(
    ("written", "read", "about"),
    [
        (
            '<topic name="Tea &amp; co">They like\n tea.</topic>\n<topic name="Work">None.</topic>',
            "Tea & co: They like tea.\nWork: None.",
            ("Tea & co", "Work"),
        ),
        (
            "<summary><topic name='Tea'>Tea &lt;3 <b>it</b></topic></summary>",
            "Tea: Tea <3 it",
            ("Tea",),
        ),
        ('Before. <topic name="Tea">cut off', "Before.\nTea: cut off", ("Tea",)),
        ("Plain words.", "Plain words.", ()),
    ],
)
def test_a_summary_is_read_by_its_topics(written: str, read: str, about: tuple[str, ...]) -> None:
    assert words_for_people(Kind.SUMMARY, written, of_one=True) == read
    assert topics(written) == about
