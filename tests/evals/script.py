"""A model that plays a script and keeps every request as it came."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any, cast

from pydantic_ai import ModelMessage, ModelResponse, ModelSettings, RunContext, TextPart
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
    FunctionStreamedResponse,
)
from pydantic_ai.usage import RequestUsage

from tests.evals.requests import Request, request_of
from tests.evals.talk import Exchange
from tools.statements import remember

#: What it says to everything that is not the talk: a summary of the length that is usual.
ASIDE = (
    "They talked about several subjects one after the other, and the user asked what to do first. "
    "The assistant gave an order of steps with a reason for each, and named what can wait. The "
    "user wants short plans, said what must be kept in mind, and will come back to what is open."
)


class _Free(FunctionModel):
    """Reports no tokens; the library would estimate them."""

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            pieces = cast(FunctionStreamedResponse, stream)._iter
            yield _FreeStream(model_request_parameters, "script", pieces)


class _FreeStream(FunctionStreamedResponse):
    @property
    def usage(self) -> RequestUsage:
        return RequestUsage(cost=Decimal(0))


class ScriptedModel:
    """Answers the exchange that it is given next, keeping what is to be kept first. `asked` are the
    requests of the talk, `aside` all others, such as those for summaries."""

    def __init__(self) -> None:
        self.exchange = Exchange("", "")
        self.asked: list[Request] = []
        self.aside: list[Request] = []

    @property
    def model(self) -> Model:
        """The model: streamed for the talk, and at once for everything else. It reports no usage,
        so that nobody learns from it what tokens are."""
        return _Free(self._aside, stream_function=self._stream, model_name="script")

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        self.asked.append(_request(messages, info))
        told = any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)
        offered = {tool.name for tool in info.function_tools}
        # Without a long-term memory there is no tool to keep anything with.
        if self.exchange.keeps and not told and remember.__name__ in offered:
            keeps = self.exchange.keeps
            arguments = json.dumps({"statement": keeps, "quote": keeps})
            yield {0: DeltaToolCall(remember.__name__, arguments, tool_call_id="keep")}
        else:
            yield self.exchange.reply

    async def _aside(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.aside.append(_request(messages, info))
        return ModelResponse([TextPart(ASIDE)], usage=RequestUsage(cost=Decimal(0)))


def _request(messages: list[ModelMessage], info: AgentInfo) -> Request:
    return request_of(messages, info.instructions or "", info.function_tools)
