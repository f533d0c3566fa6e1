"""The window keeps the newest turns whole and lets the oldest go in batches."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory.records import Message, Role, Turn
from memory.window import Window

AT = datetime(2026, 11, 21, tzinfo=UTC)


def turn(number: int, messages: int = 2) -> Turn:
    roles = (Role.USER, Role.ASSISTANT)
    said = tuple(Message(roles[i % 2], f"message {number}.{i}", AT) for i in range(messages))
    return Turn(f"t{number}", "s1", said)


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
