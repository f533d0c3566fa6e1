"""Search in messages that no index holds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.records import Kind, Record, Role
from memory.search.scan import scan

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def said(*texts: str, session: str = "s-1") -> list[Record]:
    """What a person and, in turn, the assistant said."""
    return [
        Record(
            f"{session}.{number}",
            Kind.MESSAGE,
            text,
            NOON + timedelta(seconds=number),
            session_id=session,
            turn_ids=(f"{session}-{number // 2}",),
            role=Role.ASSISTANT if number % 2 else Role.USER,
        )
        for number, text in enumerate(texts)
    ]


TALK = said("My dog is called Rex", "What a fine name.", "I work at Acme Corp", "I see.")


def found(messages: list[Record], text: str, limit: int = 10, least: float = 0.2) -> list[str]:
    hits = scan(messages, text, limit, least, NOON + timedelta(minutes=1))
    return [hit.record.text for hit in hits]


def test_a_message_is_found_by_its_words() -> None:
    assert found(TALK, "What is my dog called?")[0] == "My dog is called Rex"
    assert found(TALK, "where do I work?")[0] == "I work at Acme Corp"


def test_what_has_nothing_to_do_with_it_is_not_found() -> None:
    assert found(TALK, "which car do I drive?") == []


@pytest.mark.parametrize("text", ["", "the of and", "?!…", "\ud800 \0"])
def test_a_text_that_asks_for_nothing_finds_nothing(text: str) -> None:
    assert found(TALK, text) == []


def test_no_messages_no_hits() -> None:
    assert found([], "my dog") == []


def test_only_the_best_are_given() -> None:
    many = said(*(f"My dog ate {n} bones" for n in range(9)))
    assert len(found(many, "my dog", limit=2)) == 2


def test_what_was_said_twice_is_found_once_with_both_turns() -> None:
    both = [*said("My dog is called Rex"), *said("My dog is called Rex!", session="s-2")]
    (hit,) = scan(both, "dog", 10, 0.2, NOON)
    assert set(hit.record.turn_ids) == {"s-1-0", "s-2-0"}


def test_what_was_said_yesterday_is_found_by_the_day() -> None:
    hits = scan(TALK, "what did I say yesterday?", 10, 0.2, NOON + timedelta(days=1))
    assert hits
    assert scan(TALK, "what did I say yesterday?", 10, 0.2, NOON) == []


def test_the_relevance_is_a_share() -> None:
    hits = scan(TALK, "dog Rex called", 10, 0.0, NOON)
    assert all(0 <= hit.relevance <= 1 for hit in hits)


def test_what_was_learned_is_found_by_its_own_words_alone() -> None:
    texts = ("My umbrella is green", "I work at Acme Corp")
    facts = [replace(r, kind=Kind.FACT, session_id="s-1") for r in said(*texts)]
    assert found(facts, "What colour is my umbrella?", least=0.01) == ["My umbrella is green"]
