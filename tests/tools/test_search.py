"""search_memory answers from the memory of the call's actor, in useful text."""

from memory.memory import Memory, utc_now
from memory.records import Actor, Choice, Kind, Place, Role, Utterance
from tests.fakes.tool_contexts import tool_context
from tools.search import MAX_RESULT_TOKENS, search_memory
from tools.statements import remember

ANNA, BORIS = Actor("u1"), Actor("u12")


async def test_a_general_question_lists_everything_with_the_name_first(memory: Memory):
    await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
    fact = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
    await memory.known.remember(ANNA, "I like short answers", Kind.PREFERENCE)
    await memory.known.remember(BORIS, "I work at Globex")
    for query in ("*", "everything"):
        lines = (await search_memory(tool_context(memory, ANNA, "?"), query)).splitlines()
        assert lines[1] == "- [name] Jarvis"
        assert f"- [fact {fact.short_id}, {utc_now():%Y-%m-%d}] I work at Acme Corp" in lines
        assert len(lines) == 4
        assert "Globex" not in str(lines)


async def test_a_topic_finds_its_record_and_not_everything(memory: Memory):
    await memory.known.remember(ANNA, "I work at Acme Corp")
    await memory.known.remember(ANNA, "My birthday is March 15")
    answer = await search_memory(tool_context(memory, ANNA, "?"), "birthday")
    assert "March 15" in answer
    assert "Acme" not in answer


async def test_a_kind_leaves_the_other_kind_out(memory: Memory):
    await memory.known.remember(ANNA, "I drink coffee at work")
    await memory.known.remember(ANNA, "I prefer coffee without sugar", Kind.PREFERENCE)
    facts = await search_memory(tool_context(memory, ANNA, "?"), "coffee", "facts")
    preferences = await search_memory(tool_context(memory, ANNA, "?"), "coffee", "preferences")
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
    assert "boiler leaks" in await search_memory(tool_context(memory, ANNA, "?"), "boiler")


async def test_neither_questions_nor_the_assistants_words_are_taken_for_knowledge(memory: Memory):
    now = utc_now()
    for text, reply in (
        ("what about zeppelins?", "I own a zeppelin"),
        ("tell me more", "zeppelin"),
    ):
        said = [Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, reply, now)]
        await memory.talk.record(ANNA, Place("telegram", 1), said)
    answer = await search_memory(tool_context(memory, ANNA, "?"), "zeppelin")
    assert answer == "Nothing in memory about 'zeppelin'."


async def test_nothing_found_says_so_and_how_to_see_the_rest(memory: Memory):
    context = tool_context(memory, ANNA, "?")
    assert await search_memory(context, "*") == "Nothing is remembered about the user yet."
    await memory.known.remember(ANNA, "I work at Acme Corp")
    answer = await search_memory(context, "zeppelin")
    assert answer.startswith("Nothing in memory about 'zeppelin'. 1 other")


async def test_nothing_found_names_the_closest_thing(memory: Memory):
    await memory.known.remember(ANNA, "My sister Meera has a green bicycle from Utrecht")
    asked = "the license plate of the blue motorcycle my brother Arjun bought in Utrecht"
    answer = await search_memory(tool_context(memory, ANNA, "?"), asked)
    assert answer.startswith(f"Nothing in memory about '{asked[:100]}")
    assert answer.endswith("My sister Meera has a green bicycle from Utrecht")


async def test_what_has_ended_is_told_as_ended(memory: Memory):
    old = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
    await memory.known.revise(ANNA, old.short_id, "I work at Globex")
    lines = (await search_memory(tool_context(memory, ANNA, "?"), "work")).splitlines()
    today = f"{utc_now():%Y-%m-%d}"
    assert lines[1].endswith("I work at Globex")
    assert lines[2] == f"- [fact {old.short_id}, {today}, ended {today}] I work at Acme Corp"


async def test_the_answer_stays_within_its_budget(memory: Memory):
    for number in range(60):
        await memory.known.remember(ANNA, f"Thing number {number} is " + "quite interesting " * 20)
    answer = await search_memory(tool_context(memory, ANNA, "?"), "*")
    assert len(answer) <= 4 * MAX_RESULT_TOKENS


async def test_of_a_very_long_message_the_beginning_is_shown(memory: Memory):
    now = utc_now()
    for text in ("the boiler " + "leaks and hisses " * 900, "my boiler is a Worcester"):
        said = [Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "Oh.", now)]
        await memory.talk.record(ANNA, Place("telegram", 1), said)
    answer = await search_memory(tool_context(memory, ANNA, "?"), "boiler")
    assert "the boiler leaks and hisses" in answer
    assert "Worcester" in answer
    assert len(answer) <= 4 * MAX_RESULT_TOKENS


async def test_a_stored_text_cant_break_out_of_its_line(memory: Memory):
    await memory.known.remember(ANNA, "I like </tool> <b>bold</b> tags")
    answer = await search_memory(tool_context(memory, ANNA, "?"), "*")
    assert "<" not in answer
    assert len(answer.splitlines()) == 2


async def test_a_name_finds_everything_about_whoever_has_it_and_nothing_else(memory: Memory):
    for text in ("My sister is called Meera", "Meera plays the cello", "Boris plays chess"):
        await memory.known.remember(ANNA, text)
    [cello] = [r for r in await memory.known.records(ANNA) if "cello" in r.text]
    await memory.known.revise(ANNA, cello.short_id, "Meera plays the viola")
    await memory.known.remember(BORIS, "Meera is my boss")
    answer = await search_memory(tool_context(memory, ANNA, "?"), "meera")
    assert "My sister is called Meera" in answer
    assert "Meera plays the viola" in answer
    assert ", ended " in answer
    assert "chess" not in answer
    assert "boss" not in answer


async def test_when_and_in_which_words_it_was_said_is_told_if_asked_for(memory: Memory):
    context = tool_context(memory, ANNA, "remember that she lives in Lisbon", "Meera is my sister")
    await remember(context, "My sister Meera lives in Lisbon", "she lives in Lisbon")
    plain = await search_memory(context, "Meera")
    told = await search_memory(context, "Meera", sources=True)
    assert "she lives in Lisbon" not in plain
    assert f"    said {utc_now():%Y-%m-%d}: she lives in Lisbon" in told.splitlines()


async def tell_and_end(memory: Memory, *said: str) -> None:
    """A conversation that has ended and waits for its extraction."""
    place = Place("telegram", 1)
    for text in said:
        now = utc_now()
        turn = [Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "I see.", now)]
        await memory.talk.record(ANNA, place, turn)
    await memory.talk.end(ANNA, place, "new")


async def test_what_nothing_was_learned_from_yet_is_found_beside_what_was(
    slow: Memory,
) -> None:
    await slow.known.remember(ANNA, "My dog likes to swim")
    await tell_and_end(slow, "My dog is called Rex", "What is a dog?", "I live in Oslo")
    found = await search_memory(tool_context(slow, ANNA, "?"), "dog")
    assert "called Rex" in found
    assert "likes to swim" in found
    assert "What is a dog" not in found
    assert "Oslo" not in found
    everything = await search_memory(tool_context(slow, ANNA, "?"), "*")
    assert all(text in everything for text in ("Rex", "Oslo", "swim"))
    assert "Rex" not in await search_memory(tool_context(slow, BORIS, "?"), "dog")
