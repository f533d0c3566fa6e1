"""What stands for turns as long as nobody has summed them up."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.conversation.tiers import gist, join
from memory.conversation.tokens import estimate_tokens
from memory.records import Role, Speaker, Turn, Utterance

AT = datetime(2026, 11, 21, tzinfo=UTC)


def turn(number: int, asked: str, answered: str = "I see.", speaker: str | None = None) -> Turn:
    who = Speaker(7, speaker) if speaker else None
    said = (Utterance(Role.USER, asked, AT, who), Utterance(Role.ASSISTANT, answered, AT))
    return Turn(f"t{number}", "s1", said)


def test_it_names_topics_counts_and_who_said_what():
    turns = [
        turn(1, "How do I bake sourdough bread?", "Feed the sourdough first."),
        turn(2, "My sourdough is flat", "Then the oven is too cold."),
        turn(3, "I'll try the oven", "Good luck!"),
    ]
    assert gist(turns, 200) == (
        "Topics: sourdough, oven. "
        "user (3): “How do I bake sourdough bread?”; “My sourdough is flat”; “I'll try the oven”. "
        "assistant (3): “Feed the sourdough first”; “Then the oven is too cold”; “Good luck!”."
    )


def test_people_of_a_group_are_told_apart():
    said = gist([turn(1, "We leave at nine", speaker="Anna"), turn(2, "At ten", speaker="Ben")], 99)
    assert "user Anna (1): “We leave at nine”" in said
    assert "user Ben (1): “At ten”" in said


def test_when_room_is_short_the_users_words_come_first():
    turns = [turn(n, f"My cat number {n} is grey", "A long answer " * 50) for n in range(5)]
    said = gist(turns, 60)
    assert "My cat number 0 is grey" in said
    assert "A long answer" not in said


def test_two_texts_share_the_room_and_a_short_one_leaves_its_own():
    assert join("One.", "Two.", 50) == "One. Two."
    both = join("first " * 100, "second " * 100, 60)
    assert estimate_tokens(both) <= 60
    assert "first" in both
    assert "second" in both
    assert "Two." in join("first " * 100, "Two.", 60)


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.lists(st.tuples(st.text(max_size=200), st.text(max_size=200)), max_size=8),
    st.integers(1, 99),
)
def test_it_stays_within_its_tokens_for_any_text(said: list[tuple[str, str]], tokens: int):
    turns = [turn(n, asked, answered) for n, (asked, answered) in enumerate(said)]
    text = gist(turns, tokens)
    assert estimate_tokens(text) <= tokens
    assert text == gist(turns, tokens)
    assert estimate_tokens(join(text, text, tokens)) <= tokens
