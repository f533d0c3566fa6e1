"""Tolerance for weak OpenAI-compatible servers: small models, and servers that implement the
interface only in part."""

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
)
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from pydantic_ai import (
    ModelMessage,
    ModelResponse,
    ModelSettings,
    RunContext,
    TextPart,
    TextPartDelta,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage

from bot.models.wire.plain_messages import merge_neighbours, without_tool_calls
from bot.models.wire.spoken_calls import CallScanner, Found

_log = structlog.get_logger(__name__)


class TolerantModel(WrapperModel):
    """Compensates for what weak servers do wrong:

    - an HTTP 500 because an answer does not fit the tool grammar: retry once without tools (the
      same request would fail again);
    - ignoring `tool_choice: "none"`: omit the tools instead;
    - a tool call written as text: make it a real call if it names a declared tool, or drop it if no
      tools are wanted; never show it;
    - chat templates that require alternating roles: merge neighbours."""

    def prepare_messages(
        self,
        messages: list[ModelMessage],
        model_request_parameters: ModelRequestParameters | None = None,
    ) -> list[ModelMessage]:
        """The messages as they are sent."""
        prepared = super().prepare_messages(messages, model_request_parameters)
        return list(merge_neighbours(prepared))

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        asked = ServerRequest.of(messages, model_settings, model_request_parameters)
        try:
            response = await super().request(asked.messages, asked.settings, asked.parameters)
        except ModelHTTPError as error:
            if not asked.may_do_without_tools(error):
                raise
            asked = asked.without_tools()
            response = await super().request(asked.messages, asked.settings, asked.parameters)
        return replace(response, parts=list(_parts(response.parts, asked)))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        asked = ServerRequest.of(messages, model_settings, model_request_parameters)
        async with AsyncExitStack() as stack:

            async def ask(asked: ServerRequest) -> StreamedResponse:
                return await stack.enter_async_context(
                    self.wrapped.request_stream(
                        asked.messages, asked.settings, asked.parameters, run_context
                    )
                )

            try:
                inner = await ask(asked)
            except ModelHTTPError as error:
                if not asked.may_do_without_tools(error):
                    raise
                asked = asked.without_tools()
                inner = await ask(asked)
            yield TolerantStream(asked.parameters, inner, asked, ask)


@dataclass(frozen=True)
class ServerRequest:
    """A request to the server, and the tools that a call in the text may name."""

    messages: list[ModelMessage]
    settings: ModelSettings | None
    parameters: ModelRequestParameters
    names: frozenset[str]

    @classmethod
    def of(
        cls,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> "ServerRequest":
        """The agent's request; without tools if it forbids calls."""
        names = frozenset(tool.name for tool in parameters.function_tools)
        asked = cls(messages, settings, parameters, names)
        return asked.without_tools() if (settings or {}).get("tool_choice") == "none" else asked

    @property
    def has_tools(self) -> bool:
        """True if a call in the model's text may become a real one."""
        return bool(self.parameters.function_tools)

    def without_tools(self) -> "ServerRequest":
        """The same request without any trace of tools. Many servers reject a `tool_choice` without
        tools, and a small model that sees its own calls keeps calling."""
        settings = ModelSettings(**(self.settings or {}))
        settings.pop("tool_choice", None)
        return replace(
            self,
            messages=list(merge_neighbours(without_tool_calls(self.messages))),
            settings=settings,
            parameters=replace(self.parameters, function_tools=[]),
        )

    def may_do_without_tools(self, error: ModelHTTPError) -> bool:
        """True for an error that only tools can have caused."""
        again = self.has_tools and error.status_code == 500
        if again:
            _log.warning("retried_without_tools", model=error.model_name, status=500)
        return again


def _parts(parts: Iterable[ModelResponsePart], asked: ServerRequest) -> Iterator[ModelResponsePart]:
    for part in parts:
        if not isinstance(part, TextPart):
            yield part
            continue
        scanner = CallScanner(asked.names)
        for found in [*scanner.feed(part.content), *scanner.finish()]:
            if isinstance(found, str):
                yield TextPart(found)
            elif asked.has_tools:
                yield ToolCallPart(found.name, found.arguments)


def _is_text(part: ModelResponsePart) -> bool:
    return isinstance(part, TextPart)


@dataclass
class TolerantStream(StreamedResponse):
    """A stream with the calls in its text found."""

    _inner: StreamedResponse
    _asked: ServerRequest
    _ask: Callable[[ServerRequest], Awaitable[StreamedResponse]]

    def __post_init__(self) -> None:
        self._scanner = CallScanner(self._asked.names)
        self._texts = 0
        self._abandoned = 0
        self._spent = RequestUsage()

    def get(self) -> ModelResponse:
        """The response so far; of what came before a retry only the text, which was shown."""
        response = super().get()
        before, since = response.parts[: self._abandoned], response.parts[self._abandoned :]
        return replace(response, parts=[*filter(_is_text, before), *since])

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        try:
            async for event in self._scanned_stream():
                yield event
        except ModelHTTPError as error:
            if not self._asked.may_do_without_tools(error):
                raise
            await self._ask_again()
            if any(_is_text(part) for part in self._parts_manager.get_parts()):
                for event in self._scan_events(["\n\n"]):
                    yield event
            async for event in self._scanned_stream():
                yield event
        self.finish_reason = self._inner.finish_reason
        self.provider_details = self._inner.provider_details
        self.provider_response_id = self._inner.provider_response_id
        self.state = self._inner.state

    async def _ask_again(self) -> None:
        self._abandoned = len(self._parts_manager.get_parts())
        self._spent += self._inner.usage
        self._scanner = CallScanner(self._asked.names)
        self._texts += 1
        self._asked = self._asked.without_tools()
        self._inner = await self._ask(self._asked)

    async def _scanned_stream(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._inner:
            if isinstance(event, PartStartEvent):
                events = self._part_start_events(event)
            elif isinstance(event, PartDeltaEvent):
                events = self._part_delta_events(event)
            else:
                continue
            for own in events:
                yield own
        for own in self._scan_events(self._scanner.finish()):
            yield own

    def _part_start_events(self, event: PartStartEvent) -> Iterator[ModelResponseStreamEvent]:
        match event.part:
            case TextPart(content=text):
                yield from self._scan_events(self._scanner.feed(text))
            case part:
                yield self._parts_manager.handle_part(
                    vendor_part_id=self._part_id(event), part=part
                )

    def _part_delta_events(self, event: PartDeltaEvent) -> Iterator[ModelResponseStreamEvent]:
        match event.delta:
            case TextPartDelta(content_delta=text):
                yield from self._scan_events(self._scanner.feed(text))
            case ToolCallPartDelta() as delta:
                yield from self._parts_manager.handle_tool_call_delta_events(
                    vendor_part_id=self._part_id(event),
                    tool_name=delta.tool_name_delta,
                    args=delta.args_delta,
                    tool_call_id=delta.tool_call_id,
                )
            case ThinkingPartDelta() as delta:
                yield from self._parts_manager.handle_thinking_delta(
                    vendor_part_id=self._part_id(event),
                    content=delta.content_delta,
                    signature=delta.signature_delta,
                    provider_name=delta.provider_name,
                )

    def _scan_events(self, found: Iterable[Found]) -> Iterator[ModelResponseStreamEvent]:
        for item in found:
            if isinstance(item, str):
                yield from self._parts_manager.handle_text_delta(
                    vendor_part_id=f"text {self._texts}", content=item
                )
            elif self._asked.has_tools:
                self._texts += 1  # what follows a call is another text
                call = ToolCallPart(item.name, item.arguments)
                yield self._parts_manager.handle_part(vendor_part_id=None, part=call)

    def _part_id(self, event: PartStartEvent | PartDeltaEvent) -> tuple[int, int]:
        return self._abandoned, event.index

    @property
    def usage(self) -> RequestUsage:
        """The usage so far."""
        return self._spent + self._inner.usage

    async def close_stream(self) -> None:
        """Close the connection to the server."""
        await self._inner.close_stream()

    @property
    def model_name(self) -> str:
        """The name the server gives its model."""
        return self._inner.model_name

    @property
    def provider_name(self) -> str | None:
        """The provider's name."""
        return self._inner.provider_name

    @property
    def provider_url(self) -> str | None:
        """The server's address."""
        return self._inner.provider_url

    @property
    def timestamp(self) -> datetime:
        """When the answer began."""
        return self._inner.timestamp
