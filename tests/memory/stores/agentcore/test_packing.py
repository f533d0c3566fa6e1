"""Details of a record fit into a few metadata values, whatever they hold."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.stores.agentcore.rows.packing import MAX_VALUE, pack, unpack

_LEGAL = re.compile(r"[a-zA-Z0-9\s._:/=+@-]{1,256}")


@settings(deadline=None)
@given(
    reason=st.text(max_size=2_000),
    about=st.lists(st.text(max_size=300), max_size=30),
    evidence=st.lists(st.tuples(st.uuids(), st.text(max_size=800), st.datetimes()), max_size=60),
)
def test_any_details_become_six_legal_values(reason, about, evidence):
    told = [[str(id_), words, at.isoformat()] for id_, words, at in evidence]
    details = {"reason": reason, "about": about, "evidence": told}
    packed = pack(details)
    assert len(packed) <= 6
    assert all(_LEGAL.fullmatch(value) for value in packed.values())
    found = unpack(packed)
    kept = found["evidence"]
    assert [entry[::2] for entry in kept] == [entry[::2] for entry in told[len(told) - len(kept) :]]
    assert all(
        told_words.startswith(words)
        for (_, words, _), (_, told_words, _) in zip(
            kept, told[len(told) - len(kept) :], strict=True
        )
    )
    if sum(map(len, (reason, *about, *(words for _, words, _ in evidence)))) + 60 * len(told) < 200:
        assert found == details


def test_details_that_can_not_be_read_are_none():
    for stored in ({}, {"details0": "-"}, {"details0": "2:abc"}, {"details0": "1:%%"}):
        assert unpack(stored) == {}


def test_what_is_left_of_longer_details_is_ignored():
    longer = pack({"reason": "".join(map(chr, range(200, 900)))})
    assert len(longer) > 1
    assert unpack(longer | pack({"reason": "moved"})) == {"reason": "moved"}


def test_turns_and_dates_stay_when_words_do_not():
    told = [[f"{n:032x}", f"слова {n} " * 90, f"2026-03-15T12:00:{n:02}+00:00"] for n in range(20)]
    found = unpack(pack({"evidence": told, "about": ["Мира"]}))
    assert [entry[::2] for entry in found["evidence"]] == [entry[::2] for entry in told]
    assert found["about"] == ["Мира"]
    assert MAX_VALUE == 256
