"""Which messages point back, in which languages, and how much of the window each is shown with."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation.window import FEW_TURNS, points_back, turns_to_show
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Place, Role, Utterance
from tests.fakes.extractors import EverySentence
from tests.fakes.files import journal_in
from tests.fakes.memories import NOON
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood


@pytest.mark.parametrize(
    "text",
    [
        "continue",
        "Continue, please.",
        "go on!",
        "Tell me more",
        "And then?",
        "as before",
        "Do it as before, please",
        "what did you just say?",
        "What did you say about the roses?",
        "use the list from earlier",
        "What was the name of that wine, earlier?",
        "Let’s go back to the budget",
        "продолжай",
        "а дальше?",
        "что ты только что сказал?",
        "сделай как раньше",
        "вернемся к бюджету",
        "continúa",
        "¿Qué acabas de decir?",
        "hazlo como antes",
        "CONTINUA",
        "weiter",
        "wie vorhin",
        "Was hast du gerade gesagt?",
        "continua pure",
        "Cosa hai detto?",
        "come prima",
        "continue, por favor",
        "O que você disse?",
        "faça como antes e como dantes",
        "comme avant",
        "Qu'est-ce que tu viens de dire ?",
        "repete, por favor",
        "जारी रखो",
        "तुमने अभी क्या कहा?",
        "पहले की तरह करो",
        "继续",
        "继续。",
        "你刚才说什么？",
        "跟之前一样",
        "続けて",
        "さっきの話ですが",
        "아까 뭐라고 했어?",
        "ماذا قلت؟",
        "devam et",
        "ga verder",
        "mów dalej",
    ],
)
def test_a_message_points_back_in_any_of_many_languages(text: str) -> None:
    assert points_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "!?",
        "thanks!",
        "What's the weather like?",
        "I want to continue my studies next year",
        "I've never been there before",
        "I get up earlier than you",
        "I should get up earlier",
        "I need more flour",
        "Tell me a joke",
        "how do I bake bread?",
        "Хочу продолжить учёбу",
        "спасибо",
        "Я люблю кофе",
        "До отпуска ещё две недели",
        "Quiero continuar mis estudios",
        "gracias",
        "Wie geht es dir?",
        "Das Hotel liegt weiter im Norden",
        "Ciao, come stai?",
        "Vorrei continuare gli studi",
        "Bom dia",
        "Bonjour, ça va ?",
        "Tu viens de Lyon ?",
        "मुझे चाय पसंद है",
        "नमस्ते",
        "我喜欢喝茶",
        "睡觉之前我看书",
        "你好",
        "こんにちは",
        "비가 계속 와요",
        "صباح الخير",
    ],
)
def test_an_ordinary_message_does_not(text: str) -> None:
    assert not points_back(text)


def test_a_message_that_points_back_is_shown_with_every_turn_and_another_with_a_few() -> None:
    assert turns_to_show("as before", 10) == 10
    assert turns_to_show("Tell me a joke", 10) == FEW_TURNS


@given(st.text(), st.integers(0, 50))
def test_no_text_is_shown_with_more_turns_than_there_are(text: str, turns: int) -> None:
    shown = turns_to_show(text, turns)
    assert min(turns, FEW_TURNS) <= shown <= turns


@given(st.text())
def test_case_does_not_matter(text: str) -> None:
    assert points_back(f"{text}, as before") == points_back(f"{text}, AS BEFORE")


ANNA, HERE = Actor.person(1), Place("telegram", 1)


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    """A memory with an adaptive window."""
    options = MemoryOptions(adaptive_window=True, memory_recall_timeout_seconds=30)
    with ThreadPoolExecutor(1) as pool:
        async with (
            journal_in(":memory:", pool) as journal,
            Memory(
                TemporaryStore(), journal, understood(EverySentence()), options, lambda: NOON
            ) as memory,
        ):
            yield memory


async def shown(memory: Memory, text: str) -> list[str]:
    """What of the window goes to the model with this text."""
    return [message.text for message in (await memory.talk.recall(ANNA, HERE, text)).messages]


async def test_only_what_is_shown_is_narrowed_and_never_what_is_kept(memory: Memory) -> None:
    said = [(f"question {n}", f"answer {n}") for n in range(6)]
    for question, answer in said:
        await memory.talk.record(
            ANNA,
            HERE,
            [Utterance(Role.USER, question, NOON), Utterance(Role.ASSISTANT, answer, NOON)],
        )
    everything = [text for turn in said for text in turn]
    assert await shown(memory, "Tell me a joke") == everything[-2 * FEW_TURNS :]
    assert await shown(memory, "as before") == everything
    assert await shown(memory, "Tell me another joke") == everything[-2 * FEW_TURNS :]
    assert len((await memory.talk.tiers(ANNA)).active) == len(said)


async def test_whole_turns_are_shown_however_many_messages_they_have(memory: Memory) -> None:
    burst = [Utterance(Role.USER, f"part {n}", NOON) for n in range(3)]
    for _ in range(FEW_TURNS + 1):
        await memory.talk.record(ANNA, HERE, [*burst, Utterance(Role.ASSISTANT, "all read", NOON)])
    assert await shown(memory, "hello") == [*["part 0", "part 1", "part 2", "all read"] * FEW_TURNS]
