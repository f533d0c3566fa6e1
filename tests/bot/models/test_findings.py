"""What a model writes of a session, and what of it becomes proposals."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.findings import (
    MAX_FINDINGS,
    MAX_TEXT,
    Finding,
    find_verbatim,
    iso_date,
    iso_span,
    proposals_of,
)
from memory.records import Basis, Evidence, Kind, Record, Role, Turn, Utterance
from memory.understanding import Proposal, Reading, Relation
from tests.fakes.learning import finding, note, when

DAY = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def turn(number: int, said: str) -> Turn:
    return Turn(f"t{number}", "s1", (Utterance(Role.USER, said, DAY),))


def record(number: int, saying: str) -> Record:
    return Record(f"r{number}", Kind.FACT, saying, DAY - timedelta(days=number))


def proposed(
    said: str | list[str], *found: dict[str, Any], notes: tuple[Record, ...] = ()
) -> tuple[Proposal, ...]:
    texts = [said] if isinstance(said, str) else said
    reading = Reading(tuple(turn(number, text) for number, text in enumerate(texts, 1)), notes)
    return proposals_of([Finding.model_validate(one) for one in found], reading, notes)


def evidence_of(said: str | list[str], words: str, number: int = 1) -> tuple[Evidence, ...]:
    (proposal,) = proposed(said, finding("A statement", words, number))
    return proposal.evidence


def test_everything_a_model_writes_of_a_finding_is_in_the_proposal() -> None:
    found = finding(
        "My sister Meera visits from 12 to 20 December 2026",
        "she's coming on the 12th, for a week",
        2,
        about=["Meera", "meera", ""],
        importance=8,
        answers_question=True,
        when=when("2026-12-12/2026-12-20", repeats="every winter", since="2019", until="2027-01"),
        note=note("changed", 1, "another date"),
    )
    said = ["My sister Meera has news", "she's coming on the 12th, for a week"]
    assert proposed(said, found, notes=(record(1, "Meera visits in January"),)) == (
        Proposal(
            Kind.FACT,
            "My sister Meera visits from 12 to 20 December 2026",
            (Evidence("t2", "she's coming on the 12th, for a week"),),
            importance=8,
            event_date="2026-12-12/2026-12-20",
            recurrence="every winter",
            true_since="2019",
            true_until="2027-01",
            about=("Meera",),
            basis=Basis.ANSWER,
            relation=Relation.CHANGED,
            known="r1",
            reason="another date",
        ),
    )


def test_evidence_may_stand_in_several_turns() -> None:
    quotes = [{"turn": 1, "words": "Meera"}, {"turn": 2, "words": "on the 12th"}]
    (proposal,) = proposed(["Meera visits", "on the 12th"], finding("X", quotes=quotes))
    assert proposal.evidence == (Evidence("t1", "Meera"), Evidence("t2", "on the 12th"))


@pytest.mark.parametrize(
    ("said", "words", "verbatim"),
    [
        ("I  don’t eat\nmeat", "I don't eat meat", "I  don’t eat\nmeat"),
        ("i live in LEEDS", "I live in Leeds", "i live in LEEDS"),
        ("Ich wohne in der Hauptstraße", "hauptstrasse", "Hauptstraße"),
        ("Живу в «Лесном»", 'живу в "Лесном"', "Живу в «Лесном»"),
        ("我住在上海，养猫", "我住在上海", "我住在上海"),
        ("मैं कोटा में पढ़ाता हूं", "कोटा में पढ़ाता हूं", "कोटा में पढ़ाता हूं"),
        ("I work at R&D", "I work at R&amp;D", "I work at R&D"),
        ("I sail", '"I sail"', "I sail"),
    ],
)
def test_evidence_becomes_what_the_user_wrote_where_only_its_look_differs(
    said: str, words: str, verbatim: str
) -> None:
    assert evidence_of(said, words) == (Evidence("t1", verbatim),)


@pytest.mark.parametrize("number", [-1, 0, 1, 3, 99])
def test_the_turn_is_the_one_that_has_the_words_whatever_the_model_says(number: int) -> None:
    said = ["Hello", "I work at Acme Corp", "Bye"]
    assert evidence_of(said, "I work at Acme Corp", number) == (
        Evidence("t2", "I work at Acme Corp"),
    )


def test_of_two_turns_with_the_words_the_one_that_is_named_counts() -> None:
    assert evidence_of(["I sail", "I sail"], "I sail", 2) == (Evidence("t2", "I sail"),)


def test_a_quote_with_a_gap_is_two_pieces_of_evidence() -> None:
    said = "We close on the house, the big one, on the twentieth"
    assert evidence_of(said, "We close on the house ... on the twentieth") == (
        Evidence("t1", "We close on the house"),
        Evidence("t1", "on the twentieth"),
    )


@pytest.mark.parametrize("words", ["I work at Initech", "I work ... Initech"])
def test_evidence_that_nobody_said_is_left_for_the_checks_to_refuse(words: str) -> None:
    assert evidence_of("I work at Acme", words) == (Evidence("t1", words),)


def test_words_of_a_forwarded_message_are_not_found_in_the_user_s_own() -> None:
    said = "> Ann:\n> I am a vet\nWhat shall I say?"
    assert find_verbatim("I am a vet", turn(1, said).said) is None


@pytest.mark.parametrize(
    "found",
    [
        finding("", "I sail"),
        finding("x" * (MAX_TEXT + 1), "I sail"),
        finding("I sail", quotes=[]),
        finding("I sail", quotes=[{"turn": 1, "words": " "}]),
        finding("I fly", "I fly", 7),
    ],
)
def test_without_a_statement_or_evidence_there_is_no_proposal(found: dict[str, Any]) -> None:
    assert proposed("I sail", found) == ()


def test_a_finding_counts_once_and_there_are_no_more_than_were_asked_for() -> None:
    boats = [finding(f"I have {number} boats", "boats") for number in range(MAX_FINDINGS + 5)]
    assert len(proposed("boats", boats[0], *boats)) == MAX_FINDINGS - 1


@pytest.mark.parametrize(
    ("claimed", "relation"),
    [
        (note("same"), Relation.SAME),
        (note("changed", reason="moved"), Relation.CHANGED),
        (note("ended", reason="moved"), Relation.ENDED),
        (note("changed"), Relation.NEW),
        (note("ended", reason=" "), Relation.NEW),
        (note("changed", 2, "moved"), Relation.NEW),
        (note("ended", -1, "moved"), Relation.NEW),
        (note("forgotten", 1, "moved"), Relation.NEW),
        (None, Relation.NEW),
        ("", Relation.NEW),
        ({}, Relation.NEW),
    ],
)
def test_a_known_note_changes_only_by_its_number_and_for_a_reason(
    claimed: object, relation: Relation
) -> None:
    found = finding("I live in Leeds", note=claimed)
    (proposal,) = proposed("I live in Leeds", found, notes=(record(1, "I live in York"),))
    assert proposal.relation is relation
    assert (proposal.known is None) == (relation is Relation.NEW)


@pytest.mark.parametrize(("given_", "kept"), [(99, 10), (-5, 1), (7, 7)])
def test_importance_stays_on_its_scale(given_: int, kept: int) -> None:
    assert proposed("I sail", finding("I sail", importance=given_))[0].importance == kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", "2026"),
        ("2026-02", "2026-02"),
        (" 2026-02-28 ", "2026-02-28"),
        ("2026-02-28T10:00", "2026-02-28"),
        ("2026-02-30", None),
        ("0000", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_one_that_exists_whole_or_in_part(text: str, expected: str | None) -> None:
    assert iso_date(text) == iso_span(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-02-01/2026-02-03", "2026-02-01/2026-02-03"),
        ("2026-02-01/2026-02-01", "2026-02-01"),
        ("2026-02-03/2026-02-01", None),
        ("2026-02-01/", "2026-02-01"),
        ("/2026-02-01", None),
        ("2026-02-01/soon", "2026-02-01"),
    ],
)
def test_a_span_has_two_days_in_their_order(text: str, expected: str | None) -> None:
    assert iso_span(text) == expected


@given(st.text(), st.text())
def test_what_is_found_verbatim_stands_in_the_text(words: str, text: str) -> None:
    there = find_verbatim(words, text)
    assert there is None or there in text


@given(st.text(), st.text(), st.text())
def test_words_that_stand_in_a_text_are_found_however_it_is_spaced(
    before: str, words: str, after: str
) -> None:
    if any(char.isalnum() for char in words):
        assert find_verbatim(words, f"{before} {words} {after}") is not None
