"""The labelled everyday messages: a fair file, and a search that keeps silent when it should."""

from collections import Counter

from memory.records import Kind
from tests.evals.chatter import (
    Everyday,
    Known,
    Outcome,
    Person,
    Report,
    Tally,
    evaluate,
    people,
)
from tests.fakes.embedders import WordEmbedder

ANNA = Person(
    language="English",
    half="check",
    known=(Known("job", Kind.FACT, "I work at Acme Corp"),),
    messages=(
        Everyday("thanks!", frozenset()),
        Everyday("Acme is on the news", frozenset()),
        Everyday("where do I work?", frozenset({"job"})),
        Everyday("what is my shoe size?", frozenset({"job"}), hard=True),
    ),
)


def test_the_file_has_enough_messages_in_six_languages_and_two_halves() -> None:
    everybody = list(people())
    count = Counter(one.language for one in everybody for _ in one.messages)
    assert len(count) == 6
    assert sum(count.values()) >= 200
    assert min(count.values()) >= 30
    assert {one.half for one in everybody} == {"tuning", "check"}


def test_every_label_names_something_that_is_known() -> None:
    for person in people():
        ids = [known.id for known in person.known]
        assert len(set(ids)) == len(ids)
        assert all(message.recalls <= set(ids) for message in person.messages)


def test_no_message_stands_in_the_file_twice() -> None:
    texts = Counter((one.language, m.text) for one in people() for m in one.messages)
    assert [text for text, count in texts.items() if count > 1] == []


async def test_search_is_mistaken_if_small_talk_recalls_or_a_question_does_not() -> None:
    report = await evaluate([ANNA])
    assert [one.mistaken for one in report.outcomes] == [False, True, False, True]
    assert Tally.of(report.outcomes) == Tally(2, 0.5, 2, 0.5)


async def test_small_talk_recalls_nothing_and_questions_find_their_answers() -> None:
    tally = Tally.of((await evaluate(tuple(people()))).outcomes)
    assert tally.false_recalls <= 0.03
    assert tally.missed <= 0.08


async def test_an_embedder_knows_everything_before_the_first_message() -> None:
    embedder = WordEmbedder()
    report = await evaluate([ANNA], embedder)
    assert "I work at Acme Corp" in embedder.texts
    assert "where do I work?" in embedder.queries
    assert "thanks!" not in embedder.queries
    assert len(report.outcomes) == 4


def test_nothing_asked_is_nothing_mistaken() -> None:
    assert Tally.of([]) == Tally(0, 0.0, 0, 0.0)


def test_groups_keep_the_order_of_the_file() -> None:
    other = Person("German", "tuning", (), (Everyday("danke", frozenset()),))
    report = Report([Outcome(other, other.messages[0], ()), Outcome(ANNA, ANNA.messages[0], ())])
    assert list(report.by(lambda one: one.person.language)) == ["German", "English"]
