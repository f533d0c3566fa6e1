"""The functions of `tools` as the model's tools. The call's context names the actor whose memory
they touch. A tool that crashes returns an error the model can work with."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Concatenate, get_type_hints

import structlog
from pydantic_ai import RunContext, Tool, ToolFailed

from tools.agent_name import set_agent_name
from tools.context import ToolContext, ToolFailure
from tools.forgetting import forget_memory
from tools.search import search_memory
from tools.statements import correct_memory, remember

_log = structlog.get_logger(__name__)

ToolFunction = Callable[Concatenate[ToolContext, ...], Awaitable[str]]

#: The tools in the order the model sees them, which is part of the cached prefix.
FUNCTIONS: tuple[ToolFunction, ...] = (
    set_agent_name,
    search_memory,
    remember,
    correct_memory,
    forget_memory,
)

_CRASHED = "The tool crashed and did nothing. Go on without it, and say so if it matters."


def toolbox(functions: Sequence[ToolFunction] = FUNCTIONS) -> list[Tool[ToolContext]]:
    return [_make_tool(function) for function in functions]


def _make_tool(function: ToolFunction) -> Tool[ToolContext]:
    """A tool with the function's name, description and arguments. Its context comes from the run,
    never from the model."""

    async def run(context: RunContext[ToolContext], **arguments: Any) -> str:
        try:
            return await function(context.deps, **arguments)
        except ToolFailure as failure:
            raise ToolFailed(str(failure)) from failure
        except Exception as bug:  # the tool boundary: a tool that crashes must not end the turn
            _log.exception("tool_crashed", tool=name, actor=context.deps.actor.id)
            raise ToolFailed(_CRASHED) from bug

    name = getattr(function, "__name__", type(function).__name__)
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    first, *others = signature.parameters.values()
    context_type = RunContext[ToolContext]
    # pydantic-ai reads a tool's schema from its signature, its hints and its docstring.
    run.__name__ = run.__qualname__ = name
    run.__doc__ = function.__doc__
    run.__annotations__ = {**hints, first.name: context_type}
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]  # read by inspect
        parameters=[first.replace(annotation=context_type), *others]
    )
    return Tool(run, takes_ctx=True)
