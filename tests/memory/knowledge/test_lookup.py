"""What a person means by a few words."""

from memory.knowledge.lookup import find_meant
from memory.memory import Memory
from memory.records import Actor, Place, Role, ToolUse, Utterance
from memory.understanding import Extraction, Reading
from tests.fakes.extractors import EverySentence
from tests.fakes.memories import NOON, open_memory

ANNA, PLACE = Actor.person(1), Place("telegram", 1)


async def say(memory: Memory, said: str, answer: str = "I see.", *tools: ToolUse) -> None:
    turn = [Utterance(Role.USER, said, NOON), Utterance(Role.ASSISTANT, answer, NOON)]
    await memory.talk.record(ANNA, PLACE, turn, tools)


async def meant(memory: Memory, text: str) -> list[str]:
    found = await find_meant(memory.known, ANNA, text, NOON, 8)
    return [record.text for record in found.records]


async def test_what_was_said_is_meant_and_neither_questions_nor_answers() -> None:
    async with open_memory() as memory:
        await say(memory, "Rex is my dog", "Rex is a fine name.")
        await say(memory, "What do you know about Rex?", "Rex is your dog.")
        assert await meant(memory, "Rex") == ["Rex is my dog"]


async def test_what_is_said_beside_a_question_is_meant_too() -> None:
    async with open_memory() as memory:
        await say(memory, "Rex is my dog. What do dogs eat?")
        await say(memory, "Where is Rex?\nAnd is Rex well?")
        assert await meant(memory, "Rex") == ["Rex is my dog. What do dogs eat?"]


async def test_questions_and_answers_go_along_and_all_else_stays() -> None:
    async with open_memory() as memory:
        await say(memory, "Rex is my dog", "Rex is a fine name.")
        await say(memory, "I drive a Volvo")
        await say(memory, "What do you know about Rex?", "Rex is your dog.")
        found = await find_meant(memory.known, ANNA, "Rex", NOON, 8)
        [record] = found.records
        await memory.known.forget(ANNA, record, found.along)
        history = await memory.talk.recall(ANNA, PLACE, "?")
        assert [m.text for m in history.messages] == ["I drive a Volvo", "I see."]


async def test_a_turn_whose_tools_told_it_is_forgotten_with_it() -> None:
    async with open_memory() as memory:
        record = (await memory.known.remember(ANNA, "Rex is my dog")).record
        search = ToolUse("search_memory", '{"query": "*"}', "- [fact f1, 2026-11-21] Rex is my dog")
        await say(memory, "What do you know?", "This and that.", search)
        await memory.known.forget(ANNA, record)
        assert (await memory.talk.recall(ANNA, PLACE, "?")).messages == ()


async def test_a_statement_beside_tools_that_told_it_is_learned_all_the_same() -> None:
    async with open_memory(extractor=EverySentence()) as memory:
        record = (await memory.known.remember(ANNA, "Rex is my dog")).record
        search = ToolUse("search_memory", '{"query": "*"}', "- [fact f1, 2026-11-21] Rex is my dog")
        await say(memory, "I drive a Volvo", "A fine car.", search)
        await memory.known.forget(ANNA, record)
        history = await memory.talk.recall(ANNA, PLACE, "?")
        assert [m.text for m in history.messages] == ["I drive a Volvo", "A fine car."]
        again = (await memory.known.remember(ANNA, "Rex is my dog")).record
        going = await memory.known.would_forget(ANNA, again)
        assert going.silenced == (), "the session holds nothing of it any more"
        await memory.talk.end(ANNA, PLACE, "new")
        await memory.settle()
        assert "I drive a Volvo" in [one.text for one in await memory.known.records(ANNA)]


async def test_a_turn_that_asked_to_forget_it_goes_along() -> None:
    async with open_memory() as memory:
        record = (await memory.known.remember(ANNA, "Rex is my dog")).record
        candidates = ToolUse("forget_memory", '{"query": "Rex"}', "1. Rex is my dog")
        turn = [Utterance(Role.USER, "forget Rex", NOON), Utterance(Role.ASSISTANT, "Which?", NOON)]
        await memory.talk.record(ANNA, PLACE, turn, [candidates], kept=False)
        await memory.known.forget(ANNA, record)
        assert (await memory.talk.recall(ANNA, PLACE, "?")).messages == ()


async def test_a_summary_with_the_name_among_its_topics_alone_goes_along() -> None:
    class Topical(EverySentence):
        async def extract(self, reading: Reading) -> Extraction:
            return Extraction(summary="You talked.", topics=("Ines", "the harp"))

    async with open_memory(extractor=Topical()) as memory:
        await say(memory, "Do you remember Ines?")
        await memory.talk.end(ANNA, PLACE, "new")
        await memory.settle()
        await say(memory, "My tutor is Ines")
        found = await find_meant(memory.known, ANNA, "Ines", NOON, 8)
        [record] = found.records
        await memory.known.forget(ANNA, record, found.along)
        assert await memory.known.records(ANNA) == []
