"""set_agent_name takes a name for the assistant that the user has said."""

import pytest

from memory.memory import Memory
from memory.records import Actor
from tests.fakes.tool_contexts import tool_context
from tools.agent_name import set_agent_name
from tools.context import ToolFailure

ANNA, BORIS = Actor("u1"), Actor("u12")


async def test_a_name_the_user_gives_is_stored_for_this_user_alone(memory: Memory):
    answer = await set_agent_name(tool_context(memory, ANNA, "I'll call you Jarvis"), "Jarvis")
    assert "I've stored my name as 'Jarvis'" in answer
    assert (await memory.choices.read(ANNA)).agent_name == "Jarvis"
    assert (await memory.choices.read(BORIS)).agent_name is None


async def test_a_name_from_an_earlier_message_of_the_window_counts(memory: Memory):
    context = tool_context(memory, ANNA, "yes, do that", "would Friday be a good name for you?")
    await set_agent_name(context, "Friday")
    assert (await memory.choices.read(ANNA)).agent_name == "Friday"


@pytest.mark.parametrize("said", ["hello there", "what is your name?"])
async def test_a_name_nobody_said_is_not_stored(memory: Memory, said: str):
    with pytest.raises(ToolFailure, match="has not said the name 'Max'"):
        await set_agent_name(tool_context(memory, ANNA, said), "Max")
    assert (await memory.choices.read(ANNA)).agent_name is None


@pytest.mark.parametrize("name", ["x" * 500, "Jar\nvis", "", "<b>"])
async def test_what_is_no_name_is_refused_with_the_reason(memory: Memory, name: str):
    with pytest.raises(ToolFailure, match="can't be stored"):
        await set_agent_name(tool_context(memory, ANNA, f"I'll call you {name}"), name)
    assert await memory.known.records(ANNA) == []
