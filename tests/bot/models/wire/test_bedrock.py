"""The conversation with Bedrock's Converse, over boto3 and a real socket."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.typing import EventDict

from bot.assistant import failures
from bot.assistant.agent import TurnLimits
from bot.assistant.conversation import Conversation
from bot.assistant.events import Event, Reply
from bot.assistant.files import Attachment, FileKind
from bot.assistant.instructions import Persona, system_prompt
from bot.models.catalogue import ModelAccess, model_from_name
from memory.memory import Memory
from memory.records import Actor, Place
from tests.fakes.aws import Completion, FakeAws, Fault, ToolCall
from tests.fakes.memories import NOON, open_memory
from tests.fakes.messages import is_answer, is_failure, message

CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "us.amazon.nova-pro-v1:0"
ANNA, HOME = Actor.person(1), Place("telegram", 1)
PERSONA = system_prompt(Persona(identity="You are a test. " + "Be kind and patient. " * 300))
SEARCH = ToolCall("search_memory", {"query": "*"})


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")


class Talk:
    """A conversation with Bedrock, and what came of it."""

    def __init__(self, aws: FakeAws, memory: Memory, talk: Conversation) -> None:
        self.aws, self.memory, self._talk = aws, memory, talk
        self.logs: list[EventDict] = []

    async def say(self, words: str, *attached: Attachment) -> list[Event]:
        with structlog.testing.capture_logs() as self.logs:
            inbound = message(uuid.uuid4().hex, ANNA, HOME, words, NOON, attachments=attached)
            return [event async for event in self._talk.reply(inbound)]

    async def answer(self, words: str = "Hi") -> Reply:
        last = (await self.say(words))[-1]
        assert is_answer(last), (last, self.logs)
        return last

    async def failure(self, words: str = "Hi") -> str:
        last = (await self.say(words))[-1]
        assert is_failure(last), last
        assert (await self.memory.talk.recall(ANNA, HOME, "?")).messages == ()
        assert "very-secret" not in str(self.logs)
        return last.text

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [call.params for call in self.aws.calls]

    def logged(self, event: str) -> EventDict:
        (line,) = [entry for entry in self.logs if entry["event"] == event]
        return line


@asynccontextmanager
async def talking(
    *replies: Completion | str, limits: TurnLimits | None = None, model: str = CLAUDE
) -> AsyncIterator[Talk]:
    with FakeAws() as aws:
        aws.model.say(*replies)
        access = ModelAccess(aws_region="us-east-1", aws_endpoint_url=aws.url, attempts=1)
        made = model_from_name(f"bedrock:{model}", access)
        async with made, open_memory() as memory:
            talk = Conversation(made, memory, PERSONA, limits, lambda: NOON)
            yield Talk(aws, memory, talk)


async def test_a_turn_with_a_tool_goes_over_converse() -> None:
    naming = Completion("One moment.", (ToolCall("set_agent_name", {"name": "Jarvis"}),))
    async with talking(naming, "Jarvis it is.") as talk:
        finished = await talk.answer("I'll call you Jarvis")
        assert (await talk.memory.choices.read(ANNA)).agent_name == "Jarvis"
        assert finished.text == "One moment.\n\nJarvis it is."
        assert talk.logged("turn")["tools"] == ["set_agent_name"]
        assert talk.requests[0]["inferenceConfig"]["maxTokens"] == 1024


@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_pictures_and_documents_stand_behind_the_last_cache_point(model: str) -> None:
    photo = Attachment(FileKind.PICTURE, "image/jpeg", b"\xff\xd8\xff", "photo")
    pdf = Attachment(FileKind.PDF, "application/pdf", b"%PDF-1.7", "report.pdf")
    async with talking(*["Fine."] * 3, model=model) as talk:
        await talk.say("Hi")
        await talk.say("> [a photo]\n> [a document: report.pdf]", photo, pdf)
        await talk.say("Thanks")
        blocks = talk.requests[1]["messages"][-1]["content"]
        kinds = [next(iter(block)) for block in blocks]
        assert kinds[-4:] == ["text", "image", "document", "text"]
        assert blocks[-3]["image"]["format"] == "jpeg"
        assert blocks[-2]["document"]["format"] == "pdf"
        later = [block for m in talk.requests[2]["messages"] for block in m["content"]]
        assert not any("image" in block or "document" in block for block in later)


async def test_the_prefix_of_the_turn_before_is_read_from_the_cache() -> None:
    async with talking(*["Fine."] * 3) as talk:
        await talk.memory.known.remember(ANNA, "I sail a boat named Petra")
        reads = []
        for words in ("Hi", "What about my boat?", "And now?"):
            await talk.answer(words)
            reads.append(talk.logged("turn")["cache_read_tokens"])
        assert reads[0] == 0
        assert 0 < reads[1] < reads[2]
        system = [str(request["system"]) for request in talk.requests]
        assert len(set(system)) == 1
        assert "cachePoint" in str(talk.requests[0]["toolConfig"]["tools"][-1])


@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_cache_points_stand_after_tools_system_prompt_and_window_and_are_never_too_many(
    model: str,
) -> None:
    async with talking(*["Fine."] * 6, model=model) as talk:
        await talk.memory.known.remember(ANNA, "I sail a boat named Petra")
        for number in range(5):
            await talk.answer(f"Tell me about my boat, for the {number}. time")
        last = talk.requests[-1]
    # Nova caches no tools.
    assert ("cachePoint" in last["toolConfig"]["tools"][-1]) == (model == CLAUDE)
    assert [list(block) for block in last["system"]] == [["text"], ["cachePoint"]]
    # The library lets a point stand at the end of a user message only: that of the turn before.
    *_, said, replied, now = last["messages"]
    assert [next(iter(block)) for block in said["content"]] == ["text", "cachePoint"]
    assert "cachePoint" not in str((replied, now))
    # What belongs to this turn alone comes after it.
    assert [block["text"] for block in now["content"]] == [
        "Today is Saturday, 2026-11-21.",
        "Tell me about my boat, for the 4. time",
    ]
    points = [str(request).count("'cachePoint'") for request in talk.requests]
    assert points[-1] == max(points) == (4 if model == CLAUDE else 3)


@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_the_last_request_keeps_the_declared_tools_that_bedrock_wants_but_forbids_them(
    model: str,
) -> None:
    calls = [Completion(tools=(SEARCH,))] * 2
    async with talking(
        *calls, "Enough.", limits=TurnLimits(model_max_tool_rounds=2), model=model
    ) as talk:
        assert (await talk.answer("loop")).text == "Enough."
        last = talk.requests[-1]
        assert last["toolConfig"]["tools"]
        forbidden = last.get("additionalModelRequestFields", {}).get("tool_choice")
        assert forbidden == ({"type": "none"} if model == CLAUDE else None)


@pytest.mark.parametrize(
    ("reply", "expected", "status"),
    [
        (Completion("Half an answer", stop=""), failures.CUT, None),
        (Completion("Half an answer", breaks_after=2), failures.CUT, None),
        (Completion("Half", breaks_after=2, error="throttlingException"), failures.THROTTLED, 429),
        (
            Completion("Half", breaks_after=2, error="modelStreamErrorException"),
            failures.SERVER_ERROR,
            424,
        ),
        (
            Completion(tools=(ToolCall("remember", raw='{"text": "I '),), stop="max_tokens"),
            failures.TOO_LONG,
            None,
        ),
        (Completion(tools=(SEARCH,), stop=""), failures.CUT, None),
        (Completion("Half", stop="malformed_model_output"), failures.NO_ANSWER, None),
        (Completion(tools=(SEARCH,), stop="malformed_tool_use"), failures.NO_ANSWER, None),
        (Completion(stop="model_context_window_exceeded"), failures.OVERFLOW, None),
        (Completion("Blocked.", stop="guardrail_intervened"), failures.BLOCKED, None),
        (Completion(stop="end_turn"), failures.NO_ANSWER, None),
    ],
)
async def test_a_stream_that_goes_wrong_is_told_politely_and_leaves_nothing(
    reply: Completion, expected: failures.Failure, status: int | None
) -> None:
    async with talking(reply, reply) as talk:
        assert await talk.failure() == expected.user
        line = talk.logged("turn_failed")
        assert (line["kind"], line["status"], line["model"]) == (expected.kind, status, CLAUDE)


@pytest.mark.parametrize(
    ("code", "status", "message", "expected"),
    [
        ("ExpiredTokenException", 403, "expired", failures.BAD_CREDENTIALS),
        ("ValidationException", 400, "Input is too long for requested model.", failures.OVERFLOW),
        ("ValidationException", 400, "prompt is too long: 300000 tokens", failures.OVERFLOW),
        (
            "ValidationException",
            400,
            "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
            failures.OVERFLOW,
        ),
        (
            "ValidationException",
            400,
            "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
            failures.OVERFLOW,
        ),
        (
            "ValidationException",
            400,
            "This model's maximum context length is 8192 tokens. Please reduce the length",
            failures.OVERFLOW,
        ),
        (
            "ValidationException",
            400,
            "Malformed input request: expected maxLength: 42000, actual: 50000",
            failures.OVERFLOW,
        ),
        (
            "ValidationException",
            400,
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
            failures.OVERFLOW,
        ),
        ("ThrottlingException", 429, "Too many tokens, please wait", failures.THROTTLED),
        ("ThrottlingException", 429, "Too many requests", failures.THROTTLED),
        ("ModelTimeoutException", 408, "timed out", failures.TIMEOUT),
        ("ServiceUnavailableException", 503, "busy", failures.SERVER_ERROR),
        ("InternalServerException", 500, "oops", failures.SERVER_ERROR),
    ],
)
async def test_a_refusal_is_told_politely_and_the_operator_hears_the_remedy(
    code: str, status: int, message: str, expected: failures.Failure
) -> None:
    async with talking("Hello.") as talk:
        talk.aws.faults.add(Fault(None, None, code, status, message))
        assert await talk.failure() == expected.user
        line = talk.logged("turn_failed")
        assert (line["kind"], line["status"]) == (expected.kind, status)
        assert line["remedy"] == expected.remedy


async def test_a_model_without_access_is_named_with_its_region() -> None:
    async with talking("Hello.") as talk:
        message = "You don't have access to the model with the specified model ID."
        talk.aws.faults.add(Fault(None, None, "AccessDeniedException", 403, message))
        assert await talk.failure() == failures.BAD_CREDENTIALS.user
        line = talk.logged("turn_failed")
        assert (line["kind"], line["status"]) == ("bad_credentials", 403)
        told = f"model access is not granted for {CLAUDE} in us-east-1"
        assert line["remedy"].startswith(told)


async def test_a_connection_that_ends_before_the_first_byte_is_told_politely() -> None:
    async with talking("Hello.") as talk:
        talk.aws.faults.add(Fault("ConverseStream", cut=0))
        assert await talk.failure() == failures.UNREACHABLE.user


async def test_a_first_byte_beyond_the_deadline_is_not_waited_for() -> None:
    async with talking("Hello.", limits=TurnLimits(model_timeout_seconds=0.6)) as talk:
        talk.aws.faults.add(Fault("ConverseStream", delay=20))
        assert await talk.failure() == failures.TIMEOUT.user
        line = talk.logged("turn_failed")
        assert line["duration_ms"] < 15_000
        assert line["remedy"] == failures.TIMEOUT.remedy


async def test_what_a_turn_cost_is_in_its_line() -> None:
    async with talking(Completion("Fine.")) as talk:
        await talk.answer()
        line = talk.logged("turn")
    # Sonnet 4.5: 3 dollars a million tokens in, 3.75 to write the cache, 15 out.
    fresh = line["input_tokens"] - line["cache_write_tokens"]
    cost = (fresh * 3 + line["cache_write_tokens"] * 3.75 + line["output_tokens"] * 15) / 1e6
    # As far as the list of prices goes: regional endpoints cost a tenth more.
    assert line["cost_usd"] == pytest.approx(cost, rel=0.11)


async def test_a_slow_stream_is_given_up_at_the_deadline() -> None:
    slow = Completion("many words in a row", pause=0.4)
    async with talking(slow, limits=TurnLimits(model_timeout_seconds=0.6)) as talk:
        assert await talk.failure() == failures.TIMEOUT.user
