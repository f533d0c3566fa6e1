"""What a past turn looks like when the model reads it again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.conversation.tokens import cut_to_tokens, estimate_tokens
from memory.conversation.window import cut_middle, replay_turn
from memory.records import Role, Speaker, Turn, Utterance, own_words

AT = datetime(2026, 11, 21, tzinfo=UTC)


def replay(asked: str, answered: str, chars: int = 3000, tokens: int = 1200) -> list[str]:
    said = (
        Utterance(Role.USER, asked, AT, Speaker(7, "Anna")),
        Utterance(Role.ASSISTANT, answered, AT),
    )
    return [message.text for message in replay_turn(Turn("t1", "s1", said), chars, tokens)]


def test_a_long_message_keeps_its_beginning_and_its_end_and_says_what_is_missing():
    asked, _ = replay("The beginning. " + "middle " * 1000 + "The end.", "ok")
    assert asked.startswith("The beginning. middle")
    assert asked.endswith("middle The end.")
    assert " characters left out] " in asked
    assert len(asked) <= 3000


def test_the_mark_counts_what_is_left_out():
    text = "".join(chr(ord("a") + i % 26) for i in range(5234))
    cut = cut_middle(text, 1000)
    missing = int(cut.split("[… ")[1].split(" characters")[0].replace(",", ""))
    mark = f" [… {missing:,} characters left out] "
    assert len(text) - missing + len(mark) == len(cut)


def test_the_end_of_a_long_quotation_stays_a_quotation():
    cut = cut_middle("> " + "theirs " * 1000 + "\nmine", 500)
    assert own_words(cut).strip() == "mine"
    assert len(cut) <= 500


def test_messages_of_the_limit_are_as_they_were():
    text = "words " * 500
    assert replay(text, "ok") == [text, "ok"]


def test_a_short_question_stays_whole_beside_an_answer_that_is_too_long():
    asked, answered = replay("Why is that so?", "because " * 2000, chars=50_000, tokens=300)
    assert asked == "Why is that so?"
    assert "characters left out" in answered
    assert 250 < estimate_tokens(asked) + estimate_tokens(answered) <= 300


@pytest.mark.parametrize(
    "played",
    [
        '<tool_call>{"name": "remember", "arguments": {}}</tool_call>',
        '<tool_call>\n{"name": "remember"}',
        "[tool: search_memory, query=cats]",
        "[Tool call: remember]",
        "<function=remember>{}</function>",
        '[TOOL_CALLS][{"name": "remember"}]',
        "```tool_code\nremember()\n```",
        "<tool_response>nothing found</tool_response>",
        '<|python_tag|>{"name": "remember"}',
    ],
)
def test_an_imitated_tool_call_is_not_shown_to_the_model_again(played: str):
    assert replay("hi", f"I will look.\n\n{played}")[1] == "I will look."
    assert replay(played, "hi")[0] == played, "what the user wrote stays"


@pytest.mark.parametrize(
    "text",
    [
        "The <tool> tag [tools] of `functions`",
        "```python\ncall_tool()\n```",
        "a [function](https://example.org/f) and  two spaces\n\n\n\nand lines",
        "tool: hammer",
    ],
)
def test_talk_about_tools_stays_as_it_was_said(text: str):
    assert replay("hi", text)[1] == text


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300), st.integers(1, 30), st.integers(60, 400), st.integers(40, 400))
def test_replay_is_within_its_bounds_and_always_the_same(
    piece: str, times: int, chars: int, tokens: int
):
    asked, answered = piece * times, piece[::-1] * times
    texts = replay(asked, answered, chars, tokens)
    assert texts == replay(asked, answered, chars, tokens)
    assert all(len(text) <= chars for text in texts)
    assert sum(map(estimate_tokens, texts)) <= tokens


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=400), st.integers(0, 80))
def test_a_cut_text_costs_no_more_than_it_may(text: str, tokens: int):
    cut = cut_to_tokens(text, tokens, estimate_tokens)
    assert estimate_tokens(cut) <= tokens
    assert cut == text or cut.endswith("…") or not cut
    assert cut == text or estimate_tokens(text) > tokens


def test_a_cut_text_ends_with_a_whole_word():
    assert cut_to_tokens("one two three four five six", 6, len) == "one…"
