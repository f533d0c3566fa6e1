"""Records that say the same, because a store extracts by itself, are one for people and prompts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory.knowledge.recall import Profile, RecallBudget, recalled_block
from memory.knowledge.twins import are_twins, end_with_twins, join_twins, without_twins
from memory.records import Evidence, Hit, Kind, Record, Speaker

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def ours(id_: str, text: str, kind: Kind = Kind.FACT, speaker: Speaker | None = None) -> Record:
    said = (Evidence(f"t-{id_}", text, NOON),)
    return Record(id_, kind, text, NOON, evidence=said, turn_ids=(f"t-{id_}",), speaker=speaker)


def theirs(id_: str, text: str, kind: Kind = Kind.FACT) -> Record:
    """A record of the store's own."""
    return Record(id_, kind, text, NOON + timedelta(minutes=1))


def ids(records: list[Record]) -> list[str]:
    return [record.id for record in records]


def test_the_stores_copy_of_what_was_remembered_is_not_shown() -> None:
    known = [
        theirs("1", "The user's locker code word is banana"),
        ours("2", "my locker code word is banana"),
        theirs("3", "The user has a cat"),
    ]
    assert ids(without_twins(known)) == ["2", "3"]


def test_a_fact_and_a_preference_of_one_sentence_are_one() -> None:
    known = [
        theirs("1", "The user prefers short answers"),
        theirs("2", "Prefers short answers", Kind.PREFERENCE),
    ]
    assert ids(without_twins(known)) == ["2"]
    assert ids(without_twins([*known, ours("3", "I prefer short answers")])) == ["3"]


def test_another_number_name_date_or_negation_is_another_statement() -> None:
    known = [
        ours("1", "My PIN is not 12"),
        theirs("2", "The user's PIN is 12"),
        theirs("3", "The user's PIN is 13"),
        replace(theirs("4", "The user's PIN is 13"), event_date="2026-03"),
        replace(theirs("5", "The user's PIN is 13"), event_date="2026-04"),
    ]
    assert ids(without_twins(known)) == ["1", "2", "3", "5"]


def test_what_two_people_of_a_group_said_is_not_one() -> None:
    anna, second_anna = (
        ours(name, "I work at Acme", speaker=Speaker(number, "Anna"))
        for name, number in (("1", 1), ("2", 2))
    )
    nobodys = theirs("3", "The user works at Acme")
    assert ids(without_twins([anna, second_anna, nobodys])) == ["1", "2", "3"]


def test_the_evidence_of_twins_is_joined() -> None:
    gained = (Evidence("t-9", "we call him Rex", NOON),)
    copy = replace(theirs("2", "The user's dog is called Rex", Kind.PREFERENCE), turn_ids=("t-8",))
    first = ours("1", "My dog is called Rex")
    (one,) = without_twins([first, copy])
    assert one == replace(first, turn_ids=("t-1", "t-8"))
    (two,) = without_twins([replace(copy, evidence=gained), theirs("3", "My dog is called Rex")])
    assert (two.id, two.evidence) == ("2", gained)


def test_twin_hits_become_one_in_our_words_and_in_the_place_of_the_most_relevant() -> None:
    hits = [
        Hit(theirs("1", "The user works at Acme"), 0.9),
        Hit(ours("2", "I have a boat"), 0.8),
        Hit(ours("3", "I work at Acme"), 0.7),
    ]
    assert [(hit.record.id, hit.relevance) for hit in join_twins(hits)] == [("3", 0.9), ("2", 0.8)]


def test_what_the_profile_holds_is_not_recalled_in_the_stores_words() -> None:
    profile = Profile(facts=(ours("1", "I work at Acme"),))
    hits = [Hit(theirs("2", "The user works at Acme"), 0.9), Hit(theirs("3", "I have a cat"), 0.5)]
    block = recalled_block(hits, profile, NOON, RecallBudget())
    assert "Acme" not in block
    assert "I have a cat" in block


def test_what_has_ended_is_not_current_in_the_stores_words() -> None:
    ended = replace(ours("1", "I live in Oslo"), superseded_at=NOON + timedelta(hours=1))
    copy = theirs("2", "The user lives in Oslo")
    again = replace(copy, id="3", created_at=NOON + timedelta(hours=2))
    _, late, new = end_with_twins([ended, copy, again])
    assert late.superseded_at == ended.superseded_at
    assert new.current


STATEMENTS = st.sampled_from(
    ["My dog is called Rex", "The user's dog is called Rex", "I like tea", "Likes tea", "I am 12"]
)


@given(st.lists(st.tuples(STATEMENTS, st.booleans(), st.sampled_from(Kind)), max_size=12))
def test_no_record_of_ours_and_no_statement_is_ever_lost(
    said: list[tuple[str, bool, Kind]],
) -> None:
    known = [
        ours(str(n), text, kind) if own else theirs(str(n), text, kind)
        for n, (text, own, kind) in enumerate(said)
    ]
    left = without_twins(known)
    assert {r.id for r in known if r.evidence} <= {r.id for r in left}
    for gone in set(known) - set(left):
        assert any(each.id == gone.id or are_twins(each, gone) for each in left)
    assert without_twins(left) == left
    assert sorted(ids(left), key=int) == ids(left)
