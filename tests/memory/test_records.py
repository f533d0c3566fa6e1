"""Identity and namespaces can't be built wrongly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.memory import utc_now
from memory.records import Actor, Kind, Place, Record, Session, Speaker


def test_actors_come_from_numeric_ids():
    assert Actor.person(1001).id == "u1001"
    assert Actor.group(-1001234567890).id == "g1001234567890"
    assert Actor.group(-5).is_group
    assert not Actor.person(5).is_group


@pytest.mark.parametrize("bad", ["", "1001", "u", "u-5", "u1/2", "x1", "u1 ", "u١", "g" + "1" * 30])
def test_anything_else_is_no_actor(bad: str):
    with pytest.raises(ValueError, match="actor id"):
        Actor(bad)


def test_a_session_id_is_checked():
    now = utc_now()
    with pytest.raises(ValueError, match="session id"):
        Session("a/b", Actor("u1"), Place("telegram", 1), now, now)


@given(st.text(alphabet="abcdef0123456789-", min_size=30, max_size=46))
def test_a_long_id_has_a_short_one_that_never_changes(suffix: str):
    record = Record(f"mem-{suffix}", Kind.FACT, "x", utc_now())
    assert len(record.short_id) == 7
    assert record.short_id == Record(f"mem-{suffix}", Kind.FACT, "y", utc_now()).short_id


def test_a_speaker_is_known_by_id_and_by_name_only_without_one():
    assert Speaker(1, "Anna") == Speaker(1, "Anna K.")
    assert Speaker(1, "Anna") != Speaker(2, "Anna")
    assert Speaker(None, "Anna") == Speaker(1, "Anna")
    assert Speaker(None, "Anna") != Speaker(None, "Ben")
    assert len({Speaker(1, "Anna"), Speaker(1, "Anna K."), Speaker(2, "Anna")}) == 2
    assert len({each.key for each in (Speaker(None, "Anna"), Speaker(1, "Anna"))}) == 2
