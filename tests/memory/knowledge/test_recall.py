"""What the model is shown of the memory: chosen, merged, dated, escaped, within its budgets."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memory.conversation.talk import ConversationHistory, HistoryMetadata
from memory.conversation.tokens import estimate_tokens
from memory.knowledge.recall import (
    Profile,
    RecallBudget,
    build_profile,
    cut_line,
    profile_block,
    recalled_block,
)
from memory.records import Choices, Hit, Kind, Record, Role
from memory.search.text import wording

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BUDGET = RecallBudget()

_numbers = count(1)


def record(text: str, kind: Kind = Kind.FACT, days: int = 0, **fields: object) -> Record:
    base = Record(f"{kind.value[0]}{next(_numbers)}", kind, text, NOW - timedelta(days=days))
    return replace(base, **fields)  # type: ignore[arg-type]


def summary(text: str, *topics: str, days: int = 0, session: str = "s1") -> Record:
    return record(text, Kind.SUMMARY, days, topics=topics, session_id=session)


def texts(records: tuple[Record, ...]) -> list[str]:
    return [each.text for each in records]


def section(block: str, title: str) -> list[str]:
    """The records under one heading of a profile block."""
    lines = block.splitlines()
    start = lines.index(title) + 1
    found = []
    for line in lines[start:]:
        if not line.startswith("- (") or line.startswith("</"):
            break
        found.append(line)
    return found


# -- what is chosen -------------------------------------------------------------------------------


def test_the_model_is_told_the_name_and_the_language_that_were_chosen():
    chosen = Choices(agent_name="Jarvis", language="de", time_zone="Europe/Rome")
    block = profile_block(Profile(), NOW, BUDGET, choices=chosen)
    assert 'The user calls you "Jarvis".' in block
    assert "The user has chosen this language: Deutsch." in block
    assert "Rome" not in block


def test_key_facts_of_weight_come_first_and_then_the_newest():
    facts = [
        record("I have a dog", importance=3, days=1),
        record("I like the sea", importance=4, days=40),
        record("I was born in Graz", importance=8, days=300),
        record("I work at Acme", importance=5, days=9),
        record("I moved to Rome", importance=5, days=2),
        record("I bought a bike", importance=2, days=0),
    ]
    facts.sort(key=lambda r: r.created_at)
    assert texts(build_profile(facts, BUDGET).facts) == [
        "I was born in Graz", "I moved to Rome", "I work at Acme", "I bought a bike",
        "I have a dog",
    ]  # fmt: skip


def test_what_says_the_same_is_shown_once():
    """Among the facts, beside a preference, and beside the very words of a summary."""
    known = [
        record("I work at Acme", days=9),
        record("i work at Acme.", days=2),
        record("I prefer short answers", days=5),
        record("I have a cat called Tom"),
        record("我住在上海"),
        record("I prefer short answers!", Kind.PREFERENCE, days=1),
        summary("Anna said: I have a cat called Tom, and asked about food. 她说我住在上海很久了。"),
    ]
    profile = build_profile(known, BUDGET)
    assert texts(profile.facts) == ["i work at Acme."]
    assert texts(profile.preferences) == ["I prefer short answers!"]


@given(
    st.lists(st.sampled_from(["tea", "Tea!", "a tea", "no tea", "cats", "the cats", "茶", "茶。"])),
    st.lists(st.sampled_from(["tea", "my tea", "no tea", "cats", "dogs"]), max_size=3),
    st.integers(1, 5),
)
def test_what_says_something_new_is_what_comparing_every_pair_would_keep(
    said: list[str], preferred: list[str], most: int
) -> None:
    facts = [record(text, days=n) for n, text in enumerate(said)]
    preferences = [record(text, Kind.PREFERENCE, n) for n, text in enumerate(preferred)]
    profile = build_profile([*facts[::-1], *preferences[::-1]], replace(BUDGET, profile_facts=most))
    kept: list[Record] = []
    for fact in facts:
        if not any(
            wording(fact.text) == wording(other.text) for other in (*profile.preferences, *kept)
        ):
            kept.append(fact)
    assert list(profile.facts) == kept[:most]


def test_what_only_looks_alike_is_shown():
    known = [
        record("I have 2 cats"), record("I have 3 cats"), record("I like tea"),
        record("I don't like tea"), summary("We talked about whether I have 2 catsuits."),
    ]  # fmt: skip
    assert len(build_profile(known, BUDGET).facts) == 4


def test_the_last_three_sessions_are_told_of_and_their_topics_newest_first():
    talks = [
        summary("We planned a garden.", "garden", days=40),
        summary("We spoke of the move.", "Moving house", "Rome", days=30),
        summary("We compared bikes.", "bikes", "ROME", days=20),
        summary("We cooked.", "  cooking\n ", "Bikes", days=10),
    ]
    profile = build_profile(talks, BUDGET)
    assert texts(profile.summaries) == [
        "We spoke of the move.", "We compared bikes.", "We cooked."
    ]  # fmt: skip
    assert profile.topics == ("cooking", "Bikes", "ROME", "Moving house")
    block = profile_block(profile, NOW, BUDGET)
    assert "- Talked about: cooking, Bikes, ROME, Moving house" in block


def test_a_session_that_is_open_is_not_a_past_one():
    talks = [summary("Done.", "one", session="s1"), summary("Going on.", "two", session="s2")]
    profile = build_profile(talks, BUDGET, open_sessions={"s2"})
    assert texts(profile.summaries) == ["Done."]
    assert profile.topics == ("one",)


def test_nothing_known_is_an_empty_block():
    assert profile_block(Profile(), NOW, BUDGET) == ""
    assert recalled_block([], Profile(), NOW, BUDGET) == ""


def test_what_the_profile_shows_is_not_recalled_a_second_time():
    fact, other = record("I work at Acme"), record("I have a cat")
    block = recalled_block([Hit(fact, 0.9), Hit(other, 0.5)], Profile(facts=(fact,)), NOW, BUDGET)
    assert "Acme" not in block
    assert "cat" in block


def test_the_assistants_own_words_are_marked_as_such():
    said = record("Berlin is lovely", Kind.MESSAGE, role=Role.ASSISTANT)
    assert "you said, today" in recalled_block([Hit(said, 0.5)], Profile(), NOW, BUDGET)


def test_moments_are_told_in_the_language_and_by_the_calendar_of_the_actor():
    # Half past midnight in Rome is still the day before in Greenwich.
    here = datetime(2026, 11, 20, 23, 30, tzinfo=UTC).astimezone(ZoneInfo("Europe/Rome"))
    late = record("Fa freddo", created_at=datetime(2026, 11, 20, 22, 30, tzinfo=UTC))
    assert "- (ieri) Fa freddo" in profile_block(Profile(facts=(late,)), here, BUDGET, "it")
    assert "- (ieri) " in recalled_block([Hit(late, 1)], Profile(), here, BUDGET, "it-IT")


def test_the_context_messages_are_the_blocks_that_say_something():
    metadata = HistoryMetadata("s1", 0)
    history = ConversationHistory(metadata, profile="<p>", earlier=" ", recalled="<r>\n")
    assert history.context_messages == ("<p>", "<r>")
    assert ConversationHistory(metadata).context_messages == ()


# -- budgets --------------------------------------------------------------------------------------

_texts = st.lists(st.text(max_size=400), max_size=15)
_budgets = st.integers(20, 400)


@given(_texts, st.integers(60, 600))
def test_what_is_recalled_fits_its_budget_for_any_text(said: list[str], tokens: int):
    hits = [Hit(record(text), 0.5) for text in said]
    block = recalled_block(hits, Profile(), NOW, RecallBudget(recalled_tokens=tokens))
    assert estimate_tokens(block) <= tokens


@given(_texts, _texts, _texts, _budgets)
def test_every_part_of_the_profile_fits_its_budget_for_any_text(
    facts: list[str], preferences: list[str], talks: list[str], tokens: int
):
    budget = RecallBudget(
        profile_fact_tokens=tokens,
        profile_preference_tokens=tokens,
        profile_summary_tokens=tokens,
        profile_topic_tokens=tokens,
    )
    known = [
        *(record(text or "x") for text in facts),
        *(record(text or "x", Kind.PREFERENCE) for text in preferences),
        *(summary(text or "x", text) for text in talks),
    ]
    block = profile_block(build_profile(known, budget), NOW, budget, "hi")
    for title, most in (
        ("Facts, in the user's words:", tokens),
        ("Preferences, in the user's words:", tokens),
        ("Earlier conversations:", tokens * budget.profile_summaries),
    ):
        if title in block.splitlines():
            lines = section(block, title)
            assert estimate_tokens("\n".join(lines)) <= most + budget.profile_summaries
    lines = block.splitlines()
    told = section(block, "Earlier conversations:") if "Earlier conversations:" in lines else []
    assert all(estimate_tokens(line) <= tokens for line in told)
    topics = [line for line in lines if line.startswith("- Talked about")]
    assert all(estimate_tokens(line) <= tokens for line in topics)


def test_a_text_too_long_for_its_budget_is_cut_at_a_word_with_a_mark():
    story = "We talked about the garden and the trees in it, " * 40
    block = profile_block(build_profile([summary(story)], BUDGET), NOW, BUDGET)
    (line,) = section(block, "Earlier conversations:")
    assert 150 < estimate_tokens(line) <= 200
    kept = line.removeprefix("- (today) ").removesuffix("…")
    assert line.endswith("…")
    assert story.startswith(kept)
    assert story[len(kept)] in " ,"


def test_a_long_memory_leaves_room_for_short_ones_behind_it():
    budget = RecallBudget(profile_fact_tokens=60)
    known = [record("word " * 300, importance=9), record("I have a cat", days=1)]
    known += [record("word " * 299, importance=8)]
    lines = section(
        profile_block(build_profile(known, budget), NOW, budget), "Facts, in the user's words:"
    )
    assert lines[0].endswith("…")
    assert estimate_tokens("\n".join(lines)) <= 60


@given(st.text(alphabet="<&> ab\u4e00", max_size=200), st.integers(1, 80))
def test_a_cut_never_leaves_half_an_entity(text: str, tokens: int):
    from html import unescape

    from memory.safety.escaping import escape, one_line

    kept = cut_line(escape(text), tokens).removesuffix("…")
    assert one_line(text).startswith(unescape(kept).strip())


@given(st.text(alphabet="aé漢😀я ", max_size=300))
def test_the_count_that_is_given_is_the_one_that_counts(text: str):
    block = recalled_block(
        [Hit(record(text), 1)], Profile(), NOW, RecallBudget(recalled_tokens=300), count=len
    )
    assert len(block) <= 300
