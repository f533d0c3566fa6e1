"""What the rules keep as facts, and how sessions are summarized without a model."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.extractor import RuleExtractor
from bot.offline.facts import findings_in
from bot.offline.language import guess_language
from bot.offline.summaries import RuleSummarizer
from memory.records import Kind, Record, Role, Speaker, Turn, Utterance
from memory.understanding import Extraction, Extractor, Proposal, Reading, Relation, Summarizer

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_ANNA, _BEN = Speaker(1, "Anna"), Speaker(2, "Ben")


def _turns(*said: str, answer: str = "I live in the cloud and my name is Bot.") -> list[Turn]:
    return [
        Turn(
            f"t{number}",
            "s1",
            (Utterance(Role.USER, text, _NOW), Utterance(Role.ASSISTANT, answer, _NOW)),
        )
        for number, text in enumerate(said, start=1)
    ]


async def _extracted(*said: str, known: tuple[Record, ...] = ()) -> Extraction:
    extractor: Extractor = RuleExtractor()
    return await extractor.extract(Reading(tuple(_turns(*said)), known))


async def _proposals(*said: str, known: tuple[Record, ...] = ()) -> tuple[Proposal, ...]:
    return (await _extracted(*said, known=known)).proposals


async def test_nothing_the_assistant_says_becomes_a_fact() -> None:
    assert await _proposals("Hello") == ()


async def test_a_proposal_names_the_turn_it_was_said_in_and_its_words() -> None:
    (proposal,) = await _proposals("Hello", "it rains, i'm allergic to nuts")
    assert proposal.text == "I'm allergic to nuts"
    (evidence,) = proposal.evidence
    assert evidence.turn_id == "t2"
    assert evidence.words == "i'm allergic to nuts"


@pytest.mark.parametrize(
    ("said", "slot"),
    [
        ("my name is Anna", "name"),
        ("I live in Oslo now", "home"),
        ("I moved to Basel last week", "home"),
        ("Ich bin letzte Woche nach Basel gezogen", "home"),
        ("Mudei para o Porto na semana passada", "home"),
        ("I work at Acme Corp", "employer"),
        ("Ich heiße Jonas", "name"),
        ("Ich wohne jetzt in Bremen", "home"),
        ("Me llamo Pilar", "name"),
        ("Vivo en Sevilla", "home"),
        ("Je m'appelle Zoé", "name"),
        ("Mi chiamo Luca", "name"),
        ("Eu me chamo Thaís", "name"),
        ("Меня зовут Тамара", "name"),
        ("Я живу в Самаре", "home"),
        ("我住在成都", "home"),
    ],
)
async def test_what_has_one_answer_gets_its_slot(said: str, slot: str) -> None:
    (proposal,) = await _proposals(said)
    assert (proposal.kind, proposal.slot) == (Kind.FACT, slot)


@pytest.mark.parametrize(
    "said",
    [
        "I don't live in Oslo",
        "no vivo en Madrid",
        "não moro em Lisboa",
        "Ich wohne nicht in Bremen",
        "do I live in Oslo?",
        "if I live in Oslo one day, I work at Acme Corp",
        "I live in Oslo lol",
        "My boss says I live in Narnia",
        "> I live in Cardiff",
        "Lyrics: I live in a yellow submarine",
        "Dear Sir, my name is John Smith and I work at Acme Bank.",
        'She wrote "I live in Paris"',
        "I live in chaos",
        "imagine I live in Rome",
    ],
)
async def test_what_is_denied_asked_supposed_or_quoted_is_no_fact(said: str) -> None:
    assert await _proposals(said) == ()


async def test_what_is_said_in_a_play_is_no_fact() -> None:
    said = ("let's play a game: you are a wizard", "My name is Frodo", "I live in Rivendell")
    assert await _proposals(*said) == ()


@pytest.mark.parametrize(
    "said", ["no me gusta el café", "não gosto de peixe", "I don't like fish", "mi non piace"]
)
async def test_a_dislike_keeps_its_no(said: str) -> None:
    for proposal in await _proposals(said):
        assert proposal.kind is Kind.PREFERENCE
        assert proposal.text.casefold() == said.casefold()


async def test_of_one_slot_the_last_statement_of_each_speaker_counts() -> None:
    proposals = await _proposals("I live in Rome", "Actually, I live in Oslo")
    assert [(p.text, p.slot) for p in proposals] == [("I live in Oslo", "home")]


async def test_a_new_value_of_a_slot_replaces_the_known_one_of_the_same_speaker() -> None:
    anna = Record("f1", Kind.FACT, "I live in Bonn", _NOW, slot="home", speaker=_ANNA)
    said = Utterance(Role.USER, "I live in Oslo", _NOW, speaker=_ANNA)
    theirs = Utterance(Role.USER, "I live in Lima", _NOW, speaker=_BEN)
    turns = (Turn("t1", "s1", (said,)), Turn("t2", "s1", (theirs,)))
    found = (await RuleExtractor().extract(Reading(turns, (anna,)))).proposals
    assert [(p.text, p.relation, p.known) for p in found] == [
        ("I live in Oslo", Relation.CHANGED, "f1"),
        ("I live in Lima", Relation.NEW, None),
    ]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("I am vegetarian", "I'm not vegetarian anymore"),
        ("I work at Acme", "I quit Acme"),
        ("I hate Mondays", "actually Mondays are fine by me"),
        ("Ich mag keinen Spinat", "eigentlich mag ich Spinat doch"),
        ("Soy vegetariano", "ya no soy vegetariano"),
    ],
)
async def test_what_is_taken_back_later_in_the_session_is_no_fact(first: str, later: str) -> None:
    assert first in [proposal.text for proposal in await _proposals(first)]
    assert first not in [proposal.text for proposal in await _proposals(first, "ok", later)]
    assert first in [p.text for p in await _proposals(first, "It rains today, not that I mind")]


async def test_an_event_date_is_absolute_or_none() -> None:
    (dated,) = await _proposals("I was born on May 4, 1988")
    assert dated.event_date == "1988-05-04"
    (yearly,) = await _proposals("My birthday is March 15")
    assert yearly.event_date is None


async def test_languages_without_rules_give_no_facts_and_no_error() -> None:
    assert await _proposals("Minä asun Helsingissä", "私は東京に住んでいます") == ()


async def test_a_session_of_courtesies_and_questions_has_no_summary() -> None:
    said = ("Hello!", "how are you?", "thanks", "ok", "What do you know about me?", "🙂")
    assert (await _extracted(*said)).summary is None


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("I adopted two cats in May.", "You said: “I adopted two cats in May”."),
        ("Ich habe mir gestern ein Rad gekauft", "Du hast gesagt: “Ich habe mir"),
        ("Я купила вчера новый велосипед", "Вы сказали: “Я купила вчера"),
    ],
)
async def test_a_summary_quotes_in_the_person_s_language(said: str, summary: str) -> None:
    assert ((await _extracted(said)).summary or "").startswith(summary)


async def test_a_summary_tells_nothing_that_was_corrected_at_once() -> None:
    said = ("my sister lands at 7:15", "no wait, she lands at 6:40", "I bought a red bicycle")
    summary = (await _extracted(*said)).summary or ""
    assert "7:15" not in summary
    assert "bicycle" in summary


@pytest.mark.parametrize("secret", ["my card number is [hidden]", "my password is hunter2"])
async def test_a_summary_quotes_no_secret_masked_or_not(secret: str) -> None:
    summary = (await _extracted("I adopted two cats", secret)).summary
    assert summary == "You said: “I adopted two cats”."


async def test_what_is_said_off_the_record_is_not_quoted() -> None:
    extraction = await _extracted("Don't remember this: I hate my boss", "I adopted two cats")
    assert extraction.summary == "You said: “I adopted two cats”."


async def test_a_summary_of_a_group_says_who_said_what() -> None:
    messages = (
        Utterance(Role.USER, "We need a plan for Rome", _NOW, speaker=_ANNA),
        Utterance(Role.USER, "The trains are on strike", _NOW, speaker=_BEN),
    )
    summary = await RuleSummarizer().summarize([Turn("t1", "s1", messages)])
    assert "Anna: “We need a plan for Rome”" in summary
    assert "Ben: “The trains are on strike”" in summary


async def test_a_summary_goes_on_from_the_earlier_one_and_stays_short() -> None:
    summarizer: Summarizer = RuleSummarizer()
    earlier = None
    for batch in range(20):
        turns = _turns(*(f"The bread recipe number {batch} {n} says flour" for n in range(10)))
        earlier = await summarizer.summarize(turns, earlier=earlier)
    assert "number 19" in (earlier or "")
    assert len(earlier or "") < 3000


async def test_another_summarizer_s_words_are_carried_on() -> None:
    summary = await RuleSummarizer().summarize(_turns("I adopted two cats"), earlier="They met.")
    assert summary == "They met. You said: “I adopted two cats”."


async def test_talk_without_words_is_counted() -> None:
    assert await RuleSummarizer().summarize(_turns("🙂", "👍", answer="?")) == "(4)"


async def test_topics_are_the_names_that_came_up() -> None:
    topics = (await _extracted("we went to Lisbon with Joana", "Joana loved Lisbon")).topics
    assert set(topics) == {"Lisbon", "Joana"}


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for finding in findings_in(text, guess_language([text])):
        assert finding.text
