"""The program's one agent: stateless, shared by all actors. The actor and the message are arguments
of each run, so that users can't mix."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from dataclasses import dataclass, field

import pydantic_ai
from pydantic_ai import (
    Agent,
    AgentRunResult,
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
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
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from bot.assistant.events import TextDelta, ToolCalled
from bot.assistant.failures import TOO_LONG, WholeAnswers
from bot.assistant.prompt import Prompt
from memory.records import ToolUse
from tools.context import ToolContext

# pydantic-ai prints a banner the first time an agent runs in a terminal, in the middle of our
# user's conversation.
pydantic_ai.BANNER_ENABLED = False

#: How many times as long the first piece may take: a model of one's own reads a long prompt slowly.
_FIRST = 2


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """What one turn may cost. After `model_max_tool_rounds` requests that may call tools, the model
    must answer without tools. `model_timeout_seconds` is the longest silence within the answer,
    `turn_timeout_seconds` the time for all of it. `model_max_output_tokens` limits the answer to
    each single request, `document_tokens` the texts of documents that came with the message."""

    model_max_tool_rounds: int = 4
    model_timeout_seconds: float = 60.0
    turn_timeout_seconds: float = 600.0
    model_max_output_tokens: int = 1024
    document_tokens: int = 4000


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the model wrote, also before its tool calls. `interrupted` is why it ends early.
    `model` is the vendor's name of the model that wrote it."""

    text: str
    interrupted: str = ""
    tools: tuple[ToolUse, ...] = ()
    usage: RunUsage = field(default_factory=RunUsage)
    model: str | None = None


AgentEvent = TextDelta | ToolCalled | Answer


class TurnAgent:
    """Runs a model and its tools for a turn; many turns can run at once."""

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
            # The model may correct a bad tool call while it has rounds, and an empty answer once.
            retries={"tools": limits.model_max_tool_rounds + 1, "output": 1},
        )

    async def answer(
        self, prompt: Prompt, context: ToolContext, usage: RunUsage | None = None
    ) -> AsyncGenerator[AgentEvent, None]:
        """Yield what the model writes and calls as it happens; the Answer comes last. `usage` grows
        with every request, so it is known even if there is no answer.

        Closing the iterator stops the model. Raises MODEL_ERRORS: whatever pydantic-ai raises for a
        model that fails, StreamCut, and TimeoutError after too long a silence, or in all."""
        events: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        # The run has its own task: its deadline must not hit the consumer or count the consumer's
        # time, and the run must end wherever the consumer stops.
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
        limits, loop = self._limits, asyncio.get_running_loop()
        longest = max(limits.turn_timeout_seconds, _FIRST * limits.model_timeout_seconds)

        async def show(_: RunContext[ToolContext], stream: AsyncIterable[AgentStreamEvent]) -> None:
            async for event in stream:
                if not silence.expired():
                    # A tool takes its time, and so does the first word after it.
                    works = isinstance(event, FunctionToolCallEvent | FunctionToolResultEvent)
                    patience = limits.model_timeout_seconds * (_FIRST if works else 1)
                    silence.reschedule(loop.time() + patience)
                match event:
                    case (
                        PartStartEvent(part=TextPart(content=text))
                        | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
                    ) if text:
                        events.put_nowait(TextDelta(text))
                    case FunctionToolCallEvent(part=part):
                        events.put_nowait(ToolCalled(part.tool_name))

        async with (
            asyncio.timeout(longest),
            asyncio.timeout(_FIRST * limits.model_timeout_seconds) as silence,
        ):
            # Not `run_stream_events`, which hands each event through one more task.
            result = await self._agent.run(
                prompt.content,
                message_history=prompt.history,
                deps=context,
                usage=usage,
                # A safety net: the rounds, the last request, and one more for an empty answer.
                usage_limits=UsageLimits(request_limit=limits.model_max_tool_rounds + 2),
                event_stream_handler=show,
            )
        events.put_nowait(_final_answer(result))

    def _settings(self, context: RunContext[ToolContext]) -> ModelSettings:
        """The settings of one request. The last request forbids tools but still declares them: the
        declaration is part of the cached prefix, and Bedrock requires it whenever the messages
        contain tool calls."""
        settings = ModelSettings(
            max_tokens=self._limits.model_max_output_tokens,
            # Otherwise the system prompt would change with what users write.
            framing_announcement="never",
        )
        if context.run_step > self._limits.model_max_tool_rounds:
            settings["tool_choice"] = "none"
        return settings


def _final_answer(result: AgentRunResult[str]) -> Answer:
    if not result.output.strip():
        raise UnexpectedModelBehavior("the answer was blank")
    responses = (m for m in result.new_messages() if isinstance(m, ModelResponse))
    written = ((response.text or "").strip() for response in responses)
    text = "\n\n".join(filter(None, written))
    # Tool calls in order, each with its result.
    tools: list[ToolUse] = []
    calls: dict[str, ToolCallPart] = {}
    for part in (part for message in result.new_messages() for part in message.parts):
        if isinstance(part, ToolCallPart):
            calls[part.tool_call_id] = part
        elif isinstance(part, ToolReturnPart) and (call := calls.pop(part.tool_call_id, None)):
            response = part.model_response_str()
            tools.append(ToolUse(call.tool_name, call.args_as_json_str(), response))
    interrupted = TOO_LONG.kind if result.response.finish_reason == "length" else ""
    return Answer(text, interrupted, tuple(tools), result.usage, result.response.model_name)
