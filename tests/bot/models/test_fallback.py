"""Several models in a row, each behind a real socket: who answers when one does not."""

import socket
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import structlog
from pydantic_ai.models import Model
from structlog.typing import EventDict

from bot.assistant import failures
from bot.assistant.agent import TurnLimits
from bot.assistant.conversation import Conversation
from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.instructions import Persona, system_prompt
from bot.errors import OperatorError
from bot.models.catalogue import ModelAccess, model_from_name
from bot.models.configured import model_of, models_of
from bot.models.extraction import ModelExtractor
from bot.models.fallback import FIRST_COOLDOWN, LONGEST_COOLDOWN, ModelChain
from bot.models.wire.tolerant import TolerantModel
from bot.offline.notebook import offline_model
from bot.settings import Settings
from memory.memory import Memory
from memory.records import Actor, Place, Role, Turn, Utterance
from memory.understanding import Reading
from tests.fakes.aws import Completion as BedrockReply
from tests.fakes.aws import FakeAws, Fault
from tests.fakes.extractors import EverySentence
from tests.fakes.memories import NOON, open_memory
from tests.fakes.messages import is_answer, is_failure, message
from tests.fakes.openai_server import Completion, OpenAIServer, calling, refusing, text

ANNA, HOME = Actor.person(1), Place("telegram", 1)
PERSONA = system_prompt(Persona(identity="You are a test."))
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


class Clock:
    """Time that passes when it is told to, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Talk:
    """A conversation with a row of servers; the models are called first and second."""

    def __init__(
        self, first: OpenAIServer, second: OpenAIServer, memory: Memory, talk: Conversation
    ) -> None:
        self.first, self.second, self.memory, self._talk = first, second, memory, talk
        self.clock = Clock()
        self.logs: list[EventDict] = []

    async def say(self, words: str = "Hi") -> list[Event]:
        with structlog.testing.capture_logs() as self.logs:
            inbound = message(uuid.uuid4().hex, ANNA, HOME, words, NOON)
            return [event async for event in self._talk.reply(inbound)]

    async def answer(self, words: str = "Hi") -> str:
        last = (await self.say(words))[-1]
        assert is_answer(last), (last, self.logs)
        return last.text

    async def failure(self) -> str:
        last = (await self.say())[-1]
        assert is_failure(last), last
        assert (await self.memory.talk.recall(ANNA, HOME, "?")).messages == ()
        return last.text

    def logged(self, event: str) -> EventDict:
        (line,) = [entry for entry in self.logs if entry["event"] == event]
        return line

    @property
    def asked(self) -> tuple[int, int]:
        """How many requests each server has had."""
        return len(self.first.requests), len(self.second.requests)


def model_at(server: OpenAIServer, name: str) -> Model:
    access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
    return model_from_name(f"openai:{name}", access)


@asynccontextmanager
async def talking(
    first: Completion, second: Completion, *, seconds: float = 30, front: Model | None = None
) -> AsyncIterator[Talk]:
    """`front` stands before both, or in the first one's place."""
    async with OpenAIServer() as one, OpenAIServer() as two, open_memory() as memory:
        one.script(first)
        two.script(second)
        clock = Clock()
        models = [front or model_at(one, "first"), model_at(two, "second")]
        async with ModelChain(models, seconds, clock) as chain:
            talk = Talk(one, two, memory, Conversation(chain, memory, PERSONA, None, lambda: NOON))
            talk.clock = clock
            yield talk
            assert one.refused == two.refused == []


def nowhere() -> str:
    """The address of a server that is not there."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (refusing(429, "Rate limit reached", "rate_limit_exceeded"), "throttled"),
        (refusing(429, "You exceeded your quota", "insufficient_quota"), "quota"),
        (refusing(401, "Incorrect API key", "invalid_api_key"), "bad_credentials"),
        (refusing(404, "The model does not exist", "model_not_found"), "unknown_model"),
        (refusing(503, "loading model"), "server_error"),
        (refusing(408, "timeout"), "timeout"),
        (Completion(drop=True), "cut"),
        (Completion(error_inside="overloaded"), "server_error"),
    ],
)
async def test_the_next_model_answers_when_the_first_one_is_out_of_service(
    first: Completion, kind: str
) -> None:
    async with talking(first, text("Here I am.")) as talk:
        assert await talk.answer() == "Here I am."
        assert talk.asked[1] == 1
        rests = talk.logged("model_cooling_down")
        assert (rests["model"], rests["kind"], rests["log_level"]) == ("first", kind, "warning")
        assert talk.logged("turn")["model"] == "second"


async def test_a_server_that_is_not_there_is_stood_in_for() -> None:
    gone = model_from_name("openai:gone", ModelAccess(base_url=nowhere(), attempts=1))
    async with talking(text("unused"), text("Here I am."), front=gone) as talk:
        assert await talk.answer() == "Here I am."
        assert talk.logged("model_cooling_down")["kind"] == "unreachable"


async def test_a_first_word_that_does_not_come_in_time_is_not_waited_for() -> None:
    async with talking(Completion(("Late.",), delay=20), text("Here I am."), seconds=2) as talk:
        assert await talk.answer() == "Here I am."
        assert talk.logged("model_cooling_down")["kind"] == "timeout"
        await talk.answer("And again")
        assert talk.asked == (1, 2)


async def test_the_first_model_answers_as_long_as_it_is_well() -> None:
    async with talking(text("First."), text("Second.")) as talk:
        assert [await talk.answer() for _ in range(2)] == ["First."] * 2
        assert talk.asked == (2, 0)
        assert talk.logged("turn")["model"] == "first"


@pytest.mark.parametrize(
    "broken",
    [
        Completion(("Half an ", "answer"), drop=True),
        text("Half an ", "answer", finish=None),
    ],
)
async def test_no_other_model_goes_on_in_the_middle_of_an_answer(broken: Completion) -> None:
    async with talking(broken, text("Something else.")) as talk:
        events = await talk.say()
        assert is_failure(events[-1])
        shown = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert shown == "Half an answer"
        assert talk.asked == (1, 0)
        assert (await talk.memory.talk.recall(ANNA, HOME, "?")).messages == ()
        # The turn after it is the other one's.
        assert await talk.answer("Again?") == "Something else."
        assert talk.asked == (1, 1)


async def test_a_model_that_failed_is_left_alone_for_a_while_and_then_asked_again() -> None:
    async with talking(refusing(503, "down"), text("Second.")) as talk:
        await talk.answer()
        await talk.answer()
        assert talk.asked == (1, 2)
        talk.clock.now += FIRST_COOLDOWN + 1
        await talk.answer()
        assert talk.asked == (2, 3)
        assert talk.logged("model_cooling_down")["seconds"] == 2 * FIRST_COOLDOWN
        talk.first.replies = [text("First.")]
        talk.clock.now += FIRST_COOLDOWN + 1
        assert await talk.answer() == "Second."
        talk.clock.now += FIRST_COOLDOWN
        assert await talk.answer() == "First."
        assert talk.logged("model_recovered")["model"] == "first"


async def test_a_model_that_goes_on_failing_is_asked_at_least_every_few_minutes() -> None:
    async with talking(refusing(503, "down"), text("Second.")) as talk:
        for number in range(1, 8):
            await talk.answer()
            assert len(talk.first.requests) == number
            talk.clock.now += LONGEST_COOLDOWN + 1


async def test_when_all_have_failed_one_line_names_each_and_the_user_gets_one_sentence() -> None:
    async with talking(refusing(503, "down"), refusing(429, "busy", "rate_limit")) as talk:
        assert await talk.failure() == failures.THROTTLED.user
        line = talk.logged("turn_failed")
        assert (line["kind"], line["model"]) == ("throttled", "first, second")
        assert [tried.split(":")[:2] for tried in line["tried"]] == [
            ["first", " server_error (503)"],
            ["second", " throttled (429)"],
        ]
        # Nobody is left to ask instead of them: they are asked again at once.
        await talk.failure()
        assert talk.asked == (2, 2)


async def test_a_model_that_was_left_alone_is_named_as_such() -> None:
    async with talking(refusing(503, "down"), text("Second.")) as talk:
        await talk.answer()
        talk.second.replies = [refusing(503, "down")]
        last = (await talk.say("Again"))[-1]
        assert last == Reply(failures.SERVER_ERROR.user, failure=failures.SERVER_ERROR.kind)
        first, second = talk.logged("turn_failed")["tried"]
        assert first == "first: not asked, it has just failed"
        assert second.startswith("second: server_error (503)")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (refusing(400, "request exceeds the available context size"), failures.OVERFLOW),
        (refusing(400, "this model does not support tools"), failures.REJECTED),
    ],
)
async def test_what_is_wrong_with_the_request_is_not_the_model_s_fault(
    reply: Completion, expected: failures.Failure
) -> None:
    async with talking(reply, text("Second.")) as talk:
        assert await talk.failure() == expected.user
        assert talk.asked == (1, 0)
        talk.first.replies = [text("First.")]
        assert await talk.answer() == "First."


async def test_a_model_may_be_stood_in_for_between_a_tool_call_and_its_answer() -> None:
    naming = calling("set_agent_name", '{"name": "Jarvis"}')
    async with talking(naming, text("Jarvis it is.")) as talk:
        talk.first.replies = [naming, refusing(503, "down")]
        assert await talk.answer("I'll call you Jarvis") == "Jarvis it is."
        assert (await talk.memory.choices.read(ANNA)).agent_name == "Jarvis"
        (request,) = talk.second.requests
        assert request["messages"][-1]["role"] == "tool"
        assert talk.logged("turn")["tools"] == ["set_agent_name"]


async def test_extraction_is_stood_in_for_as_well() -> None:
    found = '{"findings": [], "summary": "They said hello."}'
    async with OpenAIServer() as one, OpenAIServer() as two:
        one.script(refusing(503, "down"))
        two.script(text(found))
        async with ModelChain([model_at(one, "first"), model_at(two, "second")], 30) as chain:
            said = Utterance(Role.USER, "Hello", NOON), Utterance(Role.ASSISTANT, "Hi", NOON)
            extraction = await ModelExtractor(chain, EverySentence()).extract(
                Reading((Turn("t1", "s1", said),))
            )
    assert extraction.summary == "They said hello."


# -- Bedrock in front -----------------------------------------------------------------------------


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeAws:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    return FakeAws()


def claude(aws: FakeAws) -> Model:
    access = ModelAccess(aws_region="us-east-1", aws_endpoint_url=aws.url, attempts=1)
    return model_from_name(f"bedrock:{CLAUDE}", access)


async def test_bedrock_that_throttles_within_the_stream_before_a_word_is_stood_in_for(
    aws: FakeAws,
) -> None:
    throttled = BedrockReply("Never", breaks_after=1, error="throttlingException")
    with aws:
        aws.model.say(throttled)
        async with talking(text("unused"), text("Here I am."), front=claude(aws)) as talk:
            assert await talk.answer() == "Here I am."
            rests = talk.logged("model_cooling_down")
            assert (rests["model"], rests["kind"], rests["status"]) == (CLAUDE, "throttled", 429)


async def test_bedrock_that_throttles_in_mid_answer_is_not_gone_on_for(aws: FakeAws) -> None:
    with aws:
        aws.model.say(BedrockReply("Half an answer", breaks_after=3, error="throttlingException"))
        async with talking(text("unused"), text("Else."), front=claude(aws)) as talk:
            assert await talk.failure() == failures.THROTTLED.user
            assert talk.asked == (0, 0)
            assert await talk.answer() == "Else."


async def test_bedrock_that_hangs_is_stood_in_for_before_the_turn_is_over(aws: FakeAws) -> None:
    with aws:
        aws.faults.add(Fault("ConverseStream", delay=20))
        async with talking(
            text("unused"), text("Here I am."), front=claude(aws), seconds=2
        ) as talk:
            assert await talk.answer() == "Here I am."
            assert talk.logged("turn")["duration_ms"] < 15_000


async def test_a_model_without_access_is_named_with_its_region_beside_the_others(
    aws: FakeAws,
) -> None:
    with aws:
        aws.faults.add(Fault(None, None, "AccessDeniedException", 403, "You don't have access"))
        async with talking(text("x"), refusing(503, "down"), front=claude(aws)) as talk:
            assert await talk.failure() == failures.SERVER_ERROR.user
            first, second = talk.logged("turn_failed")["tried"]
            assert f"model access is not granted for {CLAUDE} in us-east-1" in first
            assert second.startswith("second: server_error (503)")


# -- as configured --------------------------------------------------------------------------------


async def closing(*models: Model) -> None:
    async with AsyncExitStack() as stack:
        for model in models:
            await stack.enter_async_context(model)


async def test_the_settings_make_a_chain_only_of_what_they_name() -> None:
    single = models_of(Settings(model="ollama:llama3.2"), offline_model)
    named = Settings(model="ollama:llama3.2", fallback_models=("ollama:tiny", "offline"))
    chain = models_of(named, offline_model)
    assert isinstance(single, TolerantModel)
    assert isinstance(chain, ModelChain)
    assert chain.model_name == "llama3.2, tiny, offline"
    await closing(single, chain)


async def test_the_engine_that_needs_no_model_may_be_the_last_resort() -> None:
    settings = Settings(model="openai:gone", model_base_url=nowhere(), fallback_models=("offline",))
    async with models_of(settings, offline_model) as chain, open_memory() as memory:
        talk = Conversation(chain, memory, PERSONA, TurnLimits(), lambda: NOON)
        inbound = message(uuid.uuid4().hex, ANNA, HOME, "I'll call you Jarvis", NOON)
        events = [event async for event in talk.reply(inbound)]
        assert is_answer(events[-1])
        assert (await memory.choices.read(ANNA)).agent_name == "Jarvis"


async def test_another_vendor_gets_neither_the_address_nor_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "its-own")
    settings = Settings(
        model="ollama:llama3.2",
        model_base_url="http://127.0.0.1:1/v1",
        model_api_key="for-ollama",
        fallback_models=("ollama:tiny", "openai:gpt-4.1-mini", "openrouter:any/model"),
    )
    same, other = (
        model_of(settings, "ollama:tiny"),
        model_of(settings, "openai:gpt-4.1-mini"),
    )
    assert isinstance(same, TolerantModel)
    assert same.wrapped.client.api_key == "for-ollama"  # type: ignore[attr-defined]  # of OpenAI's
    assert other.client.api_key == "its-own"  # type: ignore[attr-defined]  # of OpenAI's
    assert str(other.client.base_url) == "https://api.openai.com/v1/"  # type: ignore[attr-defined]  # of OpenAI's
    with pytest.raises(OperatorError, match="openrouter:any/model"):
        models_of(settings, offline_model)
    await closing(same, other)
