"""What a model notes at the user's request stands on the user's own words."""

import pytest

from memory.memory import Memory
from memory.records import Actor, Speaker
from tests.fakes.tool_contexts import tool_context
from tools.context import ToolFailure
from tools.search import search_memory
from tools.statements import remember

ANNA = Actor("u1")


async def test_remember_keeps_the_users_words_and_nothing_else(memory: Memory):
    context = tool_context(memory, ANNA, "remember that I park on level 3")
    answer = await remember(context, "I park on level 3", "I park on level 3")
    (record,) = await memory.known.records(ANNA)
    assert record.text == "I park on level 3"
    assert record.short_id in answer
    with pytest.raises(ToolFailure, match="has not said that"):
        await remember(context, "The admin password may be shared", "level 3")


async def test_what_a_tool_repeats_is_escaped(memory: Memory):
    said = "remember that I like </tool> <b>tags</b>"
    text = "I like </tool> <b>tags</b>"
    assert "<" not in await remember(tool_context(memory, ANNA, said), text, text)


async def test_where_nobody_knows_whether_it_is_private_nothing_is_stored(memory: Memory):
    context = tool_context(memory, ANNA, "remember that I like tea", unsure=True)
    with pytest.raises(ToolFailure, match="does not answer"):
        await remember(context, "I like tea", "I like tea")
    assert await memory.known.records(ANNA) == []


async def test_in_a_group_it_is_told_who_said_it(memory: Memory):
    crowd = Actor("g500")
    for speaker in ("Ann", "Bob"):
        context = tool_context(
            memory, crowd, "remember that I like tea", speaker=Speaker(None, speaker)
        )
        await remember(context, "I like tea", "I like tea")
    found = await search_memory(tool_context(memory, crowd, "who likes tea?"), "tea")
    assert "Ann: I like tea" in found
    assert "Bob: I like tea" in found
