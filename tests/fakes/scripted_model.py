"""A model that plays a script: a real pydantic-ai model, without a network."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from pydantic_ai import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

Piece = str | DeltaToolCalls
#: What the model does in one request: the pieces it streams, or what it raises.
Step = list[Piece] | Exception
Plan = Callable[[list[ModelMessage], AgentInfo], Step]


def call(name: str, arguments: str, index: int = 0) -> DeltaToolCalls:
    """One whole tool call, as a piece of a stream."""
    return {index: DeltaToolCall(name=name, json_args=arguments)}


def words(messages: list[ModelMessage]) -> str:
    """The user's own words of the current turn: the last string of the last user prompt."""
    return contents(messages)[-1]


def contents(messages: list[ModelMessage]) -> list[str]:
    """All strings of the last user prompt."""
    for message in reversed(messages):
        for part in reversed(message.parts):
            if isinstance(message, ModelRequest) and isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                return [item for item in content if isinstance(item, str)]
    raise AssertionError("no user prompt")


@dataclass
class Scripted:
    """Plays `steps` in order, the last one for ever, or asks `plan`. Remembers every request."""

    steps: list[Step] = field(default_factory=list)
    plan: Plan | None = None
    requests: list[tuple[list[ModelMessage], AgentInfo]] = field(default_factory=list)

    @property
    def model(self) -> FunctionModel:
        """The model, for streamed requests."""
        return FunctionModel(stream_function=self._stream, model_name="scripted")

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
        self.requests.append((list(messages), info))
        if self.plan:
            step = self.plan(messages, info)
        else:
            step = self.steps[min(len(self.requests), len(self.steps)) - 1]
        if isinstance(step, Exception):
            raise step
        for piece in step:
            yield piece
