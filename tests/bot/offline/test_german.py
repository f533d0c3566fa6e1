"""German questions, names and requests: what is meant by them."""

import pytest

from bot.offline.grammar.naming import asks_agent_name, naming
from bot.offline.grammar.questions import asks_to_remember, is_chatter, memory_question
from memory.records import Kind


@pytest.mark.parametrize(
    "text",
    [
        "Was weißt du über mich?",
        "was weisst du alles über mich",
        "Wer bin ich?",
        "Kennst du mich noch?",
        "Was hast du dir über mich gemerkt?",
        "Was habe ich dir bisher erzählt?",
        "Hallo, was weißt du von mir?",
        "was weisst du ueber mich",
    ],
)
def test_a_question_for_everything_is_understood(text: str) -> None:
    question = memory_question(text)
    assert question is not None
    assert question.topic is None
    assert question.kinds == (Kind.FACT, Kind.PREFERENCE)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Wie heiße ich?", ("name", "nickname")),
        ("Weißt du noch, wie ich heiße?", ("name", "nickname")),
        ("Wo wohne ich?", ("home",)),
        ("Weißt du, wo ich wohne?", ("home",)),
        ("Als was arbeite ich?", ("employer", "job_title")),
        ("Wann habe ich Geburtstag?", ("birthday",)),
        ("Wogegen bin ich allergisch?", ()),
        ("Wie heißt meine Tochter?", ()),
        ("Was ist mein Lieblingsessen?", ("favorite_essen",)),
    ],
)
def test_a_question_on_a_topic_knows_its_slot(text: str, slots: tuple[str, ...]) -> None:
    question = memory_question(text)
    assert question is not None
    assert question.topic
    assert question.slots == slots


@pytest.mark.parametrize(
    "text",
    ["Wie spät ist es?", "Was soll ich kochen?", "Wo kann ich das kaufen?", "Wie geht es dir?"],
)
def test_other_questions_are_none_to_the_memory(text: str) -> None:
    assert memory_question(text) is None


def test_last_talks_and_likes_are_asked_for_by_their_kind() -> None:
    talks, likes = memory_question("Worüber haben wir gesprochen?"), memory_question("Was mag ich?")
    assert talks is not None
    assert talks.kinds == (Kind.SUMMARY,)
    assert likes is not None
    assert likes.kinds == (Kind.PREFERENCE,)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ich nenne dich Max", "Max"),
        ("ich werde dich Moritz nennen", "Moritz"),
        ("Ab jetzt heißt du Jarvis.", "Jarvis"),
        ("Dein Name ist Max und nicht anders", "Max"),
        ("Du heißt wie mein Hund", None),
        ("Ich nenne dich morgen anders", None),
        ("Mein Name ist Max", None),
    ],
)
def test_the_assistant_is_named(text: str, name: str | None) -> None:
    assert naming(text) == name


def test_the_assistants_name_is_asked_for() -> None:
    assert all(map(asks_agent_name, ("Wie heißt du?", "Wer bist du?", "wie ist dein Name?")))
    assert not asks_agent_name("Wie heiße ich?")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Merk dir, dass ich allergisch gegen Nüsse bin", "Ich bin allergisch gegen Nüsse"),
        ("Vergiss nicht, dass meine Tochter im Mai heiratet.", "Meine Tochter heiratet im Mai"),
        ("Merk dir bitte: ich mag Tee", "Ich mag Tee"),
        ("Merkst du dir das?", None),
    ],
)
def test_what_is_to_be_remembered_is_a_sentence(text: str, kept: str | None) -> None:
    assert asks_to_remember(text) == kept


def test_small_talk_is_known() -> None:
    assert is_chatter("ja, alles klar!")
