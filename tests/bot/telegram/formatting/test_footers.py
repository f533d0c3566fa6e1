"""A plain text below an answer, whatever the answer's formatting."""

from hypothesis import given
from hypothesis import strategies as st

from bot.telegram.formatting.marked import LONGEST_MESSAGE, Marked, Span
from bot.telegram.formatting.rendering import add_footer, render


def test_it_follows_the_last_message_and_has_no_formatting() -> None:
    [message] = add_footer(render("Some *code*").messages, "Noted: I like **stars**")
    assert message == Marked("Some code\n\nNoted: I like **stars**", (Span("italic", 5, 9),))


def test_without_one_the_answer_stays_as_it_is() -> None:
    messages = render("Some *code*").messages
    assert add_footer(messages, "") == messages


@given(st.text("ab \n", max_size=5000), st.text("xy \n", min_size=1, max_size=5000))
def test_nothing_gets_longer_than_telegram_takes(answer: str, footer: str) -> None:
    messages = add_footer(render(answer).messages, footer)
    assert all(message.units <= LONGEST_MESSAGE for message in messages)
    shown = "".join("".join(message.text.split()) for message in messages)
    assert shown.endswith("".join(footer.split()))
