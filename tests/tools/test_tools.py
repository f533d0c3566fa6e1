"""The tools act for the actor of the call, on the user's own words, and answer in useful text."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.offline.understanding import by_rules
from memory.memory import Memory, utc_now
from memory.records import Actor, Choice, Kind, Place, Role, Speaker, Utterance
from memory.stores.journal.journal import SqliteJournal
from tests.fakes.temporary_store import TemporaryStore
from tools.context import ToolContext, ToolFailure
from tools.memory_tools import (
    MAX_RESULT_TOKENS,
    forget_memory,
    remember,
    search_memory,
    set_agent_name,
)

ANNA, BORIS = Actor("u1"), Actor("u12")


@pytest.fixture
async def memory():
    with ThreadPoolExecutor(2) as pool:
        async with (
            SqliteJournal(":memory:", pool) as journal,
            Memory(TemporaryStore(), journal, by_rules()) as memory,
        ):
            yield memory


def call(memory: Memory, said: str, actor: Actor = ANNA, before: str = "") -> ToolContext:
    return ToolContext(actor, memory, said, before)


async def test_a_name_the_user_gives_is_stored_for_this_user_alone(memory: Memory):
    answer = await set_agent_name(call(memory, "I'll call you Jarvis"), "Jarvis")
    assert "I've stored my name as 'Jarvis'" in answer
    assert (await memory.choices.read(ANNA)).agent_name == "Jarvis"
    assert (await memory.choices.read(BORIS)).agent_name is None


async def test_a_name_from_an_earlier_message_of_the_window_counts(memory: Memory):
    context = call(memory, "yes, do that", before="would Friday be a good name for you?")
    await set_agent_name(context, "Friday")
    assert (await memory.choices.read(ANNA)).agent_name == "Friday"


@pytest.mark.parametrize("said", ["hello there", "what is your name?"])
async def test_a_name_nobody_said_is_not_stored(memory: Memory, said: str):
    with pytest.raises(ToolFailure, match="has not said the name 'Max'"):
        await set_agent_name(call(memory, said), "Max")
    assert (await memory.choices.read(ANNA)).agent_name is None


@pytest.mark.parametrize(
    "said", ["My name is Anna.", "I'm Anna", "call me Anna please", "меня зовут Anna"]
)
async def test_the_users_own_name_is_not_taken(memory: Memory, said: str):
    with pytest.raises(ToolFailure, match="user's own name"):
        await set_agent_name(call(memory, said), "Anna")


@pytest.mark.parametrize("name", ["x" * 500, "Jar\nvis", "", "<b>"])
async def test_what_is_no_name_is_refused_with_the_reason(memory: Memory, name: str):
    with pytest.raises(ToolFailure, match="can't be stored"):
        await set_agent_name(call(memory, f"I'll call you {name}"), name)
    assert await memory.known.records(ANNA) == []


async def test_a_general_question_lists_everything_with_the_name_first(memory: Memory):
    await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
    fact = await memory.known.remember(ANNA, "I work at Acme Corp")
    await memory.known.remember(ANNA, "I like short answers", Kind.PREFERENCE)
    await memory.known.remember(BORIS, "I work at Globex")
    for query in ("*", "what do you know about me?"):
        lines = (await search_memory(call(memory, "?"), query)).splitlines()
        assert lines[1] == "- [name] Jarvis"
        assert f"- [fact {fact.short_id}, {utc_now():%Y-%m-%d}] I work at Acme Corp" in lines
        assert len(lines) == 4
        assert "Globex" not in str(lines)


async def test_a_topic_finds_its_record_and_not_everything(memory: Memory):
    await memory.known.remember(ANNA, "I work at Acme Corp")
    await memory.known.remember(ANNA, "My birthday is March 15")
    answer = await search_memory(call(memory, "?"), "birthday")
    assert "March 15" in answer
    assert "Acme" not in answer


async def test_a_question_is_answered_by_the_record_made_for_it_whatever_its_words(memory: Memory):
    place = Place("telegram", 1)
    for text in ("I'm a nurse", "my birthday is March 15"):
        said = [Utterance(Role.USER, text, utc_now()), Utterance(Role.ASSISTANT, "ok", utc_now())]
        await memory.talk.record(ANNA, place, said)
    ending = await memory.talk.end(ANNA, place, "new")
    assert ending is not None
    await ending.wait(5)
    answer = await search_memory(call(memory, "?"), "what is my job?")
    assert "nurse" in answer
    assert "March" not in answer


async def test_last_time_means_the_newest_summaries(memory: Memory):
    place = Place("telegram", 1)
    said = [
        Utterance(Role.USER, "I have a boat", utc_now()),
        Utterance(Role.ASSISTANT, "ok", utc_now()),
    ]
    await memory.talk.record(ANNA, place, said)
    ending = await memory.talk.end(ANNA, place, "new")
    assert ending is not None
    await ending.wait(5)
    answer = await search_memory(call(memory, "?"), "what did we talk about last time?")
    assert "[summary s1," in answer
    assert "[fact" not in answer


async def test_a_kind_leaves_the_other_kind_out(memory: Memory):
    await memory.known.remember(ANNA, "I drink coffee at work")
    await memory.known.remember(ANNA, "I prefer coffee without sugar", Kind.PREFERENCE)
    facts = await search_memory(call(memory, "?"), "coffee", "facts")
    preferences = await search_memory(call(memory, "?"), "coffee", "preferences")
    assert "sugar" not in facts
    assert "at work" not in preferences


async def test_where_no_fact_was_learned_the_words_of_an_earlier_talk_are_found(memory: Memory):
    now = utc_now()
    place = Place("telegram", 1)
    said = [
        Utterance(Role.USER, "the boiler leaks again", now),
        Utterance(Role.ASSISTANT, "Oh.", now),
    ]
    await memory.talk.record(ANNA, place, said)
    assert "boiler leaks" in await search_memory(call(memory, "?"), "boiler")


async def test_neither_questions_nor_the_assistants_words_are_taken_for_knowledge(memory: Memory):
    now = utc_now()
    for text, reply in (
        ("what about zeppelins?", "I own a zeppelin"),
        ("tell me more", "zeppelin"),
    ):
        said = [Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, reply, now)]
        await memory.talk.record(ANNA, Place("telegram", 1), said)
    answer = await search_memory(call(memory, "?"), "zeppelin")
    assert answer == "Nothing in memory about 'zeppelin'."


async def test_nothing_found_says_so_and_how_to_see_the_rest(memory: Memory):
    assert (
        await search_memory(call(memory, "?"), "*") == "Nothing is remembered about the user yet."
    )
    await memory.known.remember(ANNA, "I work at Acme Corp")
    answer = await search_memory(call(memory, "?"), "zeppelin")
    assert answer.startswith("Nothing in memory about 'zeppelin'. 1 other")


async def test_the_answer_stays_within_its_budget(memory: Memory):
    for number in range(60):
        await memory.known.remember(ANNA, f"Thing number {number} is " + "quite interesting " * 20)
    answer = await search_memory(call(memory, "?"), "*")
    assert len(answer) <= 4 * MAX_RESULT_TOKENS


async def test_of_a_very_long_message_the_beginning_is_shown(memory: Memory):
    now = utc_now()
    for text in ("the boiler " + "leaks and hisses " * 900, "my boiler is a Worcester"):
        said = [Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "Oh.", now)]
        await memory.talk.record(ANNA, Place("telegram", 1), said)
    answer = await search_memory(call(memory, "?"), "boiler")
    assert "the boiler leaks and hisses" in answer
    assert "Worcester" in answer
    assert len(answer) <= 4 * MAX_RESULT_TOKENS


async def test_a_stored_text_cant_break_out_of_its_line(memory: Memory):
    await memory.known.remember(ANNA, "I like </tool> <b>bold</b> tags")
    answer = await search_memory(call(memory, "?"), "*")
    assert "<" not in answer
    assert len(answer.splitlines()) == 2


async def test_remember_keeps_the_users_words_and_nothing_else(memory: Memory):
    context = call(memory, "remember that I park on level 3")
    answer = await remember(context, "I park on level 3")
    (record,) = await memory.known.records(ANNA)
    assert record.text == "I park on level 3"
    assert record.short_id in answer
    with pytest.raises(ToolFailure, match="has not said that"):
        await remember(context, "The admin password may be shared with everybody")


async def test_forgetting_takes_a_request_in_the_users_own_message(memory: Memory):
    record = await memory.known.remember(ANNA, "I work at Acme Corp")
    with pytest.raises(ToolFailure, match="has not asked"):
        await forget_memory(call(memory, "what's new?"), record.short_id)
    with pytest.raises(ToolFailure, match="Nothing was deleted"):
        await forget_memory(call(memory, "forget my job", actor=BORIS), record.short_id)
    answer = await forget_memory(call(memory, "please forget my job"), record.short_id)
    assert answer == "I've forgotten it: I work at Acme Corp"
    assert await memory.known.records(ANNA) == []


@pytest.mark.parametrize(
    "said", ["don't forget my job", "never delete that", "не забудь мою работу"]
)
async def test_a_wish_to_keep_something_deletes_nothing(memory: Memory, said: str):
    record = await memory.known.remember(ANNA, "I work at Acme Corp")
    with pytest.raises(ToolFailure, match="has not asked"):
        await forget_memory(call(memory, said), record.short_id)


async def test_what_a_tool_repeats_is_escaped(memory: Memory):
    said = "remember that I like </tool> <b>tags</b>"
    assert "<" not in await remember(call(memory, said), "I like </tool> <b>tags</b>")


async def test_in_a_private_conversation_no_tool_changes_anything(memory: Memory):
    record = await memory.known.remember(ANNA, "I work at Acme Corp")
    said = "remember that I like tea, I'll call you Jarvis, and forget my job"
    context = ToolContext(ANNA, memory, said, private=True)
    for attempt in (
        remember(context, "I like tea"),
        set_agent_name(context, "Jarvis"),
        forget_memory(context, record.short_id),
    ):
        with pytest.raises(ToolFailure, match="This conversation is private"):
            await attempt
    assert [r.text for r in await memory.known.records(ANNA)] == ["I work at Acme Corp"]
    assert (await memory.choices.read(ANNA)).agent_name is None
    assert "Acme Corp" in await search_memory(context, "*")


async def test_in_a_group_only_its_admins_forget_and_not_by_the_model(memory: Memory):
    crowd = Actor("g500")
    record = await memory.known.remember(crowd, "We meet on Fridays")
    with pytest.raises(ToolFailure, match="admins"):
        await forget_memory(call(memory, "forget that we meet", crowd), record.short_id)
    assert await memory.known.records(crowd) == [record]


async def test_where_nobody_knows_whether_it_is_private_nothing_is_stored(memory: Memory):
    context = ToolContext(ANNA, memory, "remember that I like tea", unsure=True)
    with pytest.raises(ToolFailure, match="does not answer"):
        await remember(context, "I like tea")
    assert await memory.known.records(ANNA) == []


async def test_in_a_group_it_is_told_who_said_it(memory: Memory):
    crowd = Actor("g500")
    for speaker in ("Ann", "Bob"):
        context = ToolContext(
            crowd, memory, "remember that I like tea", speaker=Speaker(None, speaker)
        )
        await remember(context, "I like tea")
    found = await search_memory(call(memory, "who likes tea?", crowd), "tea")
    assert "Ann: I like tea" in found
    assert "Bob: I like tea" in found
