"""What the rule extractor and the rule summarizer promise beside what the labelled set measures."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.extractor import RuleExtractor
from bot.offline.grammar.statements import noteworthy
from bot.offline.summaries import RuleSummarizer, own_quotes
from memory.conversation.tiers import gist
from memory.ports import Extraction, Extractor, Proposal, Reading, Summarizer
from memory.records import Actor, Kind, Place, Record, Role, Speaker, Turn, Utterance
from tests.fakes.memories import NOON, open_memory

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


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
    return await extractor.extract(Reading(tuple(_turns(*said)), tuple(known)))


async def _proposals(*said: str, known: tuple[Record, ...] = ()) -> tuple[Proposal, ...]:
    return (await _extracted(*said, known=known)).proposals


async def test_nothing_the_assistant_says_becomes_a_fact() -> None:
    assert await _proposals("Hello") == ()


async def test_a_proposal_names_the_turn_it_was_said_in() -> None:
    proposals = await _proposals("Hello", "I work at Acme Corp")
    assert [(p.text, p.evidence[0].turn_id) for p in proposals] == [("I work at Acme Corp", "t2")]


async def test_saying_it_all_twice_gives_no_duplicates() -> None:
    said = ("I like tea", "my birthday is March 15", "I work at Acme", "I have a dog")
    assert len(await _proposals(*said, *said, *(text.upper() + "!" for text in said[:1]))) == 4


async def test_a_later_correction_wins_over_the_earlier_value_of_a_slot() -> None:
    proposals = await _proposals("I work at Acme", "Actually, I work at Globex")
    assert [(p.text, p.slot) for p in proposals] == [("I work at Globex", "employer")]


async def test_leaving_one_employer_does_not_undo_another() -> None:
    proposals = await _proposals("I work at Globex now", "I no longer work at Acme")
    slots = {p.text: p.slot for p in proposals}
    assert slots == {"I work at Globex now": "employer", "I no longer work at Acme": None}


async def test_leaving_a_job_without_naming_it_ends_the_known_one() -> None:
    proposals = await _proposals("I work at Globex", "I quit my job")
    assert [(p.text, p.slot) for p in proposals] == [("I quit my job", "employer")]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I prefer tea to coffee", "actually I prefer coffee to tea"),
        ("I like Java", "No, I don't like Java any more"),
        ("I have a dog", "Sorry, I don't have a dog"),
    ],
)
async def test_words_turned_round_win_over_what_they_were(earlier: str, later: str) -> None:
    (proposal,) = await _proposals(earlier, later)
    assert later.endswith(proposal.text)
    assert proposal.text.startswith("I ")


async def test_leaving_a_known_employer_takes_its_slot() -> None:
    known = Record("f1", Kind.FACT, "I work at Acme", _NOW, slot="employer")
    other = Record("f1", Kind.FACT, "I work at Globex", _NOW, slot="employer")
    assert (await _proposals("I don't work at Acme any more", known=(known,)))[0].slot == "employer"
    assert (await _proposals("I don't work at Acme any more", known=(other,)))[0].slot is None


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("I was born on May 4, 1988", "1988-05-04"),
        ("I was born on the 4th of May 1988", "1988-05-04"),
        ("Our wedding is on 2027-08-14", "2027-08-14"),
        ("My flight to Rome is on April 2nd, 2027", "2027-04-02"),
        ("I have moved to Berlin in March 2021", "2021-03"),
        ("I moved to Berlin in March 2021", "2021-03"),
        ("I moved to Berlin in 2021", "2021"),
        ("My birthday is March 15", None),
        ("My birthday is 03/04/1990", None),
        ("My birthday is 25/04/1990", "1990-04-25"),
        ("My birthday is 31.02.1990", None),
        ("I moved to Berlin last year", "2025"),
    ],
)
async def test_an_event_date_is_absolute_or_none(said: str, date: str | None) -> None:
    (proposal,) = await _proposals(said)
    assert proposal.event_date == date


async def test_names_and_health_weigh_more_than_habits() -> None:
    weights = {
        p.text: p.importance
        for p in await _proposals(
            "My name is Anna", "I'm allergic to nuts", "I run every morning", "I like tea"
        )
    }
    assert weights["My name is Anna"] > weights["I run every morning"] > weights["I like tea"]
    assert weights["I'm allergic to nuts"] > weights["I like tea"]
    assert all(1 <= weight <= 10 for weight in weights.values())


async def test_quotes_inside_a_statement_stay_in_it() -> None:
    (proposal,) = await _proposals('My dog is called "Rex the Great, and mighty"')
    assert proposal.text == 'My dog is called "Rex the Great, and mighty"'


async def test_other_languages_without_a_table_give_nothing_and_no_error() -> None:
    assert await _extracted("Minä asun Helsingissä", "私は東京に住んでいます") == Extraction()


async def test_a_session_of_courtesies_has_no_summary() -> None:
    said = ("Hello!", "how are you?", "thanks", "ok", "What do you know about me?", "/help", "🙂")
    assert (await _extracted(*said)).summary is None


async def test_a_summary_tells_the_person_what_they_said_and_asked() -> None:
    summary = (
        await _extracted("Hi", "I work at Acme Corp.", "How do I bake bread?", "thanks")
    ).summary
    assert summary == ("You said: “I work at Acme Corp”. You asked: “How do I bake bread?”.")


async def test_a_session_of_questions_alone_has_no_summary() -> None:
    assert (await _extracted("How do I bake bread?", "Tell me a joke")).summary is None


async def test_a_summary_tells_nothing_that_was_corrected_later() -> None:
    summary = (
        await _extracted("I live in Rome", "I like Java", "I live in Oslo", "I don't like Java")
    ).summary
    assert summary == "You said: “I live in Oslo”; “I don't like Java”."


@pytest.mark.parametrize(
    "secret", ["my card number is [hidden]", "my password is hunter2", "my PIN is [hidden], ok"]
)
async def test_a_summary_quotes_no_secret_masked_or_not(secret: str) -> None:
    assert (await _extracted("I like tea", secret)).summary == "You said: “I like tea”."


async def test_what_is_said_off_the_record_is_neither_kept_nor_quoted() -> None:
    extraction = await _extracted("Don't remember this: I hate my boss", "I like tea")
    assert [p.text for p in extraction.proposals] == ["I like tea"]
    assert extraction.summary == "You said: “I like tea”."


async def test_a_summary_quotes_what_weighs_most_in_the_order_it_was_said() -> None:
    habits = [f"I {verb} every day" for verb in ("run", "swim", "read", "cook", "walk")]
    summary = (await _extracted(*habits, "I live in Oslo", "My name is Ann")).summary or ""
    assert summary.index("run") < summary.index("Oslo") < summary.index("Ann")
    assert "walk" not in summary


async def test_a_summary_of_a_group_says_who_said_what() -> None:
    messages = (
        Utterance(Role.USER, "We need a plan for Rome", _NOW, speaker=Speaker(7, "Anna")),
        Utterance(Role.USER, "The trains are on strike", _NOW, speaker=Speaker(8, "Ben")),
    )
    summary = await RuleSummarizer().summarize([Turn("t1", "s1", messages)])
    assert "Anna said: “We need a plan for Rome”" in summary
    assert "Ben said: “The trains are on strike”" in summary


async def test_in_a_group_nobody_corrects_what_somebody_else_has_said() -> None:
    said = (
        ("Ann", "I live in Oslo"),
        ("Bob", "I live in Lima"),
        ("Ann", "I like tea"),
        ("Bob", "I don't like tea"),
        ("Ann", "I have a dog"),
        ("Bob", "I have a dog"),
        ("Ann", "I live in Rome now"),
    )
    turns = [
        Turn(f"t{number}", "s1", (Utterance(Role.USER, text, _NOW, speaker=Speaker(None, who)),))
        for number, (who, text) in enumerate(said)
    ]
    known = Record(
        "f1", Kind.FACT, "I live in Bonn", _NOW, slot="home", speaker=Speaker(None, "Ann")
    )
    extraction = await RuleExtractor().extract(Reading(tuple(turns), (known,)))
    assert [(each.evidence[0].turn_id, each.known) for each in extraction.proposals] == [
        ("t1", None),
        ("t2", None),
        ("t3", None),
        ("t4", None),
        ("t5", None),
        ("t6", "f1"),
    ]
    assert extraction.summary == (
        "Ann said: “I like tea”; “I have a dog”; “I live in Rome now”. "
        "Bob said: “I live in Lima”; “I don't like tea”; “I have a dog”."
    )


async def test_a_summary_goes_on_from_the_earlier_one_and_stays_short() -> None:
    summarizer: Summarizer = RuleSummarizer()
    turns = _turns(*(f"The bread recipe of the day number {n} says flour" for n in range(30)))
    summary = await summarizer.summarize(turns, earlier="They met. " * 200)
    assert summary.startswith("They met.")
    assert "bread" in summary
    assert len(summary) < 1200


async def test_a_summary_of_an_open_session_keeps_every_statement_over_all_batches() -> None:
    summarizer: Summarizer = RuleSummarizer()
    habits = [f"I {verb} every day" for verb in ("run", "swim", "read", "cook", "walk", "paint")]
    first = await summarizer.summarize(_turns(*habits, "The weather was fine", "I live in Oslo"))
    second = await summarizer.summarize(
        _turns("I moved to Rome", "My dog is called “Rex”", "what time is it?"), earlier=first
    )
    said = own_quotes(second)
    assert set(habits) <= set(said)
    assert 'My dog is called "Rex"' in said
    assert "I live in Oslo" not in said, "the newer one holds"
    assert "I moved to Rome" in said
    assert not any("time" in quote for quote in said), "a question is no statement"


def test_only_the_persons_own_whole_quotes_are_read_again() -> None:
    turns = _turns("I live in “New” York", "I have " + "very " * 30 + "old cats", answer="I am 5")
    assert own_quotes(gist(turns, 500)) == ('I live in "New" York',)
    assert own_quotes("Anna said: “I live in Oslo”. You said: “I sing”.") == ("I sing",)
    assert own_quotes("They talked about “Oslo”.") == ()


async def test_talk_in_a_language_without_a_table_still_gets_a_summary() -> None:
    said = ("Hei!", "Minä asun Helsingissä", "🙂", "Kissani on nimeltään “Misu”")
    summary = await RuleSummarizer().summarize(_turns(*said, answer="Selvä"))
    assert summary == '“Hei”; “Minä asun Helsingissä”; “Kissani on nimeltään "Misu"”'


async def test_a_quote_keeps_the_small_words_of_another_language() -> None:
    said = _turns("I have two cats", "Mam na imię Ola i mieszkam w Krakowie")
    summary = await RuleSummarizer().summarize(said)
    assert summary == "You said: “I have two cats”; “Mam na imię Ola i mieszkam w Krakowie”."


async def test_talk_without_words_is_counted() -> None:
    assert await RuleSummarizer().summarize(_turns("🙂", "👍", answer="?")) == "(4)"


async def test_what_is_off_the_record_opens_no_summary() -> None:
    said = ("Off the record: minä asun Helsingissä", "Kissani on musta")
    assert "Helsingissä" not in await RuleSummarizer().summarize(_turns(*said))


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for finding in noteworthy(text):
        assert finding.text


@given(st.lists(st.sampled_from("I my am and , . really not work at please the ' \" `".split())))
def test_any_heap_of_grammar_words_is_read_without_an_error(heap: list[str]) -> None:
    noteworthy(" ".join(heap))


def test_a_very_long_message_is_read_in_bounded_time() -> None:
    """The length read is bounded: the end of 200,000 letters says nothing any more."""
    assert noteworthy("blah " * 40_000 + ". I work at Acme") == ()
    assert noteworthy("I really " * 20_000) == ()


async def test_saying_it_all_again_in_later_sessions_gives_no_duplicates() -> None:
    said = (
        "I'm Anna and I work at Acme Corp. My sister works at Globex.",
        "I left Acme Corp, now I work at Initech. I don't like tea.",
        "Ich wohne in Bremen.", "Vivo con mi hermana en Sevilla.", "Я люблю чай.", "我住在成都。",
    )  # fmt: skip
    anna, place = Actor.person(1), Place("telegram", 1)
    async with open_memory(extractor=RuleExtractor()) as memory:
        counts = []
        for _ in range(3):
            for text in said:
                await memory.talk.record(anna, place, (Utterance(Role.USER, text, NOON),))
            await memory.talk.end(anna, place, "new")
            await memory.settle()
            kept = await memory.known.records(anna, (Kind.FACT, Kind.PREFERENCE), everything=True)
            counts.append(len(kept))
    assert counts[0] >= 5
    assert len(set(counts)) == 1
