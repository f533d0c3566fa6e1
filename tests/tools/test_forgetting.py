"""forget_memory deletes nothing: it finds what may be meant, for the person to decide."""

import pytest

from memory.memory import Memory, utc_now
from memory.records import Actor, Kind, Place, Role, Utterance
from tests.fakes.tool_contexts import tool_context
from tools.agent_name import set_agent_name
from tools.context import ToolFailure
from tools.forgetting import forget_memory
from tools.search import search_memory
from tools.statements import remember

ANNA, BORIS = Actor("u1"), Actor("u12")


async def meant(memory: Memory, query: str, actor: Actor = ANNA) -> list[str]:
    """What the person would be asked about."""
    context = tool_context(memory, actor, "forget it")
    await forget_memory(context, query)
    return [record.text for record in context.effects.to_forget]


async def say(memory: Memory, *texts: str) -> None:
    for text in texts:
        turn = [Utterance(Role.USER, text, utc_now()), Utterance(Role.ASSISTANT, "ok", utc_now())]
        await memory.talk.record(ANNA, Place("telegram", 1), turn)


async def test_the_person_is_asked_and_nothing_is_deleted(memory: Memory) -> None:
    await memory.known.remember(ANNA, "My sister Julia lives in Oslo")
    await memory.known.remember(ANNA, "I work at Acme Corp")
    context = tool_context(memory, ANNA, "forget what I told you about Julia")
    answer = await forget_memory(context, "Julia")
    assert "Nothing is deleted yet" in answer
    assert [record.text for record in context.effects.to_forget] == [
        "My sister Julia lives in Oslo"
    ]
    assert len(await memory.known.records(ANNA)) == 2


async def test_what_nobody_told_leaves_nothing_to_ask(memory: Memory) -> None:
    await memory.known.remember(ANNA, "I work at Acme Corp")
    context = tool_context(memory, ANNA, "forget my zeppelin")
    assert "Nothing in memory about 'zeppelin'" in await forget_memory(context, "zeppelin")
    assert context.effects.to_forget == []


async def test_whoever_is_asked_about_is_found_in_another_case_of_the_name(memory: Memory) -> None:
    await memory.known.remember(ANNA, "Моего пса зовут Рекс")
    await memory.known.remember(ANNA, "Моя сестра живёт в Риме")
    assert await meant(memory, "Рекса") == ["Моего пса зовут Рекс"]


async def test_of_many_records_those_with_all_the_words_are_meant(memory: Memory) -> None:
    for text in ("My wedding anniversary is June 4", "My wedding cake had figs", "I like figs"):
        await memory.known.remember(ANNA, text)
    assert await meant(memory, "my wedding anniversary") == ["My wedding anniversary is June 4"]


async def test_a_message_that_nothing_was_learned_from_can_be_meant(memory: Memory) -> None:
    await say(memory, "the boiler leaks again", "it rains")
    assert await meant(memory, "the boiler") == ["the boiler leaks again"]


async def test_nobody_is_asked_about_somebody_elses_records(memory: Memory) -> None:
    await memory.known.remember(BORIS, "My sister Julia lives in Oslo")
    assert await meant(memory, "Julia") == []
    assert await meant(memory, "f1") == []


async def test_asking_twice_in_a_turn_lists_each_once(memory: Memory) -> None:
    await memory.known.remember(ANNA, "My sister Julia lives in Oslo")
    context = tool_context(memory, ANNA, "forget Julia")
    await forget_memory(context, "Julia")
    await forget_memory(context, "sister Julia")
    assert len(context.effects.to_forget) == 1


async def test_what_the_model_is_told_is_escaped(memory: Memory) -> None:
    await memory.known.remember(ANNA, "I like </tool> <b>tags</b>")
    answer = await forget_memory(tool_context(memory, ANNA, "forget the tags"), "tags")
    assert "<" not in answer


async def test_in_a_private_conversation_no_tool_changes_anything(memory: Memory) -> None:
    await memory.known.remember(ANNA, "I work at Acme Corp")
    said = "remember that I like tea, I'll call you Jarvis, and forget my job"
    context = tool_context(memory, ANNA, said, private=True)
    for attempt in (
        remember(context, "I like tea", "I like tea"),
        set_agent_name(context, "Jarvis"),
        forget_memory(context, "job"),
    ):
        with pytest.raises(ToolFailure, match="This conversation is private"):
            await attempt
    assert [r.text for r in await memory.known.records(ANNA)] == ["I work at Acme Corp"]
    assert (await memory.choices.read(ANNA)).agent_name is None
    assert context.effects.to_forget == []
    assert "Acme Corp" in await search_memory(context, "*")


async def test_in_a_group_only_its_admins_forget_and_not_by_the_model(memory: Memory) -> None:
    crowd = Actor("g500")
    record = (await memory.known.remember(crowd, "We meet on Fridays", Kind.FACT)).record
    context = tool_context(memory, crowd, "forget that we meet")
    with pytest.raises(ToolFailure, match="admins"):
        await forget_memory(context, "meet")
    assert context.effects.to_forget == []
    assert await memory.known.records(crowd) == [record]
