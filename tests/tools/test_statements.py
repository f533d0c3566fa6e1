"""What a model notes and corrects at the user's request stands on the user's own words."""

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from memory.memory import Memory
from memory.records import Actor, ChangeKind, Speaker
from memory.understanding import Proposal, Reading, Verdict
from tests.fakes.files import journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.tool_contexts import tool_context
from tests.fakes.understanding import understood
from tools.context import ToolContext, ToolFailure
from tools.search import search_memory
from tools.statements import correct_memory, remember

ANNA, BORIS = Actor("u1"), Actor("u12")


class Doubts:
    """A reviewer that finds a statement unsupported unless it is the user's words to the letter,
    and nothing else in the message."""

    async def review(self, reading: Reading, proposals: Sequence[Proposal]) -> Sequence[Verdict]:
        said = {turn.said.strip().rstrip(".") for turn in reading.turns}
        return [Verdict(supported=proposal.text in said) for proposal in proposals]


@asynccontextmanager
async def reviewed() -> AsyncIterator[Memory]:
    """A memory that has what a model proposes reviewed."""
    understanding = replace(understood(), reviewer=Doubts())
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(TemporaryStore(), journal, understanding) as memory,
        ):
            yield memory


async def texts_of(memory: Memory, actor: Actor = ANNA) -> list[str]:
    return [record.text for record in await memory.known.records(actor)]


# -- remember -------------------------------------------------------------------------------------


async def test_a_statement_is_kept_with_the_words_it_stands_on(memory: Memory) -> None:
    context = tool_context(
        memory, ANNA, "remember that she comes on 12 December 2026", "My sister is Meera."
    )
    answer = await remember(
        context,
        "My sister Meera comes on 12 December 2026",
        "she comes on 12 December 2026",
        about=["Meera"],
        date="2026-12-12",
    )
    [record] = await memory.known.records(ANNA)
    assert record.text == "My sister Meera comes on 12 December 2026"
    assert (record.about, record.event_date) == (("Meera",), "2026-12-12")
    [evidence] = record.evidence
    assert evidence.words == "she comes on 12 December 2026"
    assert record.short_id in answer
    [change] = context.effects.changes
    assert (change.kind, change.record) == (ChangeKind.NOTED, record)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("I park on level 3", "I park on level three, always"),
        ("I park on level 4", "I park on level 3"),
        ("I park beside Peter", "I park on level 3"),
        ("My password is hunter2horse", "my password is hunter2horse"),
    ],
)
async def test_what_the_user_did_not_say_or_may_not_be_kept_is_refused(
    memory: Memory, statement: str, quote: str
) -> None:
    said = "remember that I park on level 3, and my password is hunter2horse"
    context = tool_context(memory, ANNA, said)
    with pytest.raises(ToolFailure, match="Nothing was stored"):
        await remember(context, statement, quote)
    assert await texts_of(memory) == []
    assert context.effects.changes == []


@pytest.mark.parametrize(
    "quoted", ["> I am allergic to nuts\nIs that so?", "> [a document: me.txt]\n> I live in Paris"]
)
async def test_what_is_quoted_or_forwarded_is_not_the_users_word(
    memory: Memory, quoted: str
) -> None:
    words = quoted.splitlines()[-1 if "Paris" in quoted else 0].removeprefix("> ")
    with pytest.raises(ToolFailure, match="Nothing was stored"):
        await remember(tool_context(memory, ANNA, quoted), words, words)
    assert await texts_of(memory) == []


@pytest.mark.parametrize(
    "said",
    ["I am not allergic to nuts", "My sister said: I am allergic to nuts", "Am I allergic to nuts"],
)
async def test_what_the_user_did_not_mean_is_refused_by_the_review(said: str) -> None:
    quote = "allergic to nuts"
    async with reviewed() as memory:
        with pytest.raises(ToolFailure, match="Nothing was stored"):
            await remember(tool_context(memory, ANNA, said), "I am allergic to nuts", quote)
        assert await texts_of(memory) == []
        own = tool_context(memory, ANNA, "I am allergic to nuts.")
        await remember(own, "I am allergic to nuts", quote)
        assert await texts_of(memory) == ["I am allergic to nuts"]


async def test_what_is_known_already_is_neither_kept_twice_nor_told(memory: Memory) -> None:
    context = tool_context(memory, ANNA, "remember that I like tea")
    await remember(context, "I like tea", "I like tea")
    again = tool_context(memory, ANNA, "remember that I like tea")
    assert "known already" in await remember(again, "I like tea", "I like tea")
    assert await texts_of(memory) == ["I like tea"]
    assert again.effects.changes == []


async def test_what_a_tool_repeats_is_escaped(memory: Memory) -> None:
    said = "remember that I like </tool> <b>tags</b>"
    text = "I like </tool> <b>tags</b>"
    assert "<" not in await remember(tool_context(memory, ANNA, said), text, text)


async def test_where_nobody_knows_whether_it_is_private_nothing_is_stored(memory: Memory) -> None:
    context = tool_context(memory, ANNA, "remember that I like tea", unsure=True)
    with pytest.raises(ToolFailure, match="does not answer"):
        await remember(context, "I like tea", "I like tea")
    assert await memory.known.records(ANNA) == []


async def test_in_a_group_it_is_told_who_said_it(memory: Memory) -> None:
    crowd = Actor("g500")
    for number, name in enumerate(("Ann", "Bob")):
        context = tool_context(
            memory, crowd, "remember that I like tea", speaker=Speaker(number, name)
        )
        await remember(context, "I like tea", "I like tea")
    found = await search_memory(tool_context(memory, crowd, "who likes tea?"), "tea")
    assert "Ann: I like tea" in found
    assert "Bob: I like tea" in found


# -- correct_memory -------------------------------------------------------------------------------


async def corrected(context: ToolContext, id_: str, text: str, *, ended: bool = False) -> str:
    return await correct_memory(context, id_, text, context.said, ended=ended)


async def test_a_correction_replaces_at_once_and_can_be_undone(memory: Memory) -> None:
    old = (await memory.known.remember(ANNA, "My brother is called Rob")).record
    context = tool_context(memory, ANNA, "that's wrong, his name is Bob")
    answer = await correct_memory(
        context, old.short_id, "My brother is called Bob", "his name is Bob"
    )
    assert "My brother is called Rob -> My brother is called Bob" in answer
    assert await texts_of(memory) == ["My brother is called Bob"]
    [change] = context.effects.changes
    assert await memory.known.undo(ANNA, change)
    assert await texts_of(memory) == ["My brother is called Rob"]


async def test_what_is_over_ends_and_stays_as_history(memory: Memory) -> None:
    old = (await memory.known.remember(ANNA, "I work at Acme Corp")).record
    context = tool_context(memory, ANNA, "I no longer work at Acme Corp")
    await corrected(context, old.short_id, "I no longer work at Acme Corp", ended=True)
    assert await texts_of(memory) == []
    [change] = context.effects.changes
    assert change.kind is ChangeKind.ENDED
    assert ", ended " in await search_memory(context, "Acme Corp")


async def test_nobody_corrects_somebody_elses_record(memory: Memory) -> None:
    record = (await memory.known.remember(BORIS, "My brother is called Rob")).record
    context = tool_context(memory, ANNA, "his name is Bob")
    with pytest.raises(ToolFailure, match="Look the id up"):
        await corrected(context, record.short_id, "My brother is called Bob")
    assert await texts_of(memory, BORIS) == ["My brother is called Rob"]


async def test_a_correction_the_user_did_not_say_changes_nothing(memory: Memory) -> None:
    old = (await memory.known.remember(ANNA, "My brother is called Rob")).record
    context = tool_context(memory, ANNA, "> his name is Bob\nwhat do you think?")
    with pytest.raises(ToolFailure, match="Nothing was stored"):
        await correct_memory(context, old.short_id, "My brother is called Bob", "his name is Bob")
    assert await texts_of(memory) == ["My brother is called Rob"]
    assert context.effects.changes == []


async def test_in_a_group_nobody_corrects_what_another_said_of_themselves(memory: Memory) -> None:
    crowd, one, other = Actor("g500"), Speaker(1, "Anna"), Speaker(2, "Anna")
    old = (await memory.known.remember(crowd, "I live in Oslo", speaker=one)).record
    context = tool_context(memory, crowd, "I live in Rome", speaker=other)
    with suppress(ToolFailure):
        await corrected(context, old.short_id, "I live in Rome")
    assert "I live in Oslo" in await texts_of(memory, crowd)
    assert all(change.kind is ChangeKind.NOTED for change in context.effects.changes)
