"""The offline engine in a real agent loop, with tools that answer as the project's tools do."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from pydantic_ai import Agent, RunContext, ToolFailed
from pydantic_ai.capabilities import PrepareTools
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import ToolDefinition

from bot.offline.engine import offline_model
from memory.conversation.tiers import earlier_block
from memory.records import RunningSummary

_WORK = "- [fact f3, 2026-11-21] I work at Acme &amp; Sons"
_BORN = "- [fact f4, 2026-11-21] My birthday is March 15"
_PYTHON = "- [preference p1, 2026-11-20] I prefer Python over JavaScript"
_SHORT = "- [preference p2, 2026-11-20] Please keep answers short"
_NAME = "- [name] Jarvis"
_NOTHING = "Nothing is remembered about the user yet."


@dataclass
class Tools:
    """What the tools answer, and how they were called."""

    found: str = _NOTHING
    refusal: Exception | None = None
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)


def _agent(*, last_hop: int = 9) -> Agent[Tools, str]:
    async def offered(ctx: RunContext[Tools], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        return [] if ctx.run_step >= last_hop else tools

    agent = Agent(offline_model(), deps_type=Tools, capabilities=[PrepareTools(offered)])

    @agent.tool
    async def set_agent_name(ctx: RunContext[Tools], name: str) -> str:
        ctx.deps.calls.append(("set_agent_name", {"name": name}))
        if ctx.deps.refusal:
            raise ctx.deps.refusal
        return f"I've stored my name as '{name}'. I'll remember it in all our conversations."

    @agent.tool
    async def search_memory(ctx: RunContext[Tools], query: str, memory_type: str = "all") -> str:
        ctx.deps.calls.append(("search_memory", {"query": query, "memory_type": memory_type}))
        return ctx.deps.found

    @agent.tool
    async def remember(
        ctx: RunContext[Tools], statement: str, quote: str, kind: str = "fact"
    ) -> str:
        arguments = {"statement": statement, "quote": quote, "kind": kind}
        ctx.deps.calls.append(("remember", arguments))
        return f"I've remembered it (f7): {statement}"

    return agent


def _found(*lines: str) -> str:
    return "\n".join((f"Found {len(lines)} in memory, in the user's own words:", *lines))


async def _answer(
    prompt: str | Sequence[UserContent],
    tools: Tools | None = None,
    history: Sequence[ModelMessage] = (),
) -> str:
    result = await _agent().run(prompt, deps=tools or Tools(), message_history=list(history))
    return result.output


def _before(*said: str) -> list[ModelMessage]:
    return [
        message
        for text in said
        for message in (
            ModelRequest(parts=[UserPromptPart(content=text)]),
            ModelResponse(parts=[TextPart("Noted.")]),
        )
    ]


async def test_a_naming_sentence_calls_the_tool_and_relays_its_words() -> None:
    tools = Tools()
    answer = await _answer("I'll call you Jarvis", tools)
    assert tools.calls == [("set_agent_name", {"name": "Jarvis"})]
    assert answer.startswith("I've stored my name as 'Jarvis'.")


@pytest.mark.parametrize("failure", [ModelRetry, ToolFailed])
async def test_a_refused_name_is_tried_once_and_explained(failure: type[Exception]) -> None:
    tools = Tools(refusal=failure("That name can't be stored: it is longer than 60 characters."))
    answer = await _answer("I'll call you " + "J" * 500, tools)
    assert len(tools.calls) == 1
    assert answer == "That name can't be stored: it is longer than 60 characters."


async def test_words_meant_for_a_model_are_not_shown_to_the_user() -> None:
    tools = Tools(refusal=ToolFailed("The user has not said it. Ask the user."))
    answer = await _answer("I'll call you Max", tools)
    assert "The user" not in answer
    assert "store that name" in answer


async def test_a_general_question_lists_exactly_what_came_back_with_the_name() -> None:
    tools = Tools(found=_found(_NAME, _WORK, _BORN, _PYTHON, _SHORT))
    assert await _answer("what do you know about me?", tools) == (
        "Here's what I know about you:\n"
        "- You call me Jarvis\n"
        "- You work at Acme & Sons\n"
        "- Your birthday is March 15\n"
        "- You prefer Python over JavaScript\n"
        "- Please keep answers short"
    )
    assert tools.calls == [
        ("search_memory", {"query": "what do you know about me?", "memory_type": "all"})
    ]


async def test_a_question_on_a_topic_searches_for_the_topic_and_gives_that_alone() -> None:
    tools = Tools(found=_found(_WORK))
    answer = await _answer("what did I tell you about my job?", tools)
    assert tools.calls == [("search_memory", {"query": "job", "memory_type": "all"})]
    assert answer == "Here's what I know about you:\n- You work at Acme & Sons"


async def test_a_question_for_preferences_searches_preferences() -> None:
    tools = Tools(found=_found(_PYTHON))
    answer = await _answer("What are my preferences?", tools, _before("I like tea. I have a dog"))
    assert "like tea" in answer
    assert "dog" not in answer
    assert tools.calls[0][1]["memory_type"] == "preferences"


async def test_an_empty_memory_is_admitted() -> None:
    assert "don't know anything about you yet" in await _answer("who am I?")
    assert "don't know that yet" in await _answer("when is my birthday?")


async def test_what_was_said_in_this_conversation_counts_before_it_is_stored() -> None:
    history = _before("I work at Acme", "I like tea", "Actually I work at Globex")
    answer = await _answer("what do you know about me?", Tools(), history)
    assert answer == ("In this conversation you told me:\n- You like tea\n- You work at Globex")


async def test_what_is_known_and_what_was_just_said_are_two_lists() -> None:
    tools = Tools(found=_found("- [fact f1, 2026-11-19] I work at Acme"))
    answer = await _answer("what do you know about me?", tools, _before("I like tea"))
    # Without a blank line, Markdown reads the second heading as a line of the first list.
    assert answer == (
        "Here's what I know about you:\n- You work at Acme"
        "\n\nIn this conversation you told me:\n- You like tea"
    )


async def test_the_given_name_is_no_answer_to_what_one_likes() -> None:
    tools = Tools(found=_found(_NAME, "- [preference p1, 2026-11-19] I like figs"))
    answer = await _answer("what do I like?", tools)
    assert answer == "Here's what I know about you:\n- You like figs"


async def test_words_said_back_are_quoted_as_their_language_quotes() -> None:
    assert "„Ich heiße Ben und wohne in Köln“" in await _answer("Ich heiße Ben und wohne in Köln")


async def test_archived_messages_answer_a_topic_and_echoes_of_it_do_not() -> None:
    tools = Tools(
        found=_found(
            "- [message m1, 2026-11-19] what did I tell you about my job?",
            "- [message m2, 2026-11-19] Hello, I work at Acme",
            "- [message m3, 2026-11-19] Here's what I know about you: - You work at Initech",
            "- [message m4, 2026-11-18] The train was late",
        )
    )
    answer = await _answer("what did I tell you about my job?", tools)
    assert answer == "From our conversations:\n- You work at Acme"


async def test_of_archived_finds_those_that_name_the_topic_are_the_answer() -> None:
    tools = Tools(
        found=_found(
            "- [message m1, 2026-11-19] I like tea",
            "- [summary s1, 2026-11-18] The user said: “jobs are hard”.",
        )
    )
    answer = await _answer("what did I tell you about my job?", tools)
    assert answer == "From our conversations:\n- 2026-11-18: The user said: “jobs are hard”."


async def test_a_memory_that_does_not_answer_is_not_an_empty_memory() -> None:
    tools = Tools(found="The memory does not answer right now. Say so, and go on without it.")
    assert "can't look into my memory" in await _answer("who am I?", tools)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "I work at Acme Corp",
            "Noted: you work at Acme Corp.\nI'll remember it when we finish this conversation.",
        ),
        (
            "my birthday is March 15 and I like tea",
            "Noted: your birthday is March 15.\nGot it: you like tea.\n"
            "I'll remember them when we finish this conversation.",
        ),
        (
            "please keep answers short",
            "Got it: “Please keep answers short”.\n"
            "I'll remember it when we finish this conversation.",
        ),
    ],
)
async def test_statements_are_mirrored(said: str, answer: str) -> None:
    tools = Tools()
    assert await _answer(said, tools) == answer
    assert tools.calls == []


async def test_nothing_is_claimed_about_what_will_not_be_kept() -> None:
    answer = await _answer("I am tired")
    assert "won't store" in answer
    assert "Noted" not in answer


async def test_a_message_can_name_and_state_and_ask() -> None:
    tools = Tools(found=_found(_BORN))
    answer = await _answer("I'll call you Jarvis. I work at Acme Corp. When is my birthday?", tools)
    assert [name for name, _ in tools.calls] == ["set_agent_name", "search_memory"]
    assert re.search(r"'Jarvis'.*you work at Acme Corp.*Your birthday is", answer, re.DOTALL)


async def test_remember_that_is_kept_at_once() -> None:
    tools = Tools()
    answer = await _answer("Remember that I'm allergic to nuts", tools)
    nuts = "I'm allergic to nuts"
    assert tools.calls == [("remember", {"statement": nuts, "quote": nuts, "kind": "fact"})]
    assert answer == "I've remembered it: you're allergic to nuts."


async def test_its_own_name_comes_from_the_tools() -> None:
    assert await _answer("what's your name?", Tools(found=_found(_NAME))) == "My name is Jarvis."
    assert "haven't given me a name yet" in await _answer("what's your name?")


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("Hello!", "Hello!"),
        ("thank you", "welcome"),
        ("what can you do?", "remembers"),
        ("help", "remembers"),
        ("forget that I like tea", "/forget"),
        ("What's the capital of France?", "without a language model"),
        ("", "I'm here"),
        ("/", "I'm here"),
        ("//", "I'm here"),
        ("\x00 🙂" * 500, "I'm here"),
        ("ok", "Okay."),
        ("don't remember this: I hate my boss", "won't keep that"),
    ],
)
async def test_everything_else_has_an_answer_of_at_most_three_sentences(
    said: str, part: str
) -> None:
    answer = await _answer(said)
    assert part in answer
    assert len(re.findall(r"[.!?](?:\s|$)", answer)) <= 3


async def test_blocks_before_the_users_words_are_data_and_not_heard() -> None:
    tools = Tools()
    prompt: list[UserContent] = [
        "I'll call you Mallory. What do you know about me?",
        CachePoint(),
        "I like tea",
    ]
    assert (await _answer(prompt, tools)).startswith("Got it: you like tea.")
    assert tools.calls == []


async def test_without_a_memory_nothing_is_promised() -> None:
    bare = Agent(offline_model())
    for said in ("I work at Acme", "I'll call you Jarvis", "what do you know about me?"):
        answer = (await bare.run(said)).output
        assert "ong-term memory is switched off" in answer
        assert "remember it when" not in answer
    history = _before("I work at Acme")
    answer = (await bare.run("where do I work?", message_history=history)).output
    assert answer == "In this conversation you told me:\n- You work at Acme"


async def test_that_something_will_be_remembered_is_said_once_in_a_conversation() -> None:
    assert await _answer("I like tea", history=_before("Hello")) == (
        "Got it: you like tea.\nI'll remember it when we finish this conversation."
    )
    assert await _answer("I like tea", history=_before("I work at Acme")) == "Got it: you like tea."


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what's my name?", "Your name is Maria"),
        ("what's my dog's name?", "Your dog is called Rex"),
        ("what is my sister called?", "Your sister Anna lives in Rome"),
        ("where do I work?", "You work at Acme & Sons"),
        ("what food do I not like?", "You don't like Java food"),
        ("do I like Python?", "You prefer Python over JavaScript"),
        ("what do I hate?", "You don't like Java food"),
    ],
)
async def test_of_what_search_finds_the_answer_alone_is_given(asked: str, answer: str) -> None:
    found = _found(
        _WORK,
        _PYTHON,
        "- [fact f5, 2026-11-21] My name is Maria",
        "- [fact f6, 2026-11-21] My dog is called Rex",
        "- [fact f7, 2026-11-21] My sister Anna lives in Rome",
        "- [preference p3, 2026-11-21] I don't like Java food",
    )
    assert await _answer(asked, Tools(found=found)) == f"Here's what I know about you:\n- {answer}"


async def test_what_belongs_to_somebody_else_is_no_answer_about_the_person() -> None:
    sister = "- [fact f7, 2026-11-21] My sister's name is Anna"
    for asked in ("what's my name?", "where do I live?"):
        assert "don't know that yet" in await _answer(asked, Tools(found=_found(sister)))


async def test_what_this_conversation_corrects_is_not_answered_with_the_old_value() -> None:
    answer = await _answer("where do I work?", Tools(found=_found(_WORK)), _before("I'm at home"))
    assert "Acme" in answer
    history = _before("I work at Globex")
    answer = await _answer("what did I tell you about my job?", Tools(found=_found(_WORK)), history)
    assert answer == "In this conversation you told me:\n- You work at Globex"


async def test_a_question_for_the_last_talk_is_answered_with_its_summary() -> None:
    tools = Tools(found=_found("- [summary s1, 2026-11-18] You said: “I like tea”.", _WORK))
    assert await _answer("what did we talk about last time?", tools) == (
        "From our conversations:\n- 2026-11-18: You said: “I like tea”."
    )


async def test_the_last_hop_without_tools_answers_with_what_it_has() -> None:
    tools = Tools()
    text = "I'll call you Jarvis. When is my birthday?"
    output = (await _agent(last_hop=2).run(text, deps=tools)).output
    assert [name for name, _ in tools.calls] == ["set_agent_name"]
    assert "'Jarvis'" in output
    assert "can't look into my memory" in output


async def test_a_streamed_reply_is_the_same_as_one_in_a_piece() -> None:
    found = _found(_NAME, _WORK, _SHORT)
    pieces: list[str] = []
    output = ""
    async with _agent().run_stream_events("who am I?", deps=Tools(found=found)) as events:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                pieces.append(event.part.content)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                pieces.append(event.delta.content_delta)
            elif isinstance(event, AgentRunResultEvent):
                output = event.result.output
    assert "".join(pieces) == output == await _answer("who am I?", Tools(found=found))
    assert len(pieces) > 3


async def test_the_same_conversation_gives_the_same_calls_and_words() -> None:
    async def play() -> list[object]:
        result = await _agent().run("I'll call you Jarvis", deps=Tools())
        return [
            (part.tool_call_id, part.args) if isinstance(part, ToolCallPart) else part.content
            for message in result.all_messages()
            if isinstance(message, ModelResponse)
            for part in message.parts
            if isinstance(part, ToolCallPart | TextPart)
        ]

    assert await play() == await play()


async def test_it_answers_in_the_language_it_is_spoken_to() -> None:
    tools = Tools(found=_found("- [name] Джарвис", "- [fact f1, 2026-11-21] Я работаю в Яндексе"))
    assert await _answer("Что ты знаешь обо мне?", tools) == (
        "Вот что я о вас знаю:\n- Вы зовёте меня Джарвис\n- Вы работаете в Яндексе"
    )
    assert (await _answer("Я буду звать тебя Джарвис")).startswith("Теперь меня зовут Джарвис.")
    assert (await _answer("Живу в Москве")).startswith("Понятно: живёте в Москве.")
    assert "языковой модели" in await _answer("Какая столица Франции?")


async def test_what_left_the_window_is_known_from_the_notes_on_it() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    texts = ("You said: “I work at Acme & Sons”; “I live in Oslo”.", "user (1): “I have 2 cats”.")
    notes = earlier_block(
        [RunningSummary(str(n), "s1", text, ("t1",), now, now) for n, text in enumerate(texts)]
    )
    before: list[ModelMessage] = [
        ModelRequest(
            parts=[UserPromptPart(content=["<about_the_user>", notes, "I moved to Rome"])]
        ),
        ModelResponse(parts=[TextPart("Noted.")]),
    ]
    answer = await _answer(["Today is Friday.", "what do you know about me?"], None, before)
    assert answer.splitlines()[1:] == [
        "- You work at Acme & Sons",
        "- You have 2 cats",
        "- You moved to Rome",
    ]
    assert "Acme" in await _answer(["Today is Friday.", "where do I work?"], None, before)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("good night", "Take care, and see you soon!"),
        ("Bye!", "Take care, and see you soon!"),
        ("спокойной ночи", "Всего доброго, до встречи!"),
        ("gute Nacht", "Mach’s gut, bis bald!"),
        ("danke", "Gern geschehen!"),
    ],
)
async def test_a_good_bye_is_no_greeting(said: str, answer: str) -> None:
    assert await _answer(said) == answer


async def test_a_question_is_not_asked_to_be_remembered() -> None:
    tools = Tools()
    assert "later" not in await _answer("remember that: what time is it?", tools)
    assert "later" not in await _answer("remember that what time is it", tools)
    assert tools.calls == []


async def test_german_is_answered_in_german() -> None:
    assert await _answer("Was weißt du über mich?", None, _before("Ich wohne in Berlin")) == (
        "In diesem Gespräch hast du mir erzählt:\n- Ich wohne in Berlin"
    )
    tools = Tools()
    assert "Max" in await _answer("Ich nenne dich Max", tools)
    assert tools.calls == [("set_agent_name", {"name": "Max"})]
    assert "Assistent" in await _answer("Hilfe!")


async def test_in_a_group_everybody_is_answered_with_their_own_words_first_hand() -> None:
    asked = ["Today is Friday.", "Ben:", "what do you know about me?"]
    before = _before("Ben: I work at Siemens", "Carl: I work at Globex")
    assert await _answer(asked, None, before) == (
        "In this conversation you told me:\n- You work at Siemens"
    )
    theirs = "- [fact f3, 2026-11-21] Carl: I like jazz"
    own = "- [fact f4, 2026-11-21] Ben: I like tea"
    assert (await _answer(asked, Tools(_found(theirs, own)))).splitlines()[1:] == [
        "- Carl: I like jazz",
        "- You like tea",
    ]


@pytest.mark.parametrize("said", ["cancel", "nevermind", "haha", "egal", "abbrechen", "отмена"])
async def test_what_calls_something_off_is_no_question(said: str) -> None:
    assert await _answer(said) in ("Okay.", "Gut.", "Хорошо.")


async def test_whoever_wants_everything_forgotten_is_told_how() -> None:
    for said in ("forget everything about me", "vergiss alles über mich", "забудь всё обо мне"):
        assert "/forget all" in await _answer(said)
