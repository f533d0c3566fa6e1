"""The one agent of this program: stateless, shared by all actors. Who is talking and what was said
are arguments of each run, so that users can't mix."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field

import pydantic_ai
from pydantic_ai import (
    Agent,
    AgentRunResult,
    AgentRunResultEvent,
    AgentStreamEvent,
    FunctionToolCallEvent,
    ModelMessage,
    ModelResponse,
    ModelSettings,
    PartDeltaEvent,
    PartStartEvent,
    RunContext,
    TextPart,
    TextPartDelta,
    Tool,
    ToolCallPart,
    UsageLimits,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ContentFilterError,
    IncompleteToolCall,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.usage import RunUsage

from bot.assistant.events import TextDelta, ToolCalled
from bot.assistant.failures import StreamCut, WindowFull
from bot.assistant.prompt import Prompt
from memory.records import ToolUse
from tools.context import ToolContext

# pydantic-ai greets whoever runs an agent in a terminal for the first time. That is our user's
# conversation, so it must not.
pydantic_ai.BANNER_ENABLED = False

#: Why a model on Bedrock or at Anthropic stops that has no room left to write.
_WINDOW_FULL = "model_context_window_exceeded"
#: Shows that the model had more to say than the output limit let it.
CUT_OFF = " …"


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """What one turn may cost. After `model_max_tool_rounds` requests that may call tools, the model
    must answer without. `model_timeout_seconds` runs from the first request to the last piece of
    the answer. `model_max_output_tokens` bounds the answer to each single request,
    `document_tokens` the texts of documents that came with the message."""

    model_max_tool_rounds: int = 4
    model_timeout_seconds: float = 60.0
    model_max_output_tokens: int = 1024
    document_tokens: int = 4000


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's final answer, without what it wrote before its tool calls. `model` is the one
    that wrote it, as its vendor calls it."""

    text: str
    tools: tuple[ToolUse, ...] = ()
    usage: RunUsage = field(default_factory=RunUsage)
    model: str | None = None


AgentEvent = TextDelta | ToolCalled | Answer


class TurnAgent:
    """Runs a model and its tools for one turn at a time, any number of turns at once."""

    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool[ToolContext]],
        system_prompt: str,
        limits: TurnLimits,
    ) -> None:
        self._limits = limits
        self._agent = Agent(
            model,
            name="mordecai",
            instructions=system_prompt,
            deps_type=ToolContext,
            tools=tools,
            model_settings=self._settings,
            capabilities=[WholeAnswers()],
            # A tool called wrongly may be corrected as long as rounds last; an empty answer once.
            retries={"tools": limits.model_max_tool_rounds + 1, "output": 1},
        )

    async def answer(
        self, prompt: Prompt, context: ToolContext, usage: RunUsage | None = None
    ) -> AsyncGenerator[AgentEvent, None]:
        """What the model writes and calls as it happens; the Answer is the last event. `usage`
        grows with every request, so that it is known even if there is no answer.

        Closing the iterator ends the model's work. Raises whatever pydantic-ai raises for a model
        that does not deliver, StreamCut, and TimeoutError at the deadline."""
        events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        # The run has a task of its own: its deadline must neither reach into the consumer nor count
        # the time the consumer takes, and it must end wherever the consumer stops.
        run = asyncio.create_task(self._run(prompt, context, events, usage), name="model run")
        run.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await run
        finally:
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)

    async def _run(
        self,
        prompt: Prompt,
        context: ToolContext,
        events: "asyncio.Queue[AgentEvent | None]",
        usage: RunUsage | None,
    ) -> None:
        async with (
            asyncio.timeout(self._limits.model_timeout_seconds),
            self._agent.run_stream_events(
                prompt.content,
                message_history=prompt.history,
                deps=context,
                usage=usage,
                # A belt: the rounds, the last request, and one more for an empty answer.
                usage_limits=UsageLimits(request_limit=self._limits.model_max_tool_rounds + 2),
            ) as stream,
        ):
            async for event in stream:
                if isinstance(event, AgentRunResultEvent):
                    events.put_nowait(_answer(event.result))
                elif piece := _piece(event):
                    events.put_nowait(piece)

    def _settings(self, context: RunContext[ToolContext]) -> ModelSettings:
        """The settings of one request. The last one forbids tools but still declares them: their
        declaration is part of the cached prefix, and Bedrock wants it wherever the messages hold
        tool calls."""
        settings = ModelSettings(
            max_tokens=self._limits.model_max_output_tokens,
            # Else the system prompt would change with what users write.
            framing_announcement="never",
        )
        if context.run_step > self._limits.model_max_tool_rounds:
            settings["tool_choice"] = "none"
        return settings


def _piece(event: AgentStreamEvent) -> TextDelta | ToolCalled | None:
    match event:
        case PartStartEvent(part=TextPart(content=text)) if text:
            return TextDelta(text)
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
            return TextDelta(text)
        case FunctionToolCallEvent(part=part):
            return ToolCalled(part.tool_name)
    return None


def _answer(result: AgentRunResult[str]) -> Answer:
    text = result.output.strip()
    if not text:
        raise UnexpectedModelBehavior("the answer was blank")
    if result.response.finish_reason == "length":
        text += CUT_OFF
    tools = tuple(_tool_uses(result.new_messages()))
    return Answer(text, tools, result.usage, result.response.model_name)


def _tool_uses(messages: Iterable[ModelMessage]) -> Iterable[ToolUse]:
    """The calls of a run, in order, each with what the model was told in return."""
    calls: dict[str, ToolCallPart] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls[part.tool_call_id] = part
            elif isinstance(part, ToolReturnPart) and (call := calls.pop(part.tool_call_id, None)):
                yield ToolUse(call.tool_name, call.args_as_json_str(), part.model_response_str())


def was_cut(response: ModelResponse) -> bool:
    """Whether a response ended without its model saying that it was done. Models that run in this
    process name no provider and no reason: they can't be cut."""
    told = response.finish_reason or _vendors_reason(response)
    return response.provider_name is not None and not told


def _vendors_reason(response: ModelResponse) -> str | None:
    """Why the model stopped, in its vendor's words."""
    return (response.provider_details or {}).get("finish_reason")


@dataclass
class WholeAnswers(AbstractCapability[ToolContext]):
    """Ends the run on a response that is not whole, before its text is taken for the answer or a
    tool is called with what there is of its arguments."""

    async def after_model_request(
        self,
        ctx: RunContext[ToolContext],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Raises StreamCut, ContentFilterError, WindowFull, IncompleteToolCall,
        UnexpectedModelBehavior."""
        if was_cut(response):
            raise StreamCut("the stream ended before the answer did")
        if response.finish_reason == "content_filter":
            raise ContentFilterError("the answer was stopped by a content filter")
        if response.finish_reason == "error":
            raise UnexpectedModelBehavior("the model did not keep to its own format")
        if _vendors_reason(response) == _WINDOW_FULL and (response.tool_calls or not response.text):
            raise WindowFull("the context window was full before there was an answer")
        if response.finish_reason == "length" and response.tool_calls:
            raise IncompleteToolCall("the output limit was reached within a tool call")
        return response
