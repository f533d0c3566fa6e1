"""The conversation with models behind HTTP: what servers really do, on a real socket."""

import socket
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import structlog
from structlog.typing import EventDict

from bot.assistant import failures
from bot.assistant.agent import TurnLimits
from bot.assistant.conversation import Conversation
from bot.assistant.events import Event, Reply, TextDelta, ToolCalled
from bot.assistant.instructions import Persona, system_prompt
from bot.models.catalogue import ModelAccess, model_from_name
from memory.memory import Memory
from memory.records import Actor, Place
from tests.fakes.memories import NOON, open_memory
from tests.fakes.messages import is_answer, is_failure, message
from tests.fakes.openai_server import Completion, OpenAIServer, calling, refusing, text

ANNA, HOME = Actor.person(1), Place("telegram", 1)
PERSONA = system_prompt(Persona(identity="You are a test."))
SEARCH = '{"name": "search_memory", "arguments": {"query": "*"}}'


class Talk:
    """A conversation with a server, and what came of it."""

    def __init__(self, server: OpenAIServer, memory: Memory, limits: TurnLimits) -> None:
        self.server, self.memory, self.limits = server, memory, limits
        self.access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        self.model = "openai:small"
        self.logs: list[EventDict] = []

    async def say(self, words: str) -> list[Event]:
        async with model_from_name(self.model, self.access) as model:
            talk = Conversation(model, self.memory, PERSONA, self.limits, lambda: NOON)
            with structlog.testing.capture_logs() as self.logs:
                return [
                    event
                    async for event in talk.reply(
                        message(uuid.uuid4().hex, ANNA, HOME, words, NOON)
                    )
                ]

    async def answer(self, words: str = "Hi") -> str:
        last = (await self.say(words))[-1]
        assert is_answer(last), last
        return last.text

    async def failure(self, words: str = "Hi") -> str:
        """The user's sentence of a turn that must fail and leave nothing behind."""
        last = (await self.say(words))[-1]
        assert is_failure(last), last
        history = await self.memory.talk.recall(ANNA, HOME, "?")
        assert history.messages == ()
        return last.text

    @property
    def log(self) -> EventDict:
        (line,) = [entry for entry in self.logs if entry["event"] == "turn_failed"]
        return line


@asynccontextmanager
async def talking(*replies: Completion, limits: TurnLimits | None = None) -> AsyncIterator[Talk]:
    async with OpenAIServer() as server, open_memory() as memory:
        server.script(*replies)
        yield Talk(server, memory, limits or TurnLimits())
        assert server.refused == []


async def test_an_answer_streams_from_a_server() -> None:
    async with talking(Completion(("Hel", "lo", "."), pause=0.1)) as talk:
        events = await talk.say("Hi")
        (request,) = talk.server.requests
    assert [e.text for e in events if isinstance(e, TextDelta)] == ["Hel", "lo", "."]
    finished = events[-1]
    assert is_answer(finished)
    assert finished.text == "Hello."
    (line,) = [entry for entry in talk.logs if entry["event"] == "turn"]
    assert (line["input_tokens"], line["output_tokens"]) == (90, 10)
    assert request["stream"] is True
    assert request["max_completion_tokens" if "max_completion_tokens" in request else "max_tokens"]
    assert request["messages"][0] == {"role": "system", "content": PERSONA}


@pytest.mark.parametrize("name", ["small", "gpt-4.1-mini"])
async def test_a_model_on_a_server_of_one_s_own_has_no_known_price(name: str) -> None:
    async with talking(text("Hello.")) as talk:
        talk.model = f"openai:{name}"
        await talk.answer()
        (line,) = [entry for entry in talk.logs if entry["event"] == "turn"]
    assert (line["model"], line["input_tokens"], line["cost_usd"]) == (name, 90, None)


async def test_tool_arguments_in_fragments_make_one_call() -> None:
    naming = calling("set_agent_name", "", '{"na', 'me": "Jar', 'vis"}')
    async with talking(naming, text("Jarvis it is.")) as talk:
        events = await talk.say("I'll call you Jarvis")
        assert (await talk.memory.choices.read(ANNA)).agent_name == "Jarvis"
    assert ToolCalled("set_agent_name") in events
    assert is_answer(events[-1])


@pytest.mark.parametrize(
    "pieces",
    [
        (SEARCH,),
        tuple(SEARCH),
        ("```js", "on\n", SEARCH, "\n```"),
        ("<tool", "_call>", SEARCH, "</tool_call>"),
    ],
)
async def test_a_tool_call_written_as_text_is_made_and_never_shown(pieces: tuple[str, ...]) -> None:
    async with talking(text(*pieces), text("Nothing yet.")) as talk:
        events = await talk.say("what do you know?")
        second = talk.server.requests[1]["messages"]
    assert [e.text for e in events if isinstance(e, TextDelta)] == ["Nothing yet."]
    assert ToolCalled("search_memory") in events
    assert second[-1]["role"] == "tool"
    assert "Nothing is remembered" in second[-1]["content"]


async def test_a_server_that_breaks_on_tools_is_asked_again_without_them() -> None:
    broken = Completion(
        status=500,
        message="The model output does not match the expected peg-native format",
        with_tools_only=True,
        otherwise=text("Hello anyway."),
    )
    async with talking(broken) as talk:
        assert await talk.answer() == "Hello anyway."
        with_tools, without = talk.server.requests
    assert "tools" in with_tools
    assert "tools" not in without
    assert "tool_choice" not in without


@pytest.mark.parametrize("shown", [(), ("Well, ",)])
async def test_a_server_that_breaks_on_tools_in_mid_stream_is_asked_again_too(
    shown: tuple[str, ...],
) -> None:
    broken = Completion(
        shown,
        error_inside="The model output does not match the expected peg-native format",
        with_tools_only=True,
        otherwise=text("Hello anyway."),
    )
    async with talking(broken) as talk:
        events = await talk.say("Hi")
        assert is_answer(events[-1])
        assert events[-1].text == ("Well, \n\nHello anyway." if shown else "Hello anyway.")
        assert events[-1].text == "".join(e.text for e in events if isinstance(e, TextDelta))
        assert ["tools" in request for request in talk.server.requests] == [True, False]


async def test_a_server_that_is_just_broken_is_asked_twice_and_no_more() -> None:
    async with talking(refusing(500, "internal error")) as talk:
        assert await talk.failure() == failures.SERVER_ERROR.user
        assert len(talk.server.requests) == 2
        assert talk.log["status"] == 500


async def test_the_last_request_of_an_endless_caller_declares_no_tools() -> None:
    endless = Completion(
        calls=(("search_memory", ('{"query": "x"}',)),),
        finish="tool_calls",
        with_tools_only=True,
        otherwise=text("I give up."),
    )
    async with talking(endless, limits=TurnLimits(model_max_tool_rounds=2)) as talk:
        assert await talk.answer("loop") == "I give up."
        requests = talk.server.requests
    assert ["tools" in request for request in requests] == [True, True, False]
    # A small model that sees itself calling goes on calling: the results are told in words.
    assert {message["role"] for message in requests[-1]["messages"]} == {"system", "user"}
    assert str(requests[-1]).count("Result of search_memory: ") == 2


async def test_a_call_written_as_text_is_not_shown_even_when_tools_are_over() -> None:
    async with talking(text(SEARCH), limits=TurnLimits(model_max_tool_rounds=1)) as talk:
        events = await talk.say("loop")
    assert not [event for event in events if isinstance(event, TextDelta)]
    assert is_failure(events[-1])


async def test_an_empty_answer_is_asked_for_again_in_a_form_that_strict_servers_take() -> None:
    async with talking(text(), text("Here I am.")) as talk:
        assert await talk.answer() == "Here I am."
        assert len(talk.server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "expected", "status"),
    [
        (refusing(403, "no access", None), failures.BAD_CREDENTIALS, 403),
        (refusing(404, "The model does not exist", "model_not_found"), failures.UNKNOWN_MODEL, 404),
        (refusing(429, "Rate limit reached", "rate_limit_exceeded"), failures.THROTTLED, 429),
        (refusing(429, "You exceeded your quota", "insufficient_quota"), failures.QUOTA, 429),
        (refusing(400, "request exceeds the available context size"), failures.OVERFLOW, 400),
        (refusing(400, "too long", "context_length_exceeded"), failures.OVERFLOW, 400),
        (refusing(400, "this model does not support tools"), failures.REJECTED, 400),
        (refusing(408, "timeout"), failures.TIMEOUT, 408),
        (refusing(503, "loading model"), failures.SERVER_ERROR, 503),
        (text("Half an ans", finish=None), failures.CUT, None),
        (Completion(("Half an ans",), drop=True), failures.CUT, None),
        (Completion(("Half an ans",), error_inside="overloaded"), failures.SERVER_ERROR, 500),
        (text("I must not", finish="content_filter"), failures.FILTERED, None),
        (Completion(calls=(("remember", ('{"te',)),), finish="length"), failures.TOO_LONG, None),
        (Completion(calls=(("remember", ('{"te',)),), finish=None), failures.CUT, None),
        (text(finish="length"), failures.TOO_LONG, None),
        (text("", " "), failures.NO_ANSWER, None),
    ],
)
async def test_every_failure_is_one_sentence_for_the_user_and_one_line_for_the_operator(
    reply: Completion, expected: failures.Failure, status: int | None
) -> None:
    async with talking(reply) as talk:
        assert await talk.failure("my secret words") == expected.user
        assert (talk.log["kind"], talk.log["status"]) == (expected.kind, status)
        assert talk.log["model"] == "small"
        assert talk.log["remedy"] == expected.remedy
        assert "secret" not in str(talk.logs)


async def test_a_wrong_key_is_told_to_the_operator_without_the_key() -> None:
    async with talking(text("Hello.")) as talk:
        talk.access = ModelAccess(base_url=talk.server.base_url, api_key="wrong-key", attempts=1)
        assert await talk.failure() == failures.BAD_CREDENTIALS.user
        assert talk.log["status"] == 401
        assert "wrong-key" not in str(talk.logs)


async def test_a_server_that_is_not_there_is_told_to_the_operator() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        async with talking() as talk:
            talk.access = ModelAccess(base_url=f"http://127.0.0.1:{port}/v1", attempts=1)
            assert await talk.failure() == failures.UNREACHABLE.user
            assert talk.log["kind"] == "unreachable"


@pytest.mark.parametrize("slow", [Completion(("x",), delay=20), Completion(("x",), stall=20)])
async def test_an_answer_slower_than_the_deadline_is_given_up(slow: Completion) -> None:
    async with talking(slow, limits=TurnLimits(model_timeout_seconds=0.5)) as talk:
        assert await talk.failure() == failures.TIMEOUT.user


async def test_a_throttled_request_is_tried_as_often_as_configured() -> None:
    async with talking(refusing(503, "busy"), text("Now.")) as talk:
        talk.access = ModelAccess(base_url=talk.server.base_url, api_key="right", attempts=1)
        await talk.failure()
        assert len(talk.server.requests) == 1


async def test_an_answer_that_reaches_the_output_limit_is_known_as_interrupted() -> None:
    async with talking(text("This goes on and", finish="length")) as talk:
        reply = (await talk.say("Hi"))[-1]
        assert isinstance(reply, Reply)
        assert (reply.text, reply.interrupted) == ("This goes on and", "output_limit")


async def test_three_turns_keep_the_prefix_byte_for_byte() -> None:
    async with talking(text("Fine.")) as talk:
        await talk.memory.known.remember(ANNA, "I sail a boat named Petra")
        for words in ("Hi", "What about my boat?", "And <system>now</system>?"):
            await talk.answer(words)
        first, second, third = (request["messages"] for request in talk.server.requests)
    # The last message holds what belongs to its turn alone; all before it comes again.
    assert second[: len(first) - 1] == first[:-1]
    assert third[: len(second) - 1] == second[:-1]
    assert third[0] == first[0]
