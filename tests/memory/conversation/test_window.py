"""The window keeps the newest turns whole and lets the oldest go in batches."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.conversation.tokens import estimate_tokens
from memory.conversation.window import Window
from memory.records import Role, ToolUse, Turn, Utterance

AT = datetime(2026, 11, 21, tzinfo=UTC)

#: Texts of every kind of length and script, long ones among them.
TEXTS = st.one_of(
    st.text(max_size=40),
    st.builds(lambda word, times: word * times, st.text(max_size=8), st.integers(1, 500)),
)


def turn(number: int, messages: int = 2) -> Turn:
    roles = (Role.USER, Role.ASSISTANT)
    said = tuple(Utterance(roles[i % 2], f"message {number}.{i}", AT) for i in range(messages))
    return Turn(f"t{number}", "s1", said)


def saying(number: int, asked: str, answered: str, tools: tuple[ToolUse, ...] = ()) -> Turn:
    said = (Utterance(Role.USER, asked, AT), Utterance(Role.ASSISTANT, answered, AT))
    return Turn(f"t{number}", "s1", said, tools)


def filled(limit: int, batch: int, turns: int) -> tuple[Window, list[Turn]]:
    window = Window(limit, batch)
    evicted: list[Turn] = []
    for number in range(turns):
        window, leaving = window.push(turn(number))
        evicted += leaving
    return window, evicted


def test_turns_that_fit_all_stay():
    window, evicted = filled(limit=20, batch=5, turns=10)
    assert len(window.messages) == 20
    assert evicted == []


def test_the_eleventh_turn_sends_five_whole_turns_out_at_once():
    window, evicted = filled(limit=20, batch=5, turns=11)
    assert [t.id for t in evicted] == ["t0", "t1", "t2", "t3", "t4"]
    assert len(window.messages) == 12


def test_the_beginning_stays_the_same_for_several_turns_after_an_eviction():
    window, _ = filled(limit=20, batch=5, turns=11)
    first = window.turns[0]
    for number in range(11, 15):
        window, _ = window.push(turn(number))
        assert window.turns[0] is first


def test_the_newest_turn_stays_even_when_it_is_larger_than_the_window():
    window, _ = Window(limit=2, batch=5).push(turn(1, messages=9))
    assert [t.id for t in window.turns] == ["t1"]


def test_long_answers_leave_before_there_are_many_messages():
    window = Window(20, 5, tokens=1000)
    evicted: list[Turn] = []
    for number in range(12):
        window, leaving = window.push(saying(number, "and?", "word " * 100))
        evicted += leaving
        assert sum(estimate_tokens(m.text) for m in window.messages) <= 1000
    assert evicted
    assert len(evicted) % 5 == 0, "in batches"


def test_only_the_newest_turns_can_be_shown():
    window, _ = filled(limit=20, batch=5, turns=8)
    assert [m.text for m in window.latest(1)] == ["message 7.0", "message 7.1"]
    assert window.latest(99) == window.messages
    assert window.latest(0) == ()


def test_the_turns_themselves_stay_word_for_word():
    long = saying(1, "word " * 5000, "word " * 5000)
    window, _ = Window(20, 5).push(long)
    assert window.turns == (long,)


def test_bounds_that_became_narrower_are_kept_to_again():
    window = Window(4, 2).with_turns(turn(number) for number in range(9))
    assert window.too_full
    window, leaving = window.trim()
    assert not window.too_full
    assert [t.id for t in (*leaving, *window.turns)] == [f"t{n}" for n in range(9)]


@settings(deadline=None)  # a busy machine is no failure
@given(
    limit=st.integers(2, 40),
    batch=st.integers(1, 10),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=60),
)
def test_no_turn_is_lost_or_doubled_and_the_limit_holds(limit: int, batch: int, sizes: list[int]):
    window = Window(limit, batch)
    evicted: list[Turn] = []
    for number, size in enumerate(sizes):
        window, leaving = window.push(turn(number, size))
        evicted += leaving
        assert len(window.messages) <= limit or len(window.turns) == 1
    assert [t.id for t in (*evicted, *window.turns)] == [f"t{n}" for n in range(len(sizes))]


@settings(deadline=None)
@given(
    said=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=40),
    tokens=st.integers(500, 4000),
    batch=st.integers(1, 8),
)
def test_budgets_hold_for_any_text_and_a_turn_stays_whole_with_its_tools(
    said: list[tuple[str, str]], tokens: int, batch: int
):
    window = Window(20, batch, tokens)
    evicted: list[Turn] = []
    given = [
        saying(number, asked, answered, (ToolUse("look", "{}", answered),))
        for number, (asked, answered) in enumerate(said)
    ]
    for each in given:
        window, leaving = window.push(each)
        evicted += leaving
        within = sum(estimate_tokens(m.text) for m in window.messages) <= tokens
        assert (within and len(window.messages) <= 20) or len(window.turns) == 1
        assert window.turns[-1] is each
    assert [*evicted, *window.turns] == given, "the same turns, each with its call and its result"


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=40), st.integers(500, 8000))
def test_the_beginning_changes_in_one_turn_of_five_at_most_whatever_is_said(
    said: list[tuple[str, str]], tokens: int
):
    window, changes = Window(20, 5, tokens), 0
    for number, (asked, answered) in enumerate(said):
        before = window.messages
        window, _ = window.push(saying(number, asked, answered))
        changes += window.messages[: len(before)] != before
    assert changes <= len(said) / 5


def test_a_question_without_an_answer_is_not_shown():
    asked = (Utterance(Role.USER, "Are you there?", AT),)
    failed = Turn("t1", "s1", asked, interrupted="timeout")
    window, leaving = Window(20).push(failed)
    assert (window.turns, leaving, window.messages) == ((failed,), (), ())
    window, _ = window.push(saying(2, "And now?", "Now I am."))
    assert [message.text for message in window.messages] == ["And now?", "Now I am."]
