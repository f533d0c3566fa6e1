"""Running summaries on a model: what it is asked, and what becomes of its answer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bot.models.catalogue import ModelAccess, model_from_name
from bot.models.writers import TURNS_AT_ONCE, ModelSummarizer
from bot.people.usage import Usage
from memory.records import Actor, Role, Turn, Utterance
from memory.understanding import ExtractionFailed
from tests.fakes.files import accounts_in
from tests.fakes.openai_server import Completion, OpenAIServer, refusing, text
from tests.fakes.summarizers import Numbering

DAY = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def turn(number: int, said: str, answered: str = "I see.") -> Turn:
    messages = (Utterance(Role.USER, said, DAY), Utterance(Role.ASSISTANT, answered, DAY))
    return Turn(f"t{number}", "s1", messages)


class Answering:
    """A model that gives one answer, and what it was asked."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self.asked: list[str] = []

    @property
    def model(self) -> Model:
        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            for part in messages[-1].parts:
                if isinstance(messages[-1], ModelRequest) and isinstance(part, UserPromptPart):
                    assert isinstance(part.content, str)
                    self.asked.append(part.content)
            return ModelResponse(parts=[TextPart(self._answer)])

        return FunctionModel(function=answer)


async def test_a_summary_goes_on_from_the_earlier_one() -> None:
    asked = Answering("They talked about boats.\nStill open: which one.")
    summarizer = ModelSummarizer(asked.model, Numbering())
    summary = await summarizer.summarize([turn(1, "a boat")], "Earlier: ships & <sails>.")
    assert summary == "They talked about boats. Still open: which one."
    assert asked.asked[0].splitlines() == [
        "<earlier_summary>",
        "Earlier: ships &amp; &lt;sails&gt;.",
        "</earlier_summary>",
        "<conversation>",
        "(Friday 2026-11-20)",
        "[1] USER: a boat",
        "[1] ASSISTANT: I see.",
        "</conversation>",
    ]


async def test_what_was_escaped_for_the_model_comes_back_as_it_was_said() -> None:
    summarizer = ModelSummarizer(Answering("About R&amp;D.").model, Numbering())
    assert await summarizer.summarize([turn(1, "R&D")]) == "About R&D."


async def test_a_blank_summary_is_a_failure() -> None:
    with pytest.raises(ExtractionFailed):
        await ModelSummarizer(Answering("").model, Numbering()).summarize([turn(1, "a boat")])


async def test_very_many_turns_are_read_in_parts_each_going_on_from_the_one_before() -> None:
    asked = Answering("So far.")
    turns = [turn(number, "word " * 1000) for number in range(TURNS_AT_ONCE + 1)]
    await ModelSummarizer(asked.model, Numbering()).summarize(turns)
    assert len(asked.asked) == 2
    assert "So far." in asked.asked[1]
    assert all(len(question) < 40_000 for question in asked.asked)


async def from_server(*replies: Completion) -> str:
    async with OpenAIServer() as server:
        server.script(*replies)
        access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        async with model_from_name("openai:small", access) as model:
            return await ModelSummarizer(model, Numbering()).summarize([turn(1, "a boat")])


@pytest.mark.parametrize("reply", [refusing(429, "Rate limit reached"), refusing(503, "loading")])
async def test_a_failure_that_may_pass_is_raised_so_that_it_is_tried_later(
    reply: Completion,
) -> None:
    with pytest.raises(ExtractionFailed):
        await from_server(reply)


@pytest.mark.parametrize(
    "reply",
    [
        refusing(400, "request exceeds the available context size"),
        text(finish="content_filter"),
        text("I can't", " help with that.", finish="content_filter"),
        text("Sorry, no can do.", finish="guardrail_intervened"),
    ],
)
async def test_what_the_model_will_never_take_is_summed_up_by_rules(reply: Completion) -> None:
    assert await from_server(reply) == "Summed up: a boat"


async def test_what_a_summary_used_is_counted_for_whoever_s_session_it_was(tmp_path: Path) -> None:
    anna = Actor.person(1)
    with ThreadPoolExecutor(1) as pool:
        async with OpenAIServer() as server, accounts_in(tmp_path / "usage", pool) as accounts:
            accounts.note_turn(anna, "s1", Usage(1, 1))
            server.script(text("About boats."))
            access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
            async with model_from_name("openai:small", access) as model:
                await ModelSummarizer(model, Numbering(), accounts).summarize([turn(1, "a boat")])
            used = (await accounts.of_session(anna, "s1")).extractions
            assert (used.runs, used.requests) == (1, 1)
            assert used.input_tokens > 0
